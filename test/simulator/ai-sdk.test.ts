import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, jsonSchema, type ModelMessage, stepCountIs, streamText, tool } from 'ai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runAgent } from '../../examples/ai-sdk.ts';
import { policies, resolvePolicy } from '../../src/engine/index.ts';
import { CompactionStopped, compactSteps } from '../../src/simulator/ai-sdk.ts';
import { type ModelServer, startModelServer } from '../support/model-server/server.ts';
import { type Received, says, type Script } from '../support/model-server/script.ts';

const LIMITS = { contextTokens: 60_000, outputTokens: 4_000 };
const OUTPUT = 'a line of the log\n'.repeat(2_500);
const SUMMARY = '## Goal\n- Read the log to its end.';
const CHARS_PER_TOKEN = 4;
let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer(() => says(''));
});
beforeEach(() => {
  server.received.length = 0;
});
afterAll(() => server.close());

const model = () =>
  createOpenAICompatible({ name: 'local', baseURL: server.url, includeUsage: true })('m');
const read = tool({
  description: 'Reads a piece of the log.',
  inputSchema: jsonSchema<{ part: number }>({
    type: 'object',
    properties: { part: { type: 'number' } },
    required: ['part'],
  }),
  execute: async () => OUTPUT,
});

/** Reads so many pieces one after the other, then stops; writes a summary where it has no tools. */
function reads(pieces: number): Script {
  let done = 0;
  return ({ body }) => {
    const inputTokens = Math.ceil(JSON.stringify(body['messages']).length / CHARS_PER_TOKEN);
    const usage = { inputTokens, outputTokens: 20 };
    if (body['tools'] === undefined) return says(SUMMARY, { usage });
    if (done === pieces) return says('All is read.', { usage });
    done += 1;
    const calls = [{ id: `call-${done}`, name: 'read', input: { part: done } }];
    return says('', { finish: 'tool_calls', calls, usage });
  };
}

const textsOf = ({ body }: Received) => JSON.stringify(body['messages']);
const outputsIn = (received: Received) => textsOf(received).includes('a line of the log');
const steps = () => server.received.filter(({ body }) => body['tools'] !== undefined);
const summaries = () => server.received.filter(({ body }) => body['tools'] === undefined);

describe('compactSteps', () => {
  it('has a summary written in the middle of a turn, and goes on behind it', async () => {
    server.play(reads(9));
    const { text } = await generateText({
      model: model(),
      tools: { read },
      stopWhen: stepCountIs(20),
      system: 'You read logs.',
      prompt: 'Read all of it.',
      prepareStep: compactSteps({ policy: 'opencode-1.18', limits: LIMITS }),
    });
    expect(text).toBe('All is read.');
    expect(summaries().length).toBeGreaterThanOrEqual(1);
    const sizes = steps().map((step) => textsOf(step).length / CHARS_PER_TOKEN);
    expect(Math.max(...sizes)).toBeLessThan(LIMITS.contextTokens);
    const after = steps().filter((step) => textsOf(step).includes('Read the log to its end.'));
    expect(after.length).toBeGreaterThan(0);
    expect(steps().every((step) => textsOf(step).includes('You read logs.'))).toBe(true);
    expect(after.some(outputsIn)).toBe(true);
  });

  it('is an agent in the twenty lines of examples/ai-sdk.ts', async () => {
    server.play(reads(3));
    expect(await runAgent(model(), { read }, 'Read all of it.')).toBe('All is read.');
    expect(steps()).toHaveLength(4);
  });

  it('does the same for a stream', async () => {
    server.play(reads(9));
    const result = streamText({
      model: model(),
      tools: { read },
      stopWhen: stepCountIs(20),
      prompt: 'Read all of it.',
      prepareStep: compactSteps({ policy: 'opencode-1.18', limits: LIMITS }),
    });
    expect(await result.text).toBe('All is read.');
    expect(summaries().length).toBeGreaterThanOrEqual(1);
  });

  it('clears old outputs where the policy does, and sends all else as it was', async () => {
    server.play(reads(6));
    const keepsTwo = resolvePolicy(policies.none, {
      name: 'keeps-two',
      prune: { enabled: true, when: 'before-request', pass: 'keep-last', keepLast: { outputs: 2 } },
    });
    await generateText({
      model: model(),
      tools: { read },
      stopWhen: stepCountIs(20),
      prompt: 'Read all of it.',
      prepareStep: compactSteps({ policy: keepsTwo, limits: LIMITS }),
    });
    expect(summaries()).toEqual([]);
    const last = steps().at(-1)?.body['messages'] as readonly { role: string; content: string }[];
    const outputs = last.filter(({ role }) => role === 'tool').map(({ content }) => content);
    expect(outputs.map((output) => output === OUTPUT)).toEqual([
      false,
      false,
      false,
      false,
      true,
      true,
    ]);
  });

  it('goes on with a conversation over several calls, and knows another one', async () => {
    const seen: string[] = [];
    const prepareStep = compactSteps({
      policy: 'opencode-1.18',
      limits: LIMITS,
      onEvent: ({ type }) => seen.push(type),
    });
    const ask = async (messages: ModelMessage[]) => {
      server.play(reads(4));
      const settings = { model: model(), tools: { read }, stopWhen: stepCountIs(20) };
      const { response } = await generateText({ ...settings, messages, prepareStep });
      return [...messages, ...response.messages];
    };
    const first = await ask([{ role: 'user', content: 'Read it.' }]);
    const second = await ask([...first, { role: 'user', content: 'Once more.' }]);
    await ask([...second, { role: 'user', content: 'And again.' }]);
    expect(seen).toContain('compacted');
    const compactions = summaries().length;
    await ask([{ role: 'user', content: 'Something else.' }]);
    expect(summaries()).toHaveLength(compactions);
    expect(textsOf(steps().at(-1) as Received)).not.toContain('Once more.');
  });

  it('ends with the reason where the policy sees no way on', async () => {
    server.play(reads(9));
    const run = generateText({
      model: model(),
      tools: { read },
      stopWhen: stepCountIs(20),
      prompt: OUTPUT.repeat(6),
      maxRetries: 0,
      prepareStep: compactSteps({
        policy: resolvePolicy(policies['opencode-1.18'], { guards: { stopIrreducible: true } }),
        limits: LIMITS,
      }),
    });
    await expect(run).rejects.toThrow(CompactionStopped);
  });
});
