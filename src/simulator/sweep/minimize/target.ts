import { badValue } from '../../bad-value.ts';
import type { HarnessError } from '../../errors.ts';
import { eventFields } from '../../event-fields.ts';
import type { RunEvent, RunState } from '../../events.ts';
import { type MetricName, metrics } from '../../metrics/metrics.ts';
import { named } from '../../names.ts';
import { describeEnding } from '../../report/describe-ending.ts';
import { COMPARISON, parseComparison } from '../../scenario/file/amounts.ts';
import type { Comparison } from '../../scenario/file/expectation.ts';
import type { AnyLawName, CheckedLaws } from '../adapter/result.ts';
import { isAsExpected, shownValue } from '../check/compare.ts';

/** What a run has to show. */
export type Target =
  | { readonly type: 'law'; readonly law: AnyLawName }
  | { readonly type: 'state'; readonly state: RunState }
  | {
      readonly type: 'metric';
      readonly metric: MetricName;
      readonly compare: Comparison;
      /** As scenario files have it. */
      readonly text: string;
    };

/** What a target is looked for in. */
export interface Shown {
  readonly events: readonly RunEvent[];
  readonly state: RunState;
  /** Why the run broke off, or ended as it did. */
  readonly reason?: string;
  /** That of the target, where it is one; `null` where it is unknown. */
  readonly metrics: Readonly<Partial<Record<MetricName, number | null>>>;
}

const EXPRESSION = /^\s*(?<name>\w+)\s*(?<rest>.+?)\s*$/;
const STATE = /^=\s*(?<state>[\w-]+)$/;
const STATES: readonly RunState[] = eventFields['run-end'].always.state;

/** One of the laws that runs are held against, by its name. */
export function parseLaw(name: string, laws: CheckedLaws): Target {
  named('law', laws, name);
  return { type: 'law', law: name as AnyLawName };
}

/** What an expression such as `compactions > 3` or `state = refused` asks for. */
export function parseExpression(text: string): Target {
  const { name = '', rest = '' } = EXPRESSION.exec(text)?.groups ?? {};
  if (name === 'state') return parseState(rest, text);
  if (!COMPARISON.test(rest)) throw bad(text);
  named('metric', metrics, name);
  return { type: 'metric', metric: name as MetricName, compare: parseComparison(rest), text: rest };
}

/** Whether a run shows it. */
export function isShown(target: Target, { events, metrics: values, state }: Shown): boolean {
  switch (target.type) {
    case 'law':
      return events.some((event) => event.type === 'law-violated' && event.law === target.law);
    case 'state':
      return state === target.state;
    case 'metric':
      return isAsExpected(target.compare, values[target.metric] ?? undefined);
  }
}

/** The target in words that follow "shows". */
export function describeTarget(target: Target): string {
  if (target.type === 'law') return `a violation of ${target.law}`;
  return target.type === 'state' ? `state ${target.state}` : `${target.metric} ${target.text}`;
}

/** What a run has in the place of a target, in words that follow "got". */
export function describeShown(target: Target, shown: Shown): string {
  // A reason may be a sentence.
  const ending = describeEnding(shown).replace(/\.$/, '');
  if (target.type !== 'metric') return `a run without it that ends ${ending}`;
  const { metric } = target;
  return `${metric} ${shownValue(shown.metrics[metric] ?? undefined)} in a run that ends ${ending}`;
}

function parseState(rest: string, text: string): Target {
  const wanted = STATE.exec(rest)?.groups?.['state'];
  const state = STATES.find((one) => one === wanted);
  if (state === undefined) throw bad(text, ` with one of ${STATES.join(', ')}`);
  return { type: 'state', state };
}

function bad(text: string, more = ''): HarnessError {
  return badValue('--expect', `like 'compactions > 3' or 'state = refused'${more}`, text);
}
