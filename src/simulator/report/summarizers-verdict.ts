/** The conclusion of a comparison of summarizers, and the answers of its reader. */

import { groupBy } from '../lib/collections.ts';
import { CONDITIONS, PROBE_KINDS } from '../metrics/probes/probe.ts';
import { countOf, formatCount, formatPercent, UNKNOWN } from './numbers.ts';
import {
  byKept,
  describeVerdict,
  pointsCell,
  type ReportTable,
  spreadCell,
} from './summarizers-lines.ts';
import type {
  ArmDifference,
  ArmProbes,
  MeanEstimate,
  ProbesReport,
  SummarizersReport,
} from './summarizers-report.ts';

/** Answers within two points are no difference that matters. Source: evaluation design, section 9.5. */
const LEAST_DIFFERENCE = 0.02;
/** Sessions below which no interval is worth a plan. */
const FEW_SESSIONS = 10;

const NO_READER =
  "No reader was named ('--reader ai:…'), so nothing here says which summary an agent could go on with.";
const NO_FACTS = 'Without facts nothing says what should be kept; no arm is better or worse.';
const NOTHING_TO_ASK =
  'No question could be asked: nothing was compacted, or no later step needs what only the compacted part says.';

/** The conclusion, in one sentence for each arm. */
export function conclude(report: SummarizersReport): readonly string[] {
  const { probes, arms, differences } = report;
  if (probes === undefined) return [NO_READER, ...concludeFacts(report)];
  const asked = probes.arms.filter(({ questions }) => questions > 0);
  if (asked.length === 0) return [NOTHING_TO_ASK];
  const [only] = asked;
  if (arms.length === 1 && only !== undefined) return [describeAnswers(only)];
  return differences
    .filter(({ metric }) => metric === 'answered')
    .map((found) => concludeAnswers(found, probes));
}

/** Right answers of the reader under each condition, one row an arm. */
export function answerTable({ arms }: ProbesReport): ReportTable {
  return {
    columns: [
      { title: 'Answered right' },
      { title: 'Questions', rank: 3 },
      { title: 'FULL', rank: 1 },
      { title: 'COMPACTED' },
      { title: 'NONE', rank: 2 },
      { title: 'Left', rank: 0 },
    ],
    rows: arms
      .toSorted(byAnswers)
      .map(({ arm, questions, accuracy, left }) => [
        arm,
        formatCount(questions),
        ...CONDITIONS.map((condition) => spreadCell(accuracy[condition])),
        left.mean === null ? UNKNOWN : spreadCell(left),
      ]),
  };
}

/** The same by what was asked for: right after the compaction, of what is right with the whole session. */
export function answerKindTable({ arms }: ProbesReport): ReportTable {
  const kinds = PROBE_KINDS.filter((kind) => arms.some((arm) => arm.kinds[kind] !== undefined));
  return {
    columns: [
      { title: 'Right after the compaction' },
      ...kinds.map((title, index) => ({ title, rank: index })),
    ],
    rows: arms.map(({ arm, kinds: own }) => [
      arm,
      ...kinds.map((kind) => {
        const found = own[kind];
        if (found === undefined) return UNKNOWN;
        return `${spreadCell(found.compacted)}, FULL ${shareOf(found.full)}`;
      }),
    ]),
  };
}

/** Who reads, and what was not answered, a sentence each. */
export function readerLines({ reader, model, ownFamily, arms }: ProbesReport): readonly string[] {
  const unanswered = arms.flatMap(({ arm, unanswered: reasons }) =>
    reasons.map(
      ({ reason, times }) => `${arm}: ${countOf(times, 'question')} unanswered: ${reason}`,
    ),
  );
  return [
    `Reader: ${reader}${model === undefined ? '' : `, which answered as ${model}`}.`,
    'FULL: asked with all that was said before the compaction. COMPACTED: with what is left after it. NONE: with nothing. Left: (COMPACTED − NONE) / (FULL − NONE).',
    ...(ownFamily.length === 0
      ? []
      : [`The reader is of the same family as ${ownFamily.join(', ')} and may know its ways.`]),
    ...unanswered,
  ];
}

function byAnswers(one: ArmProbes, other: ArmProbes): number {
  return (other.accuracy.compacted.mean ?? -1) - (one.accuracy.compacted.mean ?? -1);
}

function describeAnswers({ arm, questions, accuracy }: ArmProbes): string {
  const { full, compacted, none } = accuracy;
  return `After the summary of ${arm} the reader answers ${shareOf(compacted)} of ${countOf(questions, 'question')} right, with the whole session ${shareOf(full)}, and with nothing ${shareOf(none)}.`;
}

function concludeAnswers(found: ArmDifference, { arms }: ProbesReport): string {
  const rightAfter = (name: string) => {
    const own = arms.find(({ arm }) => arm === name);
    return own === undefined ? UNKNOWN : shareOf(own.accuracy.compacted);
  };
  const { arm, base, difference } = found;
  const answers = `${rightAfter(arm)} of the questions after the summary of ${arm} and ${rightAfter(base)} after that of ${base}`;
  return `The reader answers ${answers} (${pointsCell(difference)}): ${withSessions(found)}.`;
}

/** The verdict, and where it is open, how many sessions would be enough. */
function withSessions(found: ArmDifference): string {
  const verdict = describeVerdict(found);
  if (found.verdict !== 'within noise' && found.verdict !== 'too few') return verdict;
  return `${verdict}; about ${countOf(sessionsEnough(found.difference), 'session')} would be enough`;
}

/** An interval narrows with the root of the number of sessions. */
function sessionsEnough({ mean, low, high, sessions, families }: MeanEstimate): number {
  if (mean === null || low === null || high === null) return FEW_SESSIONS;
  const counted = families ?? sessions;
  const wanted = Math.max(Math.abs(mean), LEAST_DIFFERENCE);
  return Math.max(counted + 1, Math.ceil(counted * ((high - low) / 2 / wanted) ** 2));
}

function concludeFacts({ arms, differences }: SummarizersReport): readonly string[] {
  const known = arms.filter(({ metrics }) => metrics.factsKept.mean !== null);
  if (known.length === 0) return [NO_FACTS];
  const kept = byKept(known).map(({ name, metrics }) => `${name} ${spreadCell(metrics.factsKept)}`);
  const judged = differences.filter(({ metric }) => metric === 'factsKept');
  const told = [...groupBy(judged, describeVerdict)].map(
    ([verdict, found]) => `${verdict} (${found.map(({ arm }) => arm).join(', ')})`,
  );
  const [first] = judged;
  const verdicts = first === undefined ? '' : ` Against ${first.base}: ${told.join('; ')}.`;
  return [`Facts kept by the first summary: ${kept.join(', ')}.${verdicts}`];
}

function shareOf({ mean }: MeanEstimate): string {
  return mean === null ? UNKNOWN : formatPercent(mean, 0);
}
