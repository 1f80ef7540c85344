import {
  type Fold,
  foldOver,
  growAll,
  type Message,
  type RenderPolicy,
  type SummaryRequest,
} from '../../engine/index.ts';
import type { TokenBasis } from '../events.ts';
import type { Prompt, PromptBlock } from '../provider/cache/prompt.ts';
import { type BlocksOf, createBlocks } from './blocks.ts';
import { createByteCount } from './bytes.ts';
import type { CountText } from './count.ts';

/** True tokens of what a request holds. Each part is counted once in each of its forms. */
export interface Ledger {
  /** Everything that a request with this view holds: overhead, parts, cost per message. */
  contextTokens(view: readonly Message[]): number;
  /** The same as a prompt cache sees it, with marks behind the tools and behind the two newest messages. */
  prompt(view: readonly Message[]): Prompt;
  /** What a summary request holds: its system prompt stands for the overhead, and no tools go with it. */
  summaryInputTokens(request: SummaryRequest): number;
  /** The same as a prompt cache sees it. */
  summaryPrompt(request: SummaryRequest): Prompt;
  /** Bytes of the messages' content, data URLs included. */
  bytes(view: readonly Message[]): number;
  /** A text on its own. */
  textTokens(text: string): number;
}

/** A ledger over a session's token basis. */
export function createLedger(basis: TokenBasis, count: CountText, render: RenderPolicy): Ledger {
  const { factor, perMessageTokens, overheadTokens } = basis;
  const blocksOf = createBlocks({ basis, count, render });
  const overhead: PromptBlock = { tokens: overheadTokens };
  const systems = new Map<string, PromptBlock>();

  const textTokens = (text: string) => Math.round(factor * count(text));
  const systemBlock = (system: string) => {
    const block = systems.get(system) ?? { tokens: textTokens(system) };
    systems.set(system, block);
    return block;
  };
  const promptTokens = (prompt: string) => textTokens(prompt) + perMessageTokens;
  const viewTokens = tokenFold(blocksOf);
  const sent = sentFold(overhead, blocksOf);

  return {
    textTokens,
    bytes: createByteCount(render),
    contextTokens: (view) => overheadTokens + foldOver(view, viewTokens),
    prompt: (view) => toPrompt(foldOver(view, sent)),
    summaryInputTokens: ({ system, messages, prompt }) =>
      systemBlock(system).tokens + foldOver(messages, viewTokens) + promptTokens(prompt),
    summaryPrompt: ({ system, messages, prompt }) => {
      const { blocks } = foldOver(messages, sentFold(systemBlock(system), blocksOf));
      const asked = { tokens: promptTokens(prompt) };
      return toPrompt({ blocks: growAll(blocks, [asked]), newest: 1 });
    },
  };
}

/** What is sent, and how many of the blocks are those of the newest message. */
interface Sent {
  readonly blocks: readonly PromptBlock[];
  readonly newest: number;
}

function tokenFold(blocksOf: BlocksOf): Fold<Message, number> {
  return {
    start: 0,
    add: (total, message) => {
      let tokens = total;
      for (const block of blocksOf(message)) tokens += block.tokens;
      return tokens;
    },
  };
}

function sentFold(first: PromptBlock, blocksOf: BlocksOf): Fold<Message, Sent> {
  return {
    start: { blocks: [first], newest: 0 },
    add: (sent, message) => {
      const added = blocksOf(message);
      if (added.length === 0) return sent;
      return { blocks: growAll(sent.blocks, added), newest: added.length };
    },
  };
}

/** Clients mark what never changes and where the conversation ends, as OpenCode does. */
function toPrompt({ blocks, newest }: Sent): Prompt {
  const { length } = blocks;
  if (newest === 0) return { blocks, breakpoints: [1] };
  return {
    blocks,
    breakpoints: length - newest === 1 ? [1, length] : [1, length - newest, length],
  };
}
