/** Where numbers from 0 on stand in a recording: for each the places of its messages, in order. */
export type Places = readonly (readonly number[])[];

/** How often numbers stand in a view. */
export interface Counted {
  /** Whether a number stands in a view that has had so many messages of the recording. */
  has(key: number, recordedMessages: number): boolean;
  /** It stands there more or less often than in these messages. */
  change(key: number, by: number): void;
}

/** Counts numbers as often as in the first messages of a recording, but for the changes. They have to lie close together. */
export function createCounted(places: Places): Counted {
  const changes: number[] = [];
  return {
    has: (key, recordedMessages) => {
      const change = changes[key] ?? 0;
      if (change > 0) return true;
      // One more place than were taken off has to lie among these messages.
      const place = places[key]?.[0 - change];
      return place !== undefined && place < recordedMessages;
    },
    change: (key, by) => {
      while (changes.length <= key) changes.push(0);
      changes[key] = (changes[key] ?? 0) + by;
    },
  };
}
