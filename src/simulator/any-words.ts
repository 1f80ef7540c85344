/** The source of a pattern that matches any of some words. Those in Latin letters, which may be patterns, are matched whole; others anywhere. */
export function anyWords(latin: readonly string[], others: readonly string[] = []): string {
  return [`(?<![\\w-])(?:${latin.join('|')})(?![\\w-])`, ...others].join('|');
}
