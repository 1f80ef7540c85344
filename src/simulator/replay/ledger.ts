import {
  type Fold,
  foldOver,
  type Message,
  type RenderPolicy,
  type SummaryRequest,
} from '../../engine/index.ts';
import type { TokenBasis } from '../events.ts';
import { extendPrefix, NO_BLOCKS } from '../provider/cache/prefix.ts';
import type { Prompt } from '../provider/cache/prompt.ts';
import { createBlocks } from './blocks.ts';
import type { CountText } from './count.ts';
import { createPages, type Page, type PageOf } from './pages.ts';

/** A prompt with the bytes of its messages' content, data URLs included. */
export interface SentPrompt extends Prompt {
  readonly bytes: number;
}

/** True tokens of what a request holds. Each part is counted once in each of its forms. */
export interface Ledger {
  /** Everything that a request with this view holds: overhead, parts, cost per message. */
  contextTokens(view: readonly Message[]): number;
  /** The same as a prompt cache sees it, with marks behind the tools and behind the two newest messages. */
  prompt(view: readonly Message[]): SentPrompt;
  /** What a summary request holds: its system prompt stands for the overhead, and no tools go with it. */
  summaryPrompt(request: SummaryRequest): SentPrompt;
  /** A text on its own. */
  textTokens(text: string): number;
  /** A message as requests carry it; the same page for the same content. */
  readonly pageOf: PageOf;
}

/** A ledger over a session's token basis. */
export function createLedger(basis: TokenBasis, count: CountText, render: RenderPolicy): Ledger {
  const { factor, perMessageTokens, overheadTokens } = basis;
  const pageOf = createPages(createBlocks({ basis, count, render }), render);
  const steps = sentFold(overheadTokens, pageOf);
  const summaries = new Map<string, Fold<Message, SentPrompt>>();

  const textTokens = (text: string) => Math.round(factor * count(text));
  const summaryFold = (system: string) => {
    const fold = summaries.get(system) ?? sentFold(textTokens(system), pageOf);
    summaries.set(system, fold);
    return fold;
  };
  const summaryPrompt = ({ system, messages, prompt }: SummaryRequest) => {
    const asked = { blocks: [{ tokens: textTokens(prompt) + perMessageTokens }], bytes: 0 };
    return extendSent(foldOver(messages, summaryFold(system)), asked);
  };

  return {
    textTokens,
    pageOf,
    contextTokens: (view) => foldOver(view, steps).whole.tokens,
    prompt: (view) => foldOver(view, steps),
    summaryPrompt,
  };
}

/** What messages add to a first block of that many tokens. */
function sentFold(firstTokens: number, pageOf: PageOf): Fold<Message, SentPrompt> {
  const first = extendPrefix(NO_BLOCKS, [{ tokens: firstTokens }]);
  return {
    start: { whole: first, marks: [first], bytes: 0 },
    add: (sent, message) => extendSent(sent, pageOf(message)),
  };
}

/** Clients mark what never changes, and where the conversation ended before and ends now, as OpenCode does. */
function extendSent(
  sent: SentPrompt,
  { blocks, bytes }: Pick<Page, 'blocks' | 'bytes'>,
): SentPrompt {
  if (blocks.length === 0) return sent;
  const [first = sent.whole] = sent.marks;
  const whole = extendPrefix(sent.whole, blocks);
  return {
    whole,
    marks: first === sent.whole ? [first, whole] : [first, sent.whole, whole],
    bytes: sent.bytes + bytes,
  };
}
