import { type Fold, foldOver, type Message, type SummaryRequest } from '../../engine/index.ts';
import type { Scale } from './blocks.ts';
import { contentOf } from './content.ts';
import { createPages, type PageOf } from './pages.ts';
import {
  endPrompt,
  extendSent,
  keepOther,
  type SentPrompt,
  startSent,
  type WholePrompt,
} from './sent-prompt.ts';

/** True tokens of what a request holds. Each part is counted once in each of its forms. */
export interface Ledger {
  /** Everything that a request with this view holds: overhead, parts, cost per message. */
  contextTokens(view: readonly Message[]): number;
  /** The same as a prompt cache sees it, with marks behind the tools and behind the two newest messages. */
  prompt(view: readonly Message[]): SentPrompt;
  /** What a summary request holds: its system prompt stands for the overhead, and no tools go with it. */
  summaryPrompt(request: SummaryRequest): WholePrompt;
  /** A text on its own. */
  textTokens(text: string): number;
  /** A message as requests carry it; the same page for the same content. */
  readonly pageOf: PageOf;
}

const NO_CONTENTS: ReadonlySet<object> = new Set();

/** A ledger over a session's token basis. Of requests that begin with recorded contents it makes each beginning once. */
export function createLedger(scale: Scale, recorded: ReadonlySet<object> = NO_CONTENTS): Ledger {
  const { basis, count } = scale;
  const pageOf = createPages(scale);
  const foldFrom = (firstTokens: number) => sentFold(firstTokens, pageOf, recorded);
  const steps = foldFrom(basis.overheadTokens);
  const summaries = new Map<string, Fold<Message, SentPrompt>>();

  const textTokens = (text: string) => Math.round(basis.factor * count(text));
  const summaryFold = (system: string) => {
    const fold = summaries.get(system) ?? foldFrom(textTokens(system));
    summaries.set(system, fold);
    return fold;
  };
  const summaryPrompt = ({ system, messages, prompt }: SummaryRequest) => {
    const asked = { tokens: textTokens(prompt) + basis.perMessageTokens };
    return endPrompt(foldOver(messages, summaryFold(system)), [asked]);
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
function sentFold(
  firstTokens: number,
  pageOf: PageOf,
  recorded: ReadonlySet<object>,
): Fold<Message, SentPrompt> {
  return {
    start: startSent(firstTokens),
    add: (sent, message) => {
      const content = contentOf(message);
      if (sent.next?.newest === content) return sent.next;
      const page = pageOf(message);
      const known = sent.others?.get(page);
      if (known !== undefined) return known;
      const longer = extendSent(sent, page);
      if (longer === sent) return sent;
      if (sent.next === undefined && recorded.has(content)) sent.next = longer;
      else keepOther(sent, page, longer);
      return longer;
    },
  };
}
