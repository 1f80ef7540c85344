import {
  type AssistantMessage,
  type Message,
  type Part,
  type ToolPart,
  isCompleted,
  plainToolName,
  CREATING_TOOLS,
  EDITING_TOOLS,
} from '../../../engine/index.ts';
import type { TokenBasis } from '../../events.ts';
import { countEach, groupBy, keepIn } from '../../lib/collections.ts';
import type { PlantedFact } from '../../session/facts.ts';
import { commandOf, outputOf, operationOf } from '../../session/tool-calls.ts';
import { countPart, type CountText, countWritten } from '../count.ts';
import {
  findActivity,
  isOutput,
  type NumberedPart,
  partOf,
  type Recorded,
  type Reference,
  type ReferenceKind,
  type References,
  type Side,
  sideOf,
  withUses,
} from './reference.ts';
import { createTouches, saidTexts, type Touches, type Written, writtenIn } from './calls.ts';
import { createPieces, type Pieces } from './texts.ts';
import { findStanding } from './named-items.ts';
import { isChange, isLooking, type FileTouch } from '../../session/shell.ts';

interface ReferenceInput {
  readonly messages: readonly Message[];
  readonly facts: readonly PlantedFact[];
  /** The system prompt. Every request has it, so nothing in it can be lost. */
  readonly system: string | undefined;
  readonly recorded?: Recorded | undefined;
  readonly weigh: (part: NumberedPart['part'], of: 'said' | 'output') => number;
}

interface CompileReferencesOptions extends Omit<ReferenceInput, 'messages' | 'weigh'> {
  readonly messages: () => readonly Message[];
  readonly basis: TokenBasis;
  readonly count: CountText;
}

interface Want {
  readonly kind: ReferenceKind;
  readonly pieces: readonly number[];
  readonly rule?: Rule | undefined;
  readonly path?: string | undefined;
  readonly isGivenBack?: boolean;
}

interface Rule {
  readonly isOwn: boolean;
  readonly share: number;
  readonly least: number;
  readonly most: number;
}

interface Search {
  readonly pieces: Pieces;
  readonly touches: Touches;
  readonly tools: ReadonlySet<string>;
  readonly facts: ReadonlyMap<number, readonly PlantedFact[]>;
}

interface Holdings extends Pick<References, 'parts' | 'partNumbers' | 'holders'> {
  readonly touches: Touches;
  readonly documents: Map<string, number>;
  readonly always: ReadonlySet<number>;
  readonly isCommon: Pieces['isCommon'];
}

const REMINDER =
  /<system-reminder>[\s\S]*?(?:<\/system-reminder>|$)|^<(?:path|type|content)>(?:.*<\/(?:path|type)>$)?|^<\/content>$/gm;

const ACTING_TOOLS: ReadonlySet<string> = new Set([
  ...CREATING_TOOLS,
  ...EDITING_TOOLS,
  ...[
    'applypatch task agent newtask spawnagent waitagent taskcreate taskupdate',
    'todowrite writetodos updateplan writestdin savememory question askuserquestion',
    'askfollowupquestion attemptcompletion exitplanmode finish submit',
  ].flatMap((words) => words.split(' ')),
]);

const GIT = /(?:^|[\s;&|(])git\s/;

/** Pieces that have to be missing: a share of those that count, between two numbers. */
const RULES: Readonly<Record<string, Rule>> & {
  readonly any: Rule;
  readonly again: Rule;
  readonly code: Rule;
} = {
  'given-back': { isOwn: true, share: 1 / 4, least: 2, most: 8 },
  again: { isOwn: false, share: 3 / 4, least: 2, most: Infinity },
  anchor: { isOwn: false, share: 1 / 5, least: 1, most: 2 },
  code: { isOwn: true, share: 0, least: 2, most: 2 },
  phrase: { isOwn: true, share: 0, least: 1, most: 1 },
  name: { isOwn: true, share: 0, least: 1, most: 1 },
  any: { isOwn: false, share: 0, least: 1, most: 1 },
};
const MIN_ANCHOR = 12;
const MIN_CODE = 32;
const SEARCH = /\b(?:grep|rg|ag|find|git|ls|awk)\b/;
/** Sides with less of what is needed, in shares of what another has, are no source. */
const SOURCE_SHARE = 1 / 2;
const MOST_FACTS = 1_000;

const WEAK: ReadonlySet<ReferenceKind> = new Set(['name', 'phrase']);

/** Finds the earlier content that each step of a session needs. */
export function findReferences(input: ReferenceInput): References {
  const { messages, facts, system, recorded, weigh } = input;
  const touches = createTouches(messages);
  const pieces = createPieces();
  const calls = messages.flatMap(({ parts: own }) => own.filter((part) => part.type === 'tool'));
  const tools = new Set(calls.map(({ tool }) => plainToolName(tool)));
  const search = { pieces, touches, tools, facts: neededFacts(facts) };
  const steps = findWants(search, messages);
  const { parts, partNumbers } = numberParts(messages);
  const piecesOf = parts.flatMap(({ part }) => {
    const shown = filesShownBy(part, touches);
    return [
      pieces.in(saidTexts(part).join('\n'), shown),
      pieces.in((part.type === 'tool' && outputOf(part)) || '', shown),
    ];
  });
  pieces.forget();
  const holders = holdersOf(piecesOf, pieces.size());
  const holdings: Holdings = {
    parts,
    partNumbers,
    holders,
    touches,
    documents: new Map(),
    always: new Set(system === undefined ? [] : pieces.in(system)),
    isCommon: pieces.isCommon,
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
    piecesIn: (text) => pieces.in(text),
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
  const { basis, count } = options;
  const scaled = (tokens: number) => Math.round(basis.factor * tokens);
  const weigh: ReferenceInput['weigh'] = (part, of) => {
    if (part.type !== 'tool') return scaled(countPart(part, 'user', { count }));
    const said = scaled(countWritten(part, count));
    if (of === 'said') return said;
    return Math.max(0, scaled(countPart(part, 'assistant', { count })) - said);
  };
  let known: References | undefined;
  return () => (known ??= findReferences({ ...options, messages: options.messages(), weigh }));
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

/** Tests if a call only shows files or folders, and tests or builds nothing. */
export function isReading(part: ToolPart): boolean {
  const operation = operationOf(part);
  if (operation !== undefined) return operation === 'read' || operation === 'searched';
  const command = commandOf(part);
  return command !== undefined && !GIT.test(command) && isLooking(command);
}

function findWants(search: Search, messages: readonly Message[]) {
  const steps: { message: AssistantMessage; step: number; wants: readonly Want[] }[] = [];
  const isRepeated = createRepeats(search.touches);
  for (const message of messages) {
    if (message.role !== 'assistant') continue;
    const step = steps.length + 1;
    const declared = (search.facts.get(step) ?? []).map((fact): Want => {
      const own = message.parts.find(
        (part) => part.type === 'tool' && outputOf(part)?.includes(fact.value),
      );
      const pieces = [search.pieces.fact(fact.value)];
      return { kind: 'declared', pieces, isGivenBack: own !== undefined };
    });
    const shown = message.parts.flatMap((part) =>
      isCompleted(part) ? wantsOfCall(search, part, isRepeated(part)) : [],
    );
    steps.push({ message, step, wants: [...declared, ...shown, ...wantsOfWords(search, message)] });
  }
  return steps;
}

function createRepeats(touches: Touches): (part: ToolPart) => boolean {
  const made = new Map<string, number>();
  let deeds = 0;
  return (part) => {
    const command = commandOf(part);
    const call = `${part.tool} ${command ?? JSON.stringify(part.state.input)}`;
    const is = made.get(call) === deeds && isRepeatable(part, touches.of(part));
    const isNew = command !== undefined && !isLooking(command) && !made.has(call);
    if (isNew || touches.of(part).some(isChange)) deeds += 1;
    made.set(call, deeds);
    return is;
  };
}

function wantsOfCall({ pieces, touches }: Search, part: ToolPart, isRepeated: boolean) {
  const wants: Want[] = [];
  const touched = touches.of(part).filter(({ operation }) => operation !== 'searched');
  const path = touched[0]?.path;
  const files = filesShownBy(part, touches);
  const of = files.length === 1 ? files[0] : undefined;
  if (isReading(part) || isRepeated) {
    const own = isRepeated ? { isBlind: true } : { of, isOwn: true };
    const lines = pieces.lines(withoutReminders(outputOf(part) ?? ''), own);
    const rule = isRepeated ? RULES.again : undefined;
    wants.push({ kind: 'given-back', pieces: lines, rule, path });
  }
  const anchors = writtenIn(part).anchors.join('\n');
  const replaced = pieces.lines(anchors, { of, minLength: MIN_ANCHOR });
  wants.push({ kind: 'anchor', pieces: replaced, path });
  // A file that the step creates is its own idea.
  for (const { path: file } of touched.filter(({ operation }) => operation !== 'created'))
    wants.push({ kind: 'path', pieces: pieces.fileNames(baseOf(file), true), path: file });
  return wants;
}

function wantsOfWords({ pieces, tools }: Search, { parts }: AssistantMessage): readonly Want[] {
  const written = parts.map(writtenIn);
  const all = (of: keyof Written) => written.flatMap((each) => each[of]);
  const said = [...all('prose'), ...all('code')].join('\n');
  const text = [said, ...all('commands')].join('\n');
  return [
    { kind: 'name', pieces: [...pieces.names(text, tools), ...pieces.fileNames(text)] },
    { kind: 'phrase', pieces: pieces.lines(said, { isOwn: true, isProse: true }) },
    {
      kind: 'phrase',
      pieces: pieces.lines(all('code').join('\n'), { isOwn: true, minLength: MIN_CODE }),
      rule: RULES.code,
    },
  ];
}

/** The files whose lines a call has, by their names; none where it may have lines of any. */
function filesShownBy(part: Part, touches: Touches): readonly string[] {
  const command = part.type === 'tool' ? commandOf(part) : undefined;
  if (command !== undefined && (SEARCH.test(command) || !isLooking(command))) return [];
  const touched = touches.of(part).filter(({ operation }) => operation !== 'searched');
  return [...new Set(touched.map(({ path }) => baseOf(path)))];
}

function neededFacts(facts: readonly PlantedFact[]): ReadonlyMap<number, readonly PlantedFact[]> {
  const needed = new Map<number, PlantedFact[]>();
  for (const fact of facts.slice(0, MOST_FACTS)) {
    for (const step of fact.neededAt) keepIn(needed, step, () => []).push(fact);
  }
  return needed;
}

function toReferences(
  { message, step, wants }: ReturnType<typeof findWants>[number],
  holdings: Holdings,
) {
  const before = sideOf(holdings.partNumbers.get(message.parts[0]?.id ?? '') ?? 0, 'said');
  return wants.flatMap((want) => {
    const { pieces, leastMissing } = heldPieces(want, holdings, before);
    if (pieces.length < leastMissing) return [];
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
      leastMissing,
      before,
      sources,
      isFile:
        call !== undefined &&
        holdings.touches.of(call).some(({ operation }) => operation === 'read'),
      call: want.isGivenBack === true ? undefined : call,
    };
  });
}

function heldPieces(
  { kind, pieces, rule = RULES[kind] ?? RULES.any }: Want,
  { holders, always, isCommon }: Holdings,
  before: Side,
): Pick<Reference, 'pieces' | 'leastMissing'> {
  const { isOwn, share, least, most } = rule;
  const own = isOwn ? pieces.filter((piece) => !isCommon(piece)) : pieces;
  const wanted = Math.min(most, Math.max(least, Math.ceil(share * own.length)));
  return {
    pieces: own.filter((piece) => (holders[piece]?.[0] ?? before) < before && !always.has(piece)),
    leastMissing: share === 0 ? least : Math.max(1, Math.min(wanted, own.length)),
  };
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

function newestHolders({ holders }: Holdings, pieces: readonly number[], before: Side) {
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

function holdersOf(piecesOf: readonly (readonly number[])[], size: number) {
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

/** Tests if the same call would return the same output again. */
function isRepeatable(part: Part, touches: readonly FileTouch[]): boolean {
  if (!isCompleted(part) || touches.some(isChange)) return false;
  return !ACTING_TOOLS.has(plainToolName(part.tool));
}

/** An output without notes of the harness. */
function withoutReminders(text: string): string {
  return text.includes('<') ? text.replace(REMINDER, '') : text;
}

/** The last name of a path. */
function baseOf(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}
