import {
  checkpointText,
  isCheckpoint,
  isSent,
  type Message,
  type Part,
  type RenderPolicy,
  renderPart,
} from '../../engine/index.ts';
import type { TokenBasis } from '../events.ts';
import type { PromptBlock } from '../provider/cache/prefix.ts';
import { countContent, type CountText } from './count.ts';

/** What the true tokens of messages rest on. */
export interface Scale {
  readonly basis: TokenBasis;
  readonly count: CountText;
  readonly render: RenderPolicy;
}

/** The blocks of a message in the order in which they are sent: what it says and calls, then the results. */
export type BlocksOf = (message: Message) => readonly PromptBlock[];

/** True tokens of a part: all of it, and without the result of a tool. */
interface Weight {
  readonly whole: number;
  readonly said: number;
}

/** The weight of a part that is not sent. */
const NOTHING: Weight = { whole: 0, said: 0 };

/**
 * Cuts messages into blocks. The same part gives the same block: a tool's call is known again by its id when its
 * result has been cleared.
 */
export function createBlocks(scale: Scale): BlocksOf {
  const { basis, render } = scale;
  const weights = new WeakMap<Part, Weight>();
  const blocks = createBlockStore();

  const weigh = (part: Part, role: Message['role']): Weight => {
    const known = weights.get(part);
    if (known !== undefined) return known;
    const weight = weighPart(part, role, scale);
    weights.set(part, weight);
    return weight;
  };
  return (message) => {
    if (isCheckpoint(message, render)) {
      const tokens = Math.round(basis.factor * scale.count(checkpointText(message)));
      return [{ tokens: tokens + basis.perMessageTokens }];
    }
    if (!isSent(message)) return [];
    const said: PromptBlock[] = [];
    const results: PromptBlock[] = [];
    for (const part of message.parts) {
      const weight = weigh(part, message.role);
      if (weight === NOTHING) continue;
      const fixed = said.length === 0 ? basis.perMessageTokens : 0;
      said.push(blocks.said(part, weight.said + fixed));
      if (part.type === 'tool') results.push(blocks.result(part, weight.whole - weight.said));
    }
    return [...said, ...results];
  };
}

/** Rounded once a part, so that a call and its result add up to the part. */
function weighPart(part: Part, role: Message['role'], { basis, render, count }: Scale): Weight {
  const contents = renderPart(part, role, render);
  if (contents.length === 0) return NOTHING;
  let said = 0;
  let result = 0;
  for (const content of contents) {
    const tokens = countContent(content, count);
    if (content.type === 'tool-result') result += tokens;
    else said += tokens;
  }
  const whole = Math.round(basis.factor * (said + result));
  return { whole, said: Math.min(whole, Math.round(basis.factor * said)) };
}

/** Blocks that were made before, by what they hold. */
function createBlockStore() {
  const calls = new Map<string, PromptBlock>();
  const said = new WeakMap<Part, PromptBlock>();
  const results = new WeakMap<Part, PromptBlock>();
  return {
    said: (part: Part, tokens: number): PromptBlock => {
      const known = part.type === 'tool' ? calls.get(part.callId) : said.get(part);
      if (known?.tokens === tokens) return known;
      const block = { tokens };
      if (part.type === 'tool') calls.set(part.callId, block);
      else said.set(part, block);
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
