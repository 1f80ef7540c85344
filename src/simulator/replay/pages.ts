import {
  type AssistantMessage,
  checkpointText,
  isCheckpoint,
  isSent,
  isSentAsIs,
  isWithout,
  type Message,
  type ModelContent,
  type ModelMessage,
  type Part,
  renderMessage,
  renderPart,
  type RenderPolicy,
  type ToolPart,
} from '../../engine/index.ts';
import type { TokenBasis } from '../events.ts';
import { type CheckSet, passedAlone } from '../provider/checks.ts';
import type { PromptBlock, Words } from '../provider/prompt.ts';
import { type CountText, createSizes, type SizeOf } from './count.ts';

/** A message as requests carry it. */
export interface Page extends CutMessage {
  /** The model messages that it becomes. */
  readonly rendering: readonly ModelMessage[];
  /** The checks of form that these pass by themselves. */
  readonly passed: CheckSet;
  /** The ids in them. */
  readonly ids: IdSpan;
}

/** The page that was made last for messages of some id. */
interface NewestPage {
  readonly message: Message;
  readonly page: Page;
}

/** The page of a message. */
export type PageOf = (message: Message) => Page;

/** The ids of calls and results in some messages, as the numbers of the first and the last of them. */
interface IdSpan {
  /** -1 where there is no id. */
  readonly first: number;
  /** -1 where there is no id. */
  readonly last: number;
}

/** Gives the span of messages. */
type SpanOf = (messages: readonly ModelMessage[]) => IdSpan;

/** What the true tokens of messages rest on. */
export interface Scale {
  readonly basis: TokenBasis;
  readonly count: CountText;
  readonly render: RenderPolicy;
}

/** A message as a prompt cache sees it. */
interface CutMessage {
  /** In the order in which they are sent: what it says and calls, then the results. */
  readonly blocks: readonly PromptBlock[];
  /** Bytes of what they hold, data URLs included. */
  readonly bytes: number;
}

/** Cuts a message into blocks. */
type CutOf = (message: Message) => CutMessage;

/** True tokens of a part, all of it and without the result of a tool, and its bytes. */
interface Weight {
  readonly whole: number;
  readonly said: number;
  readonly bytes: number;
  /** What it says; absent of a call, which is known again by its id. */
  readonly words: Words | undefined;
}

/** The span of messages without ids. */
export const NO_IDS: IdSpan = { first: -1, last: -1 };

/** The weight of a part that is not sent. */
const NOTHING: Weight = { whole: 0, said: 0, bytes: 0, words: undefined };
/** A message that is not sent. */
const UNSENT: CutMessage = { blocks: [], bytes: 0 };

/**
 * Makes pages of messages, of each content once. What policies add is made anew by each run: it has the page of what
 * came under its id last, where that says the same.
 */
export function createPages(scale: Scale): PageOf {
  const pages = new WeakMap<object, Page>();
  const newest = new Map<string, NewestPage>();
  const cutOf = createBlocks(scale);
  const spanOf = createSpans();
  return (message) => {
    const content = contentOf(message);
    const known = pages.get(content);
    if (known !== undefined) return known;
    const last = newest.get(message.id);
    if (last !== undefined && saysTheSame(last.message, message)) {
      // A run that waits for its summary may come back to it when others have gone on.
      pages.set(content, last.page);
      return last.page;
    }
    const page = createPage(message, { cutOf, spanOf, render: scale.render });
    pages.set(content, page);
    newest.set(message.id, { message, page });
    return page;
  };
}

/**
 * What a message says, as a key: the same in every run, although each run makes its messages anew. Of what
 * is sent in part only or in another form, the message itself.
 */
export function contentOf(message: Message): readonly Part[] | Message {
  return isSentAsIs(message) ? message.parts : message;
}

/**
 * Cuts messages into blocks. The same part gives the same block: a tool's call is known again by its id when its
 * result has been cleared.
 */
function createBlocks(scale: Scale): CutOf {
  const { basis, render } = scale;
  const weights = new WeakMap<Part, Weight>();
  const blocks = createBlockStore();
  const sizeOf = createSizes(scale.count);

  const weigh = (part: Part, role: Message['role']): Weight => {
    const known = weights.get(part);
    if (known !== undefined) return known;
    const weight = weighPart(renderPart(part, role, render), role, {
      factor: basis.factor,
      sizeOf,
    });
    weights.set(part, weight);
    return weight;
  };
  return (message) => {
    if (isCheckpoint(message, render)) {
      const content = { type: 'text', text: checkpointText(message, render) } as const;
      const { counted, bytes } = sizeOf(content);
      const tokens = Math.round(basis.factor * counted) + basis.perMessageTokens;
      return { blocks: [{ tokens, words: wordsOf(content, 'user') }], bytes };
    }
    if (!isSent(message)) return UNSENT;
    let bytes = 0;
    const said: PromptBlock[] = [];
    const results: PromptBlock[] = [];
    for (const part of message.parts) {
      const weight = weigh(part, message.role);
      if (weight === NOTHING) continue;
      bytes += weight.bytes;
      const fixed = said.length === 0 ? basis.perMessageTokens : 0;
      said.push(blocks.said(part, { tokens: weight.said + fixed, words: weight.words }));
      if (part.type === 'tool') results.push(blocks.result(part, weight.whole - weight.said));
    }
    return { blocks: [...said, ...results], bytes };
  };
}

/** Blocks that were made before, by what they hold. */
function createBlockStore() {
  const calls = new Map<string, PromptBlock>();
  const said = new WeakMap<object, PromptBlock>();
  const results = new WeakMap<Part, PromptBlock>();
  return {
    said: (part: Part, block: PromptBlock): PromptBlock => {
      // A call is not the same any more where a prune took something out of it.
      const isCall = part.type === 'tool' && !isWithout(part, 'input');
      const key = part.type === 'tool' ? inputOf(part) : part;
      const known = isCall ? calls.get(part.callId) : said.get(key);
      if (known?.tokens === block.tokens) return known;
      if (isCall) calls.set(part.callId, block);
      else said.set(key, block);
      return block;
    },
    result: (part: Part, tokens: number): PromptBlock => {
      const known = results.get(part);
      if (known?.tokens === tokens) return known;
      const block = { tokens };
      results.set(part, block);
      return block;
    },
  };
}

/** What stays the same of a call when its result is cleared. */
function inputOf(part: ToolPart): object {
  const { input } = part.state;
  return typeof input === 'object' && input !== null ? input : part;
}

/** Rounded once a part, so that a call and its result add up to the part. */
function weighPart(
  contents: readonly ModelContent[],
  role: Message['role'],
  { factor, sizeOf }: { readonly factor: number; readonly sizeOf: SizeOf },
): Weight {
  const [first] = contents;
  if (first === undefined) return NOTHING;
  let said = 0;
  let result = 0;
  let bytes = 0;
  for (const content of contents) {
    const size = sizeOf(content);
    bytes += size.bytes;
    if (content.type === 'tool-result') result += size.counted;
    else said += size.counted;
  }
  const whole = Math.round(factor * (said + result));
  const words = wordsOf(first, role);
  return { whole, said: Math.min(whole, Math.round(factor * said)), bytes, words };
}

function wordsOf(content: ModelContent, by: Message['role']): Words | undefined {
  switch (content.type) {
    case 'text':
    case 'reasoning':
      return { by, type: content.type, text: content.text };
    case 'file':
      return { by, type: content.mime, text: content.url };
    default:
      return undefined;
  }
}

/**
 * Numbers ids in the order in which it meets them, so that messages have no id in common of which the span of one
 * begins after that of the other.
 */
function createSpans(): SpanOf {
  const numbers = new Map<string, number>();
  const numberOf = (id: string): number => {
    const number = numbers.get(id) ?? numbers.size;
    numbers.set(id, number);
    return number;
  };
  return (messages) => {
    let { first, last } = NO_IDS;
    for (const { content } of messages) {
      for (const one of content) {
        if (one.type !== 'tool-call' && one.type !== 'tool-result') continue;
        const number = numberOf(one.callId);
        first = first === NO_IDS.first ? number : Math.min(first, number);
        last = Math.max(last, number);
      }
    }
    return { first, last };
  };
}

/** Whether two messages of one id are sent as the same, although each run made its own. Calls are the same only if they are one. */
function saysTheSame(one: Message, other: Message): boolean {
  return areOfOneKind(one, other) && areSameParts(one.parts, other.parts);
}

/** Of a step it depends on these which of its parts are sent, and in which form. */
function areOfOneKind(one: Message, other: Message): boolean {
  if (one.role === 'user' || other.role === 'user') return one.role === other.role;
  return (
    one.error?.name === other.error?.name &&
    one.summary === other.summary &&
    isFinished(one) === isFinished(other)
  );
}

function isFinished({ finish }: AssistantMessage): boolean {
  return finish !== undefined;
}

function areSameParts(some: readonly Part[], others: readonly Part[]): boolean {
  return (
    some.length === others.length && some.every((part, index) => isSamePart(part, others[index]))
  );
}

function isSamePart(part: Part, other: Part | undefined): boolean {
  if (part === other) return true;
  if (other === undefined || part.type === 'tool') return false;
  // What a marker keeps is not sent.
  if (part.type === 'compaction') return other.type === 'compaction' && part.id === other.id;
  const names = Object.keys(part) as (keyof Part)[];
  if (names.length !== Object.keys(other).length) return false;
  for (const name of names) if (part[name] !== other[name]) return false;
  return true;
}

function createPage(
  message: Message,
  {
    cutOf,
    spanOf,
    render,
  }: { readonly cutOf: CutOf; readonly spanOf: SpanOf; readonly render: RenderPolicy },
): Page {
  const { blocks, bytes } = cutOf(message);
  const rendering = renderMessage(message, render);
  return {
    blocks,
    bytes,
    rendering,
    passed: passedAlone(rendering),
    ids: spanOf(rendering),
  };
}
