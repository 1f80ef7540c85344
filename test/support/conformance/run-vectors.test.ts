import { describe, expect, it } from 'vitest';
import { runVectors } from './run-vectors.ts';

const estimate = { id: 'e', kind: 'tokenEstimate', input: { text: 'abcd' } };
const overflow = {
  id: 'o',
  kind: 'isOverflow',
  model: { limit: { context: 200_000, output: 32_000 } },
  tokens: { input: 168_000, output: 0, cache: { read: 0, write: 0 } },
};
const tail = {
  id: 't',
  kind: 'selectTail',
  budget: 100,
  turns: [
    { messages: [{ id: 'u1', size: 1 }] },
    {
      messages: [
        { id: 'u2', size: 10 },
        { id: 'a2', size: 99 },
      ],
    },
  ],
};
const required = { id: 'r', kind: 'v2Required', limit: { context: 200_000, output: 64_000 } };
const select = { id: 's', kind: 'v2SelectTail', keepTokens: 1, entries: [] };

const run = (...vectors: readonly { id: string; kind: string }[]) => runVectors(vectors);

describe('runVectors', () => {
  it('gives a result for each profile, in order', () => {
    const expectedByProfile = { 'v1.14.19': true, 'v0.8.0': true, 'v9.9.9': true };
    expect(run({ ...overflow, expectedByProfile } as never)).toEqual([
      {
        id: 'o',
        kind: 'isOverflow',
        profile: 'v1.14.19',
        state: 'passed',
        expected: true,
        got: true,
      },
      {
        id: 'o',
        kind: 'isOverflow',
        profile: 'v0.8.0',
        state: 'failed',
        expected: true,
        got: false,
      },
      {
        id: 'o',
        kind: 'isOverflow',
        profile: 'v9.9.9',
        state: 'skipped',
        expected: true,
        got: null,
        reason: "No rule of the engine is 'v9.9.9'.",
      },
    ]);
  });

  it.each<[string, object, string]>([
    ['overflow', { ...overflow, expected: true, version: 'v0.7..' }, 'v1.14.19'],
    ['prune', { id: 'p', kind: 'prune', messages: [], expected: { marked: [] } }, 'v1.14.19'],
    [
      'view',
      { id: 'f', kind: 'filterCompacted', messagesChronological: [], expected: [] },
      'v1.14.40',
    ],
    [
      'error',
      { id: 'c', kind: 'contextOverflowErrorDetection', input: {}, expected: false },
      'v1.18.4',
    ],
    ['usage', { id: 'g', kind: 'getUsage', usage: {}, expected: { input: 0 } }, 'v1.14.46'],
  ])('%s: an expectation that stands alone belongs to the newest profile', (_, vector, profile) => {
    expect(run(vector as never)).toMatchObject([{ profile, state: 'passed' }]);
  });

  it('checks what is usable where that is said', () => {
    const expectedByProfile = { 'v1.1.57': false, 'v1.14.19': true };
    const vector = { ...overflow, usable: 170_000, expectedByProfile } as never;
    expect(run(vector)).toMatchObject([
      { profile: 'v1.1.57', state: 'passed' },
      {
        state: 'failed',
        expected: true,
        got: true,
        reason: 'Expected 170000 tokens to be usable, got 168000.',
      },
    ]);
  });

  it.each<[string, string, object]>([
    ['auto off', 'config', { compaction: { auto: false } }],
    ['auto off in the environment', 'env', { OPENCODE_DISABLE_AUTOCOMPACT: '1' }],
    ['a smaller cap', 'env', { OPENCODE_EXPERIMENTAL_OUTPUT_TOKEN_MAX: '8000' }],
  ])('heeds %s', (_, key, value) => {
    expect(run({ ...overflow, [key]: value, expected: false } as never)).toMatchObject([
      { state: 'passed' },
    ]);
  });

  it.each(['v0.7', 'v0.7.4', 'v0.7.6'])('heeds no switch under the rule of %s', (profile) => {
    const settings = {
      config: { compaction: { auto: false } },
      env: { OPENCODE_DISABLE_AUTOCOMPACT: '1' },
    };
    const full = {
      ...overflow,
      tokens: { input: 180_000, output: 0, cache: { read: 0, write: 0 } },
    };
    const vector = { ...full, ...settings, expectedByProfile: { [profile]: true } };
    expect(run(vector as never)).toMatchObject([{ profile, state: 'passed' }]);
  });

  it.each<[string, object, string]>([
    ['names the releases', { ...estimate, version: 'v0.7.4..', expected: 1 }, 'v0.7.4..'],
    ['names none', { ...estimate, expected: 1 }, 'any'],
  ])('takes for the profile what a vector without one %s', (_, vector, profile) => {
    expect(run(vector as never)).toMatchObject([{ profile, state: 'passed' }]);
  });

  it.each<[string, object, object]>([
    ['v1.14.19..v1.14.20', tail, { tail_start_id: null }],
    ['v1.14.20', tail, { tail_start_id: null }],
    ['v1.14.21..', tail, { tail_start_id: 'a2' }],
    ['v1.18.15..', tail, { tail_start_id: 'a2' }],
    ['v1.14.21..', { ...tail, split: false }, { tail_start_id: null }],
    ['v1.14.21..', { ...tail, tailTurns: 0 }, { tail_start_id: null }],
    ['v1.14.21..', { ...tail, tailTurns: 0, unlimited: true }, { tail_start_id: 'a2' }],
  ])('a range of releases means its first: %s of %j', (version, vector, expected) => {
    expect(run({ ...vector, version, expected } as never)).toMatchObject([{ state: 'passed' }]);
  });

  it.each<[string, object, boolean]>([
    ['core-2026-06-05', { requestEstimate: 136_000, used: 999_999 }, false],
    ['core-2026-06-28', { requestEstimate: 136_001 }, true],
    ['core-2026-07-10', { used: 136_000, requestEstimate: 0 }, true],
    ['core-2026-07-12..', { used: 136_000 }, true],
    ['core-2026-08-06', { used: 136_000 }, false],
    ['core-2026-08-06', { used: 168_000 }, true],
    ['v2.0.x @031a4a9', { used: 168_000 }, true],
    ['v2.0.15', { used: 168_000, lastIsCompaction: true }, false],
    ['v2.0.x', { used: 100_000, config: { buffer: 100_000 } }, true],
    ['v2.0.x', { used: 168_000, config: { auto: false } }, false],
  ])('the 2.0 engine at %s: %j', (version, input, expected) => {
    expect(run({ ...required, version, ...input, expected } as never)).toMatchObject([
      { profile: version, state: 'passed' },
    ]);
  });

  it.each<[string, object, RegExp]>([
    ['an unknown kind', { id: 'x', kind: 'isUnderflow' }, /^Unknown kind 'isUnderflow'\. Expected/],
    ['a name that every object has', { id: 'x', kind: 'toString' }, /^Unknown kind 'toString'/],
    ['a case that is a test', { id: 'x', kind: 'process' }, /^Cases of kind 'process' .* a test/],
    ['another form', { ...overflow, tokens: 3, expected: true }, /form of its kind, at 'tokens'/],
    ['no expectation', overflow, /does not say what is expected/],
    ['a release before the kind', { ...required, version: 'v1.0.0', expected: true }, /'v1\.0\.0'/],
    [
      'a state whose tail starts inside an entry',
      { ...select, version: 'core-2026-06-05', expected: { tailStart: null } },
      /'core-2026-06-05'/,
    ],
    [
      'releases that cannot be told',
      { ...required, version: 'unreleased', expected: true },
      /'unreleased'/,
    ],
  ])('skips %s and says so', (_, vector, reason) => {
    expect(run(vector as never)).toMatchObject([{ state: 'skipped', got: null }]);
    expect(run(vector as never)[0]?.reason).toMatch(reason);
  });
});
