import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseRecords, toRecord } from '../../../src/simulator/tokens/count-records.ts';
import { createCounters } from '../../../src/simulator/tokens/counters.ts';

const LONG = 'The kettle is on, and the lid rattles. '.repeat(10);
const MODEL = 'openai/gpt-4o';

let cacheFolder = '';

beforeEach(() => {
  cacheFolder = mkdtempSync(join(tmpdir(), 'compaction-bench-'));
});

afterEach(() => rmSync(cacheFolder, { recursive: true, force: true }));

/** The count that counters of their own come to. */
async function countOnce(model: string, text: string): Promise<number> {
  const counters = createCounters({ cacheFolder });
  const count = await counters.of(model);
  const tokens = count(text);
  counters.save();
  return tokens;
}

function content(): string {
  return readdirSync(cacheFolder)
    .map((name) => readFileSync(join(cacheFolder, name), 'utf8'))
    .join('');
}

describe('createCounters', () => {
  it('has one count for the models of one encoding', async () => {
    const counters = createCounters();
    const [first, second] = await Promise.all([counters.of(MODEL), counters.of('other/model')]);
    expect(first).toBe(second);
    expect(await counters.ofEncoding('o200k_base')).toBe(first);
    expect(first('hello world')).toBe(2);
  });

  it('counts the same with a folder as without, the first time and the next', async () => {
    const tokens = (await createCounters().of(MODEL))(LONG);
    expect(await countOnce(MODEL, LONG)).toBe(tokens);
    expect(await countOnce(MODEL, LONG)).toBe(tokens);
  });

  it('takes a count from the folder, of the same encoding only', async () => {
    const tokens = await countOnce(MODEL, LONG);
    const [name = ''] = readdirSync(cacheFolder);
    expect(name).toMatch(/^o200k_base-[\da-f]{8}$/);
    const [digest = ''] = parseRecords(content()).keys();
    writeFileSync(join(cacheFolder, name), toRecord(digest, 4_321) ?? '');

    expect(await countOnce(MODEL, LONG)).toBe(4_321);
    expect(await countOnce(MODEL, `${LONG}!`)).not.toBe(4_321);
    expect(await countOnce('openai/gpt-4', LONG)).toBe(tokens);
  });

  it('keeps digests of long texts and nothing else', async () => {
    await countOnce(MODEL, LONG);
    await countOnce(MODEL, 'a short secret');
    expect(content()).toMatch(/^\n[\w-]{22}[\da-f]{12}\n$/);
  });
});
