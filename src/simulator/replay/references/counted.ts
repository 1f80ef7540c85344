/** Keys with how often each was added. */
export interface Counted<Key> {
  has(key: Key): boolean;
  add(key: Key): void;
  remove(key: Key): void;
}

/** Told when a key comes and when it is gone. */
export type OnPresence<Key> = (key: Key, isPresent: boolean) => void;

/** Keys of which none was added yet. */
export function createCounted<Key>(onPresence: OnPresence<Key>): Counted<Key> {
  const counts = new Map<Key, number>();
  return {
    has: (key) => counts.has(key),
    add: (key) => {
      const count = counts.get(key) ?? 0;
      counts.set(key, count + 1);
      if (count === 0) onPresence(key, true);
    },
    remove: (key) => {
      const count = counts.get(key) ?? 0;
      if (count > 1) {
        counts.set(key, count - 1);
      } else if (counts.delete(key)) {
        onPresence(key, false);
      }
    },
  };
}
