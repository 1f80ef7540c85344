import { describe, expect, it } from 'vitest';
import { readSessions } from '../../../../src/simulator/session/load.ts';
import { poolSessions } from '../../../../src/simulator/session/statistics/pool.ts';
import { sampleSession } from '../../../../src/simulator/session/statistics/sample-session.ts';
import { charsEstimator } from '../../../../src/simulator/session/statistics/sample.ts';
import { fixture } from '../../../support/session-files.ts';
import { prompt, say, step, transcript } from '../formats/claude-code-lines.ts';

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
