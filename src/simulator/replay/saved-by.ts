import { type Message, type Move } from '../../engine/index.ts';
import {
  commonLength,
  firstItems,
  historyOf,
  type List,
  partingOf,
  viewListOf,
} from '../../engine/internal.ts';
import type { PromptBlock } from '../provider/cache/prefix.ts';
import type { Ledger } from './ledger.ts';

/** What a prune did to a view, in true tokens. */
export interface Savings {
  /** That left the view. */
  readonly prunedTokens: number;
  /** That stand behind the first block that is not as it was. */
  readonly survivingTokens: number;
}

/** What a prune saves that changes nothing which the view shows. */
export const NOTHING_SAVED: Savings = { prunedTokens: 0, survivingTokens: 0 };

/** What a prune saved; only the messages that it changed are looked at. */
export function savedBy(move: Move, ledger: Pick<Ledger, 'pageOf' | 'contextTokens'>): Savings {
  const view = viewListOf(move.next.state);
  const { from, after } = partingOf(viewListOf(move.before), view);
  if (after.length === 0) return NOTHING_SAVED;
  const originals = originalsOf(move);
  let prunedTokens = 0;
  let survivingTokens: number | undefined;
  for (let index = 0; index < after.length; index++) {
    const message = after[index] as Message;
    const original = originals.get(message.id);
    if (original === undefined) continue;
    const [old, now] = [ledger.pageOf(original).blocks, ledger.pageOf(message).blocks];
    if (old === now) continue;
    const common = commonLength(old, now);
    prunedTokens += tokensFrom(old, common) - tokensFrom(now, common);
    if (common === old.length && common === now.length) continue;
    survivingTokens ??=
      tokensFrom(now, common) + tokensBehind(view, from + index, ledger.contextTokens);
  }
  return { prunedTokens, survivingTokens: survivingTokens ?? 0 };
}

/** What the messages of a view behind one of them take. */
function tokensBehind(
  view: List<Message>,
  index: number,
  contextTokens: Ledger['contextTokens'],
): number {
  return contextTokens(view) - contextTokens(firstItems(view, index + 1));
}

/** Messages as they were before the prune, by id, where it changed them; the step that led to it may be among them. */
function originalsOf({ before, input, next }: Move): ReadonlyMap<string, Message> {
  const { before: old, after: now } = partingOf(historyOf(before), historyOf(next.state));
  const originals = new Map<string, Message>();
  for (const [index, message] of old.entries()) {
    if (message !== now[index]) originals.set(message.id, message);
  }
  if (input.type === 'step-finished') originals.set(input.message.id, input.message);
  return originals;
}

function tokensFrom(blocks: readonly PromptBlock[], start: number): number {
  let tokens = 0;
  for (let index = start; index < blocks.length; index++) tokens += blocks[index]?.tokens ?? 0;
  return tokens;
}
