import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../../src/cli/process/io.ts';
import type { CapturedIoOptions } from '../../support/captured-io.ts';
import {
  type Deed,
  inTurn,
  openAiOverflow,
  says,
  type Script,
  serverError,
} from '../../support/model-server/script.ts';
import { type ModelServer, startModelServer } from '../../support/model-server/server.ts';
import { createFolder } from '../../support/session-files.ts';
import {
  against,
  armOf,
  asModel,
  BASE,
  byPart,
  fiveCents,
  isQuestion,
  MODEL,
  summarizers,
  textOf,
  writeSessions,
} from '../model-bench.ts';

const folder = createFolder();
const [session, another] = writeSessions(folder);

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer(byPart);
});
afterAll(async () => {
  await server.close();
});

/** The command on one session. */
async function onOne(script: Script, argv: readonly string[], options?: CapturedIoOptions) {
  return against(server, script, { argv: [session, ...argv], ...(options && { options }) });
}

describe('money', () => {
  it('is not spent by a dry run, which says what it would come to', async () => {
    const argv = ['--dry-run', '--probes', '--reader', MODEL, '--judge', 'ai:openai/gpt-5-nano'];
    const { code, stdout, requests } = await onOne(byPart, argv);
    expect({ code, requests }).toEqual({ code: EXIT.done, requests: 0 });
    expect(stdout).toMatch(
      /^Dry run: no model was asked\.\nai:openai\/gpt-5-mini: \d+ requests, .+: about \$[\d.]+, at most \$[\d.]+\.\nai:openai\/gpt-5-nano: \d+ requests/,
    );
  });

  it('is told by a dry run for every request that the run makes', async () => {
    const dryRun = async (argv: readonly string[]) => {
      const { code, stdout } = await onOne(byPart, ['--dry-run', ...argv]);
      return { code, requests: Number(/(\d+) requests/.exec(stdout)?.[1]) };
    };
    const cassette = ['--cassette', join(folder, 'cassette')];
    const rows = ['--rows', join(folder, 'dry.jsonl')];
    const told = await dryRun(['--repeat', '2']);
    expect(await onOne(byPart, [...rows])).toMatchObject({ code: EXIT.done, requests: 2 });
    expect(await dryRun(['--repeat', '2', ...rows])).toEqual({ code: EXIT.done, requests: 2 });
    expect(await onOne(byPart, ['--repeat', '2', ...cassette])).toMatchObject(told);
    expect(told).toEqual({ code: EXIT.done, requests: 4 });
    expect(await dryRun(['--repeat', '3', ...cassette])).toEqual({ code: EXIT.done, requests: 2 });
  });

  it('is told by a dry run for every verdict that a reader may need', async () => {
    const [reader, judge] = ['ai:openai/gpt-5-nano', 'ai:openai/gpt-5'];
    const asked = { reader: 0, judge: 0 };
    // No answer has a value, so that each is for the judge.
    const vague: Script = (received, nth) => {
      if (textOf(received).includes('strict examiner')) asked.judge += 1;
      else if (isQuestion(received)) asked.reader += 1;
      else return byPart(received);
      return says(`something about ticket ${nth}`);
    };
    const argv = ['--probes', '--reader', reader, '--judge', judge];
    const { stdout } = await onOne(byPart, [...argv, '--dry-run']);
    await onOne(vague, argv);
    const told = new Map(
      Array.from(stdout.matchAll(/^(\S+): ([\d,]+) requests?, /gm), ([, name, count = '']) => [
        name,
        Number(count.replaceAll(',', '')),
      ]),
    );
    expect(asked.judge).toBeGreaterThan(100);
    expect(told.get(judge)).toBeGreaterThanOrEqual(asked.judge);
    expect(told.get(reader)).toBe(asked.reader);
  });

  it('stops before the request that would pass the budget, and goes on with a larger one', async () => {
    const rows = join(folder, 'budget.jsonl');
    // The first answer takes most of it; the most that the second could cost is more than what is left.
    const poor = await onOne(fiveCents, ['--budget-usd', '0.1', '--rows', rows]);
    expect(poor.requests).toBe(1);
    expect(poor.code).toBe(EXIT.inconclusive);
    const [{ reason, state }] = armOf(poor.stdout).failures.reasons;
    expect(state).toBe('broken');
    expect(reason).toMatch(/would pass the budget of \$0\.1000: \$0\.0500 is spent.*not sent/);
    expect(rowsOf(rows)).toEqual([BASE]);
    const rich = await onOne(fiveCents, ['--budget-usd', '5', '--rows', rows]);
    expect(rich).toMatchObject({ code: EXIT.done, requests: 2 });
    expect(rowsOf(rows)).toEqual([BASE, MODEL]);
  });

  it.each<[string, Deed, readonly string[]]>([
    ['asks again what nobody answered', serverError, [BASE]],
    ['keeps that a request is too large', openAiOverflow, [BASE, MODEL]],
  ])('%s', async (name, deed, kept) => {
    const rows = join(folder, `${name}.jsonl`);
    const argv = ['--retries', '0', '--rows', rows];
    const failed = await onOne(inTurn(deed), argv);
    expect(armOf(failed.stdout).failures).toMatchObject({ failed: 1 });
    expect(rowsOf(rows)).toEqual(kept);
    const again = await onOne(byPart, argv);
    expect(again.requests).toBe(kept.includes(MODEL) ? 0 : 2);
  });
});

function rowsOf(file: string): readonly string[] {
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line).summarizer);
}

describe('a comparison that is stopped', () => {
  it('ends with 130, keeps what is done, and goes on from there to the same bytes', async () => {
    const rows = join(folder, 'stopped.jsonl');
    const argv = [another, '--repeat', '2', '--concurrency', '1', '--rows'];
    const whole = await onOne(byPart, [...argv, join(folder, 'whole.jsonl')]);
    const stop = new AbortController();
    const untilStopped: Script = (received, nth) => {
      if (nth < 4) return byPart(received);
      stop.abort();
      return { type: 'hang' };
    };
    const stopped = await onOne(untilStopped, [...argv, rows], { signal: stop.signal });
    expect(stopped).toMatchObject({ code: EXIT.interrupted, stdout: '' });
    const kept = rowsOf(rows);
    expect(kept.length).toBeGreaterThan(2);
    expect(kept.length).toBeLessThan(rowsOf(join(folder, 'whole.jsonl')).length);

    const resumed = await onOne(byPart, [...argv, rows]);
    expect(resumed.code).toBe(EXIT.done);
    expect(withoutLatency(resumed.stdout)).toEqual(withoutLatency(whole.stdout));
  });
});

/** How long a server on this machine takes is never the same. */
function withoutLatency(json: string): unknown {
  return JSON.parse(json, (key, value: unknown) => (key === 'latencyMs' ? undefined : value));
}

describe('rows of a real model', () => {
  const rows = join(folder, 'rows.jsonl');
  const keep = (script: Script, argv: readonly string[] = []) =>
    onOne(script, ['--rows', rows, ...argv]);
  beforeAll(async () => {
    await keep(byPart);
  });

  it('carry model, prompt, session and scorer, and no text', () => {
    const row = JSON.parse(readFileSync(rows, 'utf8').trim().split('\n').at(-1)!);
    expect(row).toMatchObject({
      rowVersion: 2,
      scorerVersion: expect.any(Number),
      summarizer: MODEL,
      model: 'gpt-5-mini-2026-01-01',
      promptHash: expect.stringMatching(/^[0-9a-f]{12}$/),
      scenarioHash: expect.stringMatching(/^[0-9a-f]{12}$/),
    });
    expect(JSON.stringify(row)).not.toContain('notes.md');
  });

  it.each<[string, readonly string[], RegExp]>([
    ['another setting of the model', ['--output-cap', '500'], /more than one setting/],
    ['questions', ['--probes'], /reader or judge/],
    [
      'another number of pivots',
      ['--pivots', '3'],
      /their number of compactions and places of compactions/,
    ],
    ['another seed', ['--seed', '2'], /differ in their seed\W/],
  ])('are not gone on with under %s, before anything is asked', async (_, argv, told) => {
    const before = readFileSync(rows, 'utf8');
    const { code, stderr, stdout, requests } = await keep(byPart, argv);
    expect({ code, stdout, requests }).toEqual({
      code: EXIT.inconclusive,
      stdout: '',
      requests: 0,
    });
    expect(stderr).toMatch(told);
    expect(stderr).toContain("'--rows'");
    expect(readFileSync(rows, 'utf8')).toBe(before);
  });

  it('are not mixed with those of another model of the same name', async () => {
    const before = readFileSync(rows, 'utf8');
    const { code, stderr } = await keep(asModel('gpt-5-mini-2027'), ['--repeat', '2']);
    expect(code).toBe(EXIT.inconclusive);
    expect(stderr).toContain(`more than one model answered as '${MODEL}'`);
    expect(rowsOf(rows).filter((name) => name === MODEL)).toHaveLength(1);
    expect(readFileSync(rows, 'utf8').startsWith(before)).toBe(true);
  });
});

describe('what cannot be asked at all', () => {
  it.each<[string, readonly string[], RegExp]>([
    ['a model without its key', ['--summarizers', MODEL], /'OPENAI_API_KEY', which is not set/],
    [
      'another provider without its key',
      ['--summarizers', 'ai:anthropic/claude-haiku-4-5'],
      /Expected 'anthropic\/claude-haiku-4-5' to be set up, got .*ANTHROPIC_API_KEY/,
    ],
    [
      'a provider that nobody knows',
      ['--summarizers', 'ai:nobody-has-this/m'],
      /Unknown provider 'nobody-has-this'/,
    ],
    ['a model without a name', ['--summarizers', 'ai:openai'], /'ai:PROVIDER\/MODEL'/],
    [
      'a budget for what has no price',
      ['--summarizers', 'ai:lab/m', '--base-url', 'http://127.0.0.1:1/v1', '--budget-usd', '1'],
      /Expected a price of 'ai:lab\/m'/,
    ],
    [
      'a dry run of no model',
      ['--summarizers', 'extractive', '--dry-run'],
      /'--dry-run' with a real model/,
    ],
    ['no mode of a cassette', ['--cassette-mode', 'sometimes'], /auto, record, strict, off/],
    [
      'a reader that nobody knows',
      ['--probes', '--reader', 'nobody'],
      /'--reader' to be 'grep' or a real model as in .*, got 'nobody'\./,
    ],
    ['a judge that answers nothing', ['--probes', '--judge', 'lead'], /'--judge' to be a real/],
    ['a judge without questions', ['--judge', MODEL], /'--judge' to come with '--probes'/],
  ])('is told in a sentence: %s', async (_, argv, told) => {
    const { code, stderr, stdout } = await summarizers([session, ...argv], { env: {} });
    expect({ code, stdout }).toEqual({ code: EXIT.wrongUse, stdout: '' });
    expect(stderr).toMatch(told);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});
