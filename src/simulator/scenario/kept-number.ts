import type { CutPolicy, Policy } from '../../engine/index.ts';
import { ROLLING_WINDOW_MESSAGES } from '../../engine/internal.ts';

/** What a pivot keeps up to a number of tokens, turns aside. */
type KeepsTokens = Exclude<
  Extract<CutPolicy, { readonly tokens: number }>,
  { keep: 'recent-turns' }
>;
/** What it keeps as a number of messages. */
type KeepsMessages = Exclude<
  Extract<CutPolicy, { readonly count: number }>,
  { keep: 'last-turns' }
>;

/** Whether a pivot keeps up to a number of tokens of its own, which is not that of turns. */
export function keepsTokens(cut: CutPolicy): cut is KeepsTokens {
  return cut.keep !== 'recent-turns' && 'tokens' in cut;
}

/** Whether a pivot keeps a number of messages. */
export function keepsMessages(cut: CutPolicy): cut is KeepsMessages {
  return cut.keep !== 'last-turns' && 'count' in cut;
}

/** Newest messages that a view shows in any case and alone; absent of one that does not go by their number. */
export function messagesInWindow({
  view,
  windowMessages = ROLLING_WINDOW_MESSAGES,
}: Pick<Policy, 'view' | 'windowMessages'>): number | undefined {
  return view === 'rolling-window' ? windowMessages : undefined;
}
