import { type CutPolicy } from '../policy.ts';
import { amount, fields, flag, kindOf, optional, text } from './check.ts';

type Kept = CutPolicy['keep'];
type Kind<Keep extends Kept> = Extract<CutPolicy, { readonly keep: Keep }>;

const KEEP = { keep: text };
const COUNT = { ...KEEP, count: amount };
const TOKENS = { ...KEEP, tokens: amount };

/** What a pivot keeps, with the numbers that this goes by. */
export const cutForm = kindOf<Kept>('keep', {
  nothing: fields<Kind<'nothing'>>(KEEP),
  everything: fields<Kind<'everything'>>(KEEP),
  'last-messages': fields<Kind<'last-messages'>>(COUNT),
  'last-turns': fields<Kind<'last-turns'>>(COUNT),
  'recent-turns': fields<Kind<'recent-turns'>>({
    ...KEEP,
    tokens: optional(amount),
    turns: amount,
    splitsTurns: flag,
    maximumBudgetTokens: amount,
  }),
  checkpoint: fields<Kind<'checkpoint'>>(TOKENS),
  'recent-messages': fields<Kind<'recent-messages'>>(TOKENS),
  'newest-messages': fields<Kind<'newest-messages'>>(COUNT),
  'last-share': fields<Kind<'last-share'>>({ ...KEEP, share: amount }),
  unanswered: fields<Kind<'unanswered'>>(KEEP),
  'user-messages': fields<Kind<'user-messages'>>(TOKENS),
});
