/** A function made to run one call at a time, first come, first served; a failed call stops no other. */
export function oneAtATime<Given extends readonly unknown[], Value>(
  run: (...given: Given) => Promise<Value>,
): (...given: Given) => Promise<Value> {
  let last: Promise<unknown> = Promise.resolve();
  return (...given) => {
    const result = last.then(() => run(...given));
    last = result.catch(() => undefined);
    return result;
  };
}
