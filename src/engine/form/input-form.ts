import type { LoopInput, SummaryResult } from '../state.ts';
import { fields, finite, flag, having, id, kindOf, optional, text } from './check.ts';
import { limitsForm } from './limits-form.ts';
import { errorForm, stepForm, usageForm, userForm } from './message-form.ts';

type Kind<Type extends LoopInput['type']> = Extract<LoopInput, { readonly type: Type }>;

const result = having<SummaryResult>({ text, finish: text, usage: optional(usageForm) });

const TYPE = { type: text };

/** What happened outside, in a form that is taken for nothing else; what it has besides would be lost. */
export const inputForm = kindOf<LoopInput['type']>('type', {
  'user-message': fields<Kind<'user-message'>>({ ...TYPE, message: userForm }),
  'step-finished': fields<Kind<'step-finished'>>({ ...TYPE, message: stepForm }),
  'step-refused': fields<Kind<'step-refused'>>({ ...TYPE, error: errorForm }),
  'summary-finished': fields<Kind<'summary-finished'>>({ ...TYPE, result }),
  'summary-failed': fields<Kind<'summary-failed'>>({ ...TYPE, error: errorForm, isOverflow: flag }),
  'turn-ended': fields<Kind<'turn-ended'>>(TYPE),
  idle: fields<Kind<'idle'>>({ ...TYPE, sinceMs: finite }),
  'model-changed': fields<Kind<'model-changed'>>({ ...TYPE, limits: limitsForm }),
  aborted: fields<Kind<'aborted'>>({ ...TYPE, message: optional(stepForm) }),
  compact: fields<Kind<'compact'>>({ ...TYPE, revertTo: optional(id) }),
});
