import type { Message, SummaryRequest } from '../../engine/index.ts';
import { type Fold, foldOver, type List, perKey } from '../../engine/internal.ts';
import { keepIn } from '../keep-in.ts';
import type { PromptBlock } from '../provider/cache/prefix.ts';
import type { Scale } from './blocks.ts';
import { contentOf } from './content.ts';
import { createPages, type PageOf } from './pages.ts';
import {
  endPrompt,
  extendSent,
  type SentPrompt,
  startSent,
  type WholePrompt,
} from './sent-prompt.ts';
import { sharedFold } from './shared-fold.ts';

/** True tokens of what a request holds. Each part is counted once in each of its forms. */
export interface Ledger {
  /** Everything that a request with this view holds: overhead, parts, cost per message. */
  contextTokens(view: List<Message>): number;
  /** Everything that a request with this view holds as a prompt cache sees it, with marks behind the tools and behind the two newest messages. */
  prompt(view: List<Message>): SentPrompt;
  /** What a summary request holds: its system prompt stands for the overhead, and no tools go with it. */
  summaryPrompt(request: SummaryRequest): WholePrompt;
  /** A text on its own. */
  textTokens(text: string): number;
  /** A message as requests carry it; the same page for the same content. */
  readonly pageOf: PageOf;
}

/** A ledger over a session's token basis. Of requests that begin alike it makes each beginning once. */
export function createLedger(scale: Scale): Ledger {
  const { basis, count } = scale;
  const pageOf = createPages(scale);
  const steps = sentFold(basis.overheadTokens, pageOf);
  const summaries = new Map<string, Fold<Message, SentPrompt>>();
  /** What was asked behind a head: the same words are the same content, in whichever run. */
  const askedOf = perKey<SentPrompt, Map<string, WholePrompt>>(() => new Map());

  const textTokens = (text: string) => Math.round(basis.factor * count(text));
  const summaryFold = (system: string) =>
    keepIn(summaries, system, () => sentFold(textTokens(system), pageOf));
  const questionOf = (prompt: string): PromptBlock => ({
    tokens: textTokens(prompt) + basis.perMessageTokens,
    words: { by: 'user', type: 'text', text: prompt },
  });
  const summaryPrompt = ({ system, messages, prompt }: SummaryRequest) => {
    const head = foldOver(messages, summaryFold(system));
    return keepIn(askedOf(head), prompt, () => endPrompt(head, questionOf(prompt)));
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
  return sharedFold({
    start: startSent(firstTokens),
    contentOf,
    meaningOf: pageOf,
    keptBy: 'meaning',
    add: extendSent,
  });
}
