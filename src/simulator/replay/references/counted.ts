/** Numbers with how often each was added. */
export interface Counted {
  has(key: number): boolean;
  add(key: number): void;
  remove(key: number): void;
}

/** Told when a number comes and when it is gone. */
export type OnPresence = (key: number, isPresent: boolean) => void;

/** Numbers from 0 on of which none was added yet. They are kept in a list, so that they have to lie close together. */
export function createCounted(onPresence: OnPresence): Counted {
  const counts: number[] = [];
  return {
    has: (key) => (counts[key] ?? 0) > 0,
    add: (key) => {
      while (counts.length <= key) counts.push(0);
      const count = counts[key] ?? 0;
      counts[key] = count + 1;
      if (count === 0) onPresence(key, true);
    },
    remove: (key) => {
      const count = counts[key] ?? 0;
      if (count > 0) counts[key] = count - 1;
      if (count === 1) onPresence(key, false);
    },
  };
}
