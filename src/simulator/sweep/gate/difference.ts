import type { Policy } from '../../../engine/index.ts';
import type { GateFinding } from '../../report/check/gate-report.ts';
import type { ScenarioRunResult } from '../../report/check/result.ts';
import type { CaseRecord } from './case-record.ts';
import { digestOf } from './case-record.ts';
import { type LogLine, ruleOf, toLog, writeLine } from './log.ts';

/** Lines of the log that are shown before one that differs. */
const CONTEXT_LINES = 3;
const ENDED = 'nothing more';
const UNSEEN = 'the same log, other fields of its events';

type EventsFinding = GateFinding & { readonly kind: 'events' };

/** The first event of a run that its baseline has otherwise; nothing where all are the same. */
export function firstDifference(
  scenario: string,
  result: ScenarioRunResult,
  baseline: CaseRecord,
): EventsFinding | undefined {
  if (digestOf(result.events) === baseline.digest) return undefined;
  const log = toLog(result.events);
  const lines = log.map(writeLine);
  const index = lines.findIndex((line, at) => line !== baseline.log[at]);
  const at = index === -1 ? lines.length : index;
  const line = log[at];
  const wanted = baseline.log[at];
  const isUnseen = line === undefined && wanted === undefined;
  const step = line?.step ?? stepOf(wanted);
  return {
    kind: 'events',
    scenario,
    run: result.name,
    ...(step !== undefined && { step }),
    rule: ruleAt(line, result.made.resolvedPolicy),
    baseline: isUnseen ? UNSEEN : withoutStep(wanted ?? ENDED),
    now: isUnseen ? UNSEEN : (line?.text ?? ENDED),
    before: lines.slice(Math.max(0, at - CONTEXT_LINES), at),
  };
}

function ruleAt(line: LogLine | undefined, policy: Policy): string {
  return ruleOf(line?.type, policy);
}

const STEP = /^step (\d+): /;

function stepOf(line: string | undefined): number | undefined {
  const digits = line?.match(STEP)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

function withoutStep(line: string): string {
  return line.replace(STEP, '');
}
