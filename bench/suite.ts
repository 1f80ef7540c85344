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

/** What a suite found out. */
export interface SuiteResult {
  /** What was measured, one thing a line. */
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

/** Whether a figure is as good as it has to be; unknown is not. */
export function isGood({ value, atLeast = -Infinity, atMost = Infinity }: Figure): boolean {
  return value >= atLeast && value <= atMost;
}
