/** Where numbers from 0 on stand in a recording: for each the places of its messages, in order. */
export type Places = readonly (readonly number[])[];

/** How often numbers stand in a view. */
export interface Counted {
  /** Whether a number stands in a view that has had so many messages of the recording. */
  has(key: number, recordedMessages: number): boolean;
  /** It stands there more or less often than in these messages. */
  change(key: number, by: number): void;
}

const NOWHERE: readonly number[] = [];

/** Counts numbers as often as in the first messages of a recording, but for the changes. They have to lie close together. */
export function createCounted(places: Places): Counted {
  const changes: number[] = [];
  return {
    has: (key, recordedMessages) =>
      (changes[key] ?? 0) + countBefore(places[key] ?? NOWHERE, recordedMessages) > 0,
    change: (key, by) => {
      while (changes.length <= key) changes.push(0);
      changes[key] = (changes[key] ?? 0) + by;
    },
  };
}

/** How many of some places, in order, lie before another one. */
function countBefore(places: readonly number[], end: number): number {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((places[middle] ?? end) < end) low = middle + 1;
    else high = middle;
  }
  return low;
}
