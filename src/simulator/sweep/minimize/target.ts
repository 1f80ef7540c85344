import { laws } from '../../../engine/index.ts';
import { type RunEvent, type RunState, RunStateSchema } from '../../events.ts';
import type { HarnessError } from '../../lib/errors.ts';
import { badValue, named } from '../../lib/names.ts';
import { costMetrics } from '../../metrics/cost-metrics.ts';
import { findBounds, foldRun, prepareBounds, type RunBounds } from '../../metrics/fold.ts';
import { measureOne, type MetricName, metrics } from '../../metrics/metrics.ts';
import { tokenMetrics } from '../../metrics/token-metrics.ts';
import { listLaws } from '../../replay/foreign/laws.ts';
import type { AsyncRunOptions } from '../../replay/run-trace.ts';
import type { Trace } from '../../replay/trace.ts';
import type { ScenarioResult } from '../../report/check-report.ts';
import { describeEnding } from '../../report/report.ts';
import { COMPARISON, type Comparison, parseComparison } from '../../scenario/file/amounts.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import type { OpenCompactor } from '../adapter/command-compactor.ts';
import {
  type AnyLawName,
  type CheckedLaws,
  observeAdapter,
  runOnAdapter,
} from '../adapter/run-scenario.ts';
import { isAsExpected, type Observation, observe, shownValue } from '../gate/evaluate.ts';
import { type CheckEnvironment, runScenario } from '../gate/run-scenario.ts';
import { runControl } from '../run/prepare.ts';

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
interface Shown {
  readonly events: readonly RunEvent[];
  readonly state: RunState;
  /** Why the run broke off, or ended as it did. */
  readonly reason?: string;
  /** That of the target, where it is one; `null` where it is unknown. */
  readonly metrics: Readonly<Partial<Record<MetricName, number | null>>>;
}

/** A target and its subject. */
export interface Wanted {
  readonly subject: Subject;
  readonly target: Target;
}

/** How a subject runs, and what it is held against. */
export interface Subject {
  /** The laws that its runs are held against. */
  readonly laws: CheckedLaws;
  /** True if a scenario file can name it and state expectations of it. */
  readonly isInFile: boolean;
  /** Replays a trace until the run ends or breaks off. */
  observe(trace: Trace, options: AsyncRunOptions): Promise<Pick<Observation, 'events' | 'broken'>>;
  /** The runs that know the future; absent where nobody can prune in its place. */
  prepareBounds(trace: Trace, options: AsyncRunOptions): RunBounds | undefined;
  /** All that a check of a file tells. */
  check(scenario: Scenario, environment: CheckEnvironment): Promise<ScenarioResult>;
}

const EXPRESSION = /^\s*(?<name>\w+)\s*(?<rest>.+?)\s*$/;
const STATE = /^=\s*(?<state>[\w-]+)$/;
const STATES: readonly RunState[] = RunStateSchema.options;

/** The policy that a run names. */
export const policySubject: Subject = {
  laws,
  isInFile: true,
  observe,
  prepareBounds: (trace, options) => prepareBounds(trace, options),
  check: runScenario,
};

/** One of the laws that runs are held against, by its name. */
export function parseLaw(name: string, laws: CheckedLaws): Target {
  named('law', laws, name);
  return { type: 'law', law: name as AnyLawName };
}

/** Parses an expression such as `compactions > 3` or `state = refused`. */
export function parseExpression(text: string): Target {
  const { name = '', rest = '' } = EXPRESSION.exec(text)?.groups ?? {};
  if (name === 'state') return parseState(rest, text);
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

/**
 * Runs a trace and works out nothing that the target does not ask for, also no other run that it can be measured against; a
 * run that breaks off has failed.
 */
export async function runFor(
  { subject, target }: Wanted,
  trace: Trace,
  options: AsyncRunOptions,
): Promise<Shown> {
  const watched = { ...options, isBlind: !needsReferences(target) };
  const { events, broken } = await subject.observe(trace, watched);
  if (broken !== undefined) return { events, state: 'failed', reason: broken, metrics: {} };
  const state = events.findLast((event) => event.type === 'run-end')?.state ?? 'failed';
  if (target.type !== 'metric') return { events, state, metrics: {} };
  const folded = foldRun(events);
  const runBounds = subject.prepareBounds(trace, watched);
  const needsRegret = /regret|competitive/i.test(target.metric);
  const run = (needsRegret ? runBounds?.withRegret(folded) : undefined) ?? folded;
  const value = measureOne(target.metric, {
    run,
    get control() {
      return runControl(trace, watched);
    },
    get bounds() {
      return findBounds(run, runBounds?.bounds);
    },
  });
  return { events, state, metrics: { [target.metric]: value } };
}

/** Somebody's own compaction, opened for each run; a wish to stop ends those of the search, but not the last check. */
export function adapterSubject(
  open: (signal?: AbortSignal) => OpenCompactor,
  signal?: AbortSignal,
): Subject {
  return {
    laws: listLaws,
    isInFile: false,
    observe: (trace, options) => observeAdapter(trace, options, () => open(signal)),
    prepareBounds: () => undefined,
    check: (scenario, environment) => runOnAdapter(scenario, environment, () => open()),
  };
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

/** Returns true if the run must be watched for missed references. */
function needsReferences(target: Target): boolean {
  return (
    target.type === 'metric' &&
    !Object.hasOwn(tokenMetrics, target.metric) &&
    !Object.hasOwn(costMetrics, target.metric)
  );
}
