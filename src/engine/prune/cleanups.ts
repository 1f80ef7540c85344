import { estimatePart, estimateText } from '../estimate.ts';
import { itemAt, type List } from '../history.ts';
import { isCleared, isCompleted, type Message, type Part } from '../message.ts';
import type { Policy } from '../policy.ts';
import type { CleanupName, CleanupPolicy } from '../prune-policy.ts';
import { changeParts, type PlacedPlan, planOf } from './plan.ts';
import {
  type Cleanup,
  duplicates,
  failedInputs,
  type Found,
  media,
  reasoning,
  superseded,
} from './useless.ts';

/** A clean-up of a history, with the messages after it. */
interface PlannedCleanup {
  readonly placed: PlacedPlan;
  readonly messages: List<Message>;
}

type Weighing = Pick<Policy, 'estimator' | 'render'>;

/** By which rules a clean-up goes, and how its policy weighs what it finds. */
interface CleaningUp {
  readonly rules: CleanupPolicy;
  readonly policy: Weighing;
  /** In ms. */
  readonly now: number;
}

/** Passes that find useless what they clear, by name. */
export const cleanups: Readonly<Record<CleanupName, Cleanup>> = {
  duplicates,
  superseded,
  'failed-inputs': failedInputs,
  media,
  reasoning,
};

/** Tools that the plugin leaves alone: their calls change something, or say what to do. */
const PROTECTED = [
  'task',
  'skill',
  'todowrite',
  'todoread',
  'compress',
  'batch',
  'plan_enter',
  'plan_exit',
  'write',
  'edit',
];
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

/** Plans a clean-up of a history, and what that would make of it. */
export function planCleanup(
  history: List<Message>,
  { rules, policy, now }: CleaningUp,
): PlannedCleanup {
  const { find, clear } = cleanups[rules.pass];
  const chosen = eachOnce(find(history, rules));
  const change = (part: Part) => clear(part, rules, now);
  const placed = planOf(
    chosen.map(({ part, index }) => {
      const role = itemAt(history, index)?.role ?? 'assistant';
      return { part, index, tokens: goneTokens(part, change(part), { role, policy }) };
    }),
  );
  return { placed, messages: changeParts(history, placed, change) };
}

/** Each of what was found once, that of the newest message first. */
function eachOnce(found: readonly Found[]): readonly Found[] {
  const byId = new Map(found.map((one) => [one.part.id, one] as const));
  return [...byId.values()].toSorted((one, other) => other.index - one.index);
}

/** Of an output all of it, as in every prune; of anything else what it is more than what stands there then. */
function goneTokens(
  part: Part,
  cleared: Part,
  { role, policy }: { readonly role: Message['role']; readonly policy: Weighing },
): number {
  if (isCompleted(part) && isCleared(cleared)) {
    return estimateText(part.state.output, policy);
  }
  const [before, after] = [part, cleared].map((one) => estimatePart(one, role, policy));
  return Math.max(0, (before ?? 0) - (after ?? 0));
}
