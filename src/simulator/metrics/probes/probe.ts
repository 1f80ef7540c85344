import { plainToolName } from '../../../engine/index.ts';
import { keepIn } from '../../lib/collections.ts';
import { contentHash } from '../../lib/json.ts';
import { isAtMost } from '../statistics/verdict.ts';
/** The kind of what a question asks for. */
export type ProbeKind = (typeof PROBE_KINDS)[number];

/** One question about a session; it is asked alone. */
export interface Probe {
  readonly id: string;
  readonly kind: ProbeKind;
  readonly question: string;
  readonly expected: Expected;
}

/** The right answer. */
export type Expected =
  /** One of the accepted texts, and none of the refused ones, which held before. */
  | {
      readonly type: 'text';
      readonly accepted: readonly string[];
      readonly refused: readonly string[];
    }
  /** A path, or as much of its end as names one file, which is at least `least`. */
  | { readonly type: 'path'; readonly path: string; readonly least: string }
  /** A tool with one of its targets: a path, or the beginning of a command. */
  | { readonly type: 'call'; readonly tool: string; readonly targets: readonly string[] }
  | { readonly type: 'permission'; readonly answer: Permission };

/** The answer to a question that asks if something may be done. */
export type Permission = 'ALLOWED' | 'FORBIDDEN';

/** The input of a reader: a text and one question. */
export interface ReaderPrompt {
  readonly system: string;
  /** Empty where the reader answers from its own knowledge. */
  readonly context: string;
  readonly question: string;
}

/** A reader's answer. A failed request is neither an answer nor a wrong one. */
export type ReaderAnswer =
  | { readonly state: 'answered'; readonly text: string }
  | { readonly state: 'failed'; readonly reason: string };

/** Answers a question from a text. */
export interface Reader {
  readonly name: string;
  /** Rejects only where no other question could be answered either. */
  answer(prompt: ReaderPrompt): Promise<ReaderAnswer>;
  /** The models that have answered so far, as their provider names them; absent where it is none. */
  models?(): readonly string[];
}

/** The name of what a reader sees. */
export type Condition = (typeof CONDITIONS)[number];

/** How an answer came out. */
export type AnswerState = (typeof ANSWER_STATES)[number];

type PathExpected = Extract<Expected, { readonly type: 'path' }>;

interface AskOptions {
  readonly reader: Reader;
  readonly contexts: Readonly<Record<Exclude<Condition, 'none'>, string>>;
}

type Failed = Extract<ReaderAnswer, { readonly state: 'failed' }>;

/** One question under every condition. */
export interface ProbeResult {
  readonly id: string;
  readonly kind: ProbeKind;
  readonly answers: Readonly<Record<Condition, AnswerState>>;
}

const AT_ONCE = 4;

/** The least advantage of the whole session over an empty context. Source: evaluation design, section 9.2. */
const LEAST_TOLD = 0.2;

export const ANSWER_STATES = ['right', 'wrong', 'abstained'] as const;

/** Words of an answer beside the value; a longer one lists what it found. */
const MOST_OTHER_WORDS = 8;
const QUOTES = /[`"'“”‘’«»「」*]/gu;
/** Marks that group digits: `8,461` is 8461. */
const GROUPING = /(?<=\d)[,_\u202f\u00a0](?=\d{3}(?!\d))/gu;
const WORD = /[\p{L}\p{N}_]/u;
const EDGES = /^[(<[]+|[.,;:)>\]]+$/gu;

/** Kinds of questions. */
export const PROBE_KINDS = ['value', 'file', 'decision', 'forbidden', 'next-step'] as const;

/** The contexts of a reader: everything before the compaction, what is left after it, and nothing. */
export const CONDITIONS = ['full', 'compacted', 'none'] as const;

/** The answer that readers give where the text does not tell. */
export const UNKNOWN_ANSWER = 'UNKNOWN';

/** The system prompt of every reader. */
export const READER_SYSTEM = `You are given the record of an agent's work on a task, or what is left of it, in <record> tags. Answer the question behind it in one line, with the answer alone. Where the record does not tell, give your best guess, or answer ${UNKNOWN_ANSWER}.`;

/** A context as it stands before a question. */
export function recordOf(context: string): string {
  return `<record>\n${context}\n</record>`;
}

/** The models that have answered so far, in one name. */
export function modelsOf(reader: Reader): string | undefined {
  return reader.models?.().join(' and ') || undefined;
}

/** Scores the first line of an answer by containment and nothing else. */
export function scoreAnswer(expected: Expected, answer: string): AnswerState {
  const line = normalise(answer.split('\n').find((one) => one.trim() !== '') ?? '');
  if (line === '' || holds(line, normalise(UNKNOWN_ANSWER))) return 'abstained';
  return isRight(expected, line) ? 'right' : 'wrong';
}

/** A text in one spelling of width, case, spaces, quotation marks and grouped digits. */
export function normalise(text: string): string {
  const plain = text.normalize('NFKC').toLowerCase().replaceAll(QUOTES, '');
  return plain.replaceAll(GROUPING, '').replaceAll(/\s+/gu, ' ').trim();
}

/** Tests if a normalised text holds a normalised value, not as a part of a longer word. */
export function holds(text: string, value: string): boolean {
  if (value === '') return false;
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) {
    const isInWord =
      joins(text.charAt(at - 1), value.charAt(0)) ||
      joins(value.at(-1) ?? '', text.charAt(at + value.length));
    if (!isInWord) return true;
  }
  return false;
}

/** Asks every question under every condition, one question a prompt; with a reason for each that has no result. */
export async function askProbes(
  probes: readonly Probe[],
  options: AskOptions,
): Promise<{ readonly results: readonly ProbeResult[]; readonly unanswered: readonly string[] }> {
  const found: (ProbeResult | Failed)[] = [];
  for (let start = 0; start < probes.length; start += AT_ONCE) {
    const some = probes.slice(start, start + AT_ONCE);
    found.push(...(await Promise.all(some.map((probe) => askEverywhere(probe, options)))));
  }
  return {
    results: found.flatMap((one) => ('state' in one ? [] : [one])),
    unanswered: found.flatMap((one) => ('state' in one ? [one.reason] : [])),
  };
}

/** A reader that is asked the same only once, but for failures. */
export function createRemembering(reader: Reader): Reader {
  const answers = new Map<string, Promise<ReaderAnswer>>();
  const ask = async (prompt: ReaderPrompt, key: string) => {
    const reply = await reader.answer(prompt);
    if (reply.state === 'failed') answers.delete(key);
    return reply;
  };
  return {
    ...reader,
    answer: (prompt) => {
      const key = contentHash(prompt);
      return keepIn(answers, key, () => ask(prompt, key));
    },
  };
}

/** The share of questions that are answered right under a condition; null without questions. */
export function shareRight(
  results: readonly ProbeResult[],
  condition: Condition,
  kind?: ProbeKind,
): number | null {
  const own = kind === undefined ? results : results.filter((result) => result.kind === kind);
  if (own.length === 0) return null;
  return own.filter(({ answers }) => answers[condition] === 'right').length / own.length;
}

/** The share that is left of what the session adds to nothing; unknown where it adds too little. */
export function shareLeft({ none, full, compacted }: Readonly<Record<Condition, number>>) {
  return isAtMost(LEAST_TOLD, full - none) ? (compacted - none) / (full - none) : null;
}

function isRight(expected: Expected, line: string): boolean {
  switch (expected.type) {
    case 'text':
      return isValue(expected, line);
    case 'path':
      return isPath(expected, line);
    case 'call':
      return isCall(expected, line);
    case 'permission':
      return line.split(' ')[0]?.replaceAll(EDGES, '') === normalise(expected.answer);
  }
}

function isValue({ accepted, refused }: Expected & { type: 'text' }, line: string) {
  const [value] = accepted.map(normalise).filter((one) => holds(line, one));
  if (value === undefined) return false;
  const rest = line.replace(value, ' ');
  const isAlone = rest.split(' ').filter((word) => WORD.test(word)).length <= MOST_OTHER_WORDS;
  return isAlone && !refused.some((old) => holds(rest, normalise(old)));
}

function isPath({ path, least }: Omit<PathExpected, 'type'>, line: string): boolean {
  const wanted = `/${normalise(path).replace(/^\/+/, '')}`;
  const words = wordsOf(line);
  const named = words.filter((word) => word.includes('/') || word.includes('.'));
  const isIt = (word: string) =>
    word.length >= least.length && wanted.endsWith(`/${word.replace(/^\.?\/+/, '')}`);
  return named.length > 0 ? named.every(isIt) : words.some(isIt);
}

function isCall({ tool, targets }: Expected & { type: 'call' }, line: string): boolean {
  const [named = '', ...rest] = wordsOf(line);
  if (plainToolName(named) !== plainToolName(normalise(tool))) return false;
  const target = rest.join(' ');
  return targets.some((one) => {
    const wanted = normalise(one);
    const isFile = wanted.includes('/') && !wanted.includes(' ');
    return isFile ? isPath({ path: wanted, least: '' }, target) : holds(target, wanted);
  });
}

function wordsOf(line: string): readonly string[] {
  return line
    .split(/[\s(]+/)
    .map((word) => word.replaceAll(EDGES, ''))
    .filter((word) => word !== '');
}

/** Scripts without spaces between words join nothing. */
function joins(before: string, after: string): boolean {
  return /[a-z0-9_]/.test(before) && /[a-z0-9_]/.test(after);
}

/** A question that is not answered under every condition says nothing of what a compaction took. */
async function askEverywhere(probe: Probe, options: AskOptions): Promise<ProbeResult | Failed> {
  const { id, kind, question, expected } = probe;
  const replies = await Promise.all(
    CONDITIONS.map(async (condition) => {
      const context = condition === 'none' ? '' : options.contexts[condition];
      const reply = await options.reader.answer({ system: READER_SYSTEM, context, question });
      return [condition, reply] as const;
    }),
  );
  const answers: Partial<Record<Condition, AnswerState>> = {};
  for (const [condition, reply] of replies) {
    if (reply.state === 'failed') return reply;
    answers[condition] = scoreAnswer(expected, reply.text);
  }
  return { id, kind, answers: answers as ProbeResult['answers'] };
}
