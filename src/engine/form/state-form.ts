import type { Health, LoopState, Phase } from '../state.ts';
import { finite, having, kindOf, list, object, optional } from './check.ts';
import { limitsForm, tokens } from './limits-form.ts';

const phase = kindOf<Phase['state']>('state', {
  waiting: having<Phase>({}),
  requested: having<Phase & { readonly state: 'requested' }>({ insertAt: finite }),
  summarising: having<Phase & { readonly state: 'summarising' }>({ insertAt: finite }),
});

const health = having<Health>({
  failures: finite,
  ineffective: finite,
  refilled: finite,
  stepsSincePivot: optional(finite),
});

/** All that a transition takes from the state itself; its policy and messages were looked at when they came. */
export const stateForm = having<LoopState>({
  policy: object,
  limits: limitsForm,
  overheadTokens: tokens,
  history: list,
  phase,
  health,
  refusals: finite,
});
