/** A reason with how often it was given. */
export interface CountedReason {
  readonly reason: string;
  readonly times: number;
}

/** Reasons with their counts, the most frequent first. */
export function countReasons(reasons: readonly string[]): readonly CountedReason[] {
  return sumReasons(reasons.map((reason) => ({ reason, times: 1 })));
}

/** Reasons that were counted apart with their sums, the most frequent first. */
export function sumReasons(counted: readonly CountedReason[]): readonly CountedReason[] {
  const sums = new Map<string, number>();
  for (const { reason, times } of counted) sums.set(reason, (sums.get(reason) ?? 0) + times);
  return [...sums]
    .map(([reason, times]) => ({ reason, times }))
    .toSorted((a, b) => b.times - a.times);
}
