/** Facts that records show about a release, in words, and the differences between two releases. */

import type { OracleRecord } from './record.ts';
import type { ScriptName } from './scripts.ts';

type Request = OracleRecord['requests'][number];

/** Facts by subject. */
export type Facts = Readonly<Record<Subject, string>>;

export const subjects = {
  trigger: 'Compacts',
  kept: 'Keeps word for word',
  clearing: 'Clears outputs',
  request: 'Summary request',
  refusal: 'Refused as too large',
  emptySummary: 'Empty summary',
  failedSummary: 'Failed summary',
} as const;

export type Subject = keyof typeof subjects;

const NOT_OBSERVED = 'not observed';
const WHOLE = 0.99;
const PERCENT = 100;

/** The facts of one release, from its records. */
export function factsOf(records: readonly OracleRecord[]): Facts {
  const of = (name: ScriptName) => records.find(({ script }) => script === name);
  const edge = of('edge');
  return {
    trigger: triggerOf(edge, of('edge-by-output'), of('edge-at-end')),
    kept: edge ? keptOf(edge) : NOT_OBSERVED,
    clearing: clearingOf(of('old-outputs')),
    request: edge ? requestOf(edge) : NOT_OBSERVED,
    refusal: endOf(of('refused-mid-turn'), 'compacts and goes on', 'ends the turn'),
    emptySummary: endOf(of('empty-summary'), 'goes on', 'ends the turn'),
    failedSummary: endOf(of('failed-summary'), 'goes on', 'ends the turn'),
  };
}

/** The differences between two releases, as sentences. */
export function driftOf(before: Facts, after: Facts): readonly string[] {
  return (Object.keys(subjects) as Subject[]).flatMap((subject) =>
    before[subject] === after[subject]
      ? []
      : [`${subjects[subject]}: ${before[subject]} → ${after[subject]}`],
  );
}

function triggerOf(
  edge: OracleRecord | undefined,
  byOutput: OracleRecord | undefined,
  atEnd: OracleRecord | undefined,
): string {
  if (edge === undefined) return NOT_OBSERVED;
  const ways = [
    ...(isCompacted(edge)
      ? [`between steps at ${edge.edgeTokens.toLocaleString('en')} tokens`]
      : []),
    ...(byOutput && isCompacted(byOutput) ? ['counts the newest output'] : []),
    ...(atEnd && isCompacted(atEnd) ? [atEndOf(atEnd)] : []),
  ];
  return ways.length === 0 ? 'never' : ways.join('; ');
}

function atEndOf({ requests }: OracleRecord): string {
  const summary = requests.find(({ kind }) => kind === 'summary');
  return summary?.turn === 1 ? 'at the end of a turn' : 'before the next prompt';
}

function isCompacted({ requests }: OracleRecord): boolean {
  return requests.some(({ kind }) => kind === 'summary');
}

function keptOf({ requests }: OracleRecord): string {
  const index = requests.findLastIndex(({ kind }) => kind === 'summary');
  const next = requests.slice(index + 1).find(({ kind }) => kind === 'agent');
  if (index < 0 || next === undefined) return NOT_OBSERVED;
  const { promptsKept, outputsKept } = next;
  const parts = [
    ...(promptsKept > 0 ? ['the prompt'] : []),
    ...(outputsKept > 0 ? [`${outputsKept} of 4 outputs`] : []),
  ];
  return parts.length === 0 ? 'nothing' : parts.join(', ');
}

function clearingOf(record: OracleRecord | undefined): string {
  if (record === undefined) return NOT_OBSERVED;
  const most = Math.max(0, ...record.requests.map(({ cleared = 0 }) => cleared));
  return most === 0 ? 'none of 10 old ones' : `${most} of 10 old ones`;
}

function requestOf({ requests }: OracleRecord): string {
  const summaries = requests.filter(({ kind }) => kind === 'summary');
  const [first] = summaries;
  if (first === undefined) return NOT_OBSERVED;
  const calls = summaries.length === 1 ? '' : `, ${summaries.length} calls`;
  return `${formOf(first)}${calls}`;
}

function formOf({ samePrefix, roles, tools }: Request): string {
  if (samePrefix >= WHOLE) return 'extends the session';
  const isFlat = (roles['user'] ?? 0) === 1 && (roles['assistant'] ?? 0) === 0;
  const form = isFlat ? 'one flattened message' : 'a prompt of its own';
  const kept = tools > 0 ? ', with tools' : '';
  return samePrefix > 0
    ? `${form}${kept}, ${Math.round(samePrefix * PERCENT)} % from the session`
    : `${form}${kept}`;
}

function endOf(record: OracleRecord | undefined, well: string, ill: string): string {
  if (record === undefined) return NOT_OBSERVED;
  return record.end === 'completed' ? well : record.end === 'timeout' ? 'goes on for ever' : ill;
}
