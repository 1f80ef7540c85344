import {
  checkpointText,
  isCheckpoint,
  isSent,
  isWithout,
  type Message,
  type ModelContent,
  type Part,
  type RenderPolicy,
  renderPart,
  type ToolPart,
} from '../../engine/index.ts';
import type { TokenBasis } from '../events.ts';
import type { PromptBlock, Words } from '../provider/cache/prefix.ts';
import { createSizes, type SizeOf } from './content-size.ts';
import type { CountText } from './count.ts';

/** What the true tokens of messages rest on. */
export interface Scale {
  readonly basis: TokenBasis;
  readonly count: CountText;
  readonly render: RenderPolicy;
}

/** A message as a prompt cache sees it. */
export interface CutMessage {
  /** In the order in which they are sent: what it says and calls, then the results. */
  readonly blocks: readonly PromptBlock[];
  /** Bytes of what they hold, data URLs included. */
  readonly bytes: number;
}

/** Cuts a message into blocks. */
export type CutOf = (message: Message) => CutMessage;

/** True tokens of a part, all of it and without the result of a tool, and its bytes. */
interface Weight {
  readonly whole: number;
  readonly said: number;
  readonly bytes: number;
  /** What it says; absent of a call, which is known again by its id. */
  readonly words: Words | undefined;
}

/** The weight of a part that is not sent. */
const NOTHING: Weight = { whole: 0, said: 0, bytes: 0, words: undefined };
/** A message that is not sent. */
const UNSENT: CutMessage = { blocks: [], bytes: 0 };

/**
 * Cuts messages into blocks. The same part gives the same block: a tool's call is known again by its id when its
 * result has been cleared.
 */
export function createBlocks(scale: Scale): CutOf {
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

/** What stays the same of a call when its result is cleared. */
function inputOf(part: ToolPart): object {
  const { input } = part.state;
  return typeof input === 'object' && input !== null ? input : part;
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
