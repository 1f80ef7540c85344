import { createHash } from 'node:crypto';
import { canonicalJson } from '../../../engine/index.ts';
import type { RunEvent, RunState } from '../../events.ts';
import type { MetricValues } from '../../metrics/metrics.ts';
import type {
  GateFinding,
  MadeWith,
  ScenarioResult,
  ScenarioRunResult,
} from '../../report/check-report.ts';
import { hashPrompts } from '../../report/provenance.ts';
import { tokenizerOf } from '../../tokens/encodings.ts';
import { ruleOf, toLog, writeLine } from './log.ts';

/** One run of a scenario as a baseline keeps it. */
export interface CaseRecord {
  readonly run: string;
  readonly made: CaseProvenance;
  readonly state: RunState;
  readonly reason?: string;
  /** Over all fields of all events but the place of the session. */
  readonly digest: string;
  readonly metrics: MetricValues;
  /** The events, a line each. */
  readonly log: readonly string[];
}

/** Fields that two comparable runs must share, and others told beside them. */
export interface CaseProvenance {
  readonly policy: string;
  readonly model: string;
  readonly summarizer: string;
  readonly seed: number;
  readonly tokenizer: string;
  /** How the policy estimates; that may change as the policy may. */
  readonly estimator: string;
  /** Of each prompt text by its name. */
  readonly prompts: Readonly<Record<string, string>>;
}

type EventsFinding = GateFinding & { readonly kind: 'events' };

/** One run on both sides. */
interface TwoSides {
  readonly baseline: CaseRecord;
  readonly now: CaseRecord;
  /** The run behind `now`. */
  readonly result: ScenarioRunResult;
}

type Difference = Omit<EventsFinding, 'kind' | 'scenario' | 'run'>;

const DIGEST_LENGTH = 16;

/** Of a run that no file tells of. */
const START = { line: 1, column: 1 };
const SAME = 'the same events with the same seed every time';

/** Lines of the log that are shown before one that differs. */
const CONTEXT_LINES = 3;
const ENDED = 'nothing more';
const UNLOGGED = 'what no line of the log shows';

const STEP = /^step (\d+): /;

/** A run as a baseline keeps it. */
export function toCaseRecord(result: ScenarioRunResult): CaseRecord {
  const { name, state, reason, metrics, events, made } = result;
  return {
    run: name,
    made: provenanceOf(made),
    state,
    ...(reason !== undefined && { reason }),
    digest: digestOf(events),
    metrics,
    log: toLog(events).map(writeLine),
  };
}

/** The hash of some events in their order, with all their fields but where the session lies on a machine. */
export function digestOf(events: readonly RunEvent[]): string {
  const hash = createHash('sha256');
  for (const event of events) hash.update(`${canonicalJson(withoutPlace(event))}\n`);
  return hash.digest('hex').slice(0, DIGEST_LENGTH);
}

/** A scenario that was run again with the same seeds: what gave other events has failed. */
export function mergeRepeat(first: ScenarioResult, again: ScenarioResult): ScenarioResult {
  const runs = first.runs.map((run, index) => compare(run, again.runs[index]));
  return { ...first, runs, passed: runs.every(({ failures }) => failures.length === 0) };
}

/**
 * The first thing in which a run is not as its baseline: a line of the log, its state, or what neither shows;
 * nothing where all is the same.
 */
export function firstDifference(scenario: string, sides: TwoSides): EventsFinding | undefined {
  const found = differingLine(sides) ?? differingState(sides) ?? differingDigest(sides);
  return found && { kind: 'events', scenario, run: sides.now.run, ...found };
}

function provenanceOf(made: MadeWith): CaseProvenance {
  const { resolvedPolicy, policy, model, summarizer, seed } = made;
  return {
    policy,
    model,
    summarizer,
    seed,
    tokenizer: tokenizerOf(model).name,
    estimator: canonicalJson(resolvedPolicy.estimator),
    prompts: hashPrompts([resolvedPolicy]),
  };
}

function withoutPlace(event: RunEvent): Partial<RunEvent> {
  if (event.type !== 'run-start') return event;
  const { session: _, ...fields } = event;
  return fields;
}

function compare(run: ScenarioRunResult, again: ScenarioRunResult | undefined): ScenarioRunResult {
  const isSame = again !== undefined && digestOf(run.events) === digestOf(again.events);
  const isKnown = run.failures.some(({ expected }) => expected === SAME);
  if (isSame || isKnown) return run;
  const failure = { ...(run.at ?? START), expected: SAME, got: 'others' };
  return { ...run, failures: [...run.failures, failure] };
}

function differingLine({ baseline, now, result }: TwoSides): Difference | undefined {
  const longer = now.log.length < baseline.log.length ? baseline.log : now.log;
  const at = longer.findIndex((_, index) => now.log[index] !== baseline.log[index]);
  if (at === -1) return undefined;
  const [line, wanted] = [now.log[at], baseline.log[at]];
  return {
    ...stepOf(line ?? wanted),
    rule: ruleAt(at, result),
    baseline: withoutStep(wanted ?? ENDED),
    now: withoutStep(line ?? ENDED),
    before: now.log.slice(Math.max(0, at - CONTEXT_LINES), at),
  };
}

function stepOf(line: string | undefined): Pick<EventsFinding, 'step'> {
  const digits = line?.match(STEP)?.[1];
  return digits === undefined ? {} : { step: Number(digits) };
}

function ruleAt(at: number, { events, made }: ScenarioRunResult): string {
  return ruleOf(toLog(events)[at]?.type, made.resolvedPolicy);
}

function withoutStep(line: string): string {
  return line.replace(STEP, '');
}

function differingState({ baseline, now, result }: TwoSides): Difference | undefined {
  if (now.state === baseline.state) return undefined;
  return {
    ...stepOf(now.log.at(-1)),
    rule: ruleOf(undefined, result.made.resolvedPolicy),
    baseline: `state ${baseline.state}`,
    now: `state ${now.state}`,
    before: now.log.slice(-CONTEXT_LINES),
  };
}

/** Nobody can say where. */
function differingDigest({ baseline, now }: TwoSides): Difference | undefined {
  if (now.digest === baseline.digest) return undefined;
  return {
    isUnlogged: true,
    rule: UNLOGGED,
    baseline: `digest ${baseline.digest}`,
    now: `digest ${now.digest}`,
    before: [],
  };
}
