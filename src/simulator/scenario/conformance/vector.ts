import * as z from 'zod';

/** One fact about what released versions do, in the form of its kind. */
export const Vector = z.looseObject({
  id: z.string(),
  kind: z.string(),
  /** For which releases it holds, where it names no profiles. */
  version: z.string().optional(),
});
export type Vector = z.infer<typeof Vector>;

/** How a vector came out under one profile. */
export interface VectorResult {
  readonly id: string;
  readonly kind: string;
  /** The rule-set that was asked, or the releases for which the vector holds. */
  readonly profile: string;
  readonly state: 'passed' | 'failed' | 'skipped';
  readonly expected: unknown;
  /** `null` where nothing was evaluated. */
  readonly got: unknown;
  /** Why it was skipped, or what else is wrong than the value. */
  readonly reason?: string;
}
