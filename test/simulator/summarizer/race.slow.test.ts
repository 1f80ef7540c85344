import { describe, expect, it } from 'vitest';
import {
  type Course,
  generatedCourses,
  GENERATED_SEEDS,
  RECORDED_FILES,
  recordedCourses,
} from '../../../scripts/reproductions/race-courses.ts';
import { BASELINES, race, shareHeld } from '../../../scripts/reproductions/summarizer-race.ts';
import { FACT_KINDS, type FactKind } from '../../../src/simulator/session/facts.ts';

const CAP = 4_096;
const SMALL_CAP = 400;
const FEW = 3;
const PIVOTS = [
  [0, 'first'],
  [1, 'second'],
] as const;

const generated = generatedCourses('heldOut');
const recorded = recordedCourses('heldOut');
const note = recorded.length > 0 ? '' : ' (skipped: ../shared/sessions is not there)';
/** What the extraction of names, rules and commands gives. */
const EXTRACTED = ['constraint', 'path', 'symbol', 'error', 'id', 'number', 'command'] as const;

it('is judged on sessions that nothing was tuned on', () => {
  for (const halves of [GENERATED_SEEDS, RECORDED_FILES]) {
    expect(new Set([...halves.tuned, ...halves.heldOut]).size).toBe(
      halves.tuned.length + halves.heldOut.length,
    );
  }
});

const runAll = (courses: readonly Course[]) => ({
  own: race('extractive', courses, CAP),
  others: BASELINES.map((name) => [name, race(name, courses, CAP)] as const),
});
const onGenerated = runAll(generated);

describe.each<[string, boolean, ReturnType<typeof runAll>, readonly FactKind[]]>([
  ['generated sessions', true, onGenerated, FACT_KINDS],
  [`recorded sessions${note}`, recorded.length > 0, runAll(recorded), EXTRACTED],
])('on %s', (_, isThere, { own, others }, kinds) => {
  const cases = (['all', 'must', ...kinds] as const).flatMap((kind) =>
    PIVOTS.map(([pivot, title]) => [kind, title, pivot] as const),
  );

  it.skipIf(!isThere).each(cases)(
    'extractive keeps more facts (%s) than any baseline after the %s pivot',
    (kind, _title, pivot) => {
      const share = shareHeld(own, pivot, kind) ?? 0;
      const rivals = others.map(([name, other]) => [name, shareHeld(other, pivot, kind)] as const);
      expect(rivals.filter(([, other]) => (other ?? 1) >= share)).toEqual([]);
    },
  );

  it.skipIf(!isThere)('all come near to the cap, and none passes it', () => {
    for (const { mostTokens } of [own, ...others.map(([, other]) => other)]) {
      expect(mostTokens).toBeLessThanOrEqual(CAP);
      expect(mostTokens).toBeGreaterThan(CAP * 0.9);
    }
  });
});

it('lead keeps the least over two pivots, for it repeats itself, and random keeps of both halves', () => {
  const [lead, tail, random] = onGenerated.others.map(([, other]) => shareHeld(other, 1, 'all'));
  expect(lead).toBeLessThan(tail ?? 0);
  expect(tail).toBeLessThan(random ?? 0);
});

it('keeps more than any baseline in few tokens too', () => {
  const few = generated.slice(0, FEW);
  const small = race('extractive', few, SMALL_CAP);
  expect(small.mostTokens).toBeLessThanOrEqual(SMALL_CAP);
  for (const name of BASELINES) {
    const other = race(name, few, SMALL_CAP);
    for (const [pivot] of PIVOTS) {
      const share = shareHeld(other, pivot, 'all') ?? 1;
      expect(shareHeld(small, pivot, 'all')).toBeGreaterThan(share);
    }
  }
});
