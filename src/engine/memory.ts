import { estimateText } from './estimate.ts';
import { findNewest, itemAt, type List, toArray } from './history.ts';
import { isRequest } from './latest.ts';
import { type Message, type Part, storedPart, type ToolPart, type UserMessage } from './message.ts';
import type { EstimatorOptions, MemoryPolicy } from './policy.ts';
import {
  changeState,
  type EngineEvent,
  type ExternalMemory,
  historyOf,
  type LoopState,
  type Memory,
  type MemoryEntry,
  type StoredEntry,
} from './state.ts';
import { isRecord } from './values.ts';

/** An entry that a search found, the better the higher its score. */
export interface MemoryHit {
  readonly entry: MemoryEntry;
  readonly score: number;
}

/** How much a step may be given back. */
export interface RecallOptions {
  /** Most entries. */
  readonly limit: number;
  /** Most tokens, as the policy estimates them. */
  readonly maxTokens: number;
  readonly estimator: EstimatorOptions;
}

type Scored = readonly [stored: StoredEntry, score: number];

/** BM25's saturation of repeated terms. Source: Robertson and Zaragoza (2009). */
const SATURATION = 1.2;
/** BM25's share of the score that is corrected for the length of an entry. */
const LENGTH_CORRECTION = 0.75;
/** Scripts without spaces, or whose words change too much to be compared. */
const UNSPACED = String.raw`[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}]`;
const UNSPACED_RUN = String.raw`(?:(?=[\p{L}\p{N}])${UNSPACED})+`;
const WORD = String.raw`(?!${UNSPACED})[\p{L}\p{N}](?:(?!${UNSPACED})[\p{L}\p{N}\p{M}])*`;
const COMPOUND = `${WORD}(?:[/._-]+${WORD})*`;
const RUNS = new RegExp(`(${UNSPACED_RUN})|${COMPOUND}`, 'gu');
const SEPARATORS = /[/._-]+/u;
const HUMPS = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;
/** UTF-16 units of the longest term; what is longer is data that nobody searches for. */
const MAX_TERM_LENGTH = 128;
const isTerm = ({ length }: string) => length <= MAX_TERM_LENGTH;
const EMPTY_MEMORY: ExternalMemory = { store: createMemory(), movedOut: new Set() };

/** A memory of nothing. */
export function createMemory(): Memory {
  return { entries: new Map(), postings: new Map(), termCount: 0 };
}

/** The memory with entries inserted. One whose id is known replaces the old one and takes its place. */
export function remember(memory: Memory, entries: readonly MemoryEntry[]): Memory {
  if (entries.length === 0) return memory;
  const all = new Map(memory.entries);
  for (const entry of entries) {
    const place = all.get(entry.id)?.place ?? all.size;
    const frequencies = new Map<string, number>();
    let termCount = 0;
    for (const term of termsOf(entry.text)) {
      frequencies.set(term, (frequencies.get(term) ?? 0) + 1);
      termCount += 1;
    }
    all.set(entry.id, { entry, place, termCount, frequencies });
  }
  const replaces = entries.some(({ id }) => memory.entries.has(id));
  const stored = [...all.values()];
  const added = replaces ? stored : stored.slice(memory.entries.size);
  const postings = new Map(replaces ? [] : memory.postings);
  const fresh = new Map<string, StoredEntry[]>();
  for (const one of added) {
    for (const term of one.frequencies.keys()) {
      const list = fresh.get(term) ?? [];
      if (list.push(one) === 1) fresh.set(term, list);
    }
  }
  for (const [term, list] of fresh) postings.set(term, [...(postings.get(term) ?? []), ...list]);
  const termCount = stored.reduce((total, one) => total + one.termCount, 0);
  return { entries: all, postings, termCount };
}

/** The best entries for a query by BM25, best first; of equally good ones the newest first. */
export function search(memory: Memory, query: string, limit: number): readonly MemoryHit[] {
  return rank(memory, query, limit).map(([{ entry }, score]) => ({ entry, score }));
}

/**
 * The entries that a request gets back: of the best `limit` ones for the query, best first, each that still fits into
 * the tokens, in the order of the session.
 */
export function recall(
  memory: Memory,
  query: string,
  options: RecallOptions,
): readonly MemoryEntry[] {
  let freeTokens = options.maxTokens;
  const fitting = rank(memory, query, options.limit).filter(([{ entry }]) => {
    const tokens = estimateText(entry.text, options);
    if (tokens > freeTokens) return false;
    freeTokens -= tokens;
    return true;
  });
  return fitting.toSorted(([one], [other]) => byAge(one, other)).map(([{ entry }]) => entry);
}

/** Words in lower case, compounds also in pieces; Chinese, Japanese and Korean as pairs. */
export function* termsOf(text: string): Generator<string> {
  for (const [run, unspaced] of text.normalize('NFKC').matchAll(RUNS))
    yield* unspaced === undefined ? compoundTerms(run) : pairsOf(unspaced);
}

/**
 * The entries of a message: one for each text and each tool call with its output, also a cleared one. Reasoning, unsent
 * texts and files are left out.
 */
export function entriesOf(message: Message): readonly MemoryEntry[] {
  return message.parts.map(storedPart).flatMap((part) => {
    const text = textOf(part);
    if (text.trim() === '') return [];
    return [{ id: part.id, text, messageId: message.id, order: message.createdAt }];
  });
}

/** The messages of a view that were not moved out, after what was recalled. */
export function withMemory(
  view: List<Message>,
  { movedOut, recalled }: ExternalMemory,
): List<Message> {
  if (movedOut.size === 0) return view;
  const kept = toArray(view).filter(({ id }) => !movedOut.has(id));
  return recalled === undefined ? kept : [recalled, ...kept];
}

/** Moves all but the newest messages of a view into the memory. */
export function moveOut(
  state: LoopState,
  policy: MemoryPolicy,
): { readonly next: LoopState; readonly event: EngineEvent } {
  const memory = state.memory ?? EMPTY_MEMORY;
  const visible = state.history.filter(({ id }) => !memory.movedOut.has(id));
  const leaving = visible.slice(0, Math.max(0, visible.length - policy.keepMessages));
  const store = remember(memory.store, leaving.flatMap(entriesOf));
  const movedOut = new Set([...memory.movedOut, ...leaving.map(({ id }) => id)]);
  return {
    next: changeState(state, { memory: { ...memory, store, movedOut } }),
    event: { type: 'moved-out', messageIds: leaving.map(({ id }) => id) },
  };
}

/** The memory of a session that has no other messages than these any more. */
export function forget(
  { movedOut }: Pick<ExternalMemory, 'movedOut'>,
  history: List<Message>,
): ExternalMemory {
  const kept = toArray(history).filter(({ id }) => movedOut.has(id));
  return {
    store: remember(createMemory(), kept.flatMap(entriesOf)),
    movedOut: new Set(kept.map(({ id }) => id)),
  };
}

/** Looks up what the newest request and step may need of what was moved out. */
export function recallForRequest(state: LoopState): LoopState {
  const { memory, policy } = state;
  if (memory === undefined || policy.memory === undefined) return state;
  const history = historyOf(state);
  const request = itemAt(history, findNewest(history, isRequest));
  const index = findNewest(history, ({ role }) => role === 'assistant');
  const step = itemAt(history, index);
  const { recalled: _recalled, ...rest } = memory;
  const { recallEntries: limit, recallTokens: maxTokens } = policy.memory;
  const options = { limit, maxTokens, estimator: policy.estimator };
  const recalled = request && recalledMessage([request, step ?? request], memory.store, options);
  return changeState(state, { memory: recalled === undefined ? rest : { ...rest, recalled } });
}

function rank(memory: Memory, query: string, limit: number): readonly Scored[] {
  const scores = new Map<StoredEntry, number>();
  for (const term of new Set(termsOf(query))) {
    const holding = memory.postings.get(term) ?? [];
    const others = memory.entries.size - holding.length;
    const rarity = Math.log(1 + (others + 0.5) / (holding.length + 0.5));
    for (const stored of holding) {
      const gain = rarity * saturate(stored.frequencies.get(term) ?? 0, stored.termCount, memory);
      scores.set(stored, (scores.get(stored) ?? 0) + gain);
    }
  }
  return [...scores]
    .toSorted(
      ([left, leftScore], [right, rightScore]) => rightScore - leftScore || byAge(right, left),
    )
    .slice(0, Math.max(0, limit));
}

function saturate(frequency: number, termCount: number, memory: Memory): number {
  const relativeLength = (termCount * memory.entries.size) / memory.termCount;
  const norm = 1 - LENGTH_CORRECTION + LENGTH_CORRECTION * relativeLength;
  return (frequency * (SATURATION + 1)) / (frequency + SATURATION * norm);
}

function byAge(left: StoredEntry, right: StoredEntry): number {
  return left.entry.order - right.entry.order || left.place - right.place;
}

function* compoundTerms(compound: string): Generator<string> {
  const words = compound.split(SEPARATORS);
  if (words.length > 1 && isTerm(compound)) yield compound.toLowerCase();
  for (const word of words.filter(isTerm)) {
    const pieces = word.split(HUMPS);
    yield word.toLowerCase();
    if (pieces.length > 1) yield* pieces.map((piece) => piece.toLowerCase());
  }
}

function* pairsOf(run: string): Generator<string> {
  let previous: string | undefined;
  for (const character of run) {
    if (previous !== undefined) yield previous + character;
    previous = character;
  }
  if (previous === run) yield run;
}

function textOf(part: Part): string {
  switch (part.type) {
    case 'text':
      return part.ignored ? '' : part.text;
    case 'subtask':
      return part.prompt;
    case 'tool':
      return [callLine(part), resultOf(part)].filter((text) => text !== '').join('\n');
    default:
      return '';
  }
}

function callLine({ tool, state: { input } }: ToolPart): string {
  const fields = isRecord(input)
    ? Object.entries(input).map(([name, value]) => `${name}: ${valueOf(value)}`)
    : [valueOf(input)];
  return `${tool}(${fields.join(', ')})`;
}

/** Texts as they are: escaped line breaks would stick to words. */
function valueOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

function resultOf({ state }: ToolPart): string {
  if (state.status === 'completed') return state.output;
  return state.status === 'error' ? (state.partialOutput ?? state.error) : '';
}

function recalledMessage(
  asking: readonly [Message, ...Message[]],
  store: Memory,
  options: RecallOptions,
): UserMessage | undefined {
  const [request] = asking;
  const entries = recall(store, asking.map(queryOf).join('\n'), options);
  if (entries.length === 0) return undefined;
  const text = ['From earlier in this session:', ...entries.map((one) => one.text)].join('\n\n');
  const id = `recalled-for-${request.id}`;
  const part = { type: 'text', id: `${id}-text`, text, synthetic: true } as const;
  return { id, role: 'user', createdAt: request.createdAt, parts: [part] };
}

function queryOf({ parts }: Message): string {
  return parts
    .flatMap((part) => {
      if (part.type === 'text') return [part.text];
      return part.type === 'tool' ? [JSON.stringify(part.state.input) ?? ''] : [];
    })
    .join('\n');
}
