import type { References } from './reference.ts';
import type { Visible } from './visible.ts';

/** Tokens of visible outputs that are of no use any more. */
export interface StaleCount {
  readonly tokens: number;
  /** A message came to the view, and what it wrote makes outputs stale. */
  add(messageId: string, whole: Visible['whole']): void;
  /** An output became visible, or is so no more. */
  readonly show: (partId: string, isShown: boolean) => void;
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
        const knownTokens = stale.get(output.partId) ?? 0;
        if (whole.has(output.partId)) tokens += output.tokens - knownTokens;
        stale.set(output.partId, output.tokens);
      }
    },
    show: (partId, isShown) => {
      const staleTokens = stale.get(partId) ?? 0;
      tokens += isShown ? staleTokens : -staleTokens;
    },
  };
}
