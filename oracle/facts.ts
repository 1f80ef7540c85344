/** Facts that records show about a release, in words, and the differences between two releases. */

import { formOf } from './compare.ts';
import type { OracleRecord } from './record.ts';
import { makeScript, type ScriptName } from './scripts.ts';

type Request = OracleRecord['requests'][number];

/** Facts by subject. */
export type Facts = Readonly<Record<Subject, string>>;

export const subjects = {
  trigger: 'Compacts',
  kept: 'Keeps word for word',
  clearing: 'Clears outputs',
  request: 'Summary request',
  bill: 'Cached of summary, next request',
  refusal: 'Refused as too large',
  emptySummary: 'Empty summary',
  failedSummary: 'Failed summary',
} as const;

export type Subject = keyof typeof subjects;

/** Scripts that reach the edge by usage, the simplest first. */
const BY_USAGE = ['edge', 'several-prompts', 'two-compactions'] as const satisfies ScriptName[];
const NOT_OBSERVED = 'not observed';
const PERCENT = 100;
const FORMS = {
  extends: 'extends the session',
  fresh: 'a prompt of its own',
  flattened: 'one flattened message',
} as const;

/** The facts of one release, from its records. */
export function factsOf(records: readonly OracleRecord[]): Facts {
  const of = (name: ScriptName) => records.find(({ script }) => script === name);
  // An agent may need a second prompt, or a first large output, before it compacts at all.
  const compacted = BY_USAGE.map(of).find((record) => record && isCompacted(record));
  return {
    trigger: triggerOf(records, compacted),
    kept: compacted ? keptOf(compacted) : NOT_OBSERVED,
    clearing: clearingOf(of('old-outputs')),
    request: compacted ? requestOf(compacted) : NOT_OBSERVED,
    bill: compacted ? billOf(compacted) : NOT_OBSERVED,
    refusal: afterOf(of('refused-mid-turn'), ({ answer }) => answer === 'refused'),
    emptySummary: afterOf(of('empty-summary'), isForSummary),
    failedSummary: afterOf(of('failed-summary'), isForSummary),
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

function triggerOf(records: readonly OracleRecord[], compacted: OracleRecord | undefined): string {
  const did = (name: ScriptName) =>
    records.find((record) => record.script === name && isCompacted(record));
  const isKnown = (name: ScriptName) => records.some(({ script }) => script === name);
  const atEnd = did('edge-at-end');
  const byUsage = compacted && isByUsage(compacted) ? compacted : undefined;
  const ways = [
    ...(byUsage
      ? [`between steps, ${count(byUsage.edgeTokens)} of ${count(byUsage.contextTokens)}`]
      : []),
    ...(compacted && !byUsage ? ['between steps, by its own count whatever the usage'] : []),
    ...(byUsage && isKnown('one-prompt') && !did('one-prompt')
      ? ['never in a session of one prompt']
      : []),
    ...(did('edge-by-output') ? ['counts the newest output'] : []),
    ...(atEnd ? [atEndOf(atEnd)] : []),
  ];
  return ways.length === 0 ? 'never' : ways.join('; ');
}

/** Tests if the usage that a script told before the first summary was at the edge. */
function isByUsage({ script, requests, ...setting }: OracleRecord): boolean {
  const answers = makeScript(script as ScriptName, setting).turns.flatMap((turn) => turn.answers);
  const { answered = 0 } = requests.find(isForSummary) ?? {};
  return (answers[answered - 1]?.usage?.inputTokens ?? 0) >= setting.edgeTokens;
}

function count(tokens: number): string {
  return tokens.toLocaleString('en');
}

function atEndOf({ requests }: OracleRecord): string {
  return requests.find(isForSummary)?.turn === 1
    ? 'at the end of a turn'
    : 'before the next prompt';
}

function isCompacted({ requests }: OracleRecord): boolean {
  return requests.some(isForSummary);
}

function isForSummary({ kind }: Request): boolean {
  return kind === 'summary';
}

function keptOf({ requests }: OracleRecord): string {
  const next = afterSummaries(requests);
  if (next === undefined) return NOT_OBSERVED;
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
  const outputs = record.requests.filter(({ answer }) => answer === 'call').length;
  return `${most === 0 ? 'none' : most} of ${outputs} old ones`;
}

function requestOf({ requests }: OracleRecord): string {
  const summaries = requests.filter(isForSummary);
  const [first] = summaries;
  if (first === undefined) return NOT_OBSERVED;
  const calls = summaries.length === 1 ? '' : `, ${summaries.length} calls`;
  const { kind, tools } = formOf(first);
  return `${FORMS[kind]}${tools ? ', with tools' : ''}${calls}`;
}

/** Shares of what was there before that a cache can give: of the summary request, and of the agent's next one. */
function billOf({ requests }: OracleRecord): string {
  const shares = [requests.find(isForSummary), afterSummaries(requests)].map((one) =>
    one === undefined ? undefined : `${Math.round(one.samePrefix * PERCENT)} %`,
  );
  return shares.includes(undefined) ? NOT_OBSERVED : shares.join(', ');
}

/** The agent's request after the last one for a summary. */
function afterSummaries(requests: readonly Request[]): Request | undefined {
  const index = requests.findLastIndex(isForSummary);
  return index < 0 ? undefined : requests.slice(index + 1).find(({ kind }) => kind === 'agent');
}

/** The agent's next move after the first request that a test finds. */
function afterOf(record: OracleRecord | undefined, test: (request: Request) => boolean): string {
  const made = (record?.requests ?? []).filter(({ kind }) => kind !== 'title' && kind !== 'other');
  const index = made.findIndex(test);
  const next = made[index + 1];
  if (record === undefined || index < 0) return NOT_OBSERVED;
  if (next?.turn === made[index]?.turn)
    return next?.kind === 'summary' ? 'asks for a summary' : 'goes on';
  return record.end === 'timeout' ? 'tries for ever' : 'ends the turn';
}
