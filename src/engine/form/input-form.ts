import type { SummaryResult } from '../pivot/summary.ts';
import type { LoopInput } from '../transition.ts';
import { finite, flag, having, id, kindOf, optional, text } from './check.ts';
import { limitsForm } from './limits-form.ts';
import { errorForm, stepForm, usageForm, userForm } from './message-form.ts';

type Kind<Type extends LoopInput['type']> = Extract<LoopInput, { readonly type: Type }>;

const result = having<SummaryResult>({ text, finish: text, usage: optional(usageForm) });

/** What happened outside, in a form that is taken for nothing else. */
export const inputForm = kindOf<LoopInput['type']>('type', {
  'user-message': having<Kind<'user-message'>>({ message: userForm }),
  'step-finished': having<Kind<'step-finished'>>({ message: stepForm }),
  'step-refused': having<Kind<'step-refused'>>({ error: errorForm }),
  'summary-finished': having<Kind<'summary-finished'>>({ result }),
  'summary-failed': having<Kind<'summary-failed'>>({ error: errorForm, isOverflow: flag }),
  'turn-ended': having<Kind<'turn-ended'>>({}),
  idle: having<Kind<'idle'>>({ sinceMs: finite }),
  'model-changed': having<Kind<'model-changed'>>({ limits: limitsForm }),
  aborted: having<Kind<'aborted'>>({ message: optional(stepForm) }),
  compact: having<Kind<'compact'>>({ revertTo: optional(id) }),
});
