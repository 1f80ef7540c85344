import { expect, it } from 'vitest';
import { tune } from '../../../../src/simulator/sweep/tune/tune.ts';
import { observeAll, options, SESSIONS, values } from './tune-world.ts';

const withSize = (inputTokens: number) => ({ values: { ...values(1).values, inputTokens } });

/** Which sessions are held out where their runs are of these sizes with today's settings, and those of the control of others. */
function heldOutOf(sizeToday: (session: number) => number): readonly string[] {
  const world = observeAll((session) => withSize(sizeToday(session)));
  const control = observeAll((session) => withSize((session * 7) % SESSIONS))
    .filter(({ cell }) => cell === 'today')
    .map((run) => ({ ...run, cell: 'none' }));
  const outcome = tune([...world, ...control], { ...options, control: 'none' });
  if (outcome.state !== 'tuned') throw new Error(outcome.reason);
  return outcome.tuned.sessions.names.heldOut;
}

it('holds the same sessions out whatever is set today, by what never compacting comes to', () => {
  const heldOut = heldOutOf((session) => session);
  expect(heldOut).toHaveLength(6);
  expect(heldOutOf((session) => SESSIONS - session)).toEqual(heldOut);
});
