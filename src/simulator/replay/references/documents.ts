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
}

/** True tokens of one side of a part. */
export type Weigh = (part: Part, side: Side) => number;

/** The contents of a session so far, and which of them alone holds a term. */
export interface Documents {
  add(place: Place): Document;
  /** A content that was read again, and stands in a new place. */
  renew(document: Document, place: Place): void;
  /** A write made a content useless; gives the parts that it stands in. */
  spoil(document: Document): readonly Part[];
  /** Terms are numbers from 0 on that lie close together. */
  holds(document: Document, term: number): void;
  /** A term stands outside of all contents as well, so that none is the only one that holds it. */
  hasNoSource(term: number): void;
  /** The only content that holds a term; nothing where none or several do. */
  onlyWith(term: number): Document | undefined;
}

const SEVERAL = 'several';

/** Contents, of which there are none yet. */
export function createDocuments(): Documents {
  const holders: (Document | typeof SEVERAL | undefined)[] = [];
  let count = 0;
  const holderOf = (term: number) => {
    while (holders.length <= term) holders.push(undefined);
    return holders[term];
  };
  return {
    add: (place) => {
      count += 1;
      return { number: count, place, parts: [place.part], isStale: false };
    },
    renew: (document, place) => {
      document.place = place;
      document.parts.push(place.part);
      document.isStale = false;
    },
    spoil: (document) => {
      const { parts } = document;
      document.parts = [];
      document.isStale = true;
      return parts;
    },
    holds: (document, term) => {
      const holder = holderOf(term);
      if (holder === undefined || (holder !== SEVERAL && holder.isStale)) holders[term] = document;
      else if (holder !== SEVERAL && !isSamePart(holder, document)) holders[term] = SEVERAL;
    },
    hasNoSource: (term) => {
      holderOf(term);
      holders[term] = SEVERAL;
    },
    onlyWith: (term) => {
      const holder = holders[term];
      return holder === SEVERAL ? undefined : holder;
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

/** What a call says of itself and its output says too stands in the call, which no prune clears. */
function isSamePart(one: Document, other: Document): boolean {
  return one.place.part === other.place.part;
}
