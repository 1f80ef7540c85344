/** A difference that is wanted, and why. One of `text` and `output` says where. */
export interface Intended {
  readonly reason: string;
  /** Text that counts as the same on both sides wherever it is met. */
  readonly text?: RegExp;
  /** Names of outputs, as they are printed, that may differ altogether. */
  readonly output?: RegExp;
}

/** Wanted differences from the revisions that are still compared with. */
export const INTENDED: readonly Intended[] = [];
