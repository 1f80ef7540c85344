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
import { type CountText, countPart, countWritten } from './count.ts';

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
    const sent = message.parts.filter((part) => renderPart(part, message.role, render).length > 0);
    if (!isSent(message) || sent.length === 0) return [];
    const said = sent.map((part, index) => {
      const fixed = index === 0 ? basis.perMessageTokens : 0;
      return blocks.said(part, weigh(part, message.role).said + fixed);
    });
    const results = sent.flatMap((part) => {
      const { whole, said: called } = weigh(part, message.role);
      return part.type === 'tool' ? [blocks.result(part, whole - called)] : [];
    });
    return [...said, ...results];
  };
}

/** Rounded once a part, so that a call and its result add up to the part. */
function weighPart(part: Part, role: Message['role'], { basis, render, count }: Scale): Weight {
  const whole = Math.round(basis.factor * countPart(part, role, { render, count }));
  if (part.type !== 'tool') return { whole, said: whole };
  const said = Math.min(whole, Math.round(basis.factor * countWritten(part, { render, count })));
  return { whole, said };
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
