import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Limits } from '../../../src/engine/index.ts';
import type { Stretch } from '../../../src/simulator/session/evidence.ts';
import { findWindows, type WindowSearch, withWindow } from '../../../src/simulator/setup/setup.ts';
import { assertReaching } from '../../support/reaching.ts';

/** The edge of the preset lies 33,000 tokens below each window. */
const SEARCH: WindowSearch = {
  preset: 'claude-code-2.1.31',
  limits: { contextTokens: 500_000, outputTokens: 64_000 },
  candidates: [200_000, 500_000, 1_000_000],
  fallback: { value: 500_000, source: 'catalog' },
};

const stretch = (largestTokens: number, more: Partial<Stretch> = {}): Stretch => ({
  messageId: 'm',
  messageIndex: 1,
  steps: 3,
  largestTokens,
  ...more,
});

/** A stretch up to a compaction at a size that the agent noted. */
const upTo = (tokens: number, largestTokens = tokens - 1_000, isNoted = true) =>
  stretch(largestTokens, { compaction: { index: 0, tokens, isNoted } });
const fromRelease: Partial<WindowSearch> = { fallback: { value: 200_000, source: 'released' } };

type Row = [what: string, own: readonly Stretch[], windows: string, search?: Partial<WindowSearch>];

describe('findWindows', () => {
  it.each<Row>([
    [
      'a number in the recording, whatever compacted and was accepted',
      [stretch(270_000, { windowTokens: 258_400, compaction: upTo(168_000).compaction! })],
      '258_400 recorded',
    ],
    [
      'each number until the next one',
      [stretch(9, { windowTokens: 258_400 }), stretch(9), stretch(9, { windowTokens: 121_600 })],
      '258_400 recorded, 258_400 recorded, 121_600 recorded',
    ],
    ['the candidate whose edge is just reached', [upTo(167_000)], '200_000 inferred'],
    [
      'one candidate for all compactions of a model, and for what comes without one',
      [upTo(171_000), upTo(168_000), stretch(190_000)],
      '200_000 inferred, 200_000 inferred, 200_000 inferred',
    ],
    [
      'two candidates where no single one explains all',
      [upTo(968_000), upTo(168_000)],
      '1_000_000 inferred, 200_000 inferred',
    ],
    [
      'a larger one from a request on that the smaller would not have accepted',
      [upTo(168_000), stretch(220_000)],
      '200_000 inferred, 500_000 inferred',
    ],
    ['the window that size and rule give below every edge', [upTo(137_400)], '170_000 inferred'],
    [
      'what was accepted where that window would be smaller',
      [upTo(137_000, 180_000)],
      '180_000 inferred',
    ],
    [
      'a candidate for a size that is 5 % below its edge and was not noted',
      [upTo(160_000, 160_000, false)],
      '200_000 inferred',
    ],
    [
      'nothing of a size far below all edges that was not noted',
      [upTo(100_000, 100_000, false)],
      '500_000 catalog',
    ],
    [
      'nothing of a compaction without a size',
      [stretch(0, { compaction: { index: 0, isNoted: false } })],
      '500_000 catalog',
    ],
    ['a request that just fits', [stretch(200_000)], '200_000 released', fromRelease],
    [
      'the next candidate for a request above the lower source',
      [stretch(200_001)],
      '500_000 inferred',
      fromRelease,
    ],
    [
      'a request above all candidates as it is',
      [stretch(1_200_000)],
      '1_200_000 inferred',
      fromRelease,
    ],
    ['nothing of the compaction that is judged', [upTo(168_000)], '500_000 catalog', { except: 0 }],
    [
      'nothing of compactions by an unknown rule, but of requests',
      [upTo(300_000)],
      '500_000 inferred',
      { preset: undefined, ...fromRelease },
    ],
  ])('takes %s', (_, own, windows, search = {}) => {
    const found = findWindows(own, { ...SEARCH, ...search });
    const shown = found.map(({ value, source }) => `${value} ${source}`);
    expect(shown.join(', ')).toBe(windows.replaceAll('_', ''));
  });

  it('is never below what was accepted, unless the recording states it', () => {
    const tokens = fc.integer({ min: 0, max: 1_300_000 });
    const anyStretch = fc
      .record({
        largestTokens: tokens,
        windowTokens: fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, tokens),
        compaction: fc.option(fc.record({ index: fc.nat(3), tokens, isNoted: fc.boolean() })),
      })
      .map(({ largestTokens, windowTokens, compaction }) =>
        stretch(largestTokens, {
          ...(windowTokens !== undefined && { windowTokens }),
          ...(compaction && { compaction }),
        }),
      );
    const except = fc.option(fc.nat(3), { nil: undefined });
    const met = { raised: 0, inferred: 0 };
    assertReaching(
      fc.property(fc.array(anyStretch, { minLength: 1, maxLength: 4 }), except, (own, index) => {
        const found = findWindows(own, { ...SEARCH, ...fromRelease, except: index });
        const unstated = found.flatMap(({ value, source }, place) =>
          source === 'recorded' ? [] : [{ value, source, ...own[place]! }],
        );
        expect(unstated.filter(({ value, largestTokens }) => value < largestTokens)).toEqual([]);
        for (const { source, largestTokens } of unstated) {
          if (source === 'inferred') met[largestTokens > 200_000 ? 'raised' : 'inferred'] += 1;
        }
      }),
    );
    expect(Math.min(met.raised, met.inferred)).toBeGreaterThan(5);
  });
});

describe('withWindow', () => {
  it.each<[string, Limits, Limits]>([
    [
      'keeps caps below the window',
      { contextTokens: 9_000, inputTokens: 4_999, outputTokens: 5_000 },
      { contextTokens: 5_000, inputTokens: 4_999, outputTokens: 5_000 },
    ],
    [
      'drops an input cap at the window, and cuts an output',
      { contextTokens: 9_000, inputTokens: 5_000, outputTokens: 5_001 },
      { contextTokens: 5_000, outputTokens: 5_000 },
    ],
    [
      'leaves limits in that window alone',
      { contextTokens: 5_000, inputTokens: 5_000 },
      { contextTokens: 5_000, inputTokens: 5_000 },
    ],
  ])('%s', (_, limits, expected) => {
    expect(withWindow(limits, 5_000)).toEqual(expected);
  });
});
