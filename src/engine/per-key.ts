/**
 * A function of an object that never changes, made to remember what it gave for as long as the object is there:
 * runs of one recording share its parts, and ask the same of them again and again.
 */
export function perKey<Key extends object, Value extends {}>(
  make: (key: Key) => Value,
): (key: Key) => Value {
  const values = new WeakMap<Key, Value>();
  return (key) => {
    const known = values.get(key);
    if (known !== undefined) return known;
    const value = make(key);
    values.set(key, value);
    return value;
  };
}
