import { describe, expect, it, vi } from 'vitest';
import { readSessions } from '../../../../src/simulator/session/load.ts';
import type { Session } from '../../../../src/simulator/session/session.ts';
import { createGatherer } from '../../../../src/simulator/session/statistics/gathering.ts';
import { sampleSession } from '../../../../src/simulator/session/statistics/sample-session.ts';
import { charsEstimator } from '../../../../src/simulator/session/statistics/sample.ts';
import {
  call,
  type Line,
  prompt,
  result,
  say,
  step,
  transcript,
} from '../formats/claude-code-lines.ts';

const options = charsEstimator;
const beginning = [prompt('Is the kettle on?'), step('m1', call('c1')), result('c1')];

/** A session of its own name and id. */
function sessionOf(name: string, ...lines: readonly Line[]): Session {
  const [session] = readSessions(name, transcript(...lines).replaceAll('"kettle"', `"${name}"`));
  return session!;
}

const old = sessionOf('old', ...beginning, step('m2', say('On.')), prompt('Pour.'));
const fork = sessionOf('fork', ...beginning, step('m3', say('It is off.')), prompt('Start it.'));
const stranger = sessionOf('stranger', prompt('Where is the cup?'), step('m4', call('c4')));

type ReadAgain = (names: ReadonlySet<string>) => readonly Session[];

function gather(sessions: readonly Session[], readAgain: ReadAgain = () => sessions) {
  const gatherer = createGatherer(options);
  for (const session of sessions) gatherer.add(session);
  return gatherer.finish(readAgain);
}

describe('createGatherer', () => {
  it('takes what a session shares with another one out of one of them', () => {
    const { samples, repeats, own, changed } = gather([old, fork, stranger]);
    expect(samples).toEqual([old, fork, stranger].map((one) => sampleSession(one, options)));
    const [shared] = repeats.shared;
    expect(repeats.shared).toHaveLength(1);
    const ownSample = own.get(shared!.name);
    expect([...own.keys()]).toEqual([shared!.name]);
    const whole = samples.find(({ name }) => name === shared!.name)!;
    expect(whole.calls).toHaveLength(1);
    expect(ownSample?.calls).toEqual([]);
    expect(ownSample?.messages).toBe(whole.messages - shared!.messages);
    // The prompt of its own.
    expect(ownSample?.textTokens.user).toEqual(whole.textTokens.user.slice(1));
    expect(changed).toEqual([]);
  });

  it('asks again only for the sessions that begin with messages of others', () => {
    const readAgain = vi.fn<ReadAgain>(() => []);
    gather([old, stranger], readAgain);
    expect(readAgain).not.toHaveBeenCalled();
    const { repeats } = gather([old, fork, stranger], readAgain);
    expect(readAgain.mock.calls).toEqual([[new Set(repeats.shared.map(({ name }) => name))]]);
  });

  it.each<[string, (again: Session) => readonly Session[]]>([
    ['is gone', () => []],
    ['begins otherwise', (again) => [{ ...stranger, name: again.name }]],
    ['is shorter', (again) => [{ ...again, messages: again.messages.slice(0, 1) }]],
  ])('takes nothing out of a session that meanwhile %s, and names it', (_, toSessions) => {
    const all = [old, fork];
    const name = gather(all).repeats.shared[0]!.name;
    const again = all.find((session) => session.name === name)!;
    const { own, changed } = gather(all, () => toSessions(again));
    expect([...own]).toEqual([]);
    expect(changed).toEqual([name]);
  });
});
