import { type Message, type Move, partingOf, viewOf } from '../../engine/index.ts';
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

/** What a prune saved; nobody looks at what stands before its first output. */
export function savedBy(move: Move, ledger: Pick<Ledger, 'pageOf'>): Savings {
  const { after: changed } = partingOf(viewOf(move.before), viewOf(move.next.state));
  if (changed.length === 0) return NOTHING_SAVED;
  const originals = originalsOf(move);
  const old: PromptBlock[] = [];
  const now: PromptBlock[] = [];
  for (const message of changed) {
    const original = originals.get(message.id) ?? message;
    for (const block of ledger.pageOf(original).blocks) old.push(block);
    for (const block of ledger.pageOf(message).blocks) now.push(block);
  }
  let common = 0;
  while (common < now.length && now[common] === old[common]) common += 1;
  return {
    prunedTokens: tokensFrom(old, common) - tokensFrom(now, common),
    survivingTokens: tokensFrom(now, common),
  };
}

/** Messages as they were before the prune, by id, where it changed them; the step that led to it may be among them. */
function originalsOf({ before, input, next }: Move): ReadonlyMap<string, Message> {
  const { before: old, after: now } = partingOf(before.history, next.state.history);
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
