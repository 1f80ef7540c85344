/** What a fault from outside has to be: one of another form would befall nothing, and say so to nobody. */

import { being, fields, finite, finiteOf, kindOf, optional, text } from '../../engine/internal.ts';
import type { Failure, Fault } from '../scenario/fault.ts';

type Kind<Type extends Failure['type']> = Extract<Failure, { readonly type: Type }>;
type Of<On extends Fault['on']> = Extract<Fault, { readonly on: On }>;

const place = being(
  'a whole number from 1 on',
  (value) => Number.isSafeInteger(value) && (value as number) > 0,
);
const amount = finiteOf();

const failure = kindOf<Failure['type']>('type', {
  fail: fields<Kind<'fail'>>({ type: text, message: optional(text) }),
  'time-out': fields<Kind<'time-out'>>({ type: text, afterMs: amount }),
  'rate-limit': fields<Kind<'rate-limit'>>({ type: text, retryAfterMs: optional(amount) }),
  overflow: fields<Kind<'overflow'>>({
    type: text,
    statusCode: optional(finite),
    message: optional(text),
  }),
  abort: fields<Kind<'abort'>>({ type: text, afterTokens: amount }),
});

/** What goes wrong in a run, or happens beside its session. */
export const faultForm = kindOf<Fault['on']>('on', {
  step: fields<Of<'step'>>({ on: text, step: place, times: place, failure }),
  summary: fields<Of<'summary'>>({ on: text, call: place, times: place, failure }),
  usage: fields<Of<'usage'>>({ on: text, step: place, factor: amount }),
  message: fields<Of<'message'>>({ on: text, call: place, text }),
  compact: fields<Of<'compact'>>({ on: text, step: place }),
  model: fields<Of<'model'>>({ on: text, step: place, model: text }),
});
