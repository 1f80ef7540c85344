import type { GateFinding } from '../../report/check/gate-report.ts';
import type { ScenarioRunResult } from '../../report/check/result.ts';
import type { CaseRecord } from './case-record.ts';
import { ruleOf, toLog } from './log.ts';

type EventsFinding = GateFinding & { readonly kind: 'events' };

/** One run on both sides. */
export interface TwoSides {
  readonly baseline: CaseRecord;
  readonly now: CaseRecord;
  /** What `now` was made from. */
  readonly result: ScenarioRunResult;
}

type Difference = Omit<EventsFinding, 'kind' | 'scenario' | 'run'>;

/** Lines of the log that are shown before one that differs. */
const CONTEXT_LINES = 3;
const ENDED = 'nothing more';
const UNLOGGED = 'what no line of the log shows';

const STEP = /^step (\d+): /;

/**
 * The first thing in which a run is not as its baseline: a line of the log, its state, or what neither shows;
 * nothing where all is the same.
 */
export function firstDifference(scenario: string, sides: TwoSides): EventsFinding | undefined {
  const found = differingLine(sides) ?? differingState(sides) ?? differingDigest(sides);
  return found && { kind: 'events', scenario, run: sides.now.run, ...found };
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

function ruleAt(at: number, { events, made }: ScenarioRunResult): string {
  return ruleOf(toLog(events)[at]?.type, made.resolvedPolicy);
}

function stepOf(line: string | undefined): Pick<EventsFinding, 'step'> {
  const digits = line?.match(STEP)?.[1];
  return digits === undefined ? {} : { step: Number(digits) };
}

function withoutStep(line: string): string {
  return line.replace(STEP, '');
}
