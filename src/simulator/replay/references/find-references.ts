import type {
  AssistantMessage,
  Message,
  Part,
  RenderPolicy,
  ToolPart,
} from '../../../engine/index.ts';
import type { TokenBasis } from '../../events.ts';
import { countEach, groupBy, keepIn } from '../../lib/collections.ts';
import type { PlantedFact } from '../../session/facts.ts';
import { outputOf } from '../../session/tool-calls.ts';
import { isChange } from '../../summarizer/extractive/touches.ts';
import { countPart, type CountText, countWritten } from '../count.ts';
import {
  type AskedFor,
  type CallRows,
  createCallRows,
  createTouches,
  findDeclared,
  type Holder,
  isRepeatable,
  type Touches,
} from './calls.ts';
import {
  callKey,
  givesSame,
  type Reference,
  type ReferenceKind,
  type References,
  saidTexts,
  type Side,
  type Source,
  type StaleOutput,
} from './reference.ts';
import { findStanding } from './standing.ts';
import { findWritten, type WrittenTerms } from './terms.ts';

/** Input of the search for references. */
interface ReferenceInput {
  /** Of the trace, in order. */
  readonly messages: readonly Message[];
  readonly facts: readonly PlantedFact[];
  /** The system prompt. Every request has it, so no part is the only source of names in it. */
  readonly system: string | undefined;
  readonly weigh: Weigh;
}

/** A search on its way through a session. */
interface Search {
  readonly weigh: Weigh;
  readonly documents: Documents;
  readonly written: WrittenTerms;
  /** The newest content that each call gave. */
  readonly byCall: Map<string, Document>;
  /** Contents by the part that they stand in. */
  readonly saidIn: Map<Part, Document>;
  readonly outputsIn: Map<Part, Document>;
  readonly touches: Touches;
  readonly readsOf: Map<string, Document[]>;
  readonly all: Reference[];
  readonly outputs: Map<string, string>;
  readonly staleAfter: Map<string, StaleOutput[]>;
  readonly reads: Map<string, number>;
  readonly rows: CallRows;
  step: number;
}

/** A step with the contents that were found to be needed by it. */
interface Needs {
  readonly message: AssistantMessage;
  readonly found: Map<Document, ReferenceKind>;
}

/** Inputs for finding the references of a trace. */
interface CompileReferencesOptions {
  /** Of the trace, in order. */
  readonly messages: () => readonly Message[];
  readonly facts: readonly PlantedFact[];
  /** The system prompt, where the recording has it. */
  readonly system: string | undefined;
  readonly basis: TokenBasis;
  readonly count: CountText;
  readonly render: RenderPolicy;
}

/** The position of a content. */
interface Place {
  readonly messageId: string;
  readonly part: Part;
  readonly side: Side;
  readonly step: number;
  readonly isFileRead: boolean;
  /** True if the same call brings the content back. */
  readonly isRepeatable: boolean;
}

/** A piece of content and its newest position. */
interface Document {
  readonly number: number;
  place: Place;
  /** All parts that contain it since a write last made it useless, oldest first. */
  parts: Part[];
  /** A later write made it useless; then it is no source any more. */
  isStale: boolean;
  /** Terms that it holds, of those of which no other place of its part is the source. */
  terms: number[];
}

/** True tokens of one side of a part. */
type Weigh = (part: Part, side: Side) => number;

/** The contents of a session so far, and which of those that are of use alone holds a term. */
interface Documents {
  add(place: Place): Document;
  /** Registers that a content was read again at a new place; a stale one is described anew. */
  renew(document: Document, place: Place): void;
  /** Marks a content as useless after a write; returns the parts that contain it. */
  spoil(document: Document): readonly Part[];
  /** Terms are numbers from 0 on that lie close together. */
  holds(document: Document, term: number): void;
  /** Registers that a term also occurs outside of all contents, so that none is its only source. */
  hasNoSource(term: number): void;
  /** The only content of use that holds a term; nothing where none or several do. */
  onlyWith(term: number): Document | undefined;
}

/** Who holds a term. */
interface Holders {
  /** Number of useful contents with the term; infinite where it occurs outside of all of them. */
  count: number;
  /** Their numbers added up: where there is one, its number. */
  numbers: number;
  /** The newest of them. */
  newest: Document | undefined;
}

interface State {
  /** By their numbers, from 1 on. */
  readonly all: Document[];
  /** By their terms. */
  readonly holders: Holders[];
}

/** The read state of text that was said: no read, and no call brings it back. */
const NO_READ = { isFileRead: false, isRepeatable: false } as const;

/** Finds the earlier content that each step of a session needs, in one pass over its texts. */
export function findReferences(input: ReferenceInput): References {
  const { messages, facts } = input;
  const declared = findDeclared(messages, facts);
  const search = startSearch(input);
  for (const message of messages) {
    if (message.role === 'user') search.rows.end();
    else {
      search.step += 1;
      addNeeds(search, message, declared.get(search.step) ?? []);
    }
    addContents(search, message);
  }
  search.rows.end();
  const { all, outputs, staleAfter, reads, rows } = search;
  return {
    messages,
    all,
    byMessage: groupBy(all, ({ messageId }) => messageId),
    partNumbers: numberParts(messages),
    outputs,
    staleAfter,
    reads,
    loops: rows.loops(countAsked(search)),
    standing: findStanding({ messages, facts, touches: search.touches }),
  };
}

/** Finds the references of a trace when they are asked for, once. */
export function compileReferences(options: CompileReferencesOptions): () => References {
  let known: References | undefined;
  return () => {
    const { messages, facts, system } = options;
    known ??= findReferences({ messages: messages(), facts, system, weigh: createWeigh(options) });
    return known;
  };
}

function startSearch({ messages, system, weigh }: ReferenceInput): Search {
  const [written, documents] = [findWritten(messages), createDocuments()];
  if (system !== undefined) written.findIn(system, (term) => documents.hasNoSource(term));
  return {
    weigh,
    written,
    documents,
    byCall: new Map(),
    saidIn: new Map(),
    outputsIn: new Map(),
    touches: createTouches(messages),
    readsOf: new Map(),
    all: [],
    outputs: new Map(),
    staleAfter: new Map(),
    reads: new Map(),
    rows: createCallRows(),
    step: 0,
  };
}

/** Contents, of which there are none yet. */
function createDocuments(): Documents {
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

function release(holders: Holders, document: Document): void {
  holders.count -= 1;
  holders.numbers -= document.number;
  if (holders.newest === document) holders.newest = undefined;
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

/** The strongest sign counts where several tell of the same content. */
function addNeeds(search: Search, message: AssistantMessage, declared: readonly Holder[]): void {
  const needs: Needs = { message, found: new Map() };
  for (const { part, side } of declared) {
    const known = side === 'said' ? search.saidIn : search.outputsIn;
    need(needs, known.get(part), 'declared');
  }
  const recalled = recalledIn(search, message);
  const callsOf = groupBy(recalled, (document) => document);
  for (const document of recalled) need(needs, document, 'recalled');
  for (const part of message.parts) addQuoted(search, needs, part);
  for (const [document, kind] of needs.found) {
    const source = sourceOf(document, search.weigh);
    const calls = callsOf.get(document)?.length;
    search.all.push({ step: search.step, messageId: message.id, kind, source, calls });
  }
}

function need({ found }: Needs, document: Document | undefined, kind: ReferenceKind): void {
  if (document !== undefined && !found.has(document)) found.set(document, kind);
}

/** Documents that the calls of a step return again, except files that an earlier call of the step has changed. */
function recalledIn(search: Search, { id, parts }: AssistantMessage): readonly Document[] {
  const changed = new Set<string>();
  return parts.flatMap((part) => {
    const touches = search.touches.of(part);
    const isSpoilt = touches.some(({ path }) => changed.has(path));
    for (const { path } of touches.filter(isChange)) changed.add(path);
    const recalled = isSpoilt ? undefined : recalledBy(search, part);
    if (part.type === 'tool') search.rows.add(id, part);
    return recalled ?? [];
  });
}

/** The document that a call returned before, if it returns the same again and nothing was written in between. */
function recalledBy(search: Search, part: Part): Document | undefined {
  const known = sameContent(search, part);
  return known?.isStale === false ? known : undefined;
}

/** The content that the same call gave the last time, if it gives the same. */
function sameContent({ byCall }: Search, part: Part): Document | undefined {
  if (part.type !== 'tool' || part.state.status !== 'completed') return undefined;
  const known = byCall.get(callKey(part));
  return known !== undefined && givesSame(known.place.part, part) ? known : undefined;
}

function addQuoted({ documents, written }: Search, needs: Needs, part: Part): void {
  for (const term of written.saidIn(part)) {
    need(needs, documents.onlyWith(term), 'quoted');
  }
}

/** The source that a content is just now. */
function sourceOf({ number, place, parts }: Document, weigh: Weigh): Source {
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

function addContents(search: Search, message: Message): void {
  for (const part of message.parts) addSaid(search, message, part);
  for (const part of message.parts) if (part.type === 'tool') addOutput(search, message, part);
}

function addSaid(search: Search, { id, role }: Message, part: Part): void {
  const texts = saidTexts(part);
  if (texts.length === 0) return;
  const step = role === 'user' ? search.step + 1 : search.step;
  const place = { messageId: id, part, side: 'said', step, ...NO_READ } as const;
  const document = search.documents.add(place);
  search.saidIn.set(part, document);
  if (role === 'user') for (const text of texts) remember(search, document, text);
  else for (const term of search.written.saidIn(part)) search.documents.holds(document, term);
}

function remember({ documents, written }: Search, document: Document, text: string): void {
  written.findIn(text, (term) => documents.holds(document, term));
}

function addOutput(search: Search, { id }: Message, part: ToolPart): void {
  const output = outputOf(part);
  if (output === undefined) return;
  search.outputs.set(part.id, output);
  const touches = search.touches.of(part);
  const readPaths = touches.flatMap(({ path, operation }) => (operation === 'read' ? path : []));
  const isFileRead = readPaths.length > 0;
  if (isFileRead) search.reads.set(id, (search.reads.get(id) ?? 0) + 1);
  const read = { isFileRead, isRepeatable: isRepeatable(part, touches) };
  const place = { messageId: id, part, side: 'output', step: search.step, ...read } as const;
  const same = sameContent(search, part);
  const document = same ?? search.documents.add(place);
  // While it was of no use, its words may have stood in another one alone.
  const isOfUseAnew = same === undefined || same.isStale;
  if (same !== undefined) search.documents.renew(same, place);
  if (isOfUseAnew) remember(search, document, output);
  search.outputsIn.set(part, document);
  if (part.state.status === 'completed') search.byCall.set(callKey(part), document);
  for (const path of readPaths) addRead(search, path, document);
  for (const path of touches.filter(isChange).map((touch) => touch.path)) spoil(search, id, path);
}

function addRead({ readsOf }: Search, path: string, document: Document): void {
  const known = readsOf.get(path);
  if (known === undefined) readsOf.set(path, [document]);
  else if (known.at(-1) !== document) known.push(document);
}

/** Marks earlier reads of a file as stale once it is written. */
function spoil({ readsOf, documents, staleAfter, weigh }: Search, messageId: string, path: string) {
  const spoilt = (readsOf.get(path) ?? []).flatMap((document) => documents.spoil(document));
  readsOf.delete(path);
  if (spoilt.length === 0) return;
  const known = keepIn(staleAfter, messageId, () => []);
  for (const part of spoilt) known.push({ partId: part.id, tokens: weigh(part, 'output') });
}

function numberParts(messages: readonly Message[]): ReadonlyMap<string, number> {
  const numbers = new Map<string, number>();
  for (const { parts } of messages) {
    for (const { id } of parts) if (!numbers.has(id)) numbers.set(id, numbers.size);
  }
  return numbers;
}

/** Counts repeated requests for the same content, from all references of the session. */
function countAsked({ all, outputsIn }: Search): AskedFor {
  const again = countEach(
    all.flatMap(({ source, calls = 0 }) => Array.from({ length: calls }, () => source.document)),
  );
  return (part) => {
    const document = outputsIn.get(part);
    return document === undefined ? 1 : 1 + (again.get(document.number) ?? 0);
  };
}

function createWeigh({ basis, count, render }: CompileReferencesOptions): Weigh {
  const scaled = (tokens: number) => Math.round(basis.factor * tokens);
  const saidTokens = (part: Part) => scaled(countWritten(part, { render, count }));
  return (part, side) => {
    if (part.type !== 'tool') return scaled(countPart(part, 'user', { render, count }));
    if (side === 'said') return saidTokens(part);
    return Math.max(0, scaled(countPart(part, 'assistant', { render, count })) - saidTokens(part));
  };
}
