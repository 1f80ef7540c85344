import type { GateFinding } from '../../report/check/gate-report.ts';
import type { ScenarioRunResult } from '../../report/check/result.ts';
import type { CaseRecord } from './case-record.ts';
import { ruleOf, toLog } from './log.ts';

/** Lines of the log that are shown before one that differs. */
const CONTEXT_LINES = 3;
const ENDED = 'nothing more';
const UNSEEN = 'the same log, other fields of its events';

type EventsFinding = GateFinding & { readonly kind: 'events' };

/** One run on both sides. */
export interface TwoSides {
  readonly baseline: CaseRecord;
  readonly now: CaseRecord;
  /** What `now` was made from. */
  readonly result: ScenarioRunResult;
}

/** The first event of a run that its baseline has otherwise; nothing where all are the same. */
export function firstDifference(scenario: string, sides: TwoSides): EventsFinding | undefined {
  const { baseline, now, result } = sides;
  if (now.digest === baseline.digest) return undefined;
  const index = now.log.findIndex((line, at) => line !== baseline.log[at]);
  const at = index === -1 ? now.log.length : index;
  const line = now.log[at];
  const wanted = baseline.log[at];
  const isUnseen = line === undefined && wanted === undefined;
  const step = stepOf(line ?? wanted);
  return {
    kind: 'events',
    scenario,
    run: now.run,
    ...(step !== undefined && { step }),
    rule: ruleAt(at, result),
    baseline: isUnseen ? UNSEEN : withoutStep(wanted ?? ENDED),
    now: isUnseen ? UNSEEN : withoutStep(line ?? ENDED),
    before: now.log.slice(Math.max(0, at - CONTEXT_LINES), at),
  };
}

function ruleAt(at: number, { events, made }: ScenarioRunResult): string {
  return ruleOf(toLog(events)[at]?.type, made.resolvedPolicy);
}

const STEP = /^step (\d+): /;

function stepOf(line: string | undefined): number | undefined {
  const digits = line?.match(STEP)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

function withoutStep(line: string): string {
  return line.replace(STEP, '');
}
