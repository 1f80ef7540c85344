import { describe, expect, it } from 'vitest';
import {
  findObjective,
  parseConstraint,
  splitSessions,
} from '../../../../src/simulator/sweep/tune/tune-table.ts';
import { cells, cheap, heldOut, kneeOf, sized, tuneWorld, values } from './tune-world.ts';

describe('tuning under constraints', () => {
  it('chooses nothing that is refused, loops or fails, however cheap', () => {
    const tuned = tuneWorld(cheap, { heldOutShare: 0 });
    expect(kneeOf(tuned)!.settings).toMatchObject({ reserved: 20 });
    expect(tuned.cells.infeasible.map(({ reason }) => reason)).toEqual([
      'a refusal in 1 of 20 sessions',
      'loop in 1 of 20 sessions',
    ]);
  });

  it('keeps a metric over all sessions within its range', () => {
    const tuned = tuneWorld((_, reserved) => values(reserved, 40 / reserved), {
      constraints: [parseConstraint('compactions=..30')],
      heldOutShare: 0,
    });
    expect(kneeOf(tuned)!.settings).toMatchObject({ reserved: 40 });
    expect(tuned.cells.infeasible[0]!.reason).toBe(
      'outside compactions=..30: 40 over all sessions',
    );
  });

  it.each<[range: string, own: Record<string, number>, words: string]>([
    ['peakContextTokens=..100', { peakContextTokens: 101 }, '101 over all sessions'],
    ['missRate=..0.2', { misses: 1, references: 4 }, '25.0 % over all sessions'],
  ])('takes %s for what a report says of all sessions together', (range, own, words) => {
    const { advice } = tuneWorld((session) => ({ values: own, digest: String(session) }), {
      constraints: [parseConstraint(range)],
    });
    expect(advice.brokenByToday).toEqual([`outside ${range}: ${words}`]);
  });

  it('says so where what a range is of is unknown in some session', () => {
    const tuned = tuneWorld(
      (session) => ({ values: { misses: session === 1 ? null : 1 }, digest: String(session) }),
      { constraints: [parseConstraint('misses=..30')] },
    );
    expect(tuned.advice.brokenByToday).toEqual(['outside misses=..30: unknown in some session']);
  });

  it('says that nothing is feasible where nothing is', () => {
    const tuned = tuneWorld(() => values(1, 2), {
      constraints: [parseConstraint('compactions=..1')],
    });
    expect(tuned).toMatchObject({
      advice: { state: 'nothing feasible' },
      today: { state: 'infeasible' },
      front: [],
    });
    expect(kneeOf(tuned)).toBeUndefined();
  });

  it('keeps today where the knee breaks a constraint on a session held out, and leaves that run out', () => {
    const tuned = tuneWorld((session, reserved) =>
      reserved === 10 && `s${session}` === heldOut
        ? { ...values(0.0001), state: 'refused' }
        : values((1 + session) * reserved),
    );
    expect(tuned.advice).toMatchObject({
      state: 'keep',
      compared: [{ isKnee: true, broken: ['refused in 1 of 20 sessions'] }],
      brokenByToday: [],
      settings: { reserved: 10 },
    });
    expect(tuned.advice.compared[0]!.outcomes[0]).toMatchObject({ sessions: 5 });
    expect(tuned.advice.compared[0]!.outcomes[0]!.estimate.value).toBeCloseTo(0.5, 4);
  });

  it('changes what breaks a constraint today, however cheap, for what breaks none', () => {
    const tuned = tuneWorld((session, reserved) =>
      reserved === 20 && session % 3 === 0
        ? { ...values(0.0001), state: 'refused' }
        : values((1 + session) * Math.max(reserved, 20)),
    );
    expect(tuned.today).toMatchObject({ state: 'infeasible', values: [null, null] });
    expect(tuned.advice).toMatchObject({
      state: 'change',
      compared: [{ broken: [] }],
      brokenByToday: ['refused in 7 of 20 sessions'],
    });
    expect(tuned.advice.compared[0]!.outcomes[0]!.estimate.value).toBeCloseTo(1, 4);
  });

  it('advises nothing where neither the knee nor today keeps the constraints', () => {
    const tuned = tuneWorld((session, reserved) => {
      const isHeldOut = `s${session}` === heldOut;
      const isRefused = reserved === 20 ? session % 3 === 0 && !isHeldOut : isHeldOut;
      return { ...values(reserved), ...(isRefused && { state: 'refused' as const }) };
    });
    expect(tuned.advice).toMatchObject({
      state: 'nothing feasible',
      compared: [{ broken: ['refused in 1 of 20 sessions'] }],
      brokenByToday: ['refused in 6 of 20 sessions'],
    });
  });

  it('advises of a front without a knee what was best on the first objective where it was tuned', () => {
    const split = splitSessions(sized, { share: 0.3, seed: 1 });
    const isHeldOut = (session: number) => split.heldOut.flat().includes(`s${session}`);
    const tuned = tuneWorld((session, reserved) => {
      const isRefused = reserved === 20 && session % 3 === 0;
      const cost = isHeldOut(session) ? 100 - reserved : reserved;
      return { ...values(cost, 50 - reserved), ...(isRefused && { state: 'refused' as const }) };
    });
    expect(kneeOf(tuned)).toBeUndefined();
    expect(tuned.advice).toMatchObject({
      state: 'change',
      compared: [
        { settings: { reserved: 10 }, state: 'change' },
        { settings: { reserved: 40 }, state: 'change' },
      ],
      settings: { reserved: 10 },
    });
    const [cheapest, other] = tuned.advice.compared.map(({ outcomes }) => outcomes[0]!.tuned);
    expect(cheapest).toBeGreaterThan(other!);
  });

  it("does not keep today's settings where they lie outside a range, though they come to the same", () => {
    const tuned = tuneWorld(() => values(1), {
      cells: cells.filter(({ settings }) => !('reserved' in settings) || settings.reserved === 10),
      constraints: [parseConstraint('reserved=..10')],
    });
    expect(tuned).toMatchObject({
      today: { state: 'infeasible', settings: { reserved: 20 } },
      front: [{ isKnee: true, settings: { reserved: 10 } }],
      advice: { state: 'change', brokenByToday: ['outside reserved=..10'] },
    });
    const unknown = tuneWorld(() => values(1), {
      today: { id: 'today', settings: {} },
      constraints: [parseConstraint('reserved=..10')],
    });
    expect(unknown.today.state).toBe('on the front');
  });

  it.each<[name: string, range: string, cost: (reserved: number) => number]>([
    ['all have enough together, though those tuned on have not', '400..', (reserved) => reserved],
    [
      'all have too many together, though those tuned on have not',
      '..700',
      (reserved) => 1 / reserved,
    ],
  ])('goes by all sessions, held out or not, where %s', (_, range, cost) => {
    const tuned = tuneWorld((_session, reserved) => values(cost(reserved), reserved), {
      constraints: [parseConstraint(`compactions=${range}`)],
      objectives: [findObjective('cost')],
    });
    expect(kneeOf(tuned)!.settings).toMatchObject({ reserved: 20 });
    expect(tuned.advice.brokenByToday).toEqual([]);
  });
});
