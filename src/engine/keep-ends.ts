/** The cut that keeps a beginning and an end, as data. */

import type { CountUnit } from './count-units.ts';

/** The first messages and the newest ones; what lies between them goes. */
export interface KeepEnds {
  readonly keep: 'ends';
  /** In what the first ones are counted, and a share of the newest. */
  readonly unit: CountUnit;
  /** So many at the beginning; a message in which the number ends stays whole. */
  readonly first: number;
  /** How much of the newest stays; of several amounts, the one that keeps most. */
  readonly newest: readonly KeptAmount[];
  /** A message in which a number ends stays whole, or goes. */
  readonly crossing: 'stays' | 'goes';
  /** The first of the newest messages is one of the model, or a prompt, later if need be; absent means any. */
  readonly beginsWith?: 'answer' | 'prompt';
  /** More goes, this share at a time, until what stays is no more than that share of the window. */
  readonly furtherShare?: { readonly step: number; readonly untilWindowShare: number };
}

/** So many of a unit or tokens; or a share of the unit, or of the tokens of a window or a trigger. */
export type KeptAmount =
  | { readonly of: CountUnit | 'tokens'; readonly count: number }
  | { readonly of: 'all' | 'window' | 'usable'; readonly share: number };
