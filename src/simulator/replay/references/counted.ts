/** Where numbers from 0 on stand in a recording, by the places of its messages. */
export interface Places {
  /** Of each number the first place; one behind all others where it has none. */
  readonly first: Int32Array;
  /** Of each number how many places it has. */
  readonly times: Int32Array;
  /** Of each number all places, in order. */
  readonly all: readonly (readonly number[])[];
}

/** How often numbers stand in a view: as often as in the first messages of a recording, but for the changes. */
export interface Counted {
  readonly places: Places;
  /** By number. They have to lie close together. */
  readonly changes: number[];
}

/** A place behind all others. */
export const NOWHERE = 2 ** 31 - 1;

/** The places of so many numbers, by what stands at each place. */
export function placesOf(standing: readonly (readonly number[])[], size: number): Places {
  const all: number[][] = Array.from({ length: size }, () => []);
  for (const [place, numbers] of standing.entries()) {
    for (const number of numbers) all[number]?.push(place);
  }
  return {
    first: Int32Array.from(all, ([place = NOWHERE]) => place),
    times: Int32Array.from(all, ({ length }) => length),
    all,
  };
}

/** The numbers of a view that shows its recording as it is. */
export function startCounted(places: Places): Counted {
  return { places, changes: [] };
}

/** Whether a number stands in a view that has had so many messages of the recording. */
export function hasNumber(
  { places: { first, all }, changes }: Counted,
  number: number,
  recordedMessages: number,
): boolean {
  const change = changes[number] ?? 0;
  if (change > 0) return true;
  if (change === 0) return (first[number] ?? NOWHERE) < recordedMessages;
  // One more place than were taken off has to lie among these messages.
  return (all[number]?.[-change] ?? NOWHERE) < recordedMessages;
}

/** Some numbers stand there more or less often than in these messages. */
export function changeNumbers({ changes }: Counted, numbers: readonly number[], by: number): void {
  for (const number of numbers) {
    while (changes.length <= number) changes.push(0);
    changes[number] = (changes[number] ?? 0) + by;
  }
}
