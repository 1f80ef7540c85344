import { array, assert, constantFrom, double, nat, pre, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitSessions } from '../../../../src/simulator/sweep/tune/split-sessions.ts';
import { tune } from '../../../../src/simulator/sweep/tune/tune.ts';
import type { Observation } from '../../../../src/simulator/sweep/tune/tune-table.ts';
import { observeAll, options, scatter, SESSIONS, values } from './tune-world.ts';

/** A world in which settings hardly matter, but for compactions. */
const world = observeAll((session, reserved) =>
  values(scatter(session, reserved), (session * reserved) % 7),
);

function tuned(observations: readonly Observation[], heldOutShare = options.heldOutShare) {
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
const foundIn = ({ sessions, advice, ...rest }: ReturnType<typeof tuned>) => ({
  ...rest,
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

/** How unsure it is what a setting does, over all sessions. */
function widthOf(observations: readonly Observation[]): number {
  const [reserved] = tuned(observations, 0).sensitivity;
  const { low, high } = reserved!.elasticity!.interval!;
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

  it('is as without where each session is a family of its own', () => {
    assert(
      property(drawn, share, nat(100), (all, heldOutShare, seed) => {
        const alone = toSessions(all).map((one) => ({ ...one, family: undefined }));
        const named = alone.map((one) => ({ ...one, family: one.session }));
        const how = { share: heldOutShare, seed };
        expect(splitSessions(named, how)).toEqual(splitSessions(alone, how));
      }),
    );
  });

  it('holds none out of three families, however many sessions they have', () => {
    const sessions = Array.from({ length: 30 }, (_, index) => {
      return { session: `s${index}`, family: `f${index % 3}`, size: index };
    });
    expect(splitSessions(sessions, { share: 0.3, seed: 1 }).heldOut).toEqual([]);
  });
});

describe('tuning sessions of families', () => {
  it('finds the same as without where each is a family of its own', () => {
    expect(tuned(withFamily((session) => session))).toEqual(tuned(world));
  });

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
    expect(sessions).toMatchObject({ tuning: SESSIONS, families: { tuning: 10 } });
  });

  it('can say nothing for certain of the forks of one session', () => {
    const { resamples, withoutKnee, volume, advice, sessions } = tuned(withFamily(() => 's0'));
    expect(sessions.families).toEqual({ tuning: 1, heldOut: 0 });
    expect([resamples, withoutKnee]).toEqual([0, null]);
    expect(volume!.share.interval).toBeNull();
    expect(advice.compared.length).toBeGreaterThan(0);
    for (const { outcomes } of advice.compared) {
      expect(outcomes.map(({ verdict }) => verdict)).toEqual(['too few', 'too few']);
    }
  });
});
