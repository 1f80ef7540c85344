import { describe, expect, it } from 'vitest';
import type {
  Advice,
  ObjectiveOutcome,
} from '../../../../src/simulator/report/tune/tune-report.ts';
import { findObjective } from '../../../../src/simulator/sweep/tune/objective.ts';
import { adviseTrade } from '../../../../src/simulator/sweep/tune/outcome.ts';

type Verdict = ObjectiveOutcome['verdict'];

const outcomeOf = (name: string, verdict: Verdict, tuned: number): ObjectiveOutcome => ({
  objective: findObjective(name),
  sessions: 9,
  families: 9,
  today: 100,
  tuned,
  kind: 'difference',
  estimate: { value: 0, interval: null },
  pValue: null,
  verdict,
});

describe('adviseTrade', () => {
  it.each<[string, Verdict, number, Verdict, number, Advice['state']]>([
    ['a change for less regret and a dearer mean', 'equivalent', 119, 'lower', 80, 'trade-off'],
    ['no change for more regret and a cheaper mean', 'equivalent', 84, 'higher', 120, 'trade-off'],
    ['a change for less regret and the same cost', 'equivalent', 100.5, 'lower', 80, 'change'],
    ['no change for more regret and the same cost', 'within noise', 99.5, 'higher', 120, 'keep'],
    ['nothing within noise', 'within noise', 119, 'within noise', 80, 'within noise'],
  ])('weighs %s', (_, cost, meanCost, regret, meanRegret, expected) => {
    const outcomes = [outcomeOf('cost', cost, meanCost), outcomeOf('regret', regret, meanRegret)];
    expect(adviseTrade(outcomes)).toBe(expected);
  });

  it('takes more for better where it is', () => {
    const outcomes = [outcomeOf('cost', 'lower', 80), outcomeOf('tokensSaved', 'equivalent', 90)];
    expect(adviseTrade(outcomes)).toBe('trade-off');
  });
});
