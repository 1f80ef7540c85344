import { describe, expect, it } from 'vitest';
import { findWindow } from '../../../src/simulator/metrics/diagnosis.ts';
import { readCourse } from '../../../src/simulator/metrics/run-course.ts';
import { createProfile } from '../../../src/simulator/provider/model-profile.ts';
import type { Setup, SetupStretch } from '../../../src/simulator/setup/setup.ts';

const stretch = (changes: Partial<SetupStretch> = {}): SetupStretch => ({
  messageId: 's1',
  steps: 20,
  model: createProfile('x/m', { contextTokens: 200_000 }),
  modelSource: 'recorded',
  window: { value: 200_000, source: 'inferred' },
  ...changes,
});
const LARGE = { value: 1_000_000, source: 'configured' } as const;
const found = (
  own: SetupStretch,
  {
    above = 0,
    auto = true,
    isRefusalOnly = false,
    count = 1,
    edge = 167_000,
  }: Record<string, boolean | number> = {},
) => {
  const setup: Setup = { stretches: [own], ...(isRefusalOnly && { isRefusalOnly: true }) };
  const compaction = {
    step: 9,
    auto: auto === true,
    beforeTokens: 168_000,
    afterTokens: 20_000,
    limitTokens: undefined,
    summaryTokens: undefined,
    largest: undefined,
    mediaTokens: 0,
    addedTokens: 0,
    above: Number(above),
    nanoUsd: 0,
  };
  const sources = { setup, usableTokens: Number(edge) };
  const compactions = [compaction, compaction].slice(0, Number(count));
  const story = { compactions, steps: 20, above: 0, largestTokens: 190_000 };
  const { kind, hits, otherwise } = findWindow({ ...readCourse([], sources), ...story }) ?? {};
  return kind && [kind, hits, otherwise?.value];
};

describe('findWindow', () => {
  it.each<[string, ReturnType<typeof found>, unknown]>([
    ['as configured', found(stretch()), undefined],
    ['in a smaller window', found(stretch({ otherwise: LARGE })), ['early', 1, 1_000_000]],
    [
      'in a larger one',
      found(stretch({ otherwise: { value: 100_000, source: 'released' } })),
      ['late', 1, 100_000],
    ],
    [
      'in a window that the recording states',
      found(stretch({ window: { value: 200_000, source: 'recorded' }, otherwise: LARGE })),
      undefined,
    ],
    ['after steps above the edge', found(stretch(), { above: 3 }), ['late', 1, undefined]],
    ['after as many as a check may miss', found(stretch(), { above: 2 }), undefined],
    [
      'twice far below its rule',
      found(stretch(), { count: 2, edge: 250_000 }),
      ['early', 2, undefined],
    ],
    ['once', found(stretch(), { edge: 250_000 }), undefined],
    ['by hand', found(stretch({ otherwise: LARGE }), { auto: false }), undefined],
    ['at refusals only', found(stretch(), { above: 9, isRefusalOnly: true }), undefined],
  ])('judges an agent that compacts %s', (_, kind, expected) => {
    expect(kind).toEqual(expected);
  });
});
