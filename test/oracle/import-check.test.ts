import { expect, it } from 'vitest';
import { differencesOf, readAccount, sentAccount } from '../../oracle/import-check.ts';
import { outputMark } from '../../src/simulator/provider/scripted/server.ts';
import { sum } from '../../src/simulator/lib/collections.ts';
import { readSessions } from '../../src/simulator/session/load.ts';

type Run = Parameters<typeof sentAccount>[0];
type Request = Run['requests'][number];

const FIRST = `${outputMark(0)} one`;
const SECOND = `${outputMark(1)} a longer one`;
const BESIDE = `${outputMark(1, 1)} beside it`;

const request = (fields: Pick<Request, 'kind' | 'answer' | 'answered'>): Request => ({
  turn: 1,
  roles: {},
  tools: 1,
  chars: 0,
  hash: '',
  headings: [],
  samePrefix: 0,
  clearedOutputs: 0,
  promptsKept: 1,
  outputsKept: 0,
  usage: { inputTokens: 10 * (fields.answered + 1), outputTokens: 5, reasoningTokens: 2 },
  ...fields,
});
const sending = (...outputs: readonly string[]) => ({
  messages: outputs.map((text) => ({ role: 'tool' as const, text })),
  tools: [],
  isStreaming: true,
});

/** A call, two at once, a compaction in two requests, and the end; the first of both requests lacks the newest output. */
const run: Run = {
  requests: [
    request({ kind: 'agent', answer: 'call', answered: 0 }),
    request({ kind: 'agent', answer: 'call', answered: 1 }),
    request({ kind: 'summary', answer: 'text', answered: 2 }),
    request({ kind: 'summary', answer: 'text', answered: 2 }),
    request({ kind: 'agent', answer: 'text', answered: 2 }),
  ],
  sent: [sending(), sending(FIRST), sending(FIRST), sending(FIRST, SECOND, BESIDE), sending()],
};

const account = {
  calls: 3,
  outputs: [FIRST.length, SECOND.length, BESIDE.length],
  usages: ['10+5', '20+5', '30+5'],
  compactions: [2],
};

const step = (id: string, inputTokens: number, content: readonly object[]) => ({
  id,
  role: 'assistant',
  content,
  metrics: { inputTokens, outputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0 },
});
const output = (id: string, content: string) => ({
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: id, content }],
});
const call = (id: string) => [{ type: 'tool_use', id, name: 'boil', input: {} }];

/** The same run, as an agent left it. */
const left = (first: string) =>
  readSessions(
    'kettle.json',
    JSON.stringify({
      agent: 'lead',
      sessionId: 'kettle',
      messages: [
        { role: 'user', content: 'Boil.' },
        step('m1', 10, call('a')),
        output('a', first),
        step('m2', 20, [...call('b'), ...call('c')]),
        output('b', SECOND),
        output('c', BESIDE),
        { role: 'user', content: 'A cup.', metadata: { kind: 'compaction_summary' } },
        step('m3', 30, [{ type: 'text', text: 'Done.' }]),
      ],
    }),
  );

it('what was sent is told by its requests, each output by the first that has it', () => {
  expect(sentAccount(run)).toEqual(account);
});

it('outputs that were sent as one message share its characters', () => {
  const joined = [...run.sent.slice(0, 3), sending(FIRST, `${SECOND}\n${BESIDE}`), sending()];
  const whole = SECOND.length + BESIDE.length;
  expect(sum(sentAccount({ ...run, sent: joined }).outputs)).toBe(FIRST.length + whole);
});

it('what was left is told in the same terms', () => {
  expect(readAccount(left(FIRST))).toEqual(account);
});

it('a difference is told in words', () => {
  expect(differencesOf(account, readAccount(left(FIRST)))).toEqual([]);
  expect(differencesOf(account, readAccount(left('cut')))).toEqual([
    `outputs: sent ${account.outputs.join()}, read 3,${SECOND.length},${BESIDE.length}`,
  ]);
  expect(differencesOf(account, readAccount([]))).toEqual([
    'calls: sent 3, read 0',
    `outputs: sent ${account.outputs.join()}, read none`,
    'usages: sent 10+5,20+5,30+5, read none',
    'compactions: sent 2, read none',
  ]);
});
