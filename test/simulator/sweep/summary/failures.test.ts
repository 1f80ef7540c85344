import { expect, it } from 'vitest';
import { collectFailures } from '../../../../src/simulator/sweep/summary/failures.ts';

const row = (session: string, reason?: string, state: 'failed' | 'refused' = 'failed') => ({
  state,
  session,
  cell: `cell of ${session}`,
  ...(reason !== undefined && { reason }),
});

it('counts failed runs by reason, the most frequent first, each with where it came first', () => {
  const failures = collectFailures();
  for (const one of [
    row('a', 'broken'),
    row('b', 'late'),
    row('c', 'too large', 'refused'),
    row('d', 'late'),
    row('e'),
  ]) {
    failures.add(one);
  }
  expect(failures.found()).toEqual([
    { reason: 'late', times: 2, session: 'b', cell: 'cell of b' },
    { reason: 'broken', times: 1, session: 'a', cell: 'cell of a' },
    { reason: 'no reason given', times: 1, session: 'e', cell: 'cell of e' },
  ]);
});

it('keeps no more than twenty reasons, however many runs fail', () => {
  const failures = collectFailures();
  for (let index = 0; index < 1000; index++) failures.add(row(`s${index}`, `step ${index}`));
  failures.add(row('again', 'step 3'));
  expect(failures.found()).toHaveLength(20);
  expect(failures.found()[0]).toMatchObject({ reason: 'step 3', times: 2, session: 's3' });
});
