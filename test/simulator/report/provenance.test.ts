import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { instructions, policies, resolvePolicy } from '../../../src/engine/index.ts';
import { createProfile, overrideProfile } from '../../../src/simulator/provider/model-profile.ts';
import {
  buildProvenance,
  describeEvidence,
  type ProvenanceInput,
} from '../../../src/simulator/report/provenance.ts';
import type { SessionBasis } from '../../../src/simulator/report/report.ts';
import { measuredBasis, sampleProvenance, wholeSource } from '../../support/sample-report.ts';
import { provenanceFacts } from '../../../src/simulator/report/runs.ts';

const input: ProvenanceInput = {
  version: '1.2.3',
  policies: [policies['opencode-1.2.16']],
  model: createProfile('openai/gpt-4o', { contextTokens: 128_000 }),
  summarizer: 'extractive',
  seed: 1,
  catalog: { source: 'shipped', hash: 'abc' },
  settings: {},
  sessions: [],
};

describe('buildProvenance', () => {
  it('hashes each prompt text in use', () => {
    const { prompts } = buildProvenance(input);
    const hash = createHash('sha256').update(instructions['v1.1.57']).digest('hex').slice(0, 12);
    expect(prompts['instruction v1.1.57']).toBe(hash);
    expect(Object.keys(prompts)).toEqual([
      'system v1.1.57',
      'instruction v1.1.57',
      'resume v1.1.57',
      'refusal note',
    ]);
  });

  it('hashes no prompt for policies that never compact', () => {
    const off = resolvePolicy(policies['document-002'], { trigger: { auto: false } });
    expect(buildProvenance({ ...input, policies: [policies.none, off] }).prompts).toEqual({});
  });

  it('tells which tokenizer stands for the model', () => {
    const { tokenizer, policies: estimators } = buildProvenance(input).estimators;
    expect(tokenizer).toEqual({ name: 'o200k_base', evidence: 'measured' });
    expect(estimators).toEqual({ 'opencode-1.2.16': { charsPerToken: 4, rounding: 'round' } });
  });

  it.each([
    ['/home/somebody/api.json', 'api.json'],
    ['catalogs/api.json', 'catalogs/api.json'],
    ['shipped', 'shipped'],
  ])('shows no folder of one machine: %s', (source, shown) => {
    const catalog = { source, hash: 'abc' };
    const config = { file: source, origins: {} };
    const provenance = buildProvenance({ ...input, catalog, config });
    expect(provenance.catalog).toEqual({ source: shown, hash: 'abc' });
    expect(provenance.config?.file).toBe(shown);
  });
});

describe('the provider of a provenance', () => {
  it.each<[string, ProvenanceInput['settings'], string]>([
    ['somebody/claude', {}, 'no cache assumed (unknown provider)'],
    ['somebody/claude', { cache: 'none' }, 'no cache'],
    ['somebody/claude', { cache: 'anthropic-5m' }, 'cache anthropic-5m (300 s)'],
    ['cerebras/llama', {}, 'no cache'],
    ['google-vertex-anthropic/claude-haiku-4-5', {}, 'cache anthropic-5m (300 s)'],
  ])('is told: %s with %j', (id, settings, words) => {
    const limits = { contextTokens: 200_000 };
    const model = overrideProfile(createProfile(id, limits), limits, settings);
    const facts = provenanceFacts(buildProvenance({ ...input, model, settings }));
    const value = facts.find(({ label }) => label === 'Provider')?.value;
    expect(value?.split(', ')).toContain(words);
  });
});

const estimated = { ...measuredBasis, overhead: 'estimated' } as const;
const bare = { ...estimated, calibration: 'estimated' } as const;
const dropped = { 'broken line': 2 };
/** Sessions with what is told of them. */
const TOLD: readonly (readonly [string, readonly Partial<SessionBasis>[]])[] = [
  ['one of three measured whole', [{}, { basis: estimated }, { basis: bare }]],
  [
    'one partial, with faults on import',
    [
      { isPartial: true, dropped },
      { dropped, repaired: { 'missing id': 1 } },
    ],
  ],
  ['many partial', Array.from({ length: 5 }, () => ({ isPartial: true }))],
  ['one that begins with messages of another one', [{ sharedMessages: 3 }, {}]],
];

it('tells what was measured, left out, mended and shared in sentences', async () => {
  const told = TOLD.map(([title, all]) => {
    const sessions = all.map((one, index) => ({ ...wholeSource, ...one, session: `${index}` }));
    const estimators = { ...sampleProvenance().estimators, sessions };
    const evidence = { ...sampleProvenance(), estimators };
    return `${title}:\n${describeEvidence(evidence, (name) => `<${name}>`)}\n`;
  });
  await expect(told.join('\n')).toMatchFileSnapshot('../../fixtures/snapshots/evidence.txt');
});
