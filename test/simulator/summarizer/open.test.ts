import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { policies } from '../../../src/engine/index.ts';
import { readCatalog } from '../../../src/simulator/provider/catalog.ts';
import { type CassetteMode, createCassette } from '../../../src/simulator/summarizer/cassette.ts';
import { type ModelSettings, openSummarizers } from '../../../src/simulator/summarizer/open.ts';
import { user } from '../../support/history.ts';
import { toolsWith } from './counters.ts';
import { ANSWER, answering } from './models.ts';

const SETTINGS: ModelSettings = {
  streams: false,
  timeoutMs: 1_000,
  retries: 0,
  concurrency: 1,
  isDryRun: false,
  cassetteMode: 'auto',
};
const MODEL = 'ai:openai/gpt-5-mini';
const KEY = { OPENAI_API_KEY: 'sk-test-0123456789' };
const { models: profiles } = readCatalog();
const open = (settings: Partial<ModelSettings> = {}, environment: Record<string, string> = {}) =>
  openSummarizers({ ...SETTINGS, ...settings }, { environment, profiles });

describe('openSummarizers', () => {
  it.each<[string, Partial<ModelSettings>, Record<string, string>, boolean]>([
    ['extractive', {}, {}, false],
    ['scripted:ratio=0.25', {}, {}, false],
    [MODEL, {}, KEY, true],
    ['ai:local/llama3:8b', { baseUrl: 'http://127.0.0.1:1/v1' }, {}, true],
    ['ai:openai/x', { apiKeyEnv: 'MY_KEY' }, { MY_KEY: 'k' }, true],
    [MODEL, { cassette: '/nowhere', cassetteMode: 'strict' }, {}, true],
    [`cassette:/nowhere=${MODEL}`, { cassetteMode: 'strict' }, {}, true],
  ])('finds %s with %j', (name, settings, environment, isAsync) => {
    const found = open(settings, environment).find(name);
    expect(found.isAsync ?? false).toBe(isAsync);
    expect(name).toContain(found.name);
  });

  it.each<[string, Partial<ModelSettings>, RegExp]>([
    [MODEL, {}, /key of 'openai' in the environment variable 'OPENAI_API_KEY', which is not set/],
    [MODEL, { apiKeyEnv: 'MY_KEY' }, /'MY_KEY', which is not set/],
    ['ai:openai', {}, /Expected a real model as 'ai:PROVIDER\/MODEL'/],
    ['ai:../../x/m', {}, /Expected a real model as 'ai:PROVIDER\/MODEL'/],
    ['ai:Open AI/m', {}, /Expected a real model/],
    ['ai:lab/unknown', { budgetUsd: 1 }, /price in the catalog for '--budget-usd', got 'ai:lab/],
    [
      'ai:openai/gpt-5-mni',
      { isDryRun: true },
      /, got 'ai:openai\/gpt-5-mni'; nearest: openai\/gpt-5-mini, /,
    ],
    ['ai:opnai/gpt-5-mini', { isDryRun: true }, /; nearest: openai\/gpt-5-mini, /],
    ['cassette:', {}, /Expected the folder of a cassette/],
    ['cassette:/nowhere', {}, /Expected recorded calls in '\/nowhere', found none/],
    ['nobody', {}, /Unknown summarizer 'nobody'/],
  ])('refuses %s with %j', (name, settings, message) => {
    expect(() => open(settings).find(name)).toThrow(message);
  });

  it('knows the limits and prices of a model that the catalog has, also inside a cassette', () => {
    const registry = open();
    expect(registry.profileOf(MODEL)?.id).toBe('openai/gpt-5-mini');
    expect(registry.profileOf(`cassette:x=${MODEL}`)?.id).toBe('openai/gpt-5-mini');
    expect(registry.profileOf('extractive')).toBeUndefined();
    expect(registry.profileOf('ai:lab/m')).toBeUndefined();
  });

  it('lends limits to a model that nobody knows, and to what is none prices as well', () => {
    const registry = open({});
    const lent = registry.profileOf(MODEL);
    const { prices, ...unpriced } = lent ?? {};
    expect(prices).toBeDefined();
    expect(registry.summaryModelOf('extractive', lent)).toBe(lent);
    expect(registry.summaryModelOf(MODEL, undefined)).toBe(lent);
    for (const name of ['ai:lab/m', 'cassette:x=ai:lab/m']) {
      expect(registry.summaryModelOf(name, lent)).toEqual(unpriced);
      expect(registry.summaryModelOf(name, undefined)).toBeUndefined();
    }
  });

  it('counts in a dry run what would be asked, and asks nobody', async () => {
    const registry = open({ isDryRun: true });
    const messages = [user('u', 'x'.repeat(4_000))];
    const request = { system: '', messages, prompt: '## Goal', outputCapTokens: 500 };
    const tools = { ...toolsWith(), render: policies['opencode-1.2.16'].render };
    await registry.find(MODEL).summarise(request, tools);
    const estimate = registry.estimates().get(MODEL)!;
    expect(estimate).toMatchObject({ requests: 1, inputTokens: 1_214 });
    // $0.25 and $2 for a million tokens.
    expect(estimate.mostNanoUsd).toBe(1_214 * 250 + 500 * 2_000);
    expect(estimate.likelyNanoUsd).toBeLessThan(estimate.mostNanoUsd!);
  });

  it.each<[CassetteMode, number]>([
    ['auto', 1],
    ['record', 2],
  ])('counts in a dry run what a cassette lacks, mode %s', async (cassetteMode, requests) => {
    const folder = mkdtempSync(join(tmpdir(), 'dry-'));
    const request = { system: '', messages: [user('u', 'Hello.')], prompt: '## Goal' };
    const recorder = { ...answering(ANSWER), name: MODEL };
    const options = { folder, mode: 'record', scrub: String, recordedAgainst: 'test' } as const;
    await createCassette(recorder, options).summarise(request, toolsWith());
    const registry = open({ isDryRun: true, cassette: folder, cassetteMode });
    for (const repeat of [1, 2])
      await registry.find(MODEL).summarise(request, { ...toolsWith(), repeat });
    expect(registry.estimates().get(MODEL)).toMatchObject({ requests });
    expect(readdirSync(folder)).toHaveLength(1);
    rmSync(folder, { recursive: true });
  });

  it('asks nobody in a dry run inside a strict cassette either', async () => {
    const registry = open({ isDryRun: true, cassette: '/nowhere', cassetteMode: 'strict' });
    await registry.find(MODEL).summarise({ system: '', messages: [], prompt: 'x' }, toolsWith());
    expect(registry.estimates().get(MODEL)).toMatchObject({ requests: 1 });
  });

  it('leaves the price of a dry run unknown on a server that the catalog does not know', async () => {
    const registry = open({ isDryRun: true, baseUrl: 'http://127.0.0.1:1/v1' });
    await registry
      .find('ai:lab/m')
      .summarise({ system: '', messages: [], prompt: 'x' }, toolsWith());
    expect(registry.estimates().get('ai:lab/m')).toMatchObject({ requests: 1 });
    expect(registry.estimates().get('ai:lab/m')?.mostNanoUsd).toBeUndefined();
  });
});
