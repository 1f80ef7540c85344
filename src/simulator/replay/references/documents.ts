import type { Part } from '../../../engine/index.ts';
import type { Side, Source } from './reference.ts';

/** Where a content stands. */
export interface Place {
  readonly messageId: string;
  readonly part: Part;
  readonly side: Side;
  readonly step: number;
  readonly isFileRead: boolean;
  /** Whether the same call brings the content back. */
  readonly isRepeatable: boolean;
}

/** A piece of content and the newest place that it stands in. */
export interface Document {
  readonly number: number;
  place: Place;
  /** All parts that it stands in since a write made it useless the last time, the oldest first. */
  parts: Part[];
  /** A later write made it useless; then it is no source any more. */
  isStale: boolean;
  /** Terms that it holds, of those of which no other place of its part is the source. */
  terms: number[];
}

/** True tokens of one side of a part. */
export type Weigh = (part: Part, side: Side) => number;

/** The contents of a session so far, and which of those that are of use alone holds a term. */
export interface Documents {
  add(place: Place): Document;
  /** A content that was read again, and stands in a new place; what it holds has to be told anew if it was stale. */
  renew(document: Document, place: Place): void;
  /** A write made a content useless; gives the parts that it stands in. */
  spoil(document: Document): readonly Part[];
  /** Terms are numbers from 0 on that lie close together. */
  holds(document: Document, term: number): void;
  /** A term stands outside of all contents as well, so that none is the only one that holds it. */
  hasNoSource(term: number): void;
  /** The only content of use that holds a term; nothing where none or several do. */
  onlyWith(term: number): Document | undefined;
}

/** Who holds a term. */
interface Holders {
  /** Contents of use; without end where a term stands outside of all of them. */
  count: number;
  /** Their numbers added up: where there is one, its number. */
  numbers: number;
  /** The newest of them; a content is told as a whole before the next one. */
  newest: Document | undefined;
}

interface State {
  /** By their numbers, from 1 on. */
  readonly all: Document[];
  /** By their terms. */
  readonly holders: Holders[];
}

/** Contents, of which there are none yet. */
export function createDocuments(): Documents {
  const state: State = { all: [], holders: [] };
  return {
    add: (place) => addDocument(state, place),
    renew: (document, place) => {
      document.place = place;
      document.parts.push(place.part);
      document.isStale = false;
    },
    spoil: (document) => spoilDocument(state, document),
    holds: (document, term) => addHolder(holdersOf(state, term), document, term),
    hasNoSource: (term) => {
      holdersOf(state, term).count = Number.POSITIVE_INFINITY;
    },
    onlyWith: (term) => {
      const known = state.holders[term];
      return known?.count === 1 ? state.all[known.numbers - 1] : undefined;
    },
  };
}

/** The source that a content is just now. */
export function sourceOf({ number, place, parts }: Document, weigh: Weigh): Source {
  const { messageId, part, side, step, isFileRead, isRepeatable } = place;
  return {
    document: number,
    messageId,
    partId: part.id,
    parts,
    side,
    step,
    tokens: weigh(part, side),
    callTokens: isRepeatable ? weigh(part, 'said') : 0,
    isFileRead,
  };
}

function addDocument({ all }: State, place: Place): Document {
  const number = all.length + 1;
  const document = { number, place, parts: [place.part], isStale: false, terms: [] };
  all.push(document);
  return document;
}

function spoilDocument(state: State, document: Document): readonly Part[] {
  const { parts, terms } = document;
  document.parts = [];
  document.terms = [];
  document.isStale = true;
  for (const term of terms) release(holdersOf(state, term), document);
  return parts;
}

function holdersOf({ holders }: State, term: number): Holders {
  while (holders.length <= term) holders.push({ count: 0, numbers: 0, newest: undefined });
  return holders[term] as Holders;
}

function addHolder(known: Holders, document: Document, term: number): void {
  // What a call says of itself and its output says too stands in the call, which no prune clears.
  if (known.newest?.place.part === document.place.part) return;
  document.terms.push(term);
  known.count += 1;
  known.numbers += document.number;
  known.newest = document;
}

function release(holders: Holders, document: Document): void {
  holders.count -= 1;
  holders.numbers -= document.number;
  if (holders.newest === document) holders.newest = undefined;
}
