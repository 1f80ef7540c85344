/** A character with how often it stands in a row. */
export interface RepeatedCharacter {
  readonly character: string;
  readonly times: number;
}

/** Of fewer times, the whole is a word like others. */
const FEWEST_TIMES = 8;

/** The character that a text repeats from end to end; absent where there are several, or it is short. */
export function repeatedCharacterOf(text: string): RepeatedCharacter | undefined {
  const [character = ''] = text;
  const times = text.length / character.length;
  // An expression with a back reference fails on megabytes.
  const isRepeated = times >= FEWEST_TIMES && text === character.repeat(times);
  return isRepeated ? { character, times } : undefined;
}
