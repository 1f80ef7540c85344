import { describe, expect, it } from 'vitest';
import type { Provenance } from '../../../../src/simulator/report/report.ts';
import { formats } from '../../../../src/simulator/report/runs.ts';
import { mergeRuns, type SavedEvents } from '../../../../src/simulator/report/saved/events-file.ts';
import { sampleProvenance, sampleReport, sampleRun } from '../../../support/sample-report.ts';

function savedOf(session: string, policy = 'none'): SavedEvents {
  const report = sampleReport({ runs: [sampleRun({ session, policy })] });
  return { report, events: new Map(), views: new Map() };
}

function savedWith(provenance: Partial<Provenance>): SavedEvents {
  const report = sampleReport({ provenance: { ...sampleProvenance(), ...provenance } });
  return { report, events: new Map(), views: new Map() };
}

describe('mergeRuns', () => {
  it('gives the same report whatever the order of the files', () => {
    const parts = [savedOf('b'), savedOf('a', 'opencode-1.2.16'), savedOf('a')];
    const texts = [parts, parts.toReversed()].map((some) => {
      const merged = mergeRuns(some);
      return merged?.state === 'merged' && formats.json.render(merged.saved.report);
    });
    expect(texts[0]).toBe(texts[1]);
    expect(texts[0]).toContain('opencode-1.2.16');
  });

  it('leaves one file as it is', () => {
    const one = savedOf('a');
    expect(mergeRuns([one])).toEqual({ state: 'merged', saved: one });
  });

  it.each<[string, SavedEvents, string]>([
    ['the same run twice', savedOf('a'), "two of them have a run of 'none' on 'a'"],
    ['another seed', savedWith({ seed: 2 }), 'not all of them have the same seed'],
    [
      'other limits',
      savedWith({ limits: { ...sampleProvenance().limits, contextTokens: 1_000 } }),
      'not all of them have the same limits of the model',
    ],
    [
      'another policy of that name',
      savedWith({ policies: sampleProvenance().policies.map((one) => ({ ...one, auto: false })) }),
      "not all of them have the same policy 'none'",
    ],
  ])('refuses %s', (...[, other, reason]) => {
    expect(mergeRuns([savedOf('a'), other])).toEqual({ state: 'refused', reason });
  });
});
