import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { policies } from '../../../src/engine/index.ts';
import { createProfile } from '../../../src/simulator/provider/model-profile.ts';
import { NO_USAGE } from '../../../src/simulator/replay/recorded.ts';
import { findSummarizer } from '../../../src/simulator/summarizer/summarizers.ts';
import {
  type RecordedRows,
  runFiles,
  type RunItem,
} from '../../../src/simulator/sweep/run-files.ts';
import { chatOf, createFolder, reportedSession, writeFile } from '../../support/session-files.ts';

const RECORDED = join(import.meta.dirname, '../../../scenarios/recorded');
const SESSIONS = createFolder();
writeFile(SESSIONS, 'no-usage.jsonl', chatOf(3));
writeFile(SESSIONS, 'reported.json', reportedSession());

async function recordsOf(file: string, recorded?: RecordedRows, contextTokens = 200_000) {
  const items = await collect(
    runFiles({
      files: [join(SESSIONS, file)],
      policies: [policies.none],
      model: createProfile('lab/model', { contextTokens }),
      summarizer: findSummarizer('extractive'),
      seed: 1,
      recorded,
    }),
  );
  return items.flatMap((item) => (item.type === 'record' ? [item.record] : []));
}

async function collect(items: AsyncIterable<RunItem>): Promise<readonly RunItem[]> {
  const all: RunItem[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe('runFiles', () => {
  it('makes a row of a run that breaks, with its reason, and goes on with the others', async () => {
    const items = await collect(
      runFiles({
        files: [join(RECORDED, 'csv-format.json'), join(RECORDED, 'discriminated-unions.json')],
        policies: [policies['opencode-1.2.16'], policies.none],
        model: createProfile('openai/gpt-4o', { contextTokens: 64_000, outputTokens: 8_000 }),
        summarizer: {
          name: 'broken',
          summarise: () => {
            throw new Error('the summarizer broke');
          },
        },
        seed: 1,
      }),
    );
    const records = items.flatMap((item) => (item.type === 'record' ? [item.record] : []));
    expect(records.map(({ policy, state }) => [policy, state])).toEqual([
      ['opencode-1.2.16', 'failed'],
      ['none', 'completed'],
      ['opencode-1.2.16', 'failed'],
      ['none', 'completed'],
    ]);
    expect(records[0]?.reason).toBe('the summarizer broke');
    expect(records[0]?.metrics.steps).toBeNull();
  });

  it('keeps what it finished when it is stopped, and goes on from there', async () => {
    const keptIn = createFolder();
    const files = ['reported.json', 'no-usage.jsonl'].map((name) => join(SESSIONS, name));
    let counted = 0;
    const count = (text: string) => Math.ceil(text.length / 4);
    const of = async () => {
      counted += 1;
      return count;
    };
    const options = {
      files,
      policies: [policies['claude-code-2.1.22'], policies.none],
      model: createProfile('lab/model', { contextTokens: 200_000 }),
      summarizer: findSummarizer('extractive'),
      seed: 1,
      recorded: 'where-known' as const,
      counters: { of, ofEncoding: of, save: () => {} },
    };
    const whole = await collect(runFiles(options));
    expect(counted).toBe(2);
    for await (const item of runFiles({ ...options, keptIn })) {
      if (item.type === 'file-start' && item.index === 1) break;
    }
    expect(await collect(runFiles({ ...options, keptIn }))).toEqual(whole);
    expect(counted).toBe(4);
    expect(JSON.stringify(await collect(runFiles({ ...options, keptIn })))).toBe(
      JSON.stringify(whole),
    );
    expect(counted).toBe(4);
    await collect(runFiles({ ...options, keptIn, seed: 2 }));
    expect(counted).toBe(6);
  });

  it('saves nothing against itself, and knows nothing of what was lost', async () => {
    const [, own] = await recordsOf('reported.json', 'where-known');
    expect(own).toMatchObject({
      state: 'completed',
      baseline: 'recorded',
      metrics: { tokensSaved: 0, costSavedUsd: null, misses: null },
    });
  });

  it('measures against never compacting where no usage is recorded, and skips the run as recorded', async () => {
    const file = 'no-usage.jsonl';
    const where = await recordsOf(file, 'where-known');
    expect(where.map(({ policy, baseline }) => [policy, baseline])).toEqual([['none', 'none']]);
    const [, asked] = await recordsOf(file, 'asked');
    expect(asked).toMatchObject({ state: 'skipped', reason: NO_USAGE });
  });

  it('knows no savings where never compacting exceeds the window and no usage is recorded', async () => {
    const [none] = await recordsOf('no-usage.jsonl', 'where-known', 12_010);
    expect(none).toMatchObject({ state: 'completed', metrics: { tokensSaved: null } });
    expect(none).not.toHaveProperty('baseline');
    expect(none?.impossible).toMatch(/^step \d+ holds \d+ tokens, and the window 12010$/);
  });
});
