import type { Summarizer } from '../summarizer.ts';

/** A summarizer as the table lists it. */
export interface SummarizerEntry {
  /** What it answers, in one line. */
  readonly describes: string;
  readonly create: () => Summarizer;
  /** The number that may stand behind the name, after `=`. */
  readonly takes?: TakenNumber;
}

/** A number that a name takes. */
export interface TakenNumber {
  /** What it is, in words. */
  readonly what: string;
  readonly most: number;
  readonly isWhole: boolean;
  readonly example: number;
  /** The summarizer of the whole name with that number. */
  readonly create: (name: string, value: number) => Summarizer;
}
