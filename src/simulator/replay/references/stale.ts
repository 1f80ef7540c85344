import type { StaleOutput } from './reference.ts';
import type { Visible } from './visible.ts';

/** Counts the tokens of visible outputs that are of no use any more. */
export interface StaleCount {
  tokens(): number;
  /** An output is visible, by the number of its part, or is so no more. */
  show(part: number, isVisible: boolean): void;
  /** What a message wrote makes outputs stale. */
  add(outputs: readonly StaleOutput[], visible: Pick<Visible, 'hasWhole'>): void;
}

interface CountedOutput {
  readonly tokens: number;
  isVisible: boolean;
}

/** The count of a run that has not begun. */
export function createStaleCount(partNumbers: ReadonlyMap<string, number>): StaleCount {
  let stale: Map<number, CountedOutput> | undefined;
  let visibleTokens = 0;
  const show = (part: number, isVisible: boolean) => {
    const output = stale?.get(part);
    if (output === undefined || output.isVisible === isVisible) return;
    output.isVisible = isVisible;
    visibleTokens += isVisible ? output.tokens : -output.tokens;
  };
  return {
    tokens: () => visibleTokens,
    show,
    add: (outputs, visible) => {
      for (const { partId, tokens } of outputs) {
        const part = partNumbers.get(partId);
        if (part === undefined) continue;
        show(part, false);
        stale ??= new Map();
        stale.set(part, { tokens, isVisible: false });
        show(part, visible.hasWhole(part));
      }
    },
  };
}
