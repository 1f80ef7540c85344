import type { StaleOutput } from './reference.ts';
import type { Visible } from './visible.ts';

/** Tokens of visible outputs that are of no use any more. */
export interface StaleCount {
  readonly tokens: number;
  /** A message came to the view, and what it wrote makes outputs stale. */
  add(outputs: readonly StaleOutput[], visible: Pick<Visible, 'hasWhole'>): void;
  /** An output became visible, or is so no more. */
  readonly show: (part: number, isShown: boolean) => void;
}

/** The count of a run that has not begun. */
export function createStaleCount(partNumbers: ReadonlyMap<string, number>): StaleCount {
  const stale = new Map<number, number>();
  let tokens = 0;
  return {
    get tokens() {
      return tokens;
    },
    add: (outputs, visible) => {
      for (const output of outputs) {
        const part = partNumbers.get(output.partId);
        if (part === undefined) continue;
        const knownTokens = stale.get(part) ?? 0;
        if (visible.hasWhole(output.partId)) tokens += output.tokens - knownTokens;
        stale.set(part, output.tokens);
      }
    },
    show: (part, isShown) => {
      const staleTokens = stale.get(part) ?? 0;
      tokens += isShown ? staleTokens : -staleTokens;
    },
  };
}
