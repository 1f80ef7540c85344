import {
  type Fold,
  foldOver,
  type Message,
  type RenderPolicy,
  type SummaryRequest,
} from '../../engine/index.ts';
import type { TokenBasis } from '../events.ts';
import { extendPrefix, NO_BLOCKS, type PromptBlock } from '../provider/cache/prefix.ts';
import type { Prompt } from '../provider/cache/prompt.ts';
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
  const steps = promptFold(overheadTokens, blocksOf);
  const summaries = new Map<string, Fold<Message, Prompt>>();

  const textTokens = (text: string) => Math.round(factor * count(text));
  const summaryFold = (system: string) => {
    const fold = summaries.get(system) ?? promptFold(textTokens(system), blocksOf);
    summaries.set(system, fold);
    return fold;
  };
  const summaryPrompt = ({ system, messages, prompt }: SummaryRequest) => {
    const asked = { tokens: textTokens(prompt) + perMessageTokens };
    return extendPrompt(foldOver(messages, summaryFold(system)), [asked]);
  };

  return {
    textTokens,
    bytes: createByteCount(render),
    contextTokens: (view) => foldOver(view, steps).whole.tokens,
    prompt: (view) => foldOver(view, steps),
    summaryInputTokens: (request) => summaryPrompt(request).whole.tokens,
    summaryPrompt,
  };
}

/** What messages add to a first block of that many tokens. */
function promptFold(firstTokens: number, blocksOf: BlocksOf): Fold<Message, Prompt> {
  const first = extendPrefix(NO_BLOCKS, [{ tokens: firstTokens }]);
  return {
    start: { whole: first, marks: [first] },
    add: (prompt, message) => {
      const added = blocksOf(message);
      return added.length === 0 ? prompt : extendPrompt(prompt, added);
    },
  };
}

/** Clients mark what never changes, and where the conversation ended before and ends now, as OpenCode does. */
function extendPrompt(prompt: Prompt, added: readonly PromptBlock[]): Prompt {
  const [first = prompt.whole] = prompt.marks;
  const whole = extendPrefix(prompt.whole, added);
  return { whole, marks: first === prompt.whole ? [first, whole] : [first, prompt.whole, whole] };
}
