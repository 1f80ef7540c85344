import { describe, expect, it } from 'vitest';
import type { Usage } from '../../../../src/engine/index.ts';
import { readSessions } from '../../../../src/simulator/session/load.ts';
import { createTally } from '../../../../src/simulator/session/reading/fields.ts';
import {
  countKinds,
  type DraftMessage,
  shareUsage,
  splitCount,
} from '../../../../src/simulator/session/reading/transcript.ts';
import { poolSessions } from '../../../../src/simulator/session/statistics/pool.ts';
import { sampleSession } from '../../../../src/simulator/session/statistics/sample-session.ts';
import { charsEstimator } from '../../../../src/simulator/session/statistics/sample.ts';
import { fixture } from '../../../support/session-files.ts';
import { prompt, say, step, transcript } from '../formats/claude-code-lines.ts';
import {
  event as codexEvent,
  meta,
  say as codexSay,
  user as codexUser,
} from '../formats/codex-lines.ts';
import { header as piHeader, say as piSay, user as piUser } from '../formats/pi-lines.ts';

const chat = (...metrics: readonly object[]) =>
  JSON.stringify({
    schema_version: 'ATIF-v1.4',
    session_id: 's',
    agent: { name: 'a', version: '1' },
    steps: [
      { step_id: 1, source: 'user', message: 'x' },
      ...metrics.map((each, index) => ({
        step_id: index + 2,
        source: 'agent',
        message: 'y',
        metrics: each,
      })),
    ],
  });
const TOLD = { prompt_tokens: 50, completion_tokens: 5, cached_tokens: 0 };
const UNTOLD = { prompt_tokens: 50, completion_tokens: 5 };
const claude = (usage: object) =>
  transcript(prompt('x'), step('m', say('y'), { message: { usage } }));

const without = (text: string, key: string) => text.replaceAll(`"${key}":`, `"no-${key}":`);

function shareOf(text: string) {
  const options = charsEstimator;
  const samples = readSessions('x', text).map((session) => sampleSession(session, options));
  return poolSessions(samples).recordedCacheReadShare;
}

describe('cache reads of a session', () => {
  it.each<[string, string, true | undefined]>([
    ['unknown where no step tells them', chat(UNTOLD, UNTOLD), true],
    ['known where a step tells them, if only that they are none', chat(UNTOLD, TOLD), undefined],
    ['not asked for where there is no usage', chat({}), undefined],
    ['unknown in a transcript that leaves them out', claude({ input_tokens: 9 }), true],
    [
      'known in one that does not',
      claude({ input_tokens: 9, cache_read_input_tokens: 0 }),
      undefined,
    ],
    ['known in a session of pi', fixture('pi.jsonl'), undefined],
    ['unknown in one without them', without(fixture('pi.jsonl'), 'cacheRead'), true],
    ['known in an export', fixture('opencode-export.json'), undefined],
    ['unknown in one without them', without(fixture('opencode-export.json'), 'read'), true],
  ])('are %s', (_, text, expected) => {
    expect(readSessions('x', text)[0]?.isCacheUnknown).toBe(expected);
  });

  it('are left out of statistics where they are unknown', () => {
    expect(shareOf(chat(UNTOLD))).toBeNull();
    expect(shareOf(chat(TOLD))).toMatchObject({ n: 1, p50: 0 });
  });

  it('stand in no count of a message', () => {
    expect(readSessions('x', chat(UNTOLD))[0]?.messages[1]).toMatchObject({
      usage: { input: 50, output: 5, reasoning: 0, cacheRead: 0, cacheWrite: 0 },
    });
  });
});

describe('the model of a session', () => {
  const chatOfModels = (...models: readonly string[]) =>
    transcript(
      prompt('x'),
      ...models.map((model, index) => step(`m${index}`, say('y'), { message: { model } })),
    );

  it.each<[string, readonly string[], readonly (string | undefined)[]]>([
    ['most steps have', ['a', 'b', 'b'], ['anthropic/b', 'anthropic/a', undefined, undefined]],
    ['the first step has, among equals', ['a', 'b'], ['anthropic/a', undefined, 'anthropic/b']],
  ])('is the one that %s', (_, models, expected) => {
    const [session] = readSessions('x', chatOfModels(...models));
    const steps = session?.messages.flatMap((message) =>
      message.role === 'assistant' ? [message.model] : [],
    );
    expect([session?.model, ...(steps ?? [])]).toEqual(expected);
  });
});

import * as fc from 'fast-check';

type Count = Readonly<Record<string, unknown>>;
type Read = (count: Count) => Usage | undefined;

/** Reads a recording with a prompt and one step. */
const reading =
  (write: (count: Count) => string): Read =>
  (count) => {
    const [, step] = readSessions('kettle', write(count))[0]!.messages;
    return step?.role === 'assistant' ? step.usage : undefined;
  };
const asLines = (...lines: readonly object[]) =>
  lines.map((line) => JSON.stringify(line)).join('\n');

/** Each format with the names that it has for input, output and tokens read from a cache. */
const formats: readonly (readonly [string, Read, readonly [string, string, string]])[] = [
  [
    'claude-code',
    reading((usage) => transcript(prompt('x'), step('m1', say('a'), { message: { usage } }))),
    ['input_tokens', 'output_tokens', 'cache_read_input_tokens'],
  ],
  [
    'pi',
    reading((usage) => asLines(piHeader, piUser('x'), piSay('a', { usage }))),
    ['input', 'output', 'cacheRead'],
  ],
  [
    'codex',
    reading((usage) => {
      const count = codexEvent('token_count', { info: { last_token_usage: usage } });
      return asLines(meta(), codexUser('x'), codexSay('a'), count);
    }),
    ['input_tokens', 'output_tokens', 'cached_input_tokens'],
  ],
  [
    'chats, as OpenHands and mini-swe-agent keep them',
    splitCount,
    ['prompt_tokens', 'completion_tokens', 'cache_read_input_tokens'],
  ],
  [
    'opencode',
    reading((tokens) => {
      const messages = [
        { info: { role: 'user' }, parts: [{ type: 'text', text: 'x' }] },
        { info: { role: 'assistant', tokens }, parts: [{ type: 'text', text: 'a' }] },
      ];
      return JSON.stringify({ info: { id: 's' }, messages });
    }),
    ['input', 'output', 'cache'],
  ],
];

describe.each(formats)('usage of %s', (name, read, [input, output, cached]) => {
  const cache = (tokens: number) => (name === 'opencode' ? { read: tokens } : tokens);

  it.each<[string, Count]>([
    ['nothing is told', {}],
    ['only the output is told', { [output]: 9 }],
    ['all but the input is told', { [output]: 9, [cached]: cache(40) }],
    ['all that is told is zero', { [input]: 0, [output]: 0, [cached]: cache(0) }],
  ])('is unknown where %s', (_, count) => {
    expect(read(count)).toBeUndefined();
  });

  it('is what is told of the input alone', () => {
    expect(read({ [input]: 50 })).toMatchObject({ input: 50, output: 0, cacheRead: 0 });
  });
});

describe('countKinds', () => {
  it.each<[string, Parameters<typeof countKinds>[0], unknown]>([
    ['no input, where there are cache reads', { input: 0, cacheRead: 40 }, { cacheRead: 40 }],
    ['no input, where there is output', { input: 0, output: 9 }, { input: 0, output: 9 }],
    ['a negative input as none', { input: -3, output: 9 }, { input: 0, output: 9 }],
    ['cache reads that are not told', { input: 5 }, { cacheRead: 0, isCacheUnknown: true }],
  ])('counts %s', (_, recorded, expected) => {
    expect(countKinds(recorded)).toMatchObject(expected as object);
  });
});

describe('usage that several requests share', () => {
  const stepOf = (chars: number): DraftMessage => ({
    role: 'assistant',
    createdAt: 0,
    parts: [{ type: 'text', text: 'x'.repeat(chars) }],
  });
  const KINDS = ['input', 'output', 'reasoning', 'cacheRead', 'cacheWrite'] as const;
  const tokens = fc.nat({ max: 100_000 });
  const kinds = fc.record({
    input: tokens,
    output: tokens,
    reasoning: tokens,
    cacheRead: tokens,
    cacheWrite: tokens,
  });
  const lengths = fc.array(fc.nat({ max: 5000 }), { minLength: 1, maxLength: 8 });

  it('has the same sums, and no context is smaller than the one before', () => {
    const shared = fc.property(kinds, lengths, (total, chars) => {
      const steps = chars.map(stepOf);
      shareUsage(total, steps, { tally: createTally() });
      const usages = steps.map(({ usage }) => usage!);
      for (const kind of KINDS) {
        expect(usages.reduce((sum, usage) => sum + usage[kind], 0)).toBe(total[kind]);
      }
      const contexts = usages.map((usage) => usage.input + usage.cacheRead + usage.cacheWrite);
      // Each kind is rounded apart.
      for (const [index, context] of contexts.entries()) {
        expect(context).toBeGreaterThanOrEqual((contexts[index - 1] ?? 0) - 3);
      }
    });
    fc.assert(shared);
  });

  it('grows by known outputs, and is told as repaired', () => {
    const tally = createTally();
    const steps = [stepOf(4), stepOf(4)];
    const total = { input: 2100, output: 110, reasoning: 0, cacheRead: 0, cacheWrite: 0 };
    shareUsage(total, steps, { tally, outputs: [100, 10] });
    expect(steps.map(({ usage }) => [usage?.input, usage?.output])).toEqual([
      [1000, 100],
      [1100, 10],
    ]);
    expect(tally.toReport().repaired).toEqual({ 'usage shared out among requests': 2 });
  });
});
