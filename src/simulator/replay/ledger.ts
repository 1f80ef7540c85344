import { perKey } from '../lib/collections.ts';
import { sharedFold, type Shared } from './shared-fold.ts';
import type { Message, SummaryRequest } from '../../engine/index.ts';
import { commonLength, type Fold, foldOver, itemsFrom, type List } from '../../engine/internal.ts';
import { keepIn } from '../lib/collections.ts';
import {
  type CheckName,
  type CheckSet,
  createChecker,
  NO_CHECKS,
  passedAlone,
  passedTogether,
  type RequestChecker,
  setOf,
  withoutIds,
} from '../provider/checks.ts';
import {
  extendPrefix,
  NO_BLOCKS,
  type Prefix,
  type Prompt,
  type PromptBlock,
} from '../provider/prompt.ts';
import { contentOf, createPages, NO_IDS, type Page, type PageOf, type Scale } from './pages.ts';

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

/** A request as a prompt cache sees it, with the bytes of its messages' content, data URLs included. */
export interface WholePrompt extends Prompt {
  readonly bytes: number;
}

/** A request as far as its messages go. */
interface SentPrompt extends WholePrompt, Shared<SentPrompt> {
  /** Checks of form that it is known to pass; whoever finds that it passes more adds them. */
  passed: CheckSet;
  /** Number of the last of its ids. */
  readonly lastId: number;
}

/** Looks at the form of one request after another of a session. */
export interface FormChecker {
  /** What a provider would not take about a request with this view, which is sent so; nothing where all is well. */
  fault(view: List<Message>, sent: Pick<SentPrompt, 'passed'>): string | undefined;
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

/** A checker of a session's requests. Each that is not known to pass is looked at from where it differs from the one before. */
export function createFormChecker(names: readonly CheckName[], pageOf: PageOf): FormChecker {
  const asked = setOf(names);
  let checker: RequestChecker | undefined;
  let seen: List<Message> = [];
  let seenLength = 0;
  let found: string | undefined;

  return {
    fault: (view, sent) => {
      if ((asked & ~sent.passed) === NO_CHECKS) return undefined;
      const from = found === undefined ? commonLength(seen, view) : 0;
      if (checker === undefined || from === 0) checker = createChecker(names);
      else if (from < seenLength) takeBack(itemsFrom(seen, from), checker, pageOf);
      const added = itemsFrom(view, from);
      seen = view;
      seenLength = from + added.length;
      found = firstFault(added, checker, pageOf);
      const fault = found ?? checker.end();
      if (fault === undefined) sent.passed |= asked;
      return fault;
    },
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

/** A request without messages, of one block. */
function startSent(tokens: number): SentPrompt {
  const whole = extendPrefix(NO_BLOCKS, [{ tokens }]);
  return {
    content: undefined,
    next: undefined,
    meaning: undefined,
    whole,
    marks: [whole],
    bytes: 0,
    passed: passedAlone([]),
    lastId: NO_IDS.last,
    others: undefined,
  };
}

/** A request with one more message; the same where nothing of that is sent. */
function extendSent(sent: SentPrompt, page: Page, content: object): SentPrompt {
  if (page.blocks.length === 0) return sent;
  const whole = extendPrefix(sent.whole, page.blocks);
  return {
    content,
    next: undefined,
    meaning: page,
    whole,
    marks: marksOf(sent, whole),
    bytes: sent.bytes + page.bytes,
    passed: passedBy(sent, page),
    lastId: Math.max(sent.lastId, page.ids.last),
    others: undefined,
  };
}

/** Clients mark what never changes, and where the conversation ended before and ends now, as OpenCode does. */
function marksOf({ whole: before, marks }: Prompt, whole: Prefix): readonly Prefix[] {
  const first = marks[0] ?? before;
  return first === before ? [first, whole] : [first, before, whole];
}

function passedBy(sent: SentPrompt, { passed, ids }: Page): CheckSet {
  if (sent.meaning === undefined) return passed;
  const areIdsNew = ids.last === NO_IDS.last || ids.first > sent.lastId;
  return passedTogether(sent.passed, areIdsNew ? passed : withoutIds(passed));
}

/** A request with one more block at its end. */
function endPrompt(prompt: WholePrompt, block: PromptBlock): WholePrompt {
  const whole = extendPrefix(prompt.whole, [block]);
  return { whole, marks: marksOf(prompt, whole), bytes: prompt.bytes };
}

/** Takes back the newest messages of a request without a fault. */
function takeBack(messages: readonly Message[], checker: RequestChecker, pageOf: PageOf): void {
  for (const message of messages.toReversed()) {
    for (const sent of pageOf(message).rendering.toReversed()) checker.back(sent);
  }
}

/** The first fault of a request; messages behind it are not looked at. */
function firstFault(
  messages: readonly Message[],
  checker: RequestChecker,
  pageOf: PageOf,
): string | undefined {
  for (const message of messages) {
    const { rendering, passed } = pageOf(message);
    for (const sent of rendering) {
      const fault = checker.next(sent, passed);
      if (fault !== undefined) return fault;
    }
  }
  return undefined;
}
