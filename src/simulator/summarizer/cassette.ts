/** Records what real models answer, and replays it. */

import { countEach } from '../lib/collections.ts';
import { badOption, HarnessError } from '../lib/errors.ts';
import { quoted } from '../lib/names.ts';
import {
  type Asked,
  type CallId,
  nameOf,
  openStore,
  outlineOf,
  type Recording,
  type RequestOutline,
  type Store,
  VERSION,
} from './cassette-store.ts';
import { isModelName } from './model/model-name.ts';
import type {
  AnySummarizer,
  AsyncSummarizer,
  AsyncTools,
  SummaryAnswer,
  SummaryRequest,
} from './summarizer.ts';

/** A cassette around a summarizer. */
export interface CassetteOptions {
  readonly folder: string;
  readonly mode: CassetteMode;
  /** Takes keys and machine paths out of everything that is stored. */
  readonly scrub: (text: string) => string;
  /** The server that answers during recording. */
  readonly recordedAgainst: string;
  /** True to put filler in the place of answers before they are stored or used. */
  readonly redacts?: boolean | undefined;
  /** True where answers are judged by their words, which filler does not have. */
  readonly needsWords?: boolean | undefined;
}

/** The state of a cassette. */
interface Deck extends CassetteOptions {
  readonly store: Store;
  /** Files that this cassette has recorded, or is recording. */
  readonly recording: Map<string, Promise<SummaryAnswer>>;
}

interface Call {
  readonly inner: AnySummarizer;
  readonly request: SummaryRequest;
  readonly tools: AsyncTools;
  readonly outline: RequestOutline;
}

/** The name of a cassette's mode. */
export type CassetteMode = (typeof CASSETTE_MODES)[number];

/** A request that was not found, and where it was looked for. */
interface Miss {
  readonly folder: string;
  readonly id: CallId;
  readonly outline: RequestOutline;
  readonly recordings: readonly Recording[];
}

interface Difference {
  readonly gone: readonly string[];
  readonly added: readonly string[];
}

/** A parsed cassette name: its folder, and the model it recorded. */
interface CassetteName {
  readonly folder: string;
  /** Absent where it is the recorded model. */
  readonly inner?: string;
}

/** When a cassette asks: where nothing is recorded, always, never; or it is left out. */
export const CASSETTE_MODES = ['auto', 'record', 'strict', 'off'] as const;

const SHOWN_LINES = 3;
const SHOWN_LENGTH = 160;

const CASSETTE_PREFIX = 'cassette:';

/** The summarizer with its calls recorded and replayed; under its own name, for the answers are its own. */
export function createCassette(inner: AnySummarizer, options: CassetteOptions): AnySummarizer {
  return onDeck(inner, options, record);
}

/** A summarizer that replays recordings and asks for the rest without writing. */
export function createPlayback(inner: AnySummarizer, options: CassetteOptions): AnySummarizer {
  const mode = options.mode === 'strict' ? 'auto' : options.mode;
  return onDeck(inner, { ...options, mode }, async (_deck, _id, { request, tools }) =>
    inner.summarise(request, tools),
  );
}

/** The model of a folder's recordings, where none is named; there must be exactly one. */
export function askedIn(folder: string, scrub: (text: string) => string): Asked {
  const recordings = openStore(folder, scrub).all();
  const known = new Map(
    recordings.map(({ request: { summarizer: name, settings } }) => [
      JSON.stringify([name, settings]),
      { name, settings },
    ]),
  );
  const [only, ...others] = known.values();
  if (only !== undefined && others.length === 0) return only;
  const names = [...new Set([...known.values()].map(({ name }) => quoted(name)))]
    .toSorted()
    .join(', ');
  throw badOption(
    only === undefined
      ? `Expected recorded calls in ${quoted(folder)}, found none.`
      : `Expected 'cassette:DIR=NAME' to say whose calls of ${quoted(folder)} are meant, of ${names}.`,
  );
}

/** A summarizer that must never be asked. */
export function createSilent({ name, settings }: Asked): AsyncSummarizer {
  return {
    name,
    isAsync: true,
    ...(settings && { settings }),
    summarise: () => Promise.reject(new TypeError(`Expected no call of ${name}.`)),
  };
}

/** Tests if a name is a cassette's. */
export function isCassetteName(name: string): boolean {
  return name.startsWith(CASSETTE_PREFIX);
}

/** The parts of `cassette:DIR=NAME`; `undefined` where it is no name of a cassette. */
export function parseCassette(name: string): CassetteName | undefined {
  if (!isCassetteName(name)) return undefined;
  const [folder = '', ...rest] = name.slice(CASSETTE_PREFIX.length).split('=');
  const inner = rest.join('=');
  if (folder === '') {
    throw badOption(
      `Expected the folder of a cassette as 'cassette:DIR' or 'cassette:DIR=NAME', got ${quoted(name)}.`,
    );
  }
  return { folder, ...(inner !== '' && { inner }) };
}

/** The name of a real model, also inside of a cassette. */
export function modelNameIn(name: string): string | undefined {
  const { inner = name } = parseCassette(name) ?? {};
  return isModelName(inner) ? inner : undefined;
}

/** A summarizer that is asked in some way what no recording answers. */
function onDeck(
  inner: AnySummarizer,
  options: CassetteOptions,
  ask: (deck: Deck, id: CallId, call: Call) => Promise<SummaryAnswer>,
): AnySummarizer {
  if (options.mode === 'off') return inner;
  const deck: Deck = {
    ...options,
    store: openStore(options.folder, options.scrub),
    recording: new Map(),
  };
  const asked = new WeakMap<AsyncTools, Map<string, number>>();
  return {
    name: inner.name,
    isAsync: true,
    ...(inner.isAsync && inner.settings && { settings: inner.settings }),
    summarise: async (request, tools) => {
      const { scrub, redacts: isRedacted } = deck;
      const outline = outlineOf(request, inner, { ...tools, scrub, isRedacted });
      const counts = asked.get(tools) ?? new Map<string, number>();
      asked.set(tools, counts);
      const nth = (counts.get(outline.key) ?? 0) + 1;
      counts.set(outline.key, nth);
      const id: CallId = { key: outline.key, repeat: tools.repeat ?? 1, nth };
      return replay(deck, id, outline) ?? ask(deck, id, { inner, request, tools, outline });
    },
  };
}

/** The recorded answer; nothing where the summarizer is to be asked. */
function replay(
  { mode, folder, store, recording, needsWords = false }: Deck,
  id: CallId,
  outline: RequestOutline,
): Promise<SummaryAnswer> | undefined {
  const own = recording.get(nameOf(id));
  if (own !== undefined || mode === 'record') return own;
  const found = store.find(id);
  if (found?.isRedacted && needsWords) throw withoutWords(folder);
  if (mode === 'strict') {
    if (found === undefined) throw missOf({ folder, id, outline, recordings: store.all() });
    return Promise.resolve(found.answer);
  }
  return found !== undefined && isLasting(found.answer) ? Promise.resolve(found.answer) : undefined;
}

function withoutWords(folder: string): HarnessError {
  return badOption(
    `Expected recorded answers with their words, because they are judged by these, got filler in ${quoted(folder)}. Record them without '--cassette-redact'.`,
  );
}

/** Says which recording comes nearest to a request that has none, and what differs, all in one line. */
function missOf({ folder, id, outline, recordings }: Miss): HarnessError {
  const what = `No recording of request ${nameOf(id)} (${outline.summarizer}, repeat ${id.repeat}) in ${quoted(folder)}`;
  return new HarnessError(
    'CASSETTE_MISS',
    `${what}. ${nearestOf(id, outline, recordings)} Record it with '--cassette-mode auto', or take the change back.`,
  );
}

function nearestOf(
  { repeat, nth }: CallId,
  outline: RequestOutline,
  recordings: readonly Recording[],
): string {
  if (recordings.length === 0) return 'The folder has no recordings at all.';
  const same = recordings.filter(({ request }) => request.key === outline.key);
  if (same.length > 0) {
    const known = same.map((recording) => `${recording.repeat}.${recording.nth}`).join(', ');
    return `The same request is recorded for repeat ${known}, not for ${repeat}.${nth}.`;
  }
  const wanted = linesOf(outline);
  const [first, ...others] = recordings.map((recording) => ({
    recording,
    difference: differenceOf(wanted, linesOf(recording.request)),
  }));
  const nearest = others.reduce(
    (best, other) => (size(other) < size(best ?? other) ? other : best),
    first,
  );
  if (nearest === undefined) return '';
  const { recording, difference } = nearest;
  const name = nameOf({ ...recording, key: recording.request.key });
  const sides = [
    ...listed('it has', difference.gone),
    ...listed('the request has', difference.added),
  ];
  return `Nearest is ${name}: ${sides.join(', ')}.`;
}

function linesOf(outline: RequestOutline): readonly string[] {
  const { summarizer, settings, outputCapTokens, system, prompt, messages } = outline;
  return [
    `summarizer: ${summarizer}`,
    ...Object.entries(settings).map(([key, value]) => `setting ${key}: ${value}`),
    `output cap: ${outputCapTokens ?? 'none'}`,
    ...system.map((line) => `system: ${line}`),
    ...prompt.map((line) => `prompt: ${line}`),
    ...messages.map((message, index) => `message ${index + 1}: ${message}`),
  ];
}

function differenceOf(wanted: readonly string[], recorded: readonly string[]): Difference {
  return { gone: without(recorded, wanted), added: without(wanted, recorded) };
}

/** Lines that have no partner among others, each of which is partner to one. */
function without(lines: readonly string[], others: readonly string[]): readonly string[] {
  const left = countEach(others);
  return lines.filter((line) => {
    const count = left.get(line) ?? 0;
    left.set(line, count - 1);
    return count <= 0;
  });
}

function size({ difference: { gone, added } }: { readonly difference: Difference }): number {
  return gone.length + added.length;
}

function listed(who: string, lines: readonly string[]): readonly string[] {
  if (lines.length === 0) return [];
  const shown = lines.slice(0, SHOWN_LINES).map((line) => quoted(line, SHOWN_LENGTH));
  const rest = lines.length - shown.length;
  return [`${who} ${shown.join(' and ')}${rest > 0 ? ` and ${rest} more` : ''}`];
}

/** Tests if an answer is worth keeping: an outage may pass, a request that is too large stays so. */
function isLasting(answer: SummaryAnswer): boolean {
  return answer.state === 'finished' || answer.isOverflow;
}

/** Asks and records; identical concurrent requests share one answer. */
function record(deck: Deck, id: CallId, call: Call): Promise<SummaryAnswer> {
  const name = nameOf(id);
  const answer = askAndStore(deck, id, call);
  deck.recording.set(name, answer);
  answer.catch(() => deck.recording.delete(name));
  return answer;
}

async function askAndStore(
  { store, recordedAgainst, redacts = false }: Deck,
  { repeat, nth }: CallId,
  { inner, request, tools, outline }: Call,
): Promise<SummaryAnswer> {
  const given = await inner.summarise(request, tools);
  const answer = redacts ? await redacted(given) : given;
  const recording: Recording = {
    version: VERSION,
    recordedAgainst,
    repeat,
    nth,
    request: outline,
    answer,
    ...(redacts && { isRedacted: true }),
  };
  return store.write(recording).answer;
}

/** Redaction brings a vocabulary, which only recordings of filler load. */
async function redacted(answer: SummaryAnswer): Promise<SummaryAnswer> {
  const { redactAnswer } = await import('./redact-answer.ts');
  return redactAnswer(answer);
}
