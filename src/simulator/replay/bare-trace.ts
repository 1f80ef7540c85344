import {
  type AssistantMessage,
  type FilePart,
  type Message,
  type Part,
  PATH_KEYS,
  renderPart,
  type ToolPart,
  type ToolState,
} from '../../engine/index.ts';
import { keepIn, sum } from '../lib/collections.ts';
import { isObject } from '../lib/json.ts';
import { isAllowedValue } from '../session/redact/allowed.ts';
import { outputOf } from '../session/tool-calls.ts';
import { countContent, type CountText, RECORDED } from './count.ts';
import { saidTexts } from './references/calls.ts';
import {
  type NumberedPart,
  type Reference,
  type References,
  type Side,
  sideOf,
  type Standing,
} from './references/reference.ts';
import type { PartSizes } from './sizes.ts';
import { messagesOf, type Trace, type TraceStep, type TraceTurn } from './trace.ts';

/** A trace without texts, as plain data: each text is an outline of its size. */
export interface BareTrace extends Omit<Trace, 'count' | 'references'> {
  readonly needs: BareNeeds;
  /** Counted tokens of parts that have no recorded size, in the order in which they are sent. */
  readonly counted: ReadonlyMap<Part, readonly number[]>;
}

interface BareNeeds
  extends Omit<References, 'messages' | 'piecesIn' | 'wordsOf' | 'tokensOf' | 'standing'> {
  readonly tokens: ReadonlyMap<Side, number>;
  readonly standing: Omit<Standing, 'itemsIn'>;
}

type Barer = ReturnType<typeof createBarer>;

interface Rewrite {
  readonly text: (text: string) => string;
  readonly url: (url: string) => string;
  readonly tool: (name: string) => string;
  readonly input: (input: unknown) => unknown;
}

type Fillers = ReturnType<typeof createFillers>;

interface Filled {
  readonly chars: number;
  readonly tokens: number;
  side?: Side;
}

const OUTLINE = '\0';
/** Each block has the number of its text, so that it is known again where a policy cuts it. */
const BLOCK_CHARS = 256;
const MARK = '\x7f';
const BLOCK = /\x7f\d+\.[~\n]*/g;
const NONE: readonly number[] = [];

const SCHEME = /^(?:data:[\w/+.-]{0,100}(?:;base64)?,|[a-z]+:)?/;
const OTHER_TOOL = 't';
const OTHER_ERROR = 'UnknownError';
/** The one argument that stands for all of a call that name no file. */
const REST = 'content';

/** A trace without its texts, and without the names of private tools unless these are to stay. */
export function toBare(trace: Trace, { keepsTools = false } = {}): BareTrace {
  const { count, references, ...rest } = trace;
  const barer = createBarer(count, { keepsTools });
  const turns = trace.turns.map((turn) => bareTurn(turn, barer));
  return {
    ...rest,
    session: '',
    turns,
    sizes: bareSizes(trace.sizes, barer),
    recordedCompactions: mapSummaries(trace, (summary) => barer.text(summary)),
    needs: bareNeeds(references(), barer),
    counted: countUnsized(trace, barer),
  };
}

/** The trace of a bare one, which it takes over, with texts of the same size. */
export function fromBare(bare: BareTrace, session: string, count: CountText): Trace {
  const { needs, counted, ...rest } = bare;
  const messages = messagesOf(rest.turns);
  const fillers = createFillers();
  for (const message of messages) fillMessage(message, fillers.fill);
  keepCounts(fillers, messages, counted);
  fillers.nameSides(needs.parts);
  const references: References = {
    ...needs,
    messages,
    piecesIn: (text) => fillers.carriedIn(text, needs.piecesOf),
    wordsOf: () => '',
    tokensOf: (side) => needs.tokens.get(side) ?? 0,
    standing: {
      ...needs.standing,
      itemsIn: (text) => fillers.carriedIn(text, needs.standing.itemsOf),
    },
  };
  return {
    ...rest,
    session,
    recordedCompactions: mapSummaries(bare, fillers.fill),
    count: (text) => fillers.count(text, count),
    references: () => references,
  };
}

/** The trace for runs whose summaries are made of no texts. */
export function withoutTexts(trace: Trace, count: CountText): Trace {
  return fromBare(toBare(trace, { keepsTools: true }), trace.session, count);
}

function mapSummaries(
  { recordedCompactions }: Pick<Trace, 'recordedCompactions'>,
  change: (summary: string) => string,
) {
  return recordedCompactions.map(({ summary, ...one }) =>
    summary === undefined ? one : { ...one, summary: change(summary) },
  );
}

/** Texts are known by the order in which they first come, which tells nothing of them. */
function createBarer(count: CountText, { keepsTools }: { readonly keepsTools: boolean }) {
  const numbers = new Map<string, number>();
  const names = new Map<string, string>();
  const parts = new Map<Part, Part>();
  const text = (given: string, otherChars?: number) => {
    if (given.trim() === '') return given;
    const number = keepIn(numbers, given, () => numbers.size + 1);
    const chars = otherChars ?? given.length;
    const escapes = otherChars === undefined ? JSON.stringify(given).length - chars - 2 : 0;
    return `${OUTLINE}${number} ${chars} ${escapes} ${count(given)}`;
  };
  const tool = (name: string) =>
    keepsTools || isAllowedValue('tool', name)
      ? name
      : keepIn(names, name, () => `${OTHER_TOOL}${names.size + 1}`.padEnd(name.length, '_'));
  const url = (given: string) => {
    const [scheme = ''] = SCHEME.exec(given) ?? [];
    return scheme + text(given.slice(scheme.length));
  };
  const rewrite: Rewrite = {
    text: (given) => text(given),
    url,
    tool,
    input: (given) => bareInput(given, text),
  };
  return { text, part: (part: Part) => keepIn(parts, part, () => rewritePart(part, rewrite)) };
}

function rewritePart(part: Part, { text, url, tool, input }: Rewrite): Part {
  const file = ({ url: address, filename, ...rest }: FilePart): FilePart => {
    const own = { ...rest, url: url(address) };
    return filename === undefined ? own : { ...own, filename: text(filename) };
  };
  const stateOf = (given: ToolState): ToolState => {
    const state = { ...given, input: input(given.input) };
    if (state.status === 'completed') {
      const { output, attachments } = state;
      const own = { ...state, output: text(output) };
      return attachments === undefined ? own : { ...own, attachments: attachments.map(file) };
    }
    if (state.status !== 'error') return state;
    const { error, partialOutput } = state;
    const own = { ...state, error: text(error) };
    return partialOutput === undefined ? own : { ...own, partialOutput: text(partialOutput) };
  };
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return { ...part, text: text(part.text) };
    case 'file':
      return file(part);
    case 'tool':
      return { ...part, tool: tool(part.tool), state: stateOf(part.state) };
    case 'subtask':
      return { ...part, prompt: text(part.prompt) };
    default:
      return { ...part };
  }
}

function bareInput(input: unknown, text: (text: string, chars?: number) => string): unknown {
  if (typeof input === 'string') return text(input);
  if (!isObject(input)) return input === undefined || input === null ? input : 0;
  const named = Object.entries(input).flatMap(([key, value]) =>
    PATH_KEYS.includes(key) && typeof value === 'string' ? [[key, value] as const] : [],
  );
  const json = JSON.stringify(input);
  const restLength =
    json.length - JSON.stringify({ ...Object.fromEntries(named), [REST]: '' }).length;
  return {
    ...Object.fromEntries(named.map(([key, value]) => [key, text(value)])),
    // Numbered by all of the input, since whoever looks for it looks for all.
    ...(restLength > 0 && { [REST]: text(json, restLength) }),
  };
}

function bareTurn({ message, steps }: TraceTurn, barer: Barer): TraceTurn {
  return {
    message: { ...message, parts: message.parts.map(barer.part) },
    steps: steps.map(
      (step): TraceStep => ({
        ...step,
        message: bareStep(step.message, barer),
        ...(step.resized && {
          resized: { ...step.resized, parts: bareSizes(step.resized.parts, barer) },
        }),
      }),
    ),
  };
}

function bareStep(message: AssistantMessage, { part, text }: Barer): AssistantMessage {
  const { error, parts } = message;
  return {
    ...message,
    parts: parts.map(part),
    ...(error && {
      error: {
        name: isAllowedValue('name', error.name) ? error.name : OTHER_ERROR,
        message: text(error.message),
      },
    }),
  };
}

function bareSizes(sizes: PartSizes, { part }: Barer): PartSizes {
  return new Map([...sizes].map(([one, size]) => [part(one), size]));
}

function bareNeeds(references: References, { part }: Barer): BareNeeds {
  const { all, parts, partNumbers, piecesOf, holders, activity, standing, tokensOf } = references;
  const needs = new Map(
    all.map((need): [Reference, Reference] => [
      need,
      need.call === undefined ? need : { ...need, call: part(need.call) as ToolPart },
    ]),
  );
  const own = (need: Reference) => needs.get(need) ?? need;
  const holding = piecesOf.flatMap((pieces, side) => (pieces.length === 0 ? [] : [side]));
  return {
    all: all.map(own),
    byMessage: new Map([...references.byMessage].map(([id, some]) => [id, some.map(own)])),
    parts: parts.map((one): NumberedPart => ({ ...one, part: part(one.part) })),
    partNumbers,
    piecesOf,
    holders,
    activity,
    tokens: new Map(holding.map((side) => [side, tokensOf(side)])),
    standing: {
      items: standing.items.map(({ id, kind }) => ({ id, kind, text: '' })),
      itemsOf: standing.itemsOf,
    },
  };
}

function countUnsized({ turns, sizes, count }: Trace, { part }: Barer): BareTrace['counted'] {
  const counted = new Map<Part, readonly number[]>();
  for (const { role, parts } of messagesOf(turns)) {
    for (const one of parts) {
      if (!sizes.has(one)) counted.set(part(one), textsOf(one, role).map(count));
    }
  }
  return counted;
}

function keepCounts(
  fillers: Fillers,
  messages: readonly Message[],
  counted: BareTrace['counted'],
): void {
  for (const { role, parts } of messages) {
    for (const part of parts) {
      const tokens = counted.get(part);
      if (tokens === undefined) continue;
      for (const [index, text] of textsOf(part, role).entries())
        fillers.keepCount(text, tokens[index] ?? 0);
    }
  }
}

function textsOf(part: Part, role: Message['role']): readonly string[] {
  const texts: string[] = [];
  for (const content of renderPart(part, role, RECORDED))
    countContent(content, (text) => texts.push(text));
  return texts;
}

/** Puts texts of their size in the place of outlines; parts stay the objects that others know. */
function fillMessage(message: Message, fill: Fillers['fill']): void {
  const input = (given: unknown) => {
    if (typeof given === 'string') return fill(given);
    if (!isObject(given)) return given;
    return Object.fromEntries(
      Object.entries(given).map(([key, value]) => [key, fill(String(value))]),
    );
  };
  const rewrite: Rewrite = { text: fill, url: fill, tool: (name) => name, input };
  for (const part of message.parts) Object.assign(part, rewritePart(part, rewrite));
  if (message.role === 'assistant' && message.error)
    Object.assign(message.error, { message: fill(message.error.message) });
}

function createFillers() {
  const filled = new Map<number, Filled>();
  const known = new Map<string, number>();
  return {
    fill: (outline: string) => fill(outline, { filled, known }),
    keepCount: (text: string, tokens: number) => void known.set(text, tokens),
    count: (text: string, count: CountText) => known.get(text) ?? countFilled(text, filled, count),
    nameSides: (parts: readonly NumberedPart[]) => nameSides(parts, filled),
    carriedIn: (text: string, bySide: readonly (readonly number[])[]) =>
      carriedIn(text, filled, bySide),
  };
}

function fill(
  outline: string,
  { filled, known }: { readonly filled: Map<number, Filled>; readonly known: Map<string, number> },
): string {
  const at = outline.indexOf(OUTLINE);
  if (at < 0) return outline;
  const [number = 0, chars = 0, escapes = 0, tokens = 0] = outline
    .slice(at + 1)
    .split(' ')
    .map(Number);
  keepIn(filled, number, (): Filled => ({ chars, tokens }));
  const start = `${MARK}${number}.`;
  const block = start + '~'.repeat(BLOCK_CHARS - start.length);
  const text = block.repeat(Math.ceil(chars / BLOCK_CHARS)).slice(0, chars);
  const filler = escapes > 0 ? escaped(text, escapes) : text;
  known.set(filler, tokens);
  return outline.slice(0, at) + filler;
}

function escaped(text: string, escapes: number): string {
  let left = escapes;
  return text.replace(/~+/g, (pad) => {
    const wide = Math.min(left, pad.length);
    left -= wide;
    return '\n'.repeat(wide) + pad.slice(wide);
  });
}

function nameSides(parts: readonly NumberedPart[], filled: ReadonlyMap<number, Filled>): void {
  for (const [number, { part }] of parts.entries()) {
    const output = part.type === 'tool' ? (outputOf(part) ?? '') : '';
    const texts = [
      [sideOf(number, 'said'), saidTexts(part).at(-1) ?? ''],
      [sideOf(number, 'output'), output],
    ] as const;
    for (const [side, text] of texts) {
      for (const { one } of fillersIn(text.slice(0, BLOCK_CHARS), filled)) one.side ??= side;
    }
  }
}

function fillersIn(text: string, filled: ReadonlyMap<number, Filled>) {
  const chars = new Map<Filled, number>();
  while (BLOCK.test(text)) {
    const start = text.lastIndexOf(MARK, BLOCK.lastIndex - 1);
    const one = filled.get(Number.parseInt(text.slice(start + 1, BLOCK.lastIndex), 10));
    if (one !== undefined) chars.set(one, (chars.get(one) ?? 0) + BLOCK.lastIndex - start);
  }
  return [...chars].map(([one, some]) => ({ one, chars: some }));
}

function carriedIn(
  text: string,
  filled: ReadonlyMap<number, Filled>,
  bySide: readonly (readonly number[])[],
): readonly number[] {
  const carried = fillersIn(text, filled).flatMap(({ one, chars }) => {
    const all = one.side === undefined ? NONE : (bySide[one.side] ?? NONE);
    return all.slice(0, Math.ceil((all.length * chars) / one.chars));
  });
  return [...new Set(carried)];
}

function countFilled(text: string, filled: ReadonlyMap<number, Filled>, count: CountText): number {
  const fillers = fillersIn(text, filled);
  if (fillers.length === 0) return count(text);
  const tokens = fillers.map(({ one, chars }) => (one.tokens * chars) / one.chars);
  return Math.round(sum(tokens)) + count(text.replace(BLOCK, ''));
}
