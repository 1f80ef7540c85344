import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isContextOverflow, policies } from '../../../src/engine/index.ts';
import {
  createSdkModel,
  loadFromPackage,
  type SdkModelOptions,
  systemClock,
} from '../../../src/simulator/summarizer/ai-sdk.ts';
import {
  callModel,
  createBudget,
  createLimiter,
} from '../../../src/simulator/summarizer/model/call.ts';
import {
  anthropicOverflow,
  type Deed,
  inTurn,
  openAiOverflow,
  rateLimited,
  says,
  serverError,
} from '../../support/model-server/script.ts';
import { type ModelServer, startModelServer } from '../../support/model-server/server.ts';
import { createFolder } from '../../support/session-files.ts';

const KEY = 'sk-test-0123456789';
/** Long enough for an answer from this machine, short enough to wait for. */
const TIMEOUT_MS = 20_000;
const SHORT_MS = 60;

/** Every way in which a model can be asked. */
const ways: Readonly<Record<string, Omit<SdkModelOptions, 'baseUrl' | 'apiKey'>>> = {
  'a compatible server': { provider: 'local', model: 'm' },
  'a compatible server, streaming': { provider: 'local', model: 'm', streams: true },
  "OpenAI's responses": { provider: 'openai', model: 'm', api: 'responses' },
  "OpenAI's responses, streaming": {
    provider: 'openai',
    model: 'm',
    api: 'responses',
    streams: true,
  },
  'Anthropic, by its package': { provider: 'anthropic', model: 'm' },
  'Anthropic, streaming': { provider: 'anthropic', model: 'm', streams: true },
};

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer(inTurn(says('')));
});
afterAll(async () => {
  await server.close();
});

describe.each(Object.entries(ways))('%s', (name, way) => {
  const isAnthropic = name.startsWith('Anthropic');

  it('gives the text, the finish and the usage by kinds', async () => {
    const usage = { inputTokens: 100, outputTokens: 20, cachedTokens: 60 };
    const answer = await ask(way, [says('## Goal\nAll of it.', { usage })]);
    expect(answer).toMatchObject({
      state: 'finished',
      text: '## Goal\nAll of it.',
      finish: 'stop',
      call: {
        usage: { input: 40, output: 20, reasoning: 0, cacheRead: 60, cacheWrite: 0, total: 120 },
        model: isAnthropic ? 'm-20260101' : 'm-2026-01-01',
      },
    });
  });

  it('tells an answer that was cut at its length', async () => {
    const answer = await ask(way, [says('## Go', { finish: 'length' })]);
    expect(answer).toMatchObject({ state: 'finished', finish: 'length', text: '## Go' });
  });

  it('sends the cap, the system prompt and the messages, and no tools', async () => {
    await ask(way, [says('')]);
    const { body } = server.received.at(-1)!;
    const cap = body['max_tokens'] ?? body['max_completion_tokens'] ?? body['max_output_tokens'];
    expect(cap).toBe(77);
    expect(JSON.stringify(body)).toMatch(/Be brief\..*Summarise\./);
    expect(body['tools'] ?? []).toEqual([]);
  });

  it('knows a refusal of what is too large, in words that policies know', async () => {
    const answer = await ask(way, [isAnthropic ? anthropicOverflow : openAiOverflow]);
    expect(answer).toMatchObject({
      state: 'failed',
      isOverflow: true,
      tries: 1,
      failure: { type: 'overflow', statusCode: 400 },
    });
    const { error } = answer as { readonly error: { readonly message: string } };
    expect(isContextOverflow(error, policies['opencode-1.2.16'].reading.overflowErrors!)).toBe(
      true,
    );
  });

  it.each<[string, Deed]>([
    ['too many requests', rateLimited({ 'retry-after-ms': '1' })],
    ['too many requests, with seconds', rateLimited({ 'retry-after': '0.001' })],
    ['an error of the server', { ...serverError, headers: { 'retry-after-ms': '1' } } as Deed],
  ])('asks again after %s', async (_, deed) => {
    const answer = await ask(way, [deed, says('All of it.')], { retries: 1 });
    expect(answer).toMatchObject({ state: 'finished', text: 'All of it.' });
  });

  it.each<[string, Deed, RegExp]>([
    ['a reset', { type: 'reset' }, /ECONNRESET/],
    ['an early end', { type: 'early-end', text: 'word '.repeat(50) }, /Failed to process/],
    ['half an answer', { type: 'half', text: 'word '.repeat(50) }, /broke off|could not|Invalid/],
    ['bad JSON', { type: 'bad-json' }, /could not be made out|Invalid JSON/],
  ])('fails after %s, and takes it for something that may pass', async (_, deed, reason) => {
    const answer = await ask(way, [deed]);
    expect(answer).toMatchObject({
      state: 'failed',
      isOverflow: false,
      reason: expect.stringMatching(reason),
    });
    expect(JSON.stringify(answer)).not.toContain('word word');
  });

  it('quotes nothing of an answer of another shape', async () => {
    const body = {
      id: 'x',
      object: 'x',
      created: 1,
      model: 'm',
      note: 'what was said',
      choices: [],
    };
    const answer = await ask(way, [{ type: 'refuse', status: 200, body }]);
    expect(answer).toMatchObject({ state: 'failed', isOverflow: false });
    expect(JSON.stringify(answer)).not.toMatch(/what was said|\.:/);
  });

  it('gives up on a server that hangs', async () => {
    const answer = await ask(way, [{ type: 'hang' }], { timeoutMs: SHORT_MS });
    expect(answer).toMatchObject({
      reason: `no answer within ${SHORT_MS} ms`,
      failure: { type: 'time-out' },
    });
  });

  // Anthropic's interface tells the usage of every answer.
  it.skipIf(isAnthropic)('leaves the usage unknown where none is told', async () => {
    const answer = await ask(way, [{ type: 'answer', text: 'All of it.' }]);
    expect(answer).toMatchObject({ state: 'finished', text: 'All of it.' });
    expect(answer).not.toHaveProperty('call.usage');
  });
});

describe.each(Object.entries(ways).filter(([name]) => name.includes('streaming')))(
  '%s, when an error comes in the middle',
  (_, way) => {
    it('knows an overflow by its words', async () => {
      const message = 'Your input exceeds the context window of this model.';
      const deed: Deed = { type: 'error-event', code: 'context_length_exceeded', message };
      expect(await ask(way, [deed])).toMatchObject({ state: 'failed', isOverflow: true });
    });

    it('fails for anything else', async () => {
      const deed: Deed = { type: 'error-event', code: 'overloaded', message: 'Overloaded.' };
      expect(await ask(way, [deed])).toMatchObject({
        state: 'failed',
        isOverflow: false,
        reason: expect.stringContaining('Overloaded'),
      });
    });
  },
);

describe('reasoning', () => {
  it.each(['a compatible server', 'a compatible server, streaming'])(
    'is no part of the text of %s',
    async (name) => {
      const usage = { inputTokens: 100, outputTokens: 20, reasoningTokens: 15 };
      const deed = says('', { reasoning: 'First I look at what was asked.', usage });
      expect(await ask(ways[name]!, [deed])).toMatchObject({
        text: '',
        reasoningText: 'First I look at what was asked.',
        call: { usage: { output: 5, reasoning: 15 } },
      });
    },
  );
});

describe('a provider without its package', () => {
  it('is told in a sentence how to install it', async () => {
    const model = createSdkModel({ provider: 'nobody-has-this', model: 'm' });
    await expect(model.prepare()).rejects.toThrowErrorMatchingInlineSnapshot(
      `[HarnessError: Provider 'nobody-has-this' needs the package '@ai-sdk/nobody-has-this', which is not installed: install it with 'npm install @ai-sdk/nobody-has-this', or give '--base-url' of an OpenAI-compatible server.]`,
    );
  });

  it('is found among the packages of the project at hand', async () => {
    const folder = createFolder();
    const home = join(folder, 'node_modules/@ai-sdk/fake-lab');
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, 'package.json'), '{"type": "module", "exports": "./index.js"}');
    writeFileSync(
      join(home, 'index.js'),
      'export const createFakeLab = (settings) => (model) => ({ model, settings });',
    );
    expect(await loadFromPackage('fake-lab', 'm', { apiKey: 'k', folder })).toEqual({
      model: 'm',
      settings: { apiKey: 'k' },
    });
    expect(await loadFromPackage('fake-other', 'm', { folder })).toBeUndefined();
  });

  it('is asked as a compatible server where it has a base URL', async () => {
    const way = { provider: 'nobody-has-this', model: 'm' };
    expect(await ask(way, [says('All of it.')])).toMatchObject({ text: 'All of it.' });
    expect(server.received.at(-1)?.path).toBe('/v1/chat/completions');
  });
});

/** The answer to one call while the server does one thing after the other. */
async function ask(
  way: Omit<SdkModelOptions, 'baseUrl' | 'apiKey'>,
  deeds: readonly Deed[],
  { retries = 0, timeoutMs = TIMEOUT_MS } = {},
) {
  server.play(inTurn(...deeds));
  return callModel(
    {
      model: createSdkModel({ ...way, baseUrl: server.url, apiKey: KEY }),
      limiter: createLimiter({ concurrency: 1 }, systemClock),
      budget: createBudget(undefined),
      clock: systemClock,
      timeoutMs,
      retries,
    },
    {
      system: 'Be brief.',
      messages: [{ role: 'user', content: 'Summarise.' }],
      outputCapTokens: 77,
    },
    { size: { inputTokens: 10, outputTokens: 77 } },
  );
}
