/** Records what real models answer, and replays it. */

import { badOption } from '../../lib/errors.ts';
import { quoted } from '../../lib/names.ts';
import type {
  AnySummarizer,
  AsyncSummarizer,
  AsyncTools,
  SummaryAnswer,
  SummaryRequest,
} from '../summarizer.ts';
import { missOf } from './miss.ts';
import { type Asked, outlineOf, type RequestOutline } from './outline.ts';
import { type Recording, VERSION } from './recording.ts';
import { type CallId, nameOf, openStore, type Store } from './store.ts';

/** A cassette around a summarizer. */
export interface CassetteOptions {
  readonly folder: string;
  readonly mode: CassetteMode;
  /** Takes keys and machine paths out of everything that is stored. */
  readonly scrub: (text: string) => string;
  /** What answers while it records. */
  readonly recordedAgainst: string;
}

/** What a cassette works with. */
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

/** When a cassette asks: where nothing is recorded, always, never; or it is left out. */
export const CASSETTE_MODES = ['auto', 'record', 'strict', 'off'] as const;

/** The name of a cassette's mode. */
export type CassetteMode = (typeof CASSETTE_MODES)[number];

/** The summarizer with its calls recorded and replayed; under its own name, for the answers are its own. */
export function createCassette(inner: AnySummarizer, options: CassetteOptions): AnySummarizer {
  return onDeck(inner, options, record);
}

/** The summarizer with what is recorded replayed; it is asked the rest, and nothing is written. */
export function createPlayback(inner: AnySummarizer, options: CassetteOptions): AnySummarizer {
  const mode = options.mode === 'strict' ? 'auto' : options.mode;
  return onDeck(inner, { ...options, mode }, async (_deck, _id, { request, tools }) =>
    inner.summarise(request, tools),
  );
}

/** Who the recordings of a folder are of, where nobody says: there has to be one answer. */
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

/** Stands for a summarizer that must never be asked. */
export function createSilent({ name, settings }: Asked): AsyncSummarizer {
  return {
    name,
    isAsync: true,
    ...(settings && { settings }),
    summarise: () => Promise.reject(new TypeError(`Expected no call of ${name}.`)),
  };
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
      const outline = outlineOf(request, inner, { ...tools, scrub: deck.scrub });
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
  { mode, folder, store, recording }: Deck,
  id: CallId,
  outline: RequestOutline,
): Promise<SummaryAnswer> | undefined {
  const own = recording.get(nameOf(id));
  if (own !== undefined || mode === 'record') return own;
  const found = store.find(id);
  if (mode === 'strict') {
    if (found === undefined) throw missOf({ folder, id, outline, recordings: store.all() });
    return Promise.resolve(found.answer);
  }
  return found !== undefined && isLasting(found.answer) ? Promise.resolve(found.answer) : undefined;
}

/** A provider that was down may be up again; what was too large stays so. */
function isLasting(answer: SummaryAnswer): boolean {
  return answer.state === 'finished' || answer.isOverflow;
}

/** Asks and records; whoever asks the same meanwhile waits for the same answer. */
function record(deck: Deck, id: CallId, call: Call): Promise<SummaryAnswer> {
  const name = nameOf(id);
  const answer = askAndStore(deck, id, call);
  deck.recording.set(name, answer);
  answer.catch(() => deck.recording.delete(name));
  return answer;
}

async function askAndStore(
  { store, recordedAgainst }: Deck,
  { repeat, nth }: CallId,
  { inner, request, tools, outline }: Call,
): Promise<SummaryAnswer> {
  const answer = await inner.summarise(request, tools);
  const recording: Recording = {
    version: VERSION,
    recordedAgainst,
    repeat,
    nth,
    request: outline,
    answer,
  };
  return store.write(recording).answer;
}
