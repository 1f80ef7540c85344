import { estimatePart, estimateText, type Weights } from '../estimate.ts';
import { itemAt, type List } from '../history.ts';
import { isCleared, isCompleted, type Message, type Part } from '../message.ts';
import type { CleanupName, CleanupPolicy } from '../prune-policy.ts';
import type { PrunePlan } from '../state.ts';
import { changeParts, planOf } from './plan.ts';
import { type Cleanup, duplicates, failedInputs, media, reasoning, superseded } from './useless.ts';

/** Passes that find useless what they clear, by name. */
export const cleanups: Readonly<Record<CleanupName, Cleanup>> = {
  duplicates,
  superseded,
  'failed-inputs': failedInputs,
  media,
  reasoning,
};

const PROTECTED =
  'task skill todowrite todoread compress batch plan_enter plan_exit write edit'.split(' ');
const FAILED = '[input removed due to failed tool call]';

/**
 * The settings of clean-ups where nothing else is said. Sources: the plugin "dynamic context pruning" for OpenCode, and
 * MiMo-Code for media and reasoning.
 */
export const defaultCleanups: Readonly<Record<CleanupName, CleanupPolicy>> = {
  duplicates: {
    pass: 'duplicates',
    when: 'before-request',
    protectedTools: PROTECTED,
    inputText: FAILED,
  },
  superseded: {
    pass: 'superseded',
    when: 'before-request',
    inputText:
      '[content removed to save context, this is not what was written to the file, but a placeholder]',
  },
  'failed-inputs': {
    pass: 'failed-inputs',
    when: 'before-request',
    protectedTools: PROTECTED,
    olderThan: { count: 4, unit: 'steps' },
    inputText: FAILED,
  },
  media: { pass: 'media', when: 'before-request', olderThan: { count: 3, unit: 'turns' } },
  reasoning: { pass: 'reasoning', when: 'before-request', olderThan: { count: 3, unit: 'turns' } },
};

/** Plans a clean-up of a history, with the messages after it. */
export function planCleanup(
  history: List<Message>,
  cleaning: {
    readonly rules: CleanupPolicy;
    readonly policy: Weights;
    /** In ms. */
    readonly now: number;
  },
): { readonly plan: PrunePlan; readonly messages: List<Message> } {
  const { rules, policy, now } = cleaning;
  const { find, clear } = cleanups[rules.pass];
  const change = (part: Part) => clear(part, rules, now);
  const found = new Map(find(history, rules).map((one) => [one.part.id, one] as const));
  const chosen = [...found.values()].toSorted((one, other) => other.index - one.index);
  const plan = planOf(
    chosen.map(({ part, index }) => {
      const cleared = change(part);
      // Of an output all of it, as in every prune; of anything else what it is more than what stands there then.
      if (isCompleted(part) && isCleared(cleared)) {
        return { part, tokens: estimateText(part.state.output, policy) };
      }
      const role = itemAt(history, index)?.role ?? 'assistant';
      const weigh = (one: Part) => estimatePart(one, role, policy);
      return { part, tokens: Math.max(0, weigh(part) - weigh(cleared)) };
    }),
  );
  return { plan, messages: changeParts(history, plan, change) };
}
