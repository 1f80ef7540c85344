import type { RunEvent } from '../../events.ts';
import { isTruncated } from '../../metrics/totals.ts';
import { quotedLong } from '../../names.ts';
import { compareWithFile, writeBaselineFile } from './baseline-file.ts';
import { type Limit, type MetricLimits, readLimits } from './limits.ts';
import { type AnyLawName, nextStep, violationsOf } from './result.ts';
import type { CompactionResult } from './run-compactor.ts';

/** What runs may take: metrics by their names, or the model's window and nothing else. */
export type StayWithin = 'window' | MetricLimits;

/** Whether something is as it should be, and what is to be said where it is not. */
export interface Judged {
  readonly pass: boolean;
  /** A sentence. */
  readonly message: string;
}

/** Whether a missing baseline is written, all are, or none. */
export type BaselineUpdate = 'all' | 'new' | 'none';

/** Judges whether runs stay within limits; a metric that is unknown does not. Throws at limits that ask for nothing. */
export function judgeWithin({ events, record }: CompactionResult, within: StayWithin): Judged {
  if (within === 'window') {
    const over = events.filter((event) => event.type === 'step-refused' || isTruncated(event));
    const pass = over.length === 0 && record.state === 'completed';
    const expected = pass ? 'a request not to fit' : 'every request to fit';
    const message = `Expected ${expected} the window, got ${over.length} refused or cut; the run is ${record.state}.`;
    return { pass, message };
  }
  const limits = readLimits(within);
  const problems = limits.filter((limit) => !isInside(limit, record.metrics[limit.metric]));
  const pass = problems.length === 0;
  const told = (pass ? limits : problems).map((limit) => {
    const got = record.metrics[limit.metric] ?? 'an unknown value';
    return `Expected ${limit.metric} ${pass ? 'not to be' : 'to be'} ${describeLimit(limit)}, got ${got}.`;
  });
  return { pass, message: told.join('\n') };
}

/** Judges whether nothing broke a law; `all` is each of them. Throws at a law that no run was held against. */
export function judgeLaw(result: CompactionResult, law: AnyLawName | 'all'): Judged {
  const found = violationsOf(result, law);
  const [first] = found;
  if (first === undefined) return { pass: true, message: `Expected ${law} to be broken.` };
  const count = found.length === 1 ? 'one violation' : `${found.length} violations, the first`;
  const says = first.message.replace(/\.$/, '');
  const message = `Expected ${law} to hold, got ${count}: ${first.law} ${placeOf(result, first)}: ${says}.`;
  return { pass: false, message };
}

/** Judges whether runs came to what a baseline file says; one that is missing fails unless it may be written. */
export function judgeBaseline(
  result: CompactionResult,
  path: string,
  { update, reason }: { readonly update: BaselineUpdate; readonly reason?: string | undefined },
): Judged {
  const write = (): Judged => {
    writeBaselineFile(path, result, reason ?? 'written by a test');
    return { pass: true, message: 'Expected a different baseline.' };
  };
  if (update === 'all') return write();
  const verdict = compareWithFile(path, result);
  if (verdict.state === 'same') return { pass: true, message: 'Expected a different baseline.' };
  if (verdict.state === 'different') {
    return {
      pass: false,
      message: `Expected the baseline, got:\n${verdict.differences.join('\n')}`,
    };
  }
  if (update === 'new') return write();
  return {
    pass: false,
    message: `Expected a baseline at '${path}', got none; 'vitest -u' writes it.`,
  };
}

function isInside({ min, max }: Limit, value: number | null): boolean {
  return value !== null && min <= value && value <= max;
}

function describeLimit({ min, max }: Limit): string {
  const least = min === -Infinity ? '' : `at least ${min}`;
  const most = max === Infinity ? '' : `at most ${max}`;
  return [least, most].filter((words) => words !== '').join(' and ');
}

/** Where something happened: the step that was to come, and its session. */
function placeOf({ runs }: CompactionResult, event: RunEvent): string {
  const run = runs.find(({ events }) => events.includes(event));
  const before = run?.events.slice(0, run.events.indexOf(event)) ?? [];
  return `before step ${nextStep(before)} of ${quotedLong(run?.name ?? '')}`;
}
