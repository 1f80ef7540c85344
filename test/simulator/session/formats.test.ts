import { describe, expect, it } from 'vitest';
import { createSourceFile } from '../../../src/simulator/session/files/source-file.ts';
import { readSessions } from '../../../src/simulator/session/load.ts';
import { describeSessionFormat } from '../../contracts/session-format.ts';
import { fixture } from '../../support/session-files.ts';
import { call, prompt, result, say, step, transcript } from './formats/claude-code-lines.ts';
import { calling, header, result as piResult, say as piSay, user } from './formats/pi-lines.ts';
import { surestMatches } from '../../support/session-matches.ts';

describeSessionFormat({ name: 'opencode-export', text: fixture('opencode-export.json') });
describeSessionFormat({ name: 'claude-code', text: fixture('claude-code.jsonl') });
describeSessionFormat({ name: 'openai-chat', text: fixture('openai-chat.json') });
describeSessionFormat({ name: 'openai-chat', text: asLines(fixture('openai-chat.json')) });

/** The messages of a document, one a line. */
function asLines(document: string): string {
  const messages: unknown = JSON.parse(document);
  if (!Array.isArray(messages)) throw new TypeError('Expected a list of messages.');
  return messages.map((message) => `${JSON.stringify(message)}\n`).join('');
}

const chat = { role: 'user', content: 'Is the kettle on?' };

describe('no format claims', () => {
  it.each<[string, unknown]>([
    ['contents that nobody answered', [{ role: 'user', parts: [{ text: 'x' }] }]],
    ['what Cline keeps about a session', { version: 1, session_id: 's', source: 'cli', pid: 1 }],
    ['messages with times of another kind', [{ ...chat, ts: '2026-01-01' }]],
    ['a trajectory without a history', { trajectory: [], info: {} }],
    ['a trajectory without steps', { schema_version: 'ATIF-v1.4', session_id: 's', agent: {} }],
    ['an instance without events', { instance_id: 'i', history: [] }],
    ['a wrapped Agent-SDK record', { type: 'user', message: chat, timestamp: '2026-01-01' }],
    [
      'a line of an Agent-SDK stream',
      { type: 'system', subtype: 'init', session_id: 's', uuid: 'u' },
    ],
    ['a rollout line of Codex', { timestamp: 't', type: 'session_meta', payload: { id: 'x' } }],
    ['a message file of OpenCode', { id: 'msg_1', sessionID: 'ses_1', role: 'user' }],
    ['an event of OpenCode', { timestamp: 1, event: { type: 'message.updated', properties: {} } }],
    ['a list of numbers', [1, 2, 3]],
    ['a list of lists', [[chat]]],
    ['an object with info and other things', { info: {}, messages: [1] }],
    ['an object with info and an empty list', { info: {}, messages: [] }],
    ['a list that does not begin with a run', [7, { traj: [chat] }]],
    ['an object without messages', { messages: 'none' }],
    ['a manifest', [{ file: 'a.jsonl', messages: 12 }]],
    ['null', null],
  ])('%s', (_, document) => {
    const file = createSourceFile('x', JSON.stringify(document));
    expect(surestMatches(file)).toEqual([]);
  });
});

type Fields = Readonly<Record<string, unknown>>;

const lines = (...records: readonly Fields[]) =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('');

/** An item of a Codex rollout. */
const item = (payload: object) => ({ type: 'response_item', payload });

const shellCall = (id: string) => [
  item({ type: 'function_call', name: 'shell', arguments: '{}', call_id: id }),
  item({ type: 'function_call_output', call_id: id, output: 'ok' }),
];

/** A step of a Gemini chat. */
const geminiStep = (id: string) => ({
  id,
  type: 'gemini',
  content: `answer ${id}`,
  toolCalls: [{ id: `call-${id}`, name: 'ls', args: {}, status: 'success' }],
});

const claude = transcript(
  prompt('x'),
  step('m1', call('c1')),
  result('c1'),
  step('m2', call('c2')),
  result('c2'),
  step('m3', say('a')),
);

/** Recordings, and the field of each whose values proxies of providers leave empty. */
const recordings: readonly (readonly [string, string, string])[] = [
  ['Claude Code', 'uuid', claude],
  ['Claude Code', 'parentUuid', claude],
  ['Claude Code', 'id', claude],
  ['Claude Code', 'sessionId', claude],
  [
    'Codex',
    'call_id',
    lines(
      { type: 'session_meta', payload: { id: 'kettle' } },
      item({ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'x' }] }),
      ...shellCall('c1'),
      ...shellCall('c2'),
    ),
  ],
  [
    'Gemini CLI',
    'id',
    JSON.stringify({
      sessionId: 'kettle',
      projectHash: 'p',
      messages: [{ id: 'u', type: 'user', content: 'x' }, geminiStep('g1'), geminiStep('g2')],
    }),
  ],
  [
    'pi',
    'toolCallId',
    lines(header, user('x'), calling('c1'), piResult('c1'), calling('c2'), piSay('a')),
  ],
  ['OpenCode', 'id', fixture('opencode-export.json')],
];

/** Messages by role, and calls, of a recording. */
function countIn(text: string) {
  const messages = readSessions('kettle', text).flatMap((session) => session.messages);
  return {
    roles: messages.map(({ role }) => role),
    calls: messages.flatMap(({ parts }) => parts).filter(({ type }) => type === 'tool').length,
  };
}

describe('an empty id', () => {
  it.each(recordings)(
    'in %s is none: no message and no call of the same `%s` goes',
    (_, field, text) => {
      const emptied = text.replaceAll(new RegExp(`("${field}": ?)"[^"]*"`, 'g'), '$1""');
      expect(emptied).not.toBe(text);
      expect(countIn(emptied).calls).toBe(countIn(text).calls);
      expect(countIn(emptied).roles).toEqual(countIn(text).roles);
    },
  );
});

const said = [{ type: 'text', text: 'I boil.' }];

/** A session with a prompt and steps that end like that. */
const recorders: Readonly<Record<string, (...reasons: readonly unknown[]) => string>> = {
  'claude-code': (...reasons) =>
    lines(
      { type: 'user', uuid: 'u', sessionId: 's', message: { content: 'Boil.' } },
      ...reasons.map((reason, index) => ({
        type: 'assistant',
        uuid: `a${index}`,
        parentUuid: index === 0 ? 'u' : `a${index - 1}`,
        sessionId: 's',
        message: { id: `m${index}`, model: 'kettle-1', content: said, stop_reason: reason },
      })),
    ),
  'opencode-export': (...reasons) => exported(...reasons.map((finish) => ({ info: { finish } }))),
  pi: (...reasons) =>
    lines(
      { type: 'session', id: 's', cwd: '/kitchen' },
      { type: 'message', message: { role: 'user', content: 'Boil.' } },
      ...reasons.map((stopReason) => ({
        type: 'message',
        message: { role: 'assistant', content: said, stopReason },
      })),
    ),
};

function exported(...messages: readonly { info: Fields; parts?: readonly Fields[] }[]): string {
  const prompt = { info: { role: 'user' }, parts: [{ type: 'text', text: 'Boil.' }] };
  const all = messages.map(({ info, parts = [] }) => ({
    info: { role: 'assistant', ...info },
    parts: [...said, ...parts],
  }));
  return JSON.stringify({ info: { id: 's' }, messages: [prompt, ...all] });
}

function finishesOf(text: string): readonly (string | undefined)[] {
  const [session] = readSessions('kettle', text);
  const messages = session?.messages ?? [];
  return messages.flatMap((message) => (message.role === 'assistant' ? [message.finish] : []));
}

describe('a turn that was cut off', () => {
  it.each<[string, string, string]>([
    ['claude-code', 'max_tokens', 'length'],
    ['claude-code', 'model_context_window_exceeded', 'length'],
    ['claude-code', 'refusal', 'content-filter'],
    ['claude-code', 'end_turn', 'stop'],
    ['opencode-export', 'length', 'length'],
    ['opencode-export', 'max_tokens', 'length'],
    ['opencode-export', 'content-filter', 'content-filter'],
    ['opencode-export', 'unknown', 'stop'],
    ['pi', 'length', 'length'],
    ['pi', 'stop', 'stop'],
  ])('says so in %s that tells of %s', (format, reason, finish) => {
    expect(finishesOf(recorders[format]?.(reason) ?? '')).toEqual([finish]);
  });

  it.each(Object.keys(recorders))('was none in %s where a step follows', (format) => {
    const reason = format === 'claude-code' ? 'max_tokens' : 'length';
    const text = recorders[format]?.(reason, reason) ?? '';
    expect(finishesOf(text)).toEqual(['tool-calls', 'length']);
  });
});

describe('a request of OpenCode', () => {
  const open = { time: { created: 5 } };

  it('never ended where nothing tells that it did', () => {
    expect(finishesOf(exported({ info: open }))).toEqual([undefined]);
  });

  it.each<[string, Fields, readonly Fields[]]>([
    ['a reason', { ...open, finish: 'stop' }, []],
    ['an error', { ...open, error: { name: 'APIError' } }, []],
    ['the time, as in old releases', { time: { created: 5, completed: 6 } }, []],
    ['a part', open, [{ type: 'step-finish', reason: 'stop' }]],
    ['no time of it at all', {}, []],
  ])('ended where %s tells', (_, info, parts) => {
    expect(finishesOf(exported({ info, parts }))).toEqual(['stop']);
  });

  it('was ended by what follows', () => {
    expect(finishesOf(exported({ info: open }, { info: open }))).toEqual(['tool-calls', undefined]);
  });
});

type Naming = (first: string, second: string) => string;

/** A session of each format that tells the model of a step: a prompt and two steps, the last of which ends it. */
const namings: Readonly<Record<string, Naming>> = {
  'claude-code': (...models) =>
    lines(
      { type: 'user', uuid: 'u', sessionId: 's', message: { role: 'user', content: 'Boil.' } },
      ...models.map((model, index) => ({
        type: 'assistant',
        uuid: `a${index}`,
        parentUuid: index === 0 ? 'u' : 'a0',
        sessionId: 's',
        message: { id: `m${index}`, model, content: [{ type: 'text', text: 'I boil.' }] },
      })),
    ),
  codex: (...models) =>
    lines(
      { type: 'session_meta', payload: { id: 's', model_provider: 'tea' } },
      ...models.flatMap((model, index) => [
        { type: 'turn_context', payload: { model } },
        spoken('user', 'input_text'),
        spoken('assistant', 'output_text'),
        ...(index === 0 ? [spoken('user', 'input_text'), spoken('assistant', 'output_text')] : []),
      ]),
    ),
  'opencode-export': (...models) =>
    JSON.stringify({
      info: { id: 's' },
      messages: [
        { info: { id: 'u', role: 'user' }, parts: [{ type: 'text', text: 'Boil.' }] },
        ...models.map((modelID) => ({
          info: { id: `of ${modelID}`, role: 'assistant', providerID: 'tea', modelID },
          parts: [{ type: 'text', text: 'I boil.' }],
        })),
      ],
    }),
  pi: (...models) =>
    lines(
      { type: 'session', id: 's', cwd: '/kitchen' },
      { type: 'message', message: { role: 'user', content: 'Boil.' } },
      ...models.map((model) => ({
        type: 'message',
        message: { role: 'assistant', content: 'I boil.', provider: 'tea', model },
      })),
    ),
};
const spoken = (role: string, type: string) => ({
  type: 'response_item',
  payload: { type: 'message', role, content: [{ type, text: `Of ${role}.` }] },
});
/** Whose models an agent asks where it names no provider. */
const OWN_PROVIDERS: Readonly<Record<string, string>> = {
  'claude-code': 'anthropic',
};

function modelsOf(text: string): readonly (string | undefined)[] {
  const [session] = readSessions('kettle', text);
  const steps = session?.messages.flatMap((message) =>
    message.role === 'assistant' ? [message.model] : [],
  );
  return [session?.format, session?.model, ...(steps ?? [])];
}

describe.each(Object.entries(namings))('the model of a step of %s', (format, naming) => {
  const provider = OWN_PROVIDERS[format] ?? 'tea';

  it('is told where it is another than that of the first', () => {
    const [named, header, ...steps] = modelsOf(naming('kettle-1', 'kettle-2'));
    expect([named, header]).toEqual([format, `${provider}/kettle-1`]);
    expect(steps.slice(0, -1).every((model) => model === undefined)).toBe(true);
    expect(steps.at(-1)).toBe(`${provider}/kettle-2`);
    expect(steps.length).toBeGreaterThan(1);
  });

  it('is left to the header where there is but one', () => {
    const [, header, ...steps] = modelsOf(naming('kettle-1', 'kettle-1'));
    expect(header).toBe(`${provider}/kettle-1`);
    expect(steps.filter((model) => model !== undefined)).toEqual([]);
  });
});
