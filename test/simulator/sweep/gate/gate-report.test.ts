import { expect, it } from 'vitest';
import { toCheckReport } from '../../../../src/simulator/report/check-report.ts';
import { mergeChecks, type NamedCheck } from '../../../../src/simulator/sweep/gate/gate-report.ts';

/** A shard of three that checked nothing, with the files that it could not read and the keys that it was not asked for. */
function shard(index: number, files: readonly string[], unasked: string[]): NamedCheck {
  const unread = files.map((file) => ({ file, reason: 'gone' }));
  const report = toCheckReport({ scenarios: [], unread });
  const none: readonly unknown[] = [];
  const gate = { gates: none, missing: none, mismatches: none, unasked, scenarios: none };
  const part = { index, count: 3, check: 'a', version: '1', gate };
  return {
    name: `${index}`,
    report: { ...report, shard: part } as unknown as NamedCheck['report'],
  };
}

it('what all shards could not read comes first, and what none was asked for is unasked', () => {
  const merged = mergeChecks([
    shard(1, ['b', 'z'], ['x', 'y']),
    shard(2, ['a', 'z'], ['y']),
    shard(3, ['b', 'z'], ['x', 'y']),
  ]);
  if (merged.state !== 'merged') throw new Error(merged.reason);
  expect(merged.report.unread.map(({ file }) => file)).toEqual(['z', 'a', 'b', 'b']);
  const told = JSON.stringify(merged.report.gate);
  expect(told).toContain('y');
  expect(told).not.toContain('x');
});
