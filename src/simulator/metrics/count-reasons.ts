/** A reason with how often it was given. */
export interface CountedReason {
  readonly reason: string;
  readonly times: number;
}

/** Reasons with their counts, the most frequent first. */
export function countReasons(reasons: readonly string[]): readonly CountedReason[] {
  const times = new Map<string, number>();
  for (const reason of reasons) times.set(reason, (times.get(reason) ?? 0) + 1);
  return [...times]
    .map(([reason, count]) => ({ reason, times: count }))
    .toSorted((a, b) => b.times - a.times);
}
