import type { References } from './reference.ts';

/** Tokens of visible outputs that are of no use any more. */
export interface StaleCount {
  readonly tokens: number;
  /** A message came to the view, and what it wrote makes outputs stale. */
  add(messageId: string, whole: ReadonlySet<string>): void;
  /** Other outputs are visible. */
  recount(whole: ReadonlySet<string>): void;
}

/** The count of a run that has not begun. */
export function createStaleCount({ staleAfter }: References): StaleCount {
  const stale = new Map<string, number>();
  let tokens = 0;
  return {
    get tokens() {
      return tokens;
    },
    add: (messageId, whole) => {
      for (const output of staleAfter.get(messageId) ?? []) {
        if (whole.has(output.partId) && !stale.has(output.partId)) tokens += output.tokens;
        stale.set(output.partId, output.tokens);
      }
    },
    recount: (whole) => {
      tokens = 0;
      for (const partId of whole) tokens += stale.get(partId) ?? 0;
    },
  };
}
