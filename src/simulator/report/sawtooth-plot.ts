import { type Limits, policies } from '../../engine/index.ts';
import type { RunEvent } from '../events.ts';
import { isTruncated } from '../metrics/totals.ts';
import { OWN_SUMMARIES } from '../replay/foreign/compactor.ts';

/** What a saw-tooth is drawn from, with an entry for each step. */
export interface SawtoothPlot {
  /** Tokens of the largest request; 0 where none was sent. */
  readonly sizes: readonly number[];
  /** What a request may have before the policy acts; `undefined` where that is unknown. */
  readonly usableTokens: readonly (number | undefined)[];
  /** Whether the policy has no limit, so that there is nothing to know of what is usable. */
  readonly isUnlimited: boolean;
  /** What happened at or right behind a step, kind by kind; kinds that never did are left out. */
  readonly marks: readonly SawtoothMarks[];
}

/** The steps at which one kind of thing happened, as often as it did. */
export interface SawtoothMarks {
  readonly kind: MarkKind;
  readonly steps: readonly number[];
}

/** Something that is marked below a saw-tooth. */
export interface MarkKind {
  readonly mark: string;
  readonly one: string;
  readonly several: string;
  readonly is: (event: RunEvent) => boolean;
}

/** What is marked, in the order of the lines below a saw-tooth. */
export const MARK_KINDS: readonly MarkKind[] = [
  {
    mark: 'p',
    one: 'prune',
    several: 'prunes',
    is: (event) => event.type === 'prune-end' && event.state === 'fired',
  },
  { mark: 'C', one: 'pivot', several: 'pivots', is: ({ type }) => type === 'pivot' },
  { mark: 'x', one: 'refusal', several: 'refusals', is: ({ type }) => type === 'step-refused' },
  { mark: '!', one: 'failure', several: 'failures', is: isFailure },
  {
    mark: '~',
    one: 'request cut by the provider',
    several: 'requests cut by the provider',
    is: isTruncated,
  },
  {
    mark: 'm',
    one: 'model change',
    several: 'model changes',
    is: ({ type }) => type === 'model-changed',
  },
];

/** A run step by step, as far as a saw-tooth shows it. */
export function plotSawtooth(events: readonly RunEvent[]): SawtoothPlot {
  const sizes: number[] = [];
  const usableTokens: (number | undefined)[] = [];
  const marks = MARK_KINDS.map((kind) => ({ kind, steps: [] as number[] }));
  let usable: number | undefined;
  for (const event of events) {
    if (event.type === 'run-start' || event.type === 'model-changed') usable = event.usableTokens;
    const step = Math.max(1, stepOf(event) ?? sizes.length);
    if (isTry(event)) {
      while (sizes.length < step) sizes.push(0);
      sizes[step - 1] = Math.max(sizes[step - 1] ?? 0, sizeOf(event));
      while (usableTokens.length < step) usableTokens.push(usable);
    }
    for (const { kind, steps } of marks) if (kind.is(event)) steps.push(step);
  }
  const start = events.find((event) => event.type === 'run-start');
  const isUnlimited = start !== undefined && isTold(start) && hasNoLimit(start, usableTokens);
  return { sizes, usableTokens, isUnlimited, marks: marks.filter(({ steps }) => steps.length > 0) };
}

/** Whether a policy has no limit: it is the control, or the window is known and yet nothing is usable or not. */
export function hasNoLimit(
  { policy, limits }: { readonly policy: string; readonly limits: Pick<Limits, 'contextTokens'> },
  usableTokens: SawtoothPlot['usableTokens'],
): boolean {
  const isUntold = usableTokens.length > 0 && usableTokens[0] === undefined;
  return isUntold && (policy === policies.none.name || limits.contextTokens > 0);
}

/** Of somebody's own compaction nobody knows when it acts. */
function isTold({ summarizer }: { readonly summarizer: string }): boolean {
  return summarizer !== OWN_SUMMARIES;
}

/** A summary without an answer, a request without one, an answer that was not let in. */
function isFailure(event: RunEvent): boolean {
  switch (event.type) {
    case 'summary-end':
      return event.state === 'failed';
    case 'request-failed':
    case 'step-malformed':
    case 'summary-rejected':
      return true;
    default:
      return false;
  }
}

function stepOf(event: RunEvent): number | undefined {
  return 'step' in event ? event.step : undefined;
}

/** Whether somebody tried to take a step. */
function isTry({ type }: RunEvent): boolean {
  return type === 'step-end' || type === 'step-refused' || type === 'step-malformed';
}

function sizeOf(event: RunEvent): number {
  return 'contextTokens' in event ? event.contextTokens : 0;
}
