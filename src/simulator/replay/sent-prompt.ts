import {
  extendPrefix,
  NO_BLOCKS,
  type Prefix,
  type PromptBlock,
} from '../provider/cache/prefix.ts';
import type { Prompt } from '../provider/cache/prompt.ts';
import {
  type CheckSet,
  passedAlone,
  passedTogether,
  withoutIds,
} from '../provider/checks/passed.ts';
import { NO_IDS } from './id-span.ts';
import type { Page } from './pages.ts';
import type { Shared } from './shared-fold.ts';

/** A request as a prompt cache sees it, with the bytes of its messages' content, data URLs included. */
export interface WholePrompt extends Prompt {
  readonly bytes: number;
}

/** A request as far as its messages go. */
export interface SentPrompt extends WholePrompt, Shared<SentPrompt> {
  /** Checks of form that it is known to pass; whoever finds that it passes more adds them. */
  passed: CheckSet;
  /** Number of the last of its ids. */
  readonly lastId: number;
}

/** A request without messages, of one block. */
export function startSent(tokens: number): SentPrompt {
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
export function extendSent(sent: SentPrompt, page: Page, content: object): SentPrompt {
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

/** A request with one more block at its end. */
export function endPrompt(prompt: WholePrompt, block: PromptBlock): WholePrompt {
  const whole = extendPrefix(prompt.whole, [block]);
  return { whole, marks: marksOf(prompt, whole), bytes: prompt.bytes };
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
