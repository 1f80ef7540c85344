/** The parts of a run: those of its recording, and those that the recording does not have. */
export interface KnownParts {
  /** The recording's own numbers, and for other parts the next ones in order of their appearance. */
  numberOf(partId: string): number;
  /** The output as the tool gave it, by the number of its part; absent where nobody knows it. */
  outputOf(part: number): string | undefined;
}

/** The parts of a recording alone. */
export function createKnownParts(
  numbers: ReadonlyMap<string, number>,
  outputs: readonly (string | undefined)[],
): KnownParts {
  let ownNumbers: Map<string, number> | undefined;
  const numberOf = (partId: string) => {
    const known = numbers.get(partId) ?? ownNumbers?.get(partId);
    if (known !== undefined) return known;
    ownNumbers ??= new Map();
    const number = numbers.size + ownNumbers.size;
    ownNumbers.set(partId, number);
    return number;
  };
  return {
    numberOf,
    outputOf: (part) => outputs[part],
  };
}
