import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Arm, ArmRun } from '../../../src/simulator/report/arms.ts';
import { type Conclusion, conclude } from '../../../src/simulator/report/verdict.ts';
import { textOf } from '../../../src/simulator/report/document.ts';
import { verdictLines } from '../../../src/simulator/report/verdict-lines.ts';
import { assertReaching } from '../../support/reaching.ts';

const RUNS = { numRuns: 40 };
const MOST_SESSIONS = 14;

/** A session as all arms meet it. */
interface Session {
  readonly costUsd: number;
  readonly isAlone: boolean;
}

/** What an arm makes of a session; the cost in times the session's own. */
interface Outcome {
  readonly factor: number;
  readonly state: ArmRun['state'];
  readonly losses: number;
}

const unfinished = fc.constantFrom<ArmRun['state']>('failed', 'impossible', 'refused', 'loop');
const finished = fc.constant<ArmRun['state']>('completed');
const drawnSessions = fc.array(
  fc.record({
    costUsd: fc.oneof(
      fc.double({ min: 0.001, max: 0.5, noNaN: true }),
      fc.double({ min: 1, max: 5000, noNaN: true }),
    ),
    isAlone: fc.boolean(),
  }),
  { minLength: 1, maxLength: MOST_SESSIONS },
);

/** Outcomes near one factor, and those of an arm that changes some sessions only. */
function drawOutcomes(states: fc.Arbitrary<ArmRun['state']>): fc.Arbitrary<readonly Outcome[]> {
  const centre = fc.constantFrom(0.5, 0.8, 0.97, 0.996, 1, 1.1, 1.6);
  return fc.tuple(centre, fc.constantFrom(0, 0.05, 0.5)).chain(([around, spread]) =>
    fc.array(
      fc.record({
        factor: fc
          .double({ min: -1, max: 1, noNaN: true })
          .map((off) => around * (1 + spread * off)),
        state: states,
        losses: fc.nat({ max: 3 }),
      }),
      { minLength: MOST_SESSIONS, maxLength: MOST_SESSIONS },
    ),
  );
}

const soundOutcomes = drawOutcomes(finished);
const failingOutcomes = drawOutcomes(
  fc.oneof({ weight: 3, arbitrary: finished }, { weight: 1, arbitrary: unfinished }),
);
const drawnOutcomes = fc.oneof(
  { weight: 2, arbitrary: soundOutcomes },
  { weight: 1, arbitrary: failingOutcomes },
);

function toArm(name: string, outcomes: readonly Outcome[], sessions: readonly Session[]): Arm {
  const runs = sessions.map(({ costUsd, isAlone }, index) => {
    const { factor, state, losses } = outcomes[index]!;
    const isDone = state === 'completed';
    return {
      key: `s${index}`,
      session: `s${index}`,
      family: isAlone ? undefined : `family ${index % 12}`,
      state,
      costUsd: isDone ? costUsd * factor : null,
      losses: isDone ? losses : null,
      compactions: 1,
      tokens: isDone ? Math.round(1_000 * costUsd * factor) : null,
      isLeast: false,
    };
  });
  return { name, runs };
}

const NAMES = ['alpha', 'beta', 'gamma', 'delta', 'epsilon'];

/** Two to five arms on the same sessions. */
const drawArms = (outcomes: fc.Arbitrary<readonly Outcome[]>) =>
  fc
    .tuple(drawnSessions, fc.array(outcomes, { minLength: 2, maxLength: NAMES.length }))
    .map(([sessions, all]) => ({
      sessions,
      arms: all.map((own, index) => toArm(NAMES[index] ?? '', own, sessions)),
    }));
const drawnArms = drawArms(drawnOutcomes);

/** The keys of sessions that an arm completed. */
const completedBy = (arms: readonly Arm[], name: string | undefined) =>
  new Set(
    arms
      .find((arm) => arm.name === name)
      ?.runs.flatMap(({ key, state }) => (state === 'completed' ? key : [])),
  );

const failingIn = (arms: readonly Arm[], { baseline }: Conclusion) => {
  const base = completedBy(arms, baseline?.name);
  return arms
    .filter(({ runs }) => runs.some(({ key, state }) => state !== 'completed' && base.has(key)))
    .map(({ name }) => name);
};

/** Of a verdict, what no other arm has a part in; how many differ has one in its state. */
const amountsOf = ({ verdict }: Conclusion) =>
  verdict.map((one) => ({ ...one, state: undefined, sessionsNeeded: undefined }));

describe('conclude of any arms', () => {
  it('says of those that fail where the baseline did not that they fail, and advises none', () => {
    let met = 0;
    let metBesideFailing = 0;
    assertReaching(
      fc.property(fc.oneof(drawnArms, drawArms(failingOutcomes)), ({ arms }) => {
        const conclusion = conclude(arms);
        const failing = failingIn(arms, conclusion);
        const told = conclusion.verdict.filter(({ state }) => state === 'fails');
        // Where no arm completed anything, every one is told to fail.
        const all = conclusion.verdict.map(({ change }) => change);
        const expected = conclusion.baseline === undefined ? all : failing;
        expect(told.map(({ change }) => change)).toEqual(expected);
        const notes = verdictLines(conclusion).map(textOf);
        for (const name of failing) expect(notes).not.toContain(`Use ${name}.`);
        met += failing.length;
        if (conclusion.verdict[0]?.baselineFailedSessions) metBesideFailing += failing.length;
      }),
      RUNS,
    );
    expect(met).toBeGreaterThan(10);
    expect(metBesideFailing).toBeGreaterThan(0);
  });

  it('advises only what is better', () => {
    let advised = 0;
    assertReaching(
      fc.property(drawnArms, ({ arms }) => {
        const conclusion = conclude(arms);
        const better = conclusion.verdict.filter(({ state }) => state === 'better');
        const used = verdictLines(conclusion)
          .map(textOf)
          .filter((note) => note.startsWith('Use '));
        const possible = better.map(({ change }) => `Use ${change}.`);
        expect(used.filter((note) => !possible.includes(note))).toEqual([]);
        advised += used.length;
      }),
      RUNS,
    );
    expect(advised).toBeGreaterThan(0);
  });

  it('leaves all amounts of others as they are where a failing arm joins', () => {
    let met = 0;
    assertReaching(
      fc.property(drawnArms, failingOutcomes, fc.boolean(), ({ arms, sessions }, own, isFirst) => {
        const failing = toArm('failing', own, sessions);
        const before = conclude(arms);
        if (before.baseline === undefined) return;
        // Where the baseline fails itself, an arm that fails less often takes its place.
        const base = arms.find(({ name }) => name === before.baseline?.name);
        if (base?.runs.some(({ state }) => state !== 'completed')) return;
        const after = conclude(isFirst ? [failing, ...arms] : [...arms, failing]);
        if (failing.runs.every(({ state }) => state === 'completed')) return;
        expect(after.baseline).toEqual(before.baseline);
        expect(amountsOf(after).filter(({ change }) => change !== 'failing')).toEqual(
          amountsOf(before),
        );
        met += after.verdict.some(({ change, state }) => change === 'failing' && state === 'fails')
          ? 1
          : 0;
      }),
      RUNS,
    );
    expect(met).toBeGreaterThan(5);
  });

  it('judges what was recorded in no case unasked, and holds all others against it where it is named', () => {
    let met = 0;
    assertReaching(
      fc.property(drawnArms, soundOutcomes, fc.nat(), ({ arms, sessions }, own, place) => {
        const recorded = toArm('recorded', own, sessions);
        const all = arms.toSpliced(place % (arms.length + 1), 0, recorded);
        const unasked = conclude(all);
        const without = conclude(arms);
        // Where no other completed anything, it is all there is.
        const expected = without.baseline === undefined ? unasked.baseline : without.baseline;
        expect(unasked.baseline).toEqual(expected);
        expect(unasked.verdict.map(({ change }) => change)).not.toContain('recorded');
        if (without.baseline !== undefined) met += 1;
        const named = conclude(all, { baseline: 'recorded' });
        expect(named.baseline?.name).toBe('recorded');
        expect(named.verdict.map(({ change }) => change)).toEqual(arms.map(({ name }) => name));
      }),
      RUNS,
    );
    expect(met).toBeGreaterThan(10);
  });

  it.each([
    ['costs', /\$(?<to>[\d,.]+) where .* costs \$(?<from>[\d,.]+) \((?<share>[+−]?[\d.]+) %/],
    [
      'tokens',
      /processes (?<to>[\d,]+) tokens where .* processes (?<from>[\d,]+) \((?<share>[+−]?[\d.]+) %/,
    ],
  ])('tells the ratio of both printed totals in percent: %s', (unit, sentence) => {
    let met = 0;
    assertReaching(
      fc.property(drawnArms, ({ arms }) => {
        const shown = unit === 'costs' ? arms : arms.map(withoutCosts);
        const match = verdictLines(conclude(shown)).map(textOf).join('\n').match(sentence);
        if (match === null) return;
        const { to = '', from = '', share = '' } = match.groups ?? {};
        const [second, first] = [numberOf(to), numberOf(from)];
        const rounding =
          (second.half / second.value + first.half / first.value) *
          100 *
          (second.value / first.value);
        const off = Math.abs(
          100 * (second.value / first.value - 1) - Number(share.replace('−', '-')),
        );
        expect(off).toBeLessThanOrEqual(numberOf(share).half + 1.01 * rounding);
        met += 1;
      }),
      RUNS,
    );
    expect(met).toBeGreaterThan(15);
  });
});

function withoutCosts({ name, runs }: Arm): Arm {
  return { name, runs: runs.map((run) => ({ ...run, costUsd: null })) };
}

/** A number as printed, and half its last digit. */
function numberOf(printed: string) {
  const [, decimals = ''] = printed.split('.');
  return { value: Number(printed.replaceAll(',', '')), half: 10 ** -decimals.length / 2 };
}
