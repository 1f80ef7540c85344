import type { Checkup } from './checkup.ts';

/** What is wrong, and what to do about it. */
export interface Complaint {
  readonly problem: string;
  readonly advice: string;
}

/** One thing that can be wrong with a policy on a model. */
export interface Lint {
  /** `never-works` means that no session can go on under it. */
  readonly severity: 'never-works' | 'warning';
  readonly describes: string;
  readonly find: (checkup: Checkup) => readonly Complaint[];
}

/** A complaint with the name of its lint. */
export interface LintFinding extends Complaint {
  readonly lint: string;
  readonly severity: Lint['severity'];
}

/** A number as a complaint shows it. */
export function shownTokens(tokens: number): string {
  return tokens.toLocaleString('en-US', { maximumFractionDigits: 1 });
}
