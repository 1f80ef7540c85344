import { array, assert, constantFrom, double, nat, pre, property, record } from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { policies, resolvePolicy } from '../../../../src/engine/index.ts';
import { createRandom } from '../../../../src/simulator/env.ts';
import { foldRun } from '../../../../src/simulator/metrics/fold.ts';
import { measure } from '../../../../src/simulator/metrics/metrics.ts';
import type { Trace } from '../../../../src/simulator/replay/trace.ts';
import type { Advice, ObjectiveOutcome } from '../../../../src/simulator/report/tune-report.ts';
import {
  findObjective,
  type Observation,
  splitSessions,
} from '../../../../src/simulator/sweep/tune/tune-table.ts';
import { adviseTrade, tune, type Tuned } from '../../../../src/simulator/sweep/tune/tune.ts';
import { bestThresholdTokens } from '../../../support/best-threshold.ts';
import { ask, call, modelOf, run, summarizerOf, traceOf, wordsOf } from '../../replay/lab.ts';
import {
  cells as cellsOfTuneWorld,
  kneeOf,
  observeAll,
  options,
  saved,
  scatter,
  SESSIONS as SESSIONSOfTuneWorld,
  tuneWorld,
  values,
} from './tune-world.ts';

describe('tune', () => {
  it('finds what is cheaper in every session, and says to change', () => {
    const tuned = tuneWorld((session, reserved) => values((1 + session) * reserved));
    expect(kneeOf(tuned)).toMatchObject({
      settings: { reserved: 10, protect: 1 },
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

  it('calls no setting a dead knob of which it had one value only', () => {
    const { tried } = tuneWorld(() => values(1), {
      cells: cellsOfTuneWorld.filter(
        ({ settings }) => !('protect' in settings) || settings.protect === 1,
      ),
    });
    expect(tried).toMatchObject([
      { setting: 'reserved', matters: false },
      { setting: 'protect', matters: true },
    ]);
  });

  it("takes today's value of a setting for another one, also where it is no point of the grid", () => {
    const grid = cellsOfTuneWorld.filter(
      ({ settings }) => !('protect' in settings) || settings.protect === 2,
    );
    const [, dead] = tuneWorld(() => values(1), { cells: grid }).tried;
    expect(dead).toMatchObject({ setting: 'protect', matters: false });
    const [, alive] = tuneWorld((_, __, protect) => values(protect), { cells: grid }).tried;
    expect(alive).toMatchObject({ setting: 'protect', matters: true });
  });

  it('takes an amount of which more is better as it is: its sign and its savings', () => {
    const objectives = [findObjective('tokensSaved')];
    const tuned = tuneWorld(saved, { objectives, heldOutShare: 0 });
    expect(tuned.today).toMatchObject({ state: 'dominated', values: [0], savings: [null] });
    expect(tuned.front).toMatchObject([{ settings: { reserved: 40 }, values: [210] }]);
    const doubled = tuneWorld(
      (session, reserved) => ({ values: { tokensSaved: reserved * (1 + session) } }),
      { objectives },
    );
    expect(doubled.today.savings).toEqual([1]);
  });

  it('has what is nearest to today stand for cells that are alike', () => {
    const tuned = tuneWorld((session, reserved) => values((1 + session) * reserved), {
      today: { id: 'today', settings: { reserved: 40, protect: 2 } },
    });
    expect(kneeOf(tuned)).toMatchObject({
      settings: { reserved: 10, protect: 2 },
    });
  });

  it('finds no difference within noise where costs only scatter', () => {
    const tuned = tuneWorld((session, reserved) => values(scatter(session, reserved)));
    expect(['within noise', 'keep']).toContain(tuned.advice.state);
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
    expect(kneeOf(tuned)).toBeUndefined();
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
    expect(tuned.sessions.tuning + tuned.sessions.heldOut).toBe(SESSIONSOfTuneWorld - 3);
  });
});

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

/** A world in which settings hardly matter, but for compactions. */
const world = observeAll((session, reserved) =>
  values(scatter(session, reserved), (session * reserved) % 7),
);
/** Tuning takes long, and gives the same for the same. */
const known = new Map<string, ReturnType<typeof tunedAnew>>();

function tuned(observations: readonly Observation[], heldOutShare = options.heldOutShare) {
  const key = JSON.stringify([observations, heldOutShare]);
  const found = known.get(key) ?? tunedAnew(observations, heldOutShare);
  known.set(key, found);
  return found;
}

function tunedAnew(observations: readonly Observation[], heldOutShare: number) {
  const outcome = tune(observations, { ...options, heldOutShare });
  if (outcome.state !== 'tuned') throw new Error(outcome.reason);
  return outcome.tuned;
}

const withFamily = (familyOf: (session: string) => string) =>
  world.map((one) => ({ ...one, family: familyOf(one.session) }));

/** Each session, and a fork of it that comes to the same. */
const forked = world.flatMap((one) => [
  { ...one, family: one.session },
  { ...one, session: `${one.session}-fork`, family: one.session },
]);

/** Without the numbers of sessions, which are twice as many where each is forked. */
const foundIn = ({ sessions, advice, verdict, others, ...rest }: ReturnType<typeof tuned>) => ({
  ...rest,
  verdicts: [verdict, ...others].map((one) => [one.state, one.change, one.sessionsNeeded]),
  families: sessions.families,
  advice: {
    ...advice,
    compared: advice.compared.map((candidate) => ({
      ...candidate,
      outcomes: candidate.outcomes.map((outcome) => ({ ...outcome, sessions: 0 })),
    })),
  },
});

/** A world in which those sessions are dear that are of one family. */
const ofOneDearFamily = (session: number) => values(session < 11 ? 10 : 1);
const toSessions = (all: readonly { readonly family: string | undefined; size: number }[]) =>
  all.map((one, index) => ({ ...one, session: `s${index}` }));

/** How unsure it is what a change does, over all sessions. */
function widthOf(observations: readonly Observation[]): number {
  const { low, high } = tuned(observations, 0).advice.compared[0]!.outcomes[0]!.estimate.interval!;
  return high - low;
}

describe('splitSessions', () => {
  const drawn = array(
    record({ family: constantFrom('a', 'b', 'c', 'd', 'e', 'f', undefined), size: nat(50) }),
    { minLength: 4, maxLength: 20 },
  );
  const share = double({ min: 0.05, max: 0.95, noNaN: true });

  it('has no family on both sides', () => {
    assert(
      property(drawn, share, nat(100), (all, heldOutShare, seed) => {
        const sessions = toSessions(all);
        const split = splitSessions(sessions, { share: heldOutShare, seed });
        pre(split.heldOut.length > 0);
        const familyOf = new Map(sessions.map((one) => [one.session, one.family ?? one.session]));
        const [tuning, heldOut] = [split.tuning, split.heldOut].map(
          (part) => new Set(part.flat().map((session) => familyOf.get(session))),
        );
        expect([...tuning!].filter((family) => heldOut!.has(family))).toEqual([]);
        expect([tuning!.size, heldOut!.size]).toEqual([split.tuning.length, split.heldOut.length]);
        const both = [...split.tuning, ...split.heldOut].flat();
        expect(both.toSorted((a, b) => a.localeCompare(b))).toEqual(
          sessions.map(({ session }) => session).toSorted((a, b) => a.localeCompare(b)),
        );
        expect(splitSessions(sessions.toReversed(), { share: heldOutShare, seed })).toEqual(split);
      }),
    );
  });
});

describe('tuning sessions of families', () => {
  it('is no surer for a fork of each session that came to the same', () => {
    const ofForks = tuned(forked);
    expect(ofForks.sessions).toMatchObject({ tuning: 28, heldOut: 12 });
    expect(foundIn(ofForks)).toEqual(foundIn(tuned(world)));
    // Taken for independent, they are.
    const apart = forked.map((one) => ({ ...one, family: undefined }));
    expect(widthOf(apart)).toBeLessThan(0.8 * widthOf(forked));
    expect(widthOf(forked)).toBe(widthOf(world));
  });

  it('counts a family by its mean, not by how many sessions it has', () => {
    const observations = observeAll(ofOneDearFamily).map((one) => ({
      ...one,
      ...(Number(one.session.slice(1)) < 11 && { family: 's0' }),
    }));
    const { today, sessions } = tuned(observations, 0);
    // One family of 10 and nine sessions of 1.
    expect(today.values[0]).toBeCloseTo(1.9, 12);
    expect(sessions).toMatchObject({ tuning: SESSIONSOfTuneWorld, families: { tuning: 10 } });
  });

  it('can say nothing for certain of the forks of one session', () => {
    const { advice, sessions } = tuned(withFamily(() => 's0'));
    expect(sessions.families).toEqual({ tuning: 1, heldOut: 0 });
    expect(advice.compared.length).toBeGreaterThan(0);
    for (const { outcomes } of advice.compared)
      expect(outcomes.map(({ verdict }) => verdict)).toEqual(['too few', 'too few']);
  });
});

const withSize = (inputTokens: number) => ({ values: { ...values(1).values, inputTokens } });

/** Which sessions are held out where their runs are of these sizes with today's settings, and those of the control of others. */
function heldOutOf(sizeToday: (session: number) => number): readonly string[] {
  const world = observeAll((session) => withSize(sizeToday(session)));
  const control = observeAll((session) => withSize((session * 7) % SESSIONSOfTuneWorld))
    .filter(({ cell }) => cell === 'today')
    .map((run) => ({ ...run, cell: 'none' }));
  const outcome = tune([...world, ...control], { ...options, control: 'none' });
  if (outcome.state !== 'tuned') throw new Error(outcome.reason);
  return outcome.tuned.sessions.names.heldOut;
}

it('holds the same sessions out whatever is set today, by what never compacting comes to', () => {
  const heldOut = heldOutOf((session) => session);
  expect(heldOut).toHaveLength(6);
  expect(heldOutOf((session) => SESSIONSOfTuneWorld - session)).toEqual(heldOut);
});

const WINDOW_TOKENS = 200_000;
const SUMMARY_TOKENS = 6_000;
const GROWTH_TOKENS = 1_750;
const SESSIONS = 10;
/** Thresholds from far too early to far too late. */
const THRESHOLDS = [18, 27, 36, 45, 54, 70, 95, 140].map((thousands) => 1_000 * thousands);

/** As of Claude Sonnet 4.5: reads a tenth of fresh input, writes a quarter more. */
const model = modelOf(
  { cache: 'anthropic-5m' },
  {
    limits: { contextTokens: WINDOW_TOKENS, outputTokens: 32_000 },
    prices: {
      inputPicoUsd: 3_000_000,
      outputPicoUsd: 15_000_000,
      cacheReadPicoUsd: 300_000,
      cacheWritePicoUsd: 3_750_000,
      tiers: [],
    },
  },
);
let summaries = 0;
/** No two are the same: one that is written again would be read from the cache. */
const summarizer = summarizerOf(() => {
  summaries += 1;
  const number = String(summaries).padStart(4, '0');
  return { state: 'finished', text: `${number}${wordsOf(SUMMARY_TOKENS - 1)}`, finish: 'stop' };
});
const random = createRandom(3);

/** A session that grows steadily, each by something else around the mean; long, since the formula knows no end. */
function grow(): Trace {
  const steps = 120 + Math.floor(80 * random());
  const growth = Math.round(GROWTH_TOKENS * (0.8 + 0.4 * random()));
  const calls = Array.from({ length: steps }, (_, index) => call(`s${index + 1}`, growth));
  const trace = traceOf([ask('u1', 10), ...calls]);
  return { ...trace, basis: { ...trace.basis, overheadTokens: 0 } };
}

/** What a session comes to where it is compacted as soon as it reaches the threshold. */
function observeRun(trace: Trace, session: string, thresholdTokens: number): Observation {
  const reservedTokens = WINDOW_TOKENS - thresholdTokens;
  const policy = resolvePolicy(policies['opencode-1.1.57'], {
    trigger: { reservedTokens },
    prune: { enabled: false },
  });
  const { events } = run(trace, { policy, model, summarizer });
  const totals = foldRun(events);
  const values = measure({ run: totals, baseline: { name: 'none', totals } });
  const end = events.at(-1);
  return {
    cell: `reserved ${reservedTokens}`,
    session,
    state: end?.type === 'run-end' ? end.state : 'failed',
    digest: `${values.compactions} ${values.inputTokens}`,
    values,
  };
}

const cells = THRESHOLDS.map((threshold) => {
  const reserved = WINDOW_TOKENS - threshold;
  return { id: `reserved ${reserved}`, settings: { reserved } };
});

/** Growth, size after a compaction and prices as the runs have them; the summary request is cached nowhere. */
const bestTokens = bestThresholdTokens({
  growthTokens: GROWTH_TOKENS,
  afterTokens: SUMMARY_TOKENS,
  rereadTokens: 0,
  penaltyPicoUsd: 0,
  summaryTokens: SUMMARY_TOKENS,
  model: {
    inputPicoUsd: 3_000_000,
    readMultiplier: 0.1,
    writeMultiplier: 1.25,
    coldShare: 0,
  },
  summarizer: { inputPicoUsd: 3_000_000, outputPicoUsd: 15_000_000, historyMultiplier: 1.25 },
});

describe('tuning sessions that grow steadily', () => {
  let tuned: Tuned;
  beforeAll(() => {
    const traces = Array.from({ length: SESSIONS }, grow);
    const observations = traces.flatMap((trace, index) =>
      THRESHOLDS.map((threshold) => observeRun(trace, `session ${index}`, threshold)),
    );
    const today = { id: 'reserved 60000', settings: { reserved: 60_000 } };
    const outcome = tune(observations, {
      cells,
      today,
      varied: ['reserved'],
      objectives: [findObjective('cost')],
      constraints: [],
      heldOutShare: 0.4,
      seed: 1,
    });
    if (outcome.state !== 'tuned') throw new Error(outcome.reason);
    tuned = outcome.tuned;
  });

  it('finds the threshold of formula 4 to a step of the grid', () => {
    const distances = THRESHOLDS.map((threshold) => Math.abs(threshold - bestTokens));
    const nearest = distances.indexOf(Math.min(...distances));
    const found = WINDOW_TOKENS - Number(kneeOf(tuned)!.settings['reserved']);
    expect(Math.abs(THRESHOLDS.indexOf(found) - nearest)).toBeLessThanOrEqual(1);
  });
});

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

/** Costs of a world in which a reserve of 10 halves them, and the other setting does hardly anything. */
const worldOf = (share: number) =>
  tuneWorld((session, reserved, protect) =>
    values((1 + session) * (reserved === 10 ? 0.5 : 1) * (protect === 2 ? 1 - share : 1)),
  );

describe('an advice', () => {
  it('leaves as it is what makes no difference', () => {
    const { advice } = worldOf(0.001);
    expect(advice).toMatchObject({ state: 'change', needless: ['protect'] });
    expect(advice.compared[0]?.settings).toEqual({ reserved: 10, protect: 2 });
    expect(advice.settings).toEqual({ reserved: 10, protect: 1 });
  });

  it('changes what makes one', () => {
    const { advice } = worldOf(0.05);
    expect(advice.settings).toEqual({ reserved: 10, protect: 2 });
    expect(advice).not.toHaveProperty('needless');
  });
});
