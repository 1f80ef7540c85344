/** Facts that records show about a release, in words, and the differences between two releases. */

import { formatCount } from '../src/simulator/report/numbers.ts';
import { formsOf } from './compare.ts';
import type { OracleRecord } from './record.ts';
import { makeScript, type ScriptName } from './scripts.ts';

type Request = OracleRecord['requests'][number];

/** Facts by subject. */
export type Facts = Readonly<Record<Subject, string>>;

/** The beginnings of sentences that facts end. */
export const subjects = {
  trigger: 'Compacts',
  newest: 'The newest output',
  cached: 'Cached input',
  reasoning: 'Reasoning',
  answer: 'The newest answer',
  total: "A provider's total above its parts",
  zero: 'A usage of 0',
  prompt: 'A new prompt',
  onePrompt: 'In a session of one prompt it',
  atEnd: 'At the edge when a turn ends it',
  keys: 'Its configuration',
  smallWindow: 'In a window of 48,000 tokens it',
  kept: 'Keeps',
  clearing: 'Clears',
  request: 'Asks for a summary by',
  bill: 'Cached of summary, next request',
  refusal: 'After a refusal',
  tooLarge: 'After HTTP 413',
  emptySummary: 'After an empty summary',
  failedSummary: 'After a failed summary',
  refusedSummary: 'After a refused summary',
} as const;

export type Subject = keyof typeof subjects;

/** Scripts that reach the edge by usage, the simplest first. */
const BY_USAGE = ['edge', 'several-prompts', 'two-compactions'] as const satisfies ScriptName[];
export const NOT_OBSERVED = 'not observed';
const PERCENT = 100;
const FORMS = {
  extends: "the session's request and a message more",
  fresh: 'a prompt of its own',
  flattened: 'one flattened message',
} as const;

/** The facts of one release, from its records. */
export function factsOf(records: readonly OracleRecord[]): Facts {
  const of = (name: ScriptName) => records.find(({ script }) => script === name);
  // An agent may need a second prompt, or a first large output, before it compacts at all.
  const compacted = BY_USAGE.map(of).find((record) => record && isCompacted(record));
  const byUsage = compacted && isByUsage(compacted);
  // Most scripts have one prompt, in which some agents never compact.
  const inOne = byUsage && compacted.requests.find(isForSummary)?.turn === 1;
  const did = (name: ScriptName, yes: string, no: string) =>
    inOne ? didOf(of(name), yes, no) : NOT_OBSERVED;
  const counts = (name: ScriptName) => did(name, 'counts', 'does not count');
  const shown = compacted ?? of('edge-at-end');
  return {
    trigger: triggerOf(of('edge') ?? compacted, compacted),
    newest: counts('edge-by-output'),
    cached: counts('cached-edge'),
    reasoning: counts('reasoning-edge'),
    answer: counts('output-edge'),
    total: counts('total-edge'),
    zero: did('zero-usage', 'is passed over', 'counts'),
    prompt: counts('huge-prompt'),
    onePrompt: byUsage ? didOf(of('one-prompt'), 'compacts', 'never compacts') : NOT_OBSERVED,
    atEnd: atEndOf(of('edge-at-end')),
    keys: did('config-keys', 'moves the edge', 'has no effect'),
    smallWindow: did(
      'small-window',
      `compacts at ${formatCount(of('small-window')?.edgeTokens ?? 0)}`,
      'does not compact',
    ),
    kept: compacted ? keptOf(compacted) : NOT_OBSERVED,
    clearing: clearingOf(of('old-outputs')),
    request: shown ? requestOf(shown) : NOT_OBSERVED,
    bill: shown ? billOf(shown) : NOT_OBSERVED,
    refusal: afterOf(of('refused-mid-turn'), ({ answer }) => answer === 'refused'),
    tooLarge: afterOf(of('http-413'), ({ answer }) => answer === 'refused'),
    emptySummary: afterOf(of('empty-summary'), isForSummary),
    failedSummary: afterOf(of('failed-summary'), isForSummary),
    refusedSummary: afterOf(of('refused-summary'), isForSummary),
  };
}

/** What a release does otherwise than another one, as far as both were observed, a line each. */
export function driftOf(before: Facts, after: Facts): readonly string[] {
  return (Object.keys(subjects) as Subject[]).flatMap((subject) => {
    const [was, is] = [before[subject], after[subject]];
    // What is cached of the next request moves with the size of the system prompt.
    if (subject === 'bill' || was === is || was === NOT_OBSERVED || is === NOT_OBSERVED) return [];
    return [`${subjects[subject]} ${is} (before: ${was})`];
  });
}

/** Changes of a release against another one, as pages and `--drift` have them. */
export function changeLines(before: Facts, after: Facts): readonly string[] {
  const lines = driftOf(before, after).map((line) => `- ${line}`);
  return lines.length === 0 ? ['No difference in what is observed.'] : lines;
}

function triggerOf(tried: OracleRecord | undefined, compacted: OracleRecord | undefined): string {
  if (tried === undefined) return NOT_OBSERVED;
  if (compacted === undefined) return 'never between steps';
  if (!isByUsage(compacted)) return 'between steps, by its own count whatever the usage';
  return `between steps at ${formatCount(compacted.edgeTokens)} of ${formatCount(compacted.contextTokens)}`;
}

function didOf(record: OracleRecord | undefined, yes: string, no: string): string {
  if (record === undefined) return NOT_OBSERVED;
  return isCompacted(record) ? yes : no;
}

/** Tests if the usage that a script told before the first summary was at the edge. */
function isByUsage({ script, requests, ...setting }: OracleRecord): boolean {
  const answers = makeScript(script as ScriptName, setting).turns.flatMap((turn) => turn.answers);
  const { answered = 0 } = requests.find(isForSummary) ?? {};
  return (answers[answered - 1]?.usage?.inputTokens ?? 0) >= setting.edgeTokens;
}

function atEndOf(record: OracleRecord | undefined): string {
  const isAtOnce = record?.requests.find(isForSummary)?.turn === 1;
  const when = isAtOnce ? 'compacts at once' : 'compacts before the next prompt';
  return didOf(record, when, 'does not compact');
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
  const before = requests.slice(0, requests.findLastIndex(isForSummary));
  const outputs = before.filter(({ answer }) => answer === 'call').length;
  const parts = [
    ...(promptsKept > 0 ? ['the prompt'] : []),
    ...(outputsKept > 0 ? [`${outputsKept} of ${outputs} outputs`] : []),
  ];
  return parts.length === 0 ? 'nothing' : parts.join(', ');
}

function clearingOf(record: OracleRecord | undefined): string {
  if (record === undefined) return NOT_OBSERVED;
  const most = Math.max(0, ...record.requests.map(({ cleared = 0 }) => cleared));
  const outputs = record.requests.filter(({ answer }) => answer === 'call').length;
  return `${most === 0 ? 'none' : most} of ${outputs} old ones`;
}

function requestOf(record: OracleRecord): string {
  const [first, ...others] = formsOf(record);
  if (first === undefined) return NOT_OBSERVED;
  const calls = others.length === 0 ? '' : `, ${others.length + 1} calls`;
  return `${FORMS[first.kind]}${first.tools ? ', with tools' : ''}${calls}`;
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
