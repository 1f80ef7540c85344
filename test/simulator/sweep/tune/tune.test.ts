import { describe, expect, it } from 'vitest';
import { findObjective } from '../../../../src/simulator/sweep/tune/objective.ts';
import { tune } from '../../../../src/simulator/sweep/tune/tune.ts';
import {
  cells,
  SESSIONS,
  options,
  observeAll,
  tuneWorld,
  values,
  scatter,
  saved,
} from './tune-world.ts';

/** What a session comes to that is twice as large as the one before. */
const sized = (session: number, one: number, other: number) =>
  values(2 ** session * one, 2 ** session * other);

describe('tune', () => {
  it('finds what is cheaper in every session, and says to change', () => {
    const tuned = tuneWorld((session, reserved) => values((1 + session) * reserved));
    expect(tuned.knee).toMatchObject({
      settings: { reserved: 10, protect: 1 },
      probability: 1,
      intervals: { reserved: { low: 10, high: 10 } },
    });
    expect(tuned.today).toMatchObject({
      settings: { reserved: 20, protect: 1 },
      state: 'dominated',
      savings: [0.5, 0],
      distance: expect.closeTo((20 - 10) / (40 - 10), 9),
    });
    expect(tuned.advice).toMatchObject({ state: 'change', isHeldOut: true });
    expect(tuned.advice.compared[0]!.outcomes[0]).toMatchObject({
      kind: 'ratio',
      verdict: 'lower',
    });
    expect(tuned.advice.compared[0]!.outcomes[0]!.estimate.value).toBeCloseTo(0.5, 4);
  });

  it('measures the front against never compacting where anything beats that, else the worst cell', () => {
    const world = observeAll((_, reserved) => values(reserved, 40 / reserved));
    const [none] = observeAll(() => values(100));
    const control = Array.from({ length: SESSIONS }, (_, session) => {
      return { ...none!, cell: 'none', session: `s${session}` };
    });
    const outcome = tune([...world, ...control], { ...options, control: 'none' });
    if (outcome.state !== 'tuned') throw new Error(outcome.reason);
    const { volume } = outcome.tuned;
    const [middle, right, both] = [(80 / 90) * (2 / 3), 60 / 90, (60 / 90) * (2 / 3)];
    expect(volume?.share.value).toBeCloseTo(middle + right - both);
    expect(volume?.share.interval?.low).toBeCloseTo(middle + right - both);
    expect(volume?.today).toBeCloseTo(middle);
    expect(volume?.reference).toEqual([
      { amount: 100, of: 'none' },
      { amount: 4, of: 'worst cell' },
    ]);
  });

  it('draws never compacting with the sessions, so that a large one does not make a volume uncertain', () => {
    const world = observeAll((session, reserved) => sized(session, reserved, 50 - reserved));
    const control = Array.from({ length: SESSIONS }, (_, session) => {
      return { ...world[0]!, ...sized(session, 50, 50), cell: 'none', session: `s${session}` };
    });
    const outcome = tune([...world, ...control], { ...options, control: 'none' });
    if (outcome.state !== 'tuned') throw new Error(outcome.reason);
    const { share, today } = outcome.tuned.volume!;
    expect(share.value).toBeLessThan(0.9);
    expect(share.interval!.low).toBeCloseTo(share.value, 9);
    expect(share.interval!.high).toBeCloseTo(share.value, 9);
    expect(today).toBeCloseTo((30 * 20) / 40 ** 2);
  });

  it('calls no setting a dead knob of which it had one value only', () => {
    const { sensitivity } = tuneWorld(() => values(1), {
      cells: cells.filter(({ settings }) => !('protect' in settings) || settings.protect === 1),
    });
    expect(sensitivity).toMatchObject([
      { setting: 'reserved', isDead: true },
      { setting: 'protect', isDead: false, elasticity: null, lack: 'one value' },
    ]);
  });

  it("takes today's value of a setting for another one, also where it is no point of the grid", () => {
    const grid = cells.filter(({ settings }) => !('protect' in settings) || settings.protect === 2);
    const [, dead] = tuneWorld(() => values(1), { cells: grid }).sensitivity;
    expect(dead).toMatchObject({ setting: 'protect', isDead: true });
    const [, alive] = tuneWorld((_, __, protect) => values(protect), { cells: grid }).sensitivity;
    expect(alive).toMatchObject({ setting: 'protect', isDead: false });
  });

  it('names a setting that changes nothing a dead knob, and the elasticity of the other', () => {
    const { sensitivity, cells: counted } = tuneWorld((session, reserved) =>
      values((1 + session) * reserved ** 2),
    );
    expect(sensitivity[0]).toMatchObject({ setting: 'reserved', isDead: false });
    expect(sensitivity[0]!.elasticity!.value).toBeCloseTo(2, 9);
    expect(sensitivity[1]).toMatchObject({ setting: 'protect', isDead: true });
    for (const one of sensitivity) expect(one).not.toHaveProperty('lack');
    expect(counted).toMatchObject({ all: 7, distinct: 3 });
  });

  it('holds all other settings while it works out an elasticity', () => {
    const { sensitivity } = tuneWorld((session, reserved, protect) =>
      values(((1 + session) * protect ** 3) / reserved),
    );
    expect(sensitivity.map(({ elasticity }) => elasticity!.value)).toEqual([
      expect.closeTo(-1, 9),
      expect.closeTo(3, 9),
    ]);
  });

  it('takes an amount of which more is better as it is: its sign, its savings and its elasticity', () => {
    const objectives = [findObjective('tokensSaved')];
    const tuned = tuneWorld(saved, { objectives, heldOutShare: 0 });
    expect(tuned.today).toMatchObject({ state: 'dominated', values: [0], savings: [null] });
    expect(tuned.front).toMatchObject([{ settings: { reserved: 40 }, values: [210] }]);
    expect(tuned.sensitivity[0]!.elasticity).toBeNull();
    const doubled = tuneWorld(
      (session, reserved) => ({ values: { tokensSaved: reserved * (1 + session) } }),
      { objectives },
    );
    expect(doubled.today.savings).toEqual([1]);
    expect(doubled.sensitivity[0]!.elasticity!.value).toBeCloseTo(1, 9);
  });

  it('has what is nearest to today stand for cells that are alike', () => {
    const tuned = tuneWorld((session, reserved) => values((1 + session) * reserved), {
      today: { id: 'today', settings: { reserved: 40, protect: 2 } },
    });
    expect(tuned.knee).toMatchObject({
      settings: { reserved: 10, protect: 2 },
      intervals: { protect: { low: 2, high: 2 } },
    });
  });

  it("shows today's among the front where they are on it, though the knee is almost as good", () => {
    const cost: Readonly<Record<number, number>> = { 10: 100, 20: 100.2, 40: 200 };
    const compactions: Readonly<Record<number, number>> = { 10: 100, 20: 99.5, 40: 200 };
    const tuned = tuneWorld((_, reserved) => values(cost[reserved]!, compactions[reserved]), {
      today: { id: 'today', settings: { reserved: 10, protect: 1 } },
    });
    expect(tuned.front).toMatchObject([{ isToday: true }]);
    expect(tuned.unlisted).toEqual({ members: 1, within: 0.01 });
    expect(tuned.volume!.share.value).toBeGreaterThan(tuned.volume!.today!);
  });

  it('measures no volume along what differs by no more than counts as none', () => {
    const near = tuneWorld((_, reserved) => values(reserved, 100 - reserved / 40));
    expect(near.volume!.today).toBeCloseTo(20 / 30);
    expect(near.volume!.reference).toEqual([{ amount: 40, of: 'worst cell' }, null]);
    const apart = tuneWorld((_, reserved) => values(reserved, 100 - reserved / 20));
    expect(apart.volume!.reference[1]).not.toBeNull();
    expect(tuneWorld((_, reserved) => values(100 + reserved / 40)).volume).toBeUndefined();
  });

  it('finds no difference within noise where costs only scatter', () => {
    const tuned = tuneWorld((session, reserved) => values(scatter(session, reserved)));
    expect(['within noise', 'keep']).toContain(tuned.advice.state);
    expect(tuned.front[0]!.probability).toBeLessThan(1);
  });

  it('calls it a trade-off where what is cheaper compacts more', () => {
    const tuned = tuneWorld(
      (session, reserved) =>
        values((20 + session) * reserved, reserved === 10 ? 90 : 40 / reserved),
      { today: { id: 'today', settings: { reserved: 40, protect: 1 } } },
    );
    expect(tuned.front.map(({ settings }) => settings['reserved'])).toEqual([10, 20, 40]);
    expect(tuned.today.state).toBe('on the front');
    expect(tuned.advice).toMatchObject({ state: 'trade-off', settings: { reserved: 20 } });
  });

  it('compares the other end of a front of two with today, on the sessions held out', () => {
    const tuned = tuneWorld((session, reserved) =>
      values((20 + session) * reserved, reserved === 10 ? 4 : 2),
    );
    expect(tuned.knee).toBeUndefined();
    expect(tuned.withoutKnee).toBe(1);
    expect(tuned.front).toMatchObject([
      { isToday: false, isKnee: false },
      { isToday: true, isKnee: false },
    ]);
    expect(tuned.advice).toMatchObject({
      state: 'trade-off',
      isHeldOut: true,
      compared: [{ isKnee: false, outcomes: [{ verdict: 'lower' }, { verdict: 'higher' }] }],
      settings: { reserved: 10 },
    });
  });

  describe('where today has no number for a setting', () => {
    const today = { id: 'today', settings: { protect: 1 } };
    const cost: Readonly<Record<number, number>> = { 10: 10, 20: 12, 40: 40 };
    const compactions: Readonly<Record<number, number>> = { 10: 10, 20: 2, 40: 1 };

    it('takes that of an equal cell for where the knee lies', () => {
      const tuned = tuneWorld(
        (_, reserved) => values(cost[reserved || 20]!, compactions[reserved || 20]),
        { today },
      );
      expect(tuned.knee).toMatchObject({
        settings: today.settings,
        intervals: { reserved: { low: 20, high: 20 } },
      });
    });

    it('tells no interval where it is the knee of many resamples, and no cell is equal', () => {
      const tuned = tuneWorld(
        (session, reserved) => {
          const turn = reserved === 20 ? session + 1 : session;
          return values(reserved === 20 || Number.isNaN(reserved) ? 1 + (turn % 2) : 3);
        },
        { today, objectives: [findObjective('cost')] },
      );
      expect(tuned.front[0]!.probability).toBeLessThan(0.9);
      expect(Object.keys(tuned.knee!.intervals)).toEqual(['protect']);
    });
  });

  it('keeps today where it is the knee, though a cell of the grid is the same', () => {
    const tuned = tuneWorld((session, reserved) => values(Math.abs(reserved - 20) + 1 + session));
    expect(tuned.advice).toMatchObject({ state: 'keep', settings: { reserved: 20, protect: 1 } });
    expect(tuned.today.state).toBe('on the front');
    expect(tuned.front).toMatchObject([{ isToday: true, isKnee: true }]);
  });

  it('leaves out a session that no cell can do, and one whose cost is unknown', () => {
    const tuned = tuneWorld((session, reserved) => {
      if (session === 0) return { ...values(1), state: 'refused', reason: 'too large' };
      if (session === 1) return { values: { costUsd: null } };
      if (session === 2) return { values: { refusals: 1 } };
      return values(reserved);
    });
    expect(tuned.sessions.leftOut).toEqual([
      { session: 's0', reason: 'too large, in every cell' },
      { session: 's1', reason: 'costUsd is unknown' },
      { session: 's2', reason: 'a request was refused, in every cell' },
    ]);
    expect(tuned.sessions.tuning + tuned.sessions.heldOut).toBe(SESSIONS - 3);
  });

  it('says nothing of how certain it is where there is one session', () => {
    const world = observeAll((_, reserved) => values(reserved, 40 / reserved));
    const outcome = tune(
      world.filter(({ session }) => session === 's1'),
      options,
    );
    expect(outcome).toMatchObject({
      state: 'tuned',
      tuned: {
        resamples: 0,
        front: [{ probability: null }, { probability: null }, { probability: null }],
        knee: { probability: null, intervals: {} },
        volume: { share: { interval: null } },
        sensitivity: [{ elasticity: { interval: null } }, { elasticity: { interval: null } }],
      },
    });
  });

  it('does not repeat the reason of each of many sessions', () => {
    const world = observeAll((session) => ({
      state: 'refused',
      reason: `${session} is too large`,
    }));
    expect(tune(world, options)).toEqual({
      state: 'inconclusive',
      reason:
        '0 is too large, in every cell; 1 is too large, in every cell; 2 is too large, in every cell; and 17 other reasons',
    });
  });

  it('is inconclusive where nothing has a price', () => {
    expect(
      tune(
        observeAll(() => ({ values: { costUsd: null } })),
        options,
      ),
    ).toEqual({ state: 'inconclusive', reason: 'costUsd is unknown' });
  });
});
