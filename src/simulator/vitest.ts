/** The entry point `compaction-bench/vitest`: replays in a test, with matchers. */

import { env } from 'node:process';
import { expect } from 'vitest';
import { badOption } from './lib/errors.ts';
import { describeValue } from './scenario/file/yaml.ts';
import {
  type BaselineUpdate,
  judgeBaseline,
  type Judged,
  judgeLaw,
  judgeWithin,
  type StayWithin,
} from './sweep/adapter/matchers.ts';
import {
  type CompactionResult,
  runCompactor,
  type RunCompactorOptions,
} from './sweep/adapter/run-compactor.ts';
import type { AnyLawName } from './sweep/adapter/run-compactor.ts';

export type { AnyLawName, CompactionResult, RunCompactorOptions, StayWithin };

/** Matchers for the result of `compaction`. */
export interface CompactionMatchers<Result> {
  /** Metrics stay within limits, or every request within the window. */
  toStayWithin(within: StayWithin): Result;
  /** Nothing broke a law; `all` is each of them. */
  toHold(law: AnyLawName | 'all'): Result;
  /** The result equals the baseline file; `vitest -u`, or a reason in COMPACTION_BENCH_BLESS, writes it. */
  toMatchBaseline(path: string): Result;
}

declare module 'vitest' {
  // A declaration that is added to has the same type parameters, to the letter.
  // oxlint-disable-next-line typescript/no-explicit-any
  interface Matchers<T = any> extends CompactionMatchers<T> {}
}

/** Where a reason stands for writing baselines anew. */
const BLESS = 'COMPACTION_BENCH_BLESS';

/** Replays sessions against a compactor or a policy; importing it registers the matchers. */
export function compaction(options: RunCompactorOptions): Promise<CompactionResult> {
  return runCompactor(options);
}

expect.extend({
  toStayWithin: (received: unknown, within: StayWithin) =>
    toMatch(judgeWithin(resultOf(received), within)),
  toHold: (received: unknown, law: AnyLawName | 'all') =>
    toMatch(judgeLaw(resultOf(received), law)),
  toMatchBaseline(received: unknown, path: string) {
    const result = resultOf(received);
    const reason = env[BLESS];
    const update = reason === undefined || reason === '' ? updateOf(this) : 'all';
    return toMatch(judgeBaseline(result, path, { update, reason }));
  },
});

/** Matchers take what anybody gives them; an `await` is easily forgotten. */
function resultOf(received: unknown): CompactionResult {
  const isResult = typeof received === 'object' && received !== null && 'runs' in received;
  if (isResult) return received as CompactionResult;
  const got = received instanceof Promise ? 'a promise' : describeValue(received);
  throw badOption(`Expected what 'await compaction(…)' gives, got ${got}.`);
}

function toMatch({ pass, message }: Judged) {
  return { pass, message: () => message };
}

/** The snapshot mode of Vitest: `none` in CI or where unknown, `all` with `-u`. */
function updateOf(context: object): BaselineUpdate {
  const state: unknown = 'snapshotState' in context ? context.snapshotState : undefined;
  if (typeof state !== 'object' || state === null || !('_updateSnapshot' in state)) return 'none';
  const update = state._updateSnapshot;
  return update === 'all' || update === 'new' ? update : 'none';
}
