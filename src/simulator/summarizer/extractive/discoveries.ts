import { DECISION, REASON } from './cues.ts';
import type { Head } from './head.ts';
import { type Item, WEIGHTS } from './item.ts';
import { toShortLine } from './plain-text.ts';
import { type Run, runKey } from './runs.ts';
import { findSentences } from './sentences.ts';

const FINDING_CHARS = 320;
const FINDING = new RegExp(`${DECISION.source}|${REASON.source}`, 'iu');

/** What was decided and why, what was found out, and what went wrong. */
export function findDiscoveries(
  head: Head,
  runs: readonly Run[],
  previous: readonly Item[],
): readonly Item[] {
  return [...previous, ...findDecisions(head), ...findFailures(runs)];
}

function findDecisions(head: Head): readonly Item[] {
  return findSentences(head.answers, FINDING).map(({ text, at }) => ({
    text: toShortLine(text, FINDING_CHARS),
    weight: DECISION.test(text) ? WEIGHTS.important : WEIGHTS.useful,
    at,
  }));
}

/** A failure with what caused it. It weighs less if its command went well later, or if no command failed. */
function findFailures(runs: readonly Run[]): readonly Item[] {
  const lastRun = new Map(runs.map((run) => [runKey(run.subject), run]));
  const weightOf = ({ subject, isCommand }: Run) => {
    if (!isCommand) return WEIGHTS.useful;
    return lastRun.get(runKey(subject))?.isOk === true ? WEIGHTS.spare : WEIGHTS.important;
  };
  return runs
    .filter(({ troubles }) => troubles.length > 0)
    .map((run) => ({
      text: `${run.subject} failed: ${run.troubles.join(' | ')}`,
      weight: weightOf(run),
      at: run.at,
    }));
}
