import { describe, expect, it } from 'vitest';
import { readSessions } from '../../../src/simulator/session/read.ts';

type Fields = Readonly<Record<string, unknown>>;
type Naming = (first: string, second: string) => string;

const lines = (...records: readonly Fields[]) =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('');

/** A session of each format that tells the model of a step: a prompt and two steps, the last of which ends it. */
const namings: Readonly<Record<string, Naming>> = {
  'ai-sdk': (...models) =>
    JSON.stringify([
      { id: 'u', role: 'user', parts: [{ type: 'text', text: 'Boil.' }] },
      ...models.map((model) => ({
        id: `of ${model}`,
        role: 'assistant',
        metadata: { model: `tea/${model}` },
        parts: [{ type: 'text', text: 'I boil.' }],
      })),
    ]),
  atif: (...models) =>
    JSON.stringify({
      schema_version: 'ATIF-v1.4',
      session_id: 'kettle',
      agent: { name: 'cook', version: '1', provider: 'tea', model_name: models[0] },
      steps: [
        { step_id: 1, source: 'user', message: 'Boil.' },
        { step_id: 2, source: 'agent', message: 'I boil.' },
        { step_id: 3, source: 'agent', message: 'Done.', model_name: models[1] },
      ],
    }),
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
  cline: (...models) =>
    JSON.stringify({
      version: 1,
      agent: 'lead',
      sessionId: 's',
      messages: [
        { id: 'u', role: 'user', content: 'Boil.', ts: 1 },
        ...models.map((id) => ({
          id: `of ${id}`,
          role: 'assistant',
          content: [{ type: 'text', text: 'I boil.' }],
          modelInfo: { id, provider: 'tea' },
          ts: 2,
        })),
      ],
    }),
  codex: (...models) =>
    lines(
      { type: 'session_meta', payload: { id: 's', model_provider: 'tea' } },
      ...models.flatMap((model, index) => [
        { type: 'turn_context', payload: { model } },
        item('user', 'input_text'),
        item('assistant', 'output_text'),
        ...(index === 0 ? [item('user', 'input_text'), item('assistant', 'output_text')] : []),
      ]),
    ),
  'gemini-cli': (...models) =>
    JSON.stringify({
      sessionId: 's',
      projectHash: 'p',
      messages: [
        { id: 'u', type: 'user', content: 'Boil.' },
        ...models.map((model) => ({ id: model, type: 'gemini', content: 'I boil.', model })),
      ],
    }),
  'mini-swe-agent': (...models) =>
    JSON.stringify({
      trajectory_format: 'mini-swe-agent-1.1',
      messages: [
        { role: 'user', content: 'Boil.' },
        ...models.map((model) => ({
          role: 'assistant',
          content: 'I boil.',
          extra: { response: { model: `tea/${model}` } },
        })),
      ],
    }),
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
  openhands: (...models) =>
    lines({
      instance_id: 's',
      instruction: 'Boil.',
      history: models.map((model, id) => ({
        id,
        source: 'agent',
        action: 'message',
        args: { content: 'I boil.' },
        tool_call_metadata: { model_response: { id: `r${id}`, model: `tea/${model}` } },
      })),
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
const item = (role: string, type: string) => ({
  type: 'response_item',
  payload: { type: 'message', role, content: [{ type, text: `Of ${role}.` }] },
});
/** Whose models an agent asks where it names no provider. */
const OWN_PROVIDERS: Readonly<Record<string, string>> = {
  'claude-code': 'anthropic',
  'gemini-cli': 'google',
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
