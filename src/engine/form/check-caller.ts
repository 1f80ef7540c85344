/** What a program without types, or with wrong ones, is told of what it hands to the state machine. */

import type { Health } from '../guards.ts';
import type { Limits } from '../limits.ts';
import type { Policy } from '../policy.ts';
import type { SummaryResult } from '../pivot/summary.ts';
import type { CompactingAnswer, Hooks, Tools } from '../tools.ts';
import type { LoopInput, LoopState, Phase } from '../transition.ts';
import {
  being,
  both,
  callable,
  type Check,
  expectForm,
  finite,
  flag,
  having,
  id,
  isObject,
  kindOf,
  listOf,
  optional,
  text,
} from './check.ts';
import { errorForm, messageForm, stepForm, usageForm, userForm } from './message-form.ts';
import { policyForm } from './policy-form.ts';

type Kind<Type extends LoopInput['type']> = Extract<LoopInput, { readonly type: Type }>;

const tokens = being(
  'a finite number of tokens, 0 or more',
  (value) => Number.isFinite(value) && (value as number) >= 0,
);

const limitsForm = having<Limits>({
  contextTokens: tokens,
  inputTokens: optional(tokens),
  outputTokens: optional(tokens),
});

const hooksForm = having<Hooks>({
  compacting: optional(callable),
  autoContinue: optional(callable),
});

const toolsForm = having<Tools>({ now: finite, newId: callable, hooks: optional(hooksForm) });

/** Who waits for something is easily told apart from who says nothing; the engine waits for nobody. */
const answerForm = both(
  being('no promise', (value) => !(isObject(value) && 'then' in value)),
  optional(having<CompactingAnswer>({ context: optional(listOf(text)), prompt: optional(text) })),
);

const resultForm = having<SummaryResult>({ text, finish: text, usage: optional(usageForm) });

const inputForm = kindOf<LoopInput['type']>('type', {
  'user-message': having<Kind<'user-message'>>({ message: userForm }),
  'step-finished': having<Kind<'step-finished'>>({ message: stepForm }),
  'step-refused': having<Kind<'step-refused'>>({ error: errorForm }),
  'summary-finished': having<Kind<'summary-finished'>>({ result: resultForm }),
  'summary-failed': having<Kind<'summary-failed'>>({ error: errorForm, isOverflow: flag }),
  'turn-ended': having<Kind<'turn-ended'>>({}),
  idle: having<Kind<'idle'>>({ sinceMs: finite }),
  'model-changed': having<Kind<'model-changed'>>({ limits: limitsForm }),
  aborted: having<Kind<'aborted'>>({ message: optional(stepForm) }),
  compact: having<Kind<'compact'>>({ revertTo: optional(id) }),
});

const phaseForm = kindOf<Phase['state']>('state', {
  waiting: having<Phase>({}),
  requested: having<Phase & { readonly state: 'requested' }>({ insertAt: finite }),
  summarising: having<Phase & { readonly state: 'summarising' }>({ insertAt: finite }),
});

const healthForm = having<Health>({
  failures: finite,
  ineffective: finite,
  refilled: finite,
  stepsSincePivot: optional(finite),
});

const policyCheck = both(
  being(
    "a policy, such as `policies['opencode-1.18']`",
    (value) => isObject(value) && 'trigger' in value && 'guards' in value,
  ),
  policyForm,
);

/** Policies in which nothing was wrong: many runs go by one, which nobody changes. */
const known = new WeakSet<object>();

/** All that a transition takes from the state itself; its policy and messages were looked at when they came. */
const stateForm = having<LoopState>({
  policy: having<Policy>({}),
  limits: limitsForm,
  overheadTokens: tokens,
  history: being('a list', Array.isArray),
  phase: phaseForm,
  health: healthForm,
  refusals: finite,
});

/** Throws a `TypeError` at what is no complete policy, or has a setting that no rule reads. */
export function checkPolicy(name: string, policy: unknown): void {
  if (isObject(policy) && known.has(policy)) return;
  expectForm(name, policy, policyCheck);
  known.add(policy as object);
}

/** Throws a `TypeError` at limits that no count can be compared with. */
export function checkLimits(name: string, limits: unknown): void {
  expectForm(name, limits, limitsForm);
}

/** Throws a `TypeError` at what is no number of tokens, 0 or more. */
export function checkAmount(name: string, amount: unknown): void {
  expectForm(name, amount, tokens);
}

/** Throws a `TypeError` at what is no message of a session, by either role. */
export function checkMessage(name: string, message: unknown): void {
  expectForm(name, message, messageForm);
}

/** Throws a `TypeError` at a usage of which some number is none. */
export function checkUsage(name: string, usage: unknown): void {
  expectForm(name, usage, usageForm);
}

/** Throws a `TypeError` at what is no state of a session. */
export function checkState(name: string, state: unknown): void {
  expectForm(name, state, stateForm);
}

/** Throws a `TypeError` at an input that would be taken for something else, or for nothing. */
export function checkInput(input: LoopInput): void {
  expectForm('input', input, inputForm);
}

/** The same tools, which are asked to keep to their types: a `TypeError` tells where they do not. */
export function checkedTools(tools: Tools): Tools {
  expectForm('tools', tools, toolsForm);
  const { newId, hooks } = tools;
  return {
    ...tools,
    newId: (prefix) => checked(id, 'tools.newId()', newId(prefix)),
    ...(hooks && { hooks: checkedHooks(hooks) }),
  };
}

function checkedHooks({ compacting, autoContinue }: Hooks): Hooks {
  return {
    ...(compacting && {
      compacting: (request) => checked(answerForm, 'tools.hooks.compacting()', compacting(request)),
    }),
    ...(autoContinue && {
      autoContinue: () => checked(flag, 'tools.hooks.autoContinue()', autoContinue()),
    }),
  };
}

function checked<Value>(check: Check, name: string, value: Value): Value {
  expectForm(name, value, check);
  return value;
}
