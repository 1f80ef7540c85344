import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type ProviderScript,
  ProviderScriptSchema,
} from '../../../src/simulator/provider/scripted/script.ts';
import {
  createScriptedServer,
  type ScriptedServer,
} from '../../../src/simulator/provider/scripted/server.ts';

const PROMPT = 'Print the numbers, please.';
const SHELL = { name: 'bash', parameters: { properties: { command: { type: 'string' } } } };

const script = (answers: readonly object[], summaries: readonly object[] = []): ProviderScript =>
  ProviderScriptSchema.parse({
    shows: 'a test',
    contextTokens: 60_000,
    outputTokens: 4_000,
    turns: [{ prompt: PROMPT, answers }],
    summaries,
  });

let open: ScriptedServer | undefined;

afterEach(() => {
  open?.server.close();
});

/** Starts a server and gives what asks it: a path and a body for the status and the answer. */
async function start(
  made: ProviderScript,
  options: Parameters<typeof createScriptedServer>[1] = {},
) {
  const served = createScriptedServer(made, options);
  open = served;
  await new Promise<void>((resolve) => {
    served.server.listen(0, '127.0.0.1', resolve);
  });
  const address = served.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const ask = async (path: string, body: object) => {
    const url = `http://127.0.0.1:${port}${path}`;
    const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
    return { status: response.status, text: await response.text() };
  };
  return { ask, port, requests: served.requests };
}

const chat = (messages: readonly object[], rest: object = {}) => ({
  messages,
  tools: [{ type: 'function', function: SHELL }],
  ...rest,
});

const user = { role: 'user', content: PROMPT };
const wanted = {
  role: 'user',
  content: `Write a summary of the conversation so far. ${'It is to be complete. '.repeat(10)}`,
};

describe('a scripted model server', () => {
  it('asks a shell that takes a list of commands for one', async () => {
    const list = { properties: { commands: { type: 'array' } } };
    const tools = [{ type: 'function', function: { name: 'run_commands', parameters: list } }];
    const { ask } = await start(script([{ outputChars: 400 }]));
    const { text } = await ask('/v1/chat/completions', { messages: [user], tools });
    expect(text).toMatch(/\\"commands\\":\[\\"echo output-a-begins;/);
  });

  it.each<[string, string, object, RegExp]>([
    [
      'chat completions',
      '/v1/chat/completions',
      chat([user]),
      /"name":"bash".*"prompt_tokens":20000/,
    ],
    [
      'responses',
      '/v1/responses',
      { input: [{ type: 'message', role: 'user', content: [{ text: PROMPT }] }], tools: [SHELL] },
      /"type":"function_call".*"input_tokens":20000/,
    ],
    [
      'Gemini',
      '/v1beta/models/m:generateContent',
      {
        contents: [{ role: 'user', parts: [{ text: PROMPT }] }],
        tools: [{ functionDeclarations: [SHELL] }],
      },
      /"functionCall".*"promptTokenCount":20000/,
    ],
  ])('calls the shell of the agent and tells its usage in %s', async (_, path, body, answer) => {
    const { ask, requests } = await start(
      script([{ usage: { inputTokens: 20_000 }, outputChars: 400 }]),
    );
    const whole = await ask(path, body);
    expect(whole.text).toMatch(answer);
    expect(whole.text).toContain('seq -fa%038.0f 1 10');
    expect(requests[0]).toMatchObject({ kind: 'agent', answer: 'call', promptsKept: 1 });
  });

  it.each<[string, string | Uint8Array<ArrayBuffer>, number, string]>([
    ['no JSON', '{"messages":', 400, 'Expected a JSON object as the body, got something else.'],
    ['no object', '[1'.padEnd(9, ']'), 400, 'Expected a JSON object as the body'],
    [
      '65 MB',
      new Uint8Array(65 * 2 ** 20),
      413,
      'Expected a body of at most 64 MB, got a larger one.',
    ],
  ])('refuses a body of %s in a sentence', async (_, body, status, message) => {
    const { port, requests } = await start(script([{}]));
    const url = `http://127.0.0.1:${port}/v1/chat/completions`;
    const response = await fetch(url, { method: 'POST', body });
    expect([response.status, await response.text()]).toEqual([
      status,
      expect.stringContaining(message),
    ]);
    expect(requests).toEqual([]);
  });

  it('goes on after a fault at a request, of which it tells', async () => {
    const faults: unknown[] = [];
    let isFaulty = true;
    const onRequest = () => {
      if (isFaulty) throw new Error('broken here');
    };
    const { ask } = await start(script([{}, {}]), {
      onRequest,
      onFault: (one) => faults.push(one),
    });
    const answer = await ask('/v1/chat/completions', chat([user]));
    expect(answer).toEqual({ status: 500, text: 'Expected to answer, got: broken here\n' });
    isFaulty = false;
    expect((await ask('/v1/chat/completions', chat([user]))).status).toBe(200);
    expect(faults).toEqual([new Error('broken here')]);
  });

  it.each<[string, object, RegExp]>([
    [
      'cached input in the input',
      { cachedTokens: 70 },
      /"prompt_tokens":100,"prompt_tokens_details":\{"cached_tokens":70\},.*"total_tokens":110/,
    ],
    [
      'cached input beside it',
      { cachedBesideTokens: 70 },
      /"prompt_tokens":100,"cache_read_input_tokens":70,.*"total_tokens":180/,
    ],
    [
      'reasoning in the output',
      { reasoningTokens: 8 },
      /"completion_tokens":10,"completion_tokens_details":\{"reasoning_tokens":8\}/,
    ],
    ['a total of its own', { totalTokens: 500 }, /"completion_tokens":10,"total_tokens":500/],
  ])('reports %s', async (_, fields, told) => {
    const { ask } = await start(script([{ usage: { inputTokens: 100, ...fields } }]));
    expect((await ask('/v1/chat/completions', chat([user]))).text).toMatch(told);
  });

  it.each<[string, string, object, RegExp]>([
    [
      'chat completions',
      '/v1/chat/completions',
      chat([user]),
      /"reasoning_content":"The num.*echo output-a-begins.*echo output-a1-begins/,
    ],
    [
      'responses',
      '/v1/responses',
      { input: PROMPT, tools: [SHELL] },
      /"summary_text","text":"The num.*echo output-a-begins.*echo output-a1-begins/,
    ],
    [
      'Gemini',
      '/v1beta/models/m:generateContent',
      { contents: [{ parts: [{ text: PROMPT }] }], tools: [{ functionDeclarations: [SHELL] }] },
      /"thought":true.*echo output-a-begins.*echo output-a1-begins/,
    ],
  ])('thinks and calls twice at once in %s', async (_, path, body, answer) => {
    const { ask } = await start(script([{ outputChars: [400, 80], reasoningChars: 20 }]));
    expect((await ask(path, body)).text).toMatch(answer);
  });

  it('fails once with a status, and counts the request that comes again no second time', async () => {
    const { ask, requests } = await start(script([{ status: 529 }, { status: 413 }, {}]));
    const statuses = [];
    for (let time = 0; time < 3; time += 1)
      statuses.push((await ask('/v1/chat/completions', chat([user]))).status);
    expect(statuses).toEqual([529, 413, 200]);
    expect(requests.map(({ answer, repeats }) => [answer, repeats])).toEqual([
      ['refused', 1],
      ['text', undefined],
    ]);
  });

  it('fills prompts up', () => {
    const turns = [{ prompt: PROMPT, promptChars: 100, answers: [{}] }];
    const [turn] = ProviderScriptSchema.parse({ ...script([{}]), turns }).turns;
    expect(turn?.prompt).toHaveLength(100);
  });

  it('streams what it would answer whole', async () => {
    const { ask } = await start(script([{ usage: { inputTokens: 7 } }]));
    const { text } = await ask('/v1/chat/completions', chat([user], { stream: true }));
    const events = text.split('\n\n').filter(Boolean);
    expect(events.at(-1)).toBe('data: [DONE]');
    expect(text).toContain('"content":"Done."');
    expect(text).toContain('"prompt_tokens":7');
  });

  it('tells requests for summaries from those of the agent, with their tools or without', async () => {
    const { ask, requests } = await start(script([{}, {}], [{ chars: 80 }]));
    const history = [user, { role: 'assistant', content: 'I begin.' }];
    await ask('/v1/chat/completions', chat(history));
    const kept = await ask('/v1/chat/completions', chat([...history, wanted]));
    await ask('/v1/chat/completions', { messages: [wanted] });
    // The summary stands in place of the history.
    const { choices } = JSON.parse(kept.text) as { choices: { message: { content: string } }[] };
    await ask('/v1/chat/completions', chat([{ ...wanted, content: choices[0]!.message.content }]));
    expect(requests.map(({ kind, samePrefix }) => [kind, samePrefix])).toEqual([
      ['agent', 0],
      ['summary', 1],
      ['summary', 0],
      ['agent', expect.any(Number)],
    ]);
  });

  it('refuses in the words of a provider, and counts retries of what failed once', async () => {
    const { ask, requests } = await start(
      script([{ refusal: 'openai' }, {}], [{ fails: true }, { chars: 9 }]),
    );
    const refused = await ask('/v1/chat/completions', chat([user]));
    expect([refused.status, refused.text]).toEqual([
      400,
      expect.stringContaining('context window'),
    ]);
    for (let time = 0; time < 3; time += 1) {
      const { status } = await ask('/v1/chat/completions', { messages: [wanted] });
      expect(status).toBe(500);
    }
    expect(requests.map(({ answer, repeats }) => [answer, repeats])).toEqual([
      ['refused', undefined],
      ['failed', 2],
    ]);
  });

  it.each<[string, (socket: Socket) => void]>([
    ['closes', (socket) => socket.end()],
    ['resets', (socket) => socket.resetAndDestroy()],
  ])('goes on where a client %s in the middle of its request', async (_, leave) => {
    const { ask, port, requests } = await start(script([{}]));
    const socket = await send(port, POST_OF_1000);
    const gone = once(socket, 'close');
    socket.resume();
    leave(socket);
    await gone;
    expect(await ask('/v1/chat/completions', chat([user]))).toMatchObject({ status: 200 });
    expect(requests).toHaveLength(1);
  });

  it.each<[string, string, number]>([
    ['//', 'GET // HTTP/1.1\r\nhost: x\r\n\r\n', 404],
    ['a query', 'GET /v1/models?limit=2 HTTP/1.1\r\nhost: x\r\n\r\n', 200],
    ['messages that are none', postOf('{"messages":[null]}'), 200],
  ])('answers %s', async (_, request, status) => {
    const { port } = await start(script([{}]));
    const [answer] = await once(await send(port, request), 'data');
    expect(String(answer)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });
});

const PATH = 'POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\n';
const POST_OF_1000 = `${PATH}content-length: 1000\r\n\r\n{"messages":`;

function postOf(body: string): string {
  return `${PATH}content-length: ${body.length}\r\n\r\n${body}`;
}

/** A connection on which this was sent. */
async function send(port: number, text: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  await new Promise((resolve) => socket.write(text, resolve));
  return socket;
}
