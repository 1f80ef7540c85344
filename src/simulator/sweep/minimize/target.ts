import { type RunState, RunStateSchema } from '../../events.ts';
import type { HarnessError } from '../../lib/errors.ts';
import { badValue, named } from '../../lib/names.ts';
import { type MetricName, metrics } from '../../metrics/metrics.ts';
import type { ScenarioRunResult } from '../../report/check-report.ts';
import { describeEnding } from '../../report/report.ts';
import { COMPARISON, type Comparison, parseComparison } from '../../scenario/file/amounts.ts';
import type { ScenarioFile } from '../../scenario/file/schema.ts';
import type { AnyLawName, CheckedLaws } from '../adapter/run-scenario.ts';
import { isAsExpected, shownValue } from '../gate/evaluate.ts';

/** A property that a run must show. */
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

/** The run in which a target is sought. */
type Shown = Pick<ScenarioRunResult, 'events' | 'state' | 'reason' | 'metrics'>;

const EXPRESSION = /^\s*(?<name>\w+)\s*(?<rest>.+?)\s*$/;
const STATES: readonly RunState[] = RunStateSchema.options;

/** One of the laws that runs are held against, by its name. */
export function parseLaw(name: string, laws: CheckedLaws): Target {
  named('law', laws, name);
  return { type: 'law', law: name as AnyLawName };
}

/** Parses an expression such as `compactions > 3` or `state = refused`. */
export function parseExpression(text: string): Target {
  const { name = '', rest = '' } = EXPRESSION.exec(text)?.groups ?? {};
  if (name === 'state') {
    const state = STATES.find((one) => rest.replace(/^=\s*/, '= ') === `= ${one}`);
    if (state === undefined) throw bad(text, ` with one of ${STATES.join(', ')}`);
    return { type: 'state', state };
  }
  if (!COMPARISON.test(rest)) throw bad(text);
  named('metric', metrics, name);
  return { type: 'metric', metric: name as MetricName, compare: parseComparison(rest), text: rest };
}

/** Returns true if a run shows the target. */
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

/** The run's value in place of a target, in words that follow "got". */
export function describeShown(target: Target, shown: Shown): string {
  // A reason may be a sentence.
  const ending = describeEnding(shown).replace(/\.$/, '');
  if (target.type !== 'metric') return `a run without it that ends ${ending}`;
  const { metric } = target;
  return `${metric} ${shownValue(shown.metrics[metric] ?? undefined)} in a run that ends ${ending}`;
}

/** What a scenario expects of a run that shows the target. */
export function expectationOf(target: Target, { state }: Shown): ScenarioFile['expect'] {
  if (target.type === 'metric') return { state, metrics: { [target.metric]: target.text } };
  return {
    state,
    ...(target.type === 'law' && { violates: [target.law] }),
  } as ScenarioFile['expect'];
}

function bad(text: string, more = ''): HarnessError {
  return badValue('--expect', `like 'compactions > 3' or 'state = refused'${more}`, text);
}
