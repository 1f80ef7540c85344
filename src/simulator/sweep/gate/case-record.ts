import { createHash } from 'node:crypto';
import { canonicalJson } from '../../../engine/index.ts';
import type { RunEvent } from '../../events.ts';
import type { GateFinding, ScenarioResult, ScenarioRunResult } from '../../report/check-report.ts';
import { hashPrompts } from '../../report/provenance.ts';
import { tokenizerOf } from '../../tokens/encodings.ts';
import type { CaseRecord, ScenarioRecord } from './baseline.ts';
import { ruleOf, toLog, writeLine } from './log.ts';

type EventsFinding = GateFinding & { readonly kind: 'events' };

const DIGEST_LENGTH = 16;

/** Of a run that no file tells of. */
const START = { line: 1, column: 1 };
const SAME = 'the same events with the same seed every time';

/** Lines of the log that are shown before one that differs. */
const CONTEXT_LINES = 3;
const ENDED = 'nothing more';
const UNLOGGED = 'what no line of the log shows';

const STEP = /^step (\d+): /;

/** The record of a scenario as a baseline keeps it; `source` is the hash of its file. */
export function toScenarioRecord(
  { name, runs }: Pick<ScenarioResult, 'name' | 'runs'>,
  source: string,
): ScenarioRecord {
  return { scenario: name, source, runs: runs.map(toCaseRecord) };
}

/** A scenario that was run again with the same seeds: what gave other events has failed. */
export function mergeRepeat(first: ScenarioResult, again: ScenarioResult): ScenarioResult {
  const runs = first.runs.map((run, index) => {
    const other = again.runs[index];
    const isSame = other !== undefined && digestOf(run.events) === digestOf(other.events);
    if (isSame || run.failures.some(({ expected }) => expected === SAME)) return run;
    const failure = { ...(run.at ?? START), expected: SAME, got: 'others' };
    return { ...run, failures: [...run.failures, failure] };
  });
  return { ...first, runs, passed: runs.every(({ failures }) => failures.length === 0) };
}

/**
 * The first thing in which a run is not as its baseline: a line of the log, its state, or what neither shows;
 * nothing where all is the same.
 */
export function firstDifference(
  scenario: string,
  {
    baseline,
    now,
    result,
  }: {
    readonly baseline: CaseRecord;
    readonly now: CaseRecord;
    /** The run behind `now`. */
    readonly result: ScenarioRunResult;
  },
): EventsFinding | undefined {
  const about = { kind: 'events', scenario, run: now.run } as const;
  const policy = result.made.resolvedPolicy;
  const longer = now.log.length < baseline.log.length ? baseline.log : now.log;
  const at = longer.findIndex((_, index) => now.log[index] !== baseline.log[index]);
  if (at !== -1) {
    const [line, wanted] = [now.log[at], baseline.log[at]];
    return {
      ...about,
      ...stepOf(line ?? wanted),
      rule: ruleOf(toLog(result.events)[at]?.type, policy),
      baseline: (wanted ?? ENDED).replace(STEP, ''),
      now: (line ?? ENDED).replace(STEP, ''),
      before: now.log.slice(Math.max(0, at - CONTEXT_LINES), at),
    };
  }
  if (now.state !== baseline.state) {
    return {
      ...about,
      ...stepOf(now.log.at(-1)),
      rule: ruleOf(undefined, policy),
      baseline: `state ${baseline.state}`,
      now: `state ${now.state}`,
      before: now.log.slice(-CONTEXT_LINES),
    };
  }
  if (now.digest === baseline.digest) return undefined;
  return {
    ...about,
    isUnlogged: true,
    rule: UNLOGGED,
    baseline: `digest ${baseline.digest}`,
    now: `digest ${now.digest}`,
    before: [],
  };
}

function toCaseRecord(result: ScenarioRunResult): CaseRecord {
  const { name, state, reason, metrics, events, made } = result;
  const { resolvedPolicy, policy, model, summarizer, seed } = made;
  return {
    run: name,
    made: {
      policy,
      model,
      summarizer,
      seed,
      tokenizer: tokenizerOf(model).name,
      estimator: canonicalJson(resolvedPolicy.estimator),
      prompts: hashPrompts([resolvedPolicy]),
    },
    state,
    ...(reason !== undefined && { reason }),
    digest: digestOf(events),
    metrics,
    log: toLog(events).map(writeLine),
  };
}

/** The hash of some events in their order, with all their fields but where the session lies on a machine. */
function digestOf(events: readonly RunEvent[]): string {
  const hash = createHash('sha256');
  for (const event of events) {
    const { session: _, ...placeless } = { session: '', ...event };
    hash.update(`${canonicalJson(event.type === 'run-start' ? placeless : event)}\n`);
  }
  return hash.digest('hex').slice(0, DIGEST_LENGTH);
}

function stepOf(line: string | undefined): Pick<EventsFinding, 'step'> {
  const digits = line?.match(STEP)?.[1];
  return digits === undefined ? {} : { step: Number(digits) };
}
