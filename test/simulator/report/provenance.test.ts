import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { instructions, policies, resolvePolicy } from '../../../src/engine/index.ts';
import { createProfile, overrideProfile } from '../../../src/simulator/provider/model-profile.ts';
import {
  buildProvenance,
  describeEvidence,
  provenanceFacts,
  type ProvenanceInput,
} from '../../../src/simulator/report/provenance.ts';
import { measuredBasis, sampleProvenance, wholeSource } from '../../support/sample-report.ts';

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

  it('hashes the prompts of a policy that compacts on refusals only', () => {
    const off = resolvePolicy(policies['opencode-1.2.16'], { trigger: { auto: false } });
    expect(buildProvenance({ ...input, policies: [off] }).prompts).not.toEqual({});
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

describe('provenanceFacts', () => {
  it.each([
    [{ contextTokens: 0 }, 'no context limit'],
    [
      { contextTokens: 400_000, inputTokens: 272_000, outputTokens: 128_000 },
      'context 400,000, input 272,000, output 128,000',
    ],
  ])('tells the limits %j', (limits, expected) => {
    const provenance = { ...sampleProvenance(), limits };
    expect(provenanceFacts(provenance)).toContainEqual({
      label: 'Model',
      value: `anthropic/claude-sonnet-4-5 (${expected})`,
    });
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

describe('describeEvidence', () => {
  it('counts the sessions for which something was measured', () => {
    const estimators = {
      ...sampleProvenance().estimators,
      sessions: [
        { ...wholeSource, session: 'a' },
        {
          ...wholeSource,
          session: 'b',
          basis: { ...measuredBasis, overhead: 'estimated' as const },
        },
        {
          ...wholeSource,
          session: 'c',
          basis: {
            ...measuredBasis,
            calibration: 'estimated' as const,
            overhead: 'estimated' as const,
          },
        },
      ],
    };
    const text = describeEvidence({ ...sampleProvenance(), estimators });
    expect(text).toContain('scaled to the recorded usage in 2 of 3 sessions');
    expect(text).toContain('measured in 1 of 3 sessions');
    expect(text).not.toMatch(/partial|import/);
  });

  it('tells what was left out or mended on import, and which sessions begin in the middle', () => {
    const dropped = { 'broken line': 2 };
    const estimators = {
      ...sampleProvenance().estimators,
      sessions: [
        { ...wholeSource, session: 'a', isPartial: true, dropped },
        { ...wholeSource, session: 'b', dropped, repaired: { 'missing id': 1 } },
      ],
    };
    const text = describeEvidence({ ...sampleProvenance(), estimators });
    expect(text).toContain(
      '1 of 2 sessions is partial (a): what came before the beginning is missing',
    );
    const some = ['a', 'b', 'c', 'd', 'e'].map((session) => ({
      ...wholeSource,
      session,
      isPartial: true,
    }));
    const many = { ...sampleProvenance(), estimators: { ...estimators, sessions: some } };
    expect(describeEvidence(many, (name) => `<${name}>`)).toContain('(<a>, <b>, <c>, 2 more)');
    expect(text).toContain('Left out on import: broken line 4. Repaired on import: missing id 1.');
  });

  it('tells of sessions that begin with messages of another one', () => {
    const estimators = {
      ...sampleProvenance().estimators,
      sessions: [
        { ...wholeSource, session: 'a', sharedMessages: 3 },
        { ...wholeSource, session: 'b' },
      ],
    };
    expect(describeEvidence({ ...sampleProvenance(), estimators })).toContain(
      '1 of 2 sessions begins with messages of another one',
    );
  });

  it('shows no folder of a session that was given by its whole path', () => {
    const sessions = [{ ...wholeSource, session: '/home/somebody/one.jsonl#1' }];
    expect(buildProvenance({ ...input, sessions }).estimators.sessions[0]?.session).toBe(
      'one.jsonl#1',
    );
  });
});
