import type { Shown } from './shown-in.ts';
import type { Visible } from './visible.ts';

/** Tokens of visible outputs that are of no use any more. */
export interface StaleCount {
  readonly tokens: number;
  /** A message came to the view: it shows outputs, and what it wrote makes others stale. */
  add(shown: Shown, visible: Pick<Visible, 'hasWhole'>): void;
  /** An output is visible no more, by the number of its part. */
  readonly hide: (part: number) => void;
}

interface StaleOutput {
  readonly tokens: number;
  isVisible: boolean;
}

/** The count of a run that has not begun. */
export function createStaleCount(partNumbers: ReadonlyMap<string, number>): StaleCount {
  const stale = new Map<number, StaleOutput>();
  let visibleTokens = 0;
  const show = (part: number, isVisible: boolean) => {
    const output = stale.get(part);
    if (output === undefined || output.isVisible === isVisible) return;
    output.isVisible = isVisible;
    visibleTokens += isVisible ? output.tokens : -output.tokens;
  };
  return {
    get tokens() {
      return visibleTokens;
    },
    add: ({ wholes, stales }, visible) => {
      if (stale.size > 0) for (const part of wholes) show(part, true);
      for (const { partId, tokens } of stales) {
        const part = partNumbers.get(partId);
        if (part === undefined) continue;
        show(part, false);
        stale.set(part, { tokens, isVisible: false });
        show(part, visible.hasWhole(part));
      }
    },
    hide: (part) => show(part, false),
  };
}
