import type { Message, SummaryRequest } from '../../engine/index.ts';
import { type Fold, foldOver } from '../../engine/internal.ts';
import { keepIn } from '../lib/collections.ts';
import {
  extendPrefix,
  NO_BLOCKS,
  type Prefix,
  type Prompt,
  type PromptBlock,
} from '../provider/prompt.ts';
import { createPages, type PageOf, type Scale } from './pages.ts';

/** True tokens of requests. */
export interface Ledger {
  /** Everything that a request with this view holds: overhead, parts, cost per message. */
  contextTokens(view: readonly Message[]): number;
  /** The prompt of a request with this view, with cache marks behind the tools and behind the two newest messages. */
  prompt(view: readonly Message[]): SentPrompt;
  /** The prompt of a summary request: its system prompt takes the place of the overhead, and no tools are sent. */
  summaryPrompt(request: SummaryRequest): SentPrompt;
  /** A text on its own. */
  textTokens(text: string): number;
  readonly pageOf: PageOf;
}

/** A request as a prompt cache sees it. */
export interface SentPrompt extends Prompt {
  /** Bytes of its messages' content, data URLs included. */
  readonly bytes: number;
}

/** A ledger for one run under a session's token basis. */
export function createLedger(scale: Scale): Ledger {
  const { basis, count } = scale;
  const pageOf = createPages(scale);
  const steps = promptFold(basis.overheadTokens, pageOf);
  const summaries = new Map<string, Fold<Message, SentPrompt>>();

  const textTokens = (text: string) => Math.round(basis.factor * count(text));
  const summaryFold = (system: string) =>
    keepIn(summaries, system, () => promptFold(textTokens(system), pageOf));
  const questionOf = (prompt: string): PromptBlock => ({
    tokens: textTokens(prompt) + basis.perMessageTokens,
    words: { by: 'user', type: 'text', text: prompt },
  });

  return {
    textTokens,
    pageOf,
    contextTokens: (view) => foldOver(view, steps).whole.tokens,
    prompt: (view) => foldOver(view, steps),
    summaryPrompt: ({ system, messages, prompt }) =>
      extendPrompt(foldOver(messages, summaryFold(system)), [questionOf(prompt)], 0),
  };
}

/** A fold of messages into a prompt whose first block has the given tokens. */
function promptFold(firstTokens: number, pageOf: PageOf): Fold<Message, SentPrompt> {
  const whole = extendPrefix(NO_BLOCKS, [{ tokens: firstTokens }]);
  return {
    start: { whole, marks: [whole], bytes: 0 },
    add: (sent, message) => {
      const { blocks, bytes } = pageOf(message);
      return blocks.length === 0 ? sent : extendPrompt(sent, blocks, bytes);
    },
  };
}

function extendPrompt(sent: SentPrompt, blocks: readonly PromptBlock[], bytes: number): SentPrompt {
  const whole = extendPrefix(sent.whole, blocks);
  return { whole, marks: marksOf(sent, whole), bytes: sent.bytes + bytes };
}

/** Clients mark what never changes, and where the conversation ended before and ends now, as OpenCode does. */
function marksOf({ whole: before, marks }: Prompt, whole: Prefix): readonly Prefix[] {
  const first = marks[0] ?? before;
  return first === before ? [first, whole] : [first, before, whole];
}
