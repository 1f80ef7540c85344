/** A number that was measured. */
export interface Figure {
  /** `suite.whatItIs`, in camel case. */
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** Smallest value that is good enough. */
  readonly atLeast?: number;
  /** Largest value that is good enough. */
  readonly atMost?: number;
}

/** The findings of a suite. */
export interface SuiteResult {
  /** The things that were measured, one a line. */
  readonly notes: readonly string[];
  readonly figures: readonly Figure[];
}

/** Something that is measured, and what it came to. */
export interface Suite {
  /** Its name on the command line, which is also the first half of its figures' names. */
  readonly id: string;
  readonly name: string;
  run(): Promise<SuiteResult>;
}

/** Checks whether a figure is as good as it has to be; unknown is not. */
export function isGood({ value, atLeast = -Infinity, atMost = Infinity }: Figure): boolean {
  return value >= atLeast && value <= atMost;
}
