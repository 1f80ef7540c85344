/** A number of tokens together with how it came about. */
export type Term =
  | { readonly type: 'value'; readonly name: TermName; readonly tokens: number }
  | {
      readonly type: 'difference';
      readonly tokens: number;
      readonly from: Term;
      readonly less: Term;
    }
  | {
      readonly type: 'least' | 'most';
      /** What it stands for; absent where it is only a choice. */
      readonly name?: TermName;
      readonly tokens: number;
      readonly of: readonly Term[];
    }
  | { readonly type: 'share'; readonly tokens: number; readonly share: number; readonly of: Term };

/** What a number of tokens is called. */
export type TermName =
  | 'context'
  | 'input cap'
  | 'output'
  | 'declared output'
  | 'cap'
  | 'reserve'
  | 'reserve as set'
  | 'default reserve'
  | 'buffer'
  | 'fixed trigger'
  | 'nothing';

/** The steps of a calculation, for amounts of one kind. Formulas are written once and worked out in either kind. */
export interface Arithmetic<Amount> {
  /** A number under its name. */
  readonly value: (name: TermName, tokens: number) => Amount;
  /** What is left of one amount without another. */
  readonly difference: (from: Amount, less: Amount) => Amount;
  /** The smallest of some amounts. */
  readonly least: (of: readonly Amount[], name?: TermName) => Amount;
  /** The largest of some amounts. */
  readonly most: (of: readonly Amount[], name?: TermName) => Amount;
  /** A part of an amount; its tokens may be no integer, for they are only compared. */
  readonly share: (of: Amount, part: number) => Amount;
}

/** Amounts as bare numbers of tokens. */
export const inTokens: Arithmetic<number> = {
  value: (_, tokens) => tokens,
  difference: (from, less) => from - less,
  least: (of) => {
    let least = Infinity;
    for (const tokens of of) least = Math.min(least, tokens);
    return least;
  },
  most: (of) => {
    let most = -Infinity;
    for (const tokens of of) most = Math.max(most, tokens);
    return most;
  },
  share: (of, part) => of * part,
};

/** Amounts together with how they came about. */
export const inTerms: Arithmetic<Term> = {
  value: (name, tokens) => ({ type: 'value', name, tokens }),
  difference: (from, less) => ({
    type: 'difference',
    tokens: inTokens.difference(from.tokens, less.tokens),
    from,
    less,
  }),
  least: (of, name) => {
    const tokens = inTokens.least(of.map((term) => term.tokens));
    return { type: 'least', tokens, of, ...(name && { name }) };
  },
  most: (of, name) => {
    const tokens = inTokens.most(of.map((term) => term.tokens));
    return { type: 'most', tokens, of, ...(name && { name }) };
  },
  share: (of, part) => ({
    type: 'share',
    tokens: inTokens.share(of.tokens, part),
    share: part,
    of,
  }),
};
