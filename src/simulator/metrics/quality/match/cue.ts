/** Words that say something about what stands near them. Words in Latin letters are matched whole. */
export function cue(english: readonly string[], others: readonly string[] = []): RegExp {
  const whole = `(?<![\\w-])(?:${english.join('|')})(?![\\w-])`;
  return new RegExp([whole, ...others].join('|'), 'gu');
}
