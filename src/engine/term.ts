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
  | 'nothing';

/** A number under its name. */
export function value(name: TermName, tokens: number): Term {
  return { type: 'value', name, tokens };
}

/** What is left of one number without another. */
export function difference(from: Term, less: Term): Term {
  return { type: 'difference', tokens: from.tokens - less.tokens, from, less };
}

/** The smallest of some numbers. */
export function least(of: readonly Term[], name?: TermName): Term {
  const tokens = Math.min(...of.map((term) => term.tokens));
  return { type: 'least', tokens, of, ...(name && { name }) };
}

/** The largest of some numbers. */
export function most(of: readonly Term[], name?: TermName): Term {
  const tokens = Math.max(...of.map((term) => term.tokens));
  return { type: 'most', tokens, of, ...(name && { name }) };
}

/** A part of a number; its tokens may be no integer, for they are only compared. */
export function share(of: Term, part: number): Term {
  return { type: 'share', tokens: of.tokens * part, share: part, of };
}
