/** What stays in the view under a policy, and how much of it on a model. */

import type { Limits, MemoryPolicy, Policy } from '../../engine/index.ts';
import { tailBudgetTokens } from '../../engine/internal.ts';
import { messagesInWindow } from '../scenario/settings.ts';
import { countOf } from './numbers.ts';
import { formatShortPercent } from './percent.ts';

const NOTHING = 'nothing';

/** What stays in the view when older context leaves it, in words. */
export function renderKept(policy: Policy, limits: Limits): string {
  const { memory, resume } = policy;
  const kept = memory ? renderMemory(memory) : (renderWindow(policy) ?? renderCut(policy, limits));
  const { rereads } = resume;
  return rereads === undefined ? kept : `${kept}; re-reads up to ${countOf(rereads.files, 'file')}`;
}

/** What stays in the view, as numbers for a program; null where a policy has none of the kind. */
export function toPlainKept(policy: Policy, limits: Limits) {
  return {
    cut: policy.cut,
    tailBudgetTokens: tailBudgetTokens(policy, limits) ?? null,
    windowMessages: messagesInWindow(policy) ?? null,
    memory: policy.memory ?? null,
  };
}

function renderMemory({ keepMessages, recallEntries, recallTokens }: MemoryPolicy): string {
  const back = `up to ${countOf(recallEntries, 'piece')}, together ${countOf(recallTokens, 'token')}`;
  return `${renderNewest(keepMessages, 'message')}; what is older moves to a memory, of which ${back}, come back for a request; there is no pivot`;
}

function renderWindow(policy: Policy): string | undefined {
  const count = messagesInWindow(policy);
  if (count === undefined) return undefined;
  return `${renderNewest(count, 'message')}; what is older is dropped; there is no pivot`;
}

function renderCut(policy: Policy, limits: Limits): string {
  const { cut } = policy;
  switch (cut.keep) {
    case 'nothing':
      return NOTHING;
    case 'everything':
      return 'everything; there is no pivot';
    case 'last-messages':
    case 'newest-messages':
      return renderNewest(cut.count, 'message');
    case 'last-turns':
      return renderNewest(cut.count, 'turn');
    case 'recent-turns':
      return renderTurns(cut.turns, tailBudgetTokens(policy, limits));
    case 'checkpoint':
      return `${countOf(cut.tokens, 'token')} as text inside the checkpoint`;
    case 'recent-messages':
      return `the newest ${countOf(cut.tokens, 'token')} of messages`;
    case 'last-share':
      return `the newest ${formatShortPercent(cut.share)} of the characters, from a prompt on`;
    case 'unanswered':
      return 'unanswered prompts';
    case 'user-messages':
      return `user messages, up to ${countOf(cut.tokens, 'token')}`;
  }
}

/** Newest turns within a budget; of no tokens none fits. */
function renderTurns(turns: number, budgetTokens: number | undefined): string {
  const kept = renderNewest(budgetTokens === 0 ? 0 : turns, 'turn');
  if (budgetTokens === undefined || kept === NOTHING) return kept;
  return `${kept}, at most ${countOf(budgetTokens, 'token')}`;
}

function renderNewest(count: number, word: string): string {
  if (count === 0) return NOTHING;
  return count === 1 ? `the newest ${word}` : `the newest ${countOf(count, word)}`;
}
