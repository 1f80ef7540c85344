import { describe, expect, it } from 'vitest';
import { readSessions } from '../../../src/simulator/session/read.ts';

type Fields = Readonly<Record<string, unknown>>;

const lines = (...records: readonly Fields[]) =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('');
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
