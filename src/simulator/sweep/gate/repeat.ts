import type { ScenarioResult, ScenarioRunResult } from '../../report/check/result.ts';
import { digestOf } from './case-record.ts';

/** Of a run that no file tells of. */
const START = { line: 1, column: 1 };
const SAME = 'the same events with the same seed every time';

/** A scenario that was run again with the same seeds: what gave other events has failed. */
export function mergeRepeat(first: ScenarioResult, again: ScenarioResult): ScenarioResult {
  const runs = first.runs.map((run, index) => compare(run, again.runs[index]));
  return { ...first, runs, passed: runs.every(({ failures }) => failures.length === 0) };
}

function compare(run: ScenarioRunResult, again: ScenarioRunResult | undefined): ScenarioRunResult {
  const isSame = again !== undefined && digestOf(run.events) === digestOf(again.events);
  const isKnown = run.failures.some(({ expected }) => expected === SAME);
  if (isSame || isKnown) return run;
  const failure = { ...(run.at ?? START), expected: SAME, got: 'others' };
  return { ...run, failures: [...run.failures, failure] };
}
