import { describe, expect, it } from 'vitest';
import { findObjective } from '../../../../src/simulator/sweep/tune/objective.ts';
import { scatter, tuneWorld, values } from './tune-world.ts';

describe('an advice', () => {
  it('finds no difference that is not certain among all objectives of all candidates', () => {
    const outcomes = Array.from({ length: 12 }, (_, world) => world).flatMap((world) => {
      const { advice } = tuneWorld((session, reserved) => {
        const odd = Math.sin(7.3 * session + 3.1 * reserved + world) > 0.2 ? 1 : 0;
        return values(scatter(session, reserved + world), odd * (reserved > 20 ? 1 : 2));
      });
      return advice.compared.flatMap((one) => one.outcomes);
    });
    const uncertain = outcomes.filter(({ pValue }) => pValue !== null && pValue > 0.05);
    expect(uncertain.filter(({ verdict }) => verdict === 'lower')).toEqual([]);
    const isAloneCertain = ({ estimate: { interval }, kind }: (typeof outcomes)[number]) =>
      interval !== null && kind === 'difference' && interval.low * interval.high > 0;
    expect(uncertain.some(isAloneCertain)).toBe(true);
  });

  it('advises no change that makes something worse which is certain by itself', () => {
    const { advice } = tuneWorld(
      (session, reserved) => ({
        values: {
          costUsd: reserved === 10 ? 0.5 + session / 100 : 1,
          compactions: 2 + (session % 2),
          misses: 10 + (reserved === 10 ? 0.8 + 1.4 * Math.sin(5 * session) : 0),
        },
      }),
      { objectives: ['cost', 'compactions', 'misses'].map(findObjective), heldOutShare: 0.4 },
    );
    const [candidate] = advice.compared;
    const misses = candidate?.outcomes.find(({ objective }) => objective.name === 'misses');
    expect(misses).toMatchObject({ verdict: 'higher' });
    expect(misses?.pValue).toBeGreaterThan(0.05);
    expect(advice.state).toBe('trade-off');
  });
});
