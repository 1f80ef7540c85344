import {
  type AssistantMessage,
  type Message,
  type RenderPolicy,
  type ToolPart,
  isCompleted,
  plainToolName,
} from '../../../engine/index.ts';
import type { TokenBasis } from '../../events.ts';
import { countEach, groupBy, keepIn } from '../../lib/collections.ts';
import type { PlantedFact } from '../../session/facts.ts';
import { outputOf } from '../../session/tool-calls.ts';
import { countPart, type CountText, countWritten } from '../count.ts';
import { findActivity } from './activity.ts';
import {
  commentsIn,
  isReading,
  isRepeatable,
  saidTexts,
  type Written,
  writtenIn,
} from './calls.ts';
import { createPieces, NO_PIECE, type Pieces } from './pieces.ts';
import {
  isOutput,
  type NumberedPart,
  partOf,
  type Reference,
  type ReferenceKind,
  type References,
  type Side,
  sideOf,
} from './reference.ts';
import { findStanding } from './named-items.ts';
import { type Recorded, withUses } from './recorded-uses.ts';
import { baseOf, withoutReminders } from './texts.ts';
import { createTouches, type Touches } from './touches.ts';

interface ReferenceInput {
  readonly messages: readonly Message[];
  readonly facts: readonly PlantedFact[];
  /** The system prompt. Every request has it, so nothing in it can be lost. */
  readonly system: string | undefined;
  /** The recording's own compactions; absent for none. */
  readonly recorded?: Recorded | undefined;
  /** True tokens of a text or call, or of an output. */
  readonly weigh: (part: NumberedPart['part'], of: 'said' | 'output') => number;
}

interface CompileReferencesOptions extends Omit<ReferenceInput, 'messages' | 'weigh'> {
  readonly messages: () => readonly Message[];
  readonly basis: TokenBasis;
  readonly count: CountText;
  readonly render: RenderPolicy;
}

interface Want {
  readonly kind: ReferenceKind;
  readonly pieces: readonly number[];
  readonly leastMissing: number;
  readonly path?: string | undefined;
  readonly isGivenBack?: boolean;
}

interface Search {
  readonly pieces: Pieces;
  readonly touches: Touches;
  readonly tools: ReadonlySet<string>;
  readonly facts: ReadonlyMap<number, readonly PlantedFact[]>;
}

interface WantingStep {
  readonly message: AssistantMessage;
  readonly step: number;
  readonly wants: readonly Want[];
}

interface Holdings extends Pick<References, 'parts' | 'partNumbers' | 'holders'> {
  readonly touches: Touches;
  readonly documents: Map<string, number>;
  readonly always: ReadonlySet<number>;
}

/** Least lines of a call that can give something back. */
const MIN_GIVEN_LINES = 3;
/** Phrases in a row: ten words of prose, fourteen of code. */
const PROSE_PHRASES = 1;
const CODE_PHRASES = 5;
const MIN_ANCHOR = 16;
const ANCHOR_LINES = 2;
const ANCHOR_SHARE = 1 / 4;
/** Sides with less of what is needed, in shares of what another has, are no source. */
const SOURCE_SHARE = 1 / 2;
const MOST_FACTS = 1_000;

const WEAK: ReadonlySet<ReferenceKind> = new Set(['name', 'phrase']);

/** Finds the earlier content that each step of a session needs. */
export function findReferences(input: ReferenceInput): References {
  const { messages, facts, system, recorded, weigh } = input;
  const touches = createTouches(messages);
  const pieces = createPieces();
  const steps = findWants(
    {
      pieces,
      touches,
      tools: toolsOf(messages),
      facts: neededFacts(facts),
    },
    messages,
  );
  const { parts, partNumbers } = numberParts(messages);
  const piecesOf = parts.flatMap(({ part }) => [
    pieces.in(saidTexts(part).join('\n')),
    pieces.in((part.type === 'tool' && outputOf(part)) || ''),
  ]);
  const holders = holdersOf(piecesOf, pieces.size());
  const holdings: Holdings = {
    parts,
    partNumbers,
    holders,
    touches,
    documents: new Map(),
    always: new Set(system === undefined ? [] : pieces.in(system)),
  };
  const needs = steps.flatMap((step) => toReferences(step, holdings));
  const all = withUses(needs, { ...holdings, messages, recorded });
  const tokens: number[] = [];
  return {
    messages,
    all,
    byMessage: groupBy(all, ({ messageId }) => messageId),
    parts,
    partNumbers,
    piecesOf,
    holders,
    piecesIn: pieces.in,
    wordsOf: pieces.wordsOf,
    tokensOf: (side) => {
      const part = parts[partOf(side)]?.part;
      return (tokens[side] ??=
        part === undefined ? 0 : weigh(part, isOutput(side) ? 'output' : 'said'));
    },
    activity: findActivity(messages, { touches, partNumbers, weigh }),
    standing: findStanding({ messages, facts, touches, partNumbers }),
  };
}

/** Finds the references of a trace when they are asked for, once. */
export function compileReferences(options: CompileReferencesOptions): () => References {
  let known: References | undefined;
  return () => {
    const messages = options.messages();
    known ??= findReferences({ ...options, messages, weigh: createWeigh(options) });
    return known;
  };
}

/** Earlier sides with some pieces, those with most of them first and then the newest. */
export function holdersBefore(
  { holders }: Pick<References, 'holders'>,
  pieces: readonly number[],
  before: Side,
): readonly Side[] {
  const counts = new Map<Side, number>();
  for (const piece of pieces) {
    for (const side of holders[piece] ?? []) {
      if (side >= before) break;
      counts.set(side, (counts.get(side) ?? 0) + 1);
    }
  }
  return mostFirst(counts);
}

function findWants(search: Search, messages: readonly Message[]): readonly WantingStep[] {
  const steps: WantingStep[] = [];
  for (const message of messages) {
    if (message.role !== 'assistant') continue;
    const step = steps.length + 1;
    const declared = (search.facts.get(step) ?? []).map((fact): Want => {
      const own = message.parts.find(
        (part) => part.type === 'tool' && outputOf(part)?.includes(fact.value),
      );
      return {
        kind: 'declared',
        pieces: [search.pieces.fact(fact.value)],
        leastMissing: 1,
        isGivenBack: own !== undefined,
      };
    });
    const shown = message.parts.flatMap((part) =>
      isCompleted(part) ? wantsOfCall(search, part) : [],
    );
    steps.push({ message, step, wants: [...declared, ...shown, ...wantsOfWords(search, message)] });
  }
  return steps;
}

function wantsOfCall({ pieces, touches }: Search, part: ToolPart): readonly Want[] {
  const wants: Want[] = [];
  const touched = touches.of(part).filter(({ operation }) => operation !== 'searched');
  const path = touched[0]?.path;
  if (isReading(part)) {
    const lines = pieces.lines(withoutReminders(outputOf(part) ?? ''));
    const leastMissing = Math.ceil(lines.length / 2);
    if (lines.length >= MIN_GIVEN_LINES)
      wants.push({ kind: 'given-back', pieces: lines, leastMissing, path });
  }
  const anchors = pieces.lines(writtenIn(part).anchors.join('\n'), MIN_ANCHOR);
  if (anchors.length > 0) {
    const leastMissing = Math.min(ANCHOR_LINES, Math.ceil(anchors.length * ANCHOR_SHARE));
    wants.push({ kind: 'anchor', pieces: anchors, leastMissing, path });
  }
  // A file that the step creates is its own idea.
  for (const touch of touched.filter(({ operation }) => operation !== 'created')) {
    const file = pieces.fileName(baseOf(touch.path));
    if (file !== NO_PIECE)
      wants.push({ kind: 'path', pieces: [file], leastMissing: 1, path: touch.path });
  }
  return wants;
}

function wantsOfWords({ pieces, tools }: Search, { parts }: AssistantMessage): readonly Want[] {
  const written = parts.map(writtenIn);
  const all = (of: keyof Written) => written.flatMap((each) => each[of]);
  const names = pieces.names([...all('prose'), ...all('code'), ...all('commands')], tools);
  return [
    { kind: 'name', pieces: names, leastMissing: 1 },
    {
      kind: 'phrase',
      pieces: pieces.phrases([...all('prose'), ...all('code').map(commentsIn)]),
      leastMissing: PROSE_PHRASES,
    },
    { kind: 'phrase', pieces: pieces.phrases(all('code')), leastMissing: CODE_PHRASES },
  ];
}

function neededFacts(facts: readonly PlantedFact[]): ReadonlyMap<number, readonly PlantedFact[]> {
  const needed = new Map<number, PlantedFact[]>();
  for (const fact of facts.slice(0, MOST_FACTS)) {
    for (const step of fact.neededAt) keepIn(needed, step, () => []).push(fact);
  }
  return needed;
}

function toolsOf(messages: readonly Message[]): ReadonlySet<string> {
  const parts = messages.flatMap((message) => message.parts);
  return new Set(parts.flatMap((part) => (part.type === 'tool' ? [plainToolName(part.tool)] : [])));
}

function toReferences(
  { message, step, wants }: WantingStep,
  holdings: Holdings,
): readonly Omit<Reference, 'use' | 'content'>[] {
  const before = sideOf(holdings.partNumbers.get(message.parts[0]?.id ?? '') ?? 0, 'said');
  return wants.flatMap((want) => {
    const pieces = heldPieces(want, holdings, before);
    if (pieces.length < want.leastMissing) return [];
    const sources = newestHolders(holdings, pieces, before);
    const [source] = sources;
    if (source === undefined) return [];
    const call = callFor(want, sources, { holdings, before });
    const isRecoverable = want.kind === 'declared' ? call !== undefined : !WEAK.has(want.kind);
    return {
      step,
      messageId: message.id,
      kind: want.kind,
      document: documentOf(want, source, holdings),
      isRecoverable,
      pieces,
      leastMissing: want.leastMissing,
      before,
      sources,
      isFile:
        call !== undefined &&
        holdings.touches.of(call).some(({ operation }) => operation === 'read'),
      call: want.isGivenBack === true ? undefined : call,
    };
  });
}

/** Phrases keep their gaps, so that rows of them can be found. */
function heldPieces(
  { kind, pieces }: Want,
  { holders, always }: Holdings,
  before: Side,
): readonly number[] {
  const isHeld = (piece: number) => (holders[piece]?.[0] ?? before) < before && !always.has(piece);
  if (kind !== 'phrase') return pieces.filter(isHeld);
  const held = pieces.map((piece) => (isHeld(piece) ? piece : NO_PIECE));
  return held.some((piece) => piece !== NO_PIECE) ? held : [];
}

function callFor(
  { kind, path }: Want,
  sources: readonly Side[],
  { holdings, before }: { readonly holdings: Holdings; readonly before: Side },
): ToolPart | undefined {
  if (kind === 'given-back' || WEAK.has(kind)) return undefined;
  const { parts, touches } = holdings;
  for (const source of sources) {
    const part = parts[partOf(source)]?.part;
    if (isOutput(source) && part?.type === 'tool' && isRepeatable(part, touches.of(part)))
      return part;
  }
  if (kind !== 'anchor' || path === undefined) return undefined;
  const earlier = touches.readsOf(path).filter((part) => {
    return sideOf(holdings.partNumbers.get(part.id) ?? before, 'said') < before;
  });
  return earlier.at(-1);
}

function newestHolders(
  { holders }: Holdings,
  pieces: readonly number[],
  before: Side,
): readonly Side[] {
  const counts = countEach(
    pieces.flatMap((piece) => holders[piece]?.findLast((side) => side < before) ?? []),
  );
  const least = SOURCE_SHARE * Math.max(...counts.values());
  return mostFirst(counts).filter((side) => (counts.get(side) ?? 0) >= least);
}

function mostFirst(counts: ReadonlyMap<Side, number>): readonly Side[] {
  return [...counts]
    .toSorted(([side, count], [another, other]) => other - count || another - side)
    .map(([side]) => side);
}

function documentOf({ kind, path }: Want, source: Side, { documents }: Holdings): number {
  const key = path === undefined ? `side ${source}` : `${kind === 'path' ? kind : 'file'} ${path}`;
  return keepIn(documents, key, () => documents.size + 1);
}

function holdersOf(
  piecesOf: readonly (readonly number[])[],
  size: number,
): readonly (readonly Side[])[] {
  const holders: Side[][] = Array.from({ length: size }, () => []);
  for (const [side, pieces] of piecesOf.entries()) {
    for (const piece of pieces) holders[piece]?.push(side);
  }
  return holders;
}

function numberParts(messages: readonly Message[]): Pick<References, 'parts' | 'partNumbers'> {
  const parts: NumberedPart[] = [];
  const partNumbers = new Map<string, number>();
  let step = 0;
  for (const message of messages) {
    if (message.role === 'assistant') step += 1;
    const own = message.role === 'assistant' ? step : step + 1;
    for (const part of message.parts) {
      if (partNumbers.has(part.id)) continue;
      partNumbers.set(part.id, parts.length);
      parts.push({ part, messageId: message.id, step: own });
    }
  }
  return { parts, partNumbers };
}

function createWeigh({ basis, count, render }: CompileReferencesOptions): ReferenceInput['weigh'] {
  const scaled = (tokens: number) => Math.round(basis.factor * tokens);
  return (part, of) => {
    if (part.type !== 'tool') return scaled(countPart(part, 'user', { render, count }));
    const said = scaled(countWritten(part, { render, count }));
    if (of === 'said') return said;
    return Math.max(0, scaled(countPart(part, 'assistant', { render, count })) - said);
  };
}
