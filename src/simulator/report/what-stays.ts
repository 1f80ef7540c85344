/** Descriptions of what a policy leaves in the view when older context leaves it. */

import type { KeepEnds, KeptAmount, Limits, MemoryPolicy, Policy } from '../../engine/index.ts';
import { tailBudgetTokens } from '../../engine/internal.ts';
import { messagesInWindow } from '../scenario/settings.ts';
import { countOf, formatShortPercent } from './numbers.ts';

const NOTHING = 'nothing';

const UNIT_WORDS = { messages: 'message', events: 'event', tokens: 'token' } as const;
/** Of which tokens a share stays. */
const SHARED = { window: 'window', usable: 'usable tokens' } as const;

/** Describes in words what stays in the view when older context leaves it. */
export function renderKept(policy: Policy, limits: Limits): string {
  const { memory, resume } = policy;
  const kept = memory ? renderMemory(memory) : (renderWindow(policy) ?? renderCut(policy, limits));
  const { rereads } = resume;
  return rereads === undefined ? kept : `${kept}; re-reads up to ${countOf(rereads.files, 'file')}`;
}

/** The same as numbers for programs; `null` where a policy has none of the kind. */
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
  return `${renderNewest(keepMessages, 'message')}; what is older moves to a memory, of which ${back}, come back for a request; there is no compaction`;
}

function renderNewest(count: number, word: string): string {
  if (count === 0) return NOTHING;
  return count === 1 ? `the newest ${word}` : `the newest ${countOf(count, word)}`;
}

function renderWindow(policy: Policy): string | undefined {
  const count = messagesInWindow(policy);
  if (count === undefined) return undefined;
  return `${renderNewest(count, 'message')}; what is older is dropped; there is no compaction`;
}

function renderCut(policy: Policy, limits: Limits): string {
  const { cut } = policy;
  switch (cut.keep) {
    case 'nothing':
      return NOTHING;
    case 'everything':
      return 'everything; there is no compaction';
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
    case 'newest-exchanges':
      return `the newest steps and prompts of ${countOf(cut.count, 'message')}, results counted`;
    case 'newest-steps':
      return `the newest steps of ${countOf(cut.tokens, 'token')}, and all from the newest prompt on`;
    case 'pending':
      return 'the newest step while its results wait, and unanswered prompts; nothing after a refusal';
    case 'unanswered':
      return 'unanswered prompts';
    case 'user-messages':
      return cut.tokens === undefined
        ? 'all user messages'
        : `user messages, up to ${countOf(cut.tokens, 'token')}`;
    case 'ends':
      return renderEnds(cut);
  }
}

function renderEnds({ first, newest, unit, furtherShare }: KeepEnds): string {
  const word = UNIT_WORDS[unit];
  const head = first === 0 ? '' : `the first ${countOf(first, word)} and `;
  const amounts = newest.map((amount) => renderAmount(amount, word));
  const most = amounts.length === 1 ? amounts.join() : `${amounts.join(' or ')}, whichever is more`;
  const further =
    furtherShare &&
    `; then fewer, ${formatShortPercent(furtherShare.step)} at a time, while they are above ${formatShortPercent(furtherShare.untilWindowShare)} of the window`;
  return `${head}the newest ${most}${further ?? ''}`;
}

function renderAmount(amount: KeptAmount, word: string): string {
  if ('count' in amount) return countOf(amount.count, UNIT_WORDS[amount.of]);
  const share = formatShortPercent(amount.share);
  return amount.of === 'all' ? `${share} of ${word}s` : `${share} of the ${SHARED[amount.of]}`;
}

/** Newest turns within a budget; of no tokens none fits. */
function renderTurns(turns: number | undefined, budgetTokens: number | undefined): string {
  const most = budgetTokens === 0 ? 0 : turns;
  const kept = most === undefined ? 'the newest turns' : renderNewest(most, 'turn');
  if (budgetTokens === undefined || kept === NOTHING) return kept;
  return `${kept}, at most ${countOf(budgetTokens, 'token')}`;
}
