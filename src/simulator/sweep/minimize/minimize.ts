import { sum } from '../../lib/collections.ts';
import type { Outline, Unit } from './outline.ts';

type Shows<Value> = (value: Value) => Promise<boolean>;
type Path = readonly string[];

const SIZES: Readonly<Record<string, string>> = {
  idleSeconds: '',
  tokens: 'characters',
  input: 'inputCharacters',
  outputTokens: 'reasoningTokens',
};

/** The smallest outline that still shows it: turns go first, then steps, then sizes and pauses. */
export async function minimize(outline: Outline, shows: Shows<Outline>) {
  let left = await leaveOut(outline, shows);
  for (;;) {
    for (const { path, value } of sizesIn(left)) {
      const before = left;
      const smallest = await reduceNumber(value, (size) => shows(withSize(before, path, size)));
      if (smallest !== value) left = withSize(left, path, smallest);
    }
    const { length } = left.units;
    left = await leaveOut(left, shows);
    if (left.units.length === length) return left;
  }
}

export function sizeOf({ calibration, units }: Outline) {
  const sizes = units.flatMap((unit) => sizesIn(unit));
  const written = sizes.filter(({ path }) => ['tokens', 'input'].includes(path.at(-1) ?? ''));
  return {
    turns: units.filter((unit) => 'user' in unit).length,
    steps: units.filter((unit) => 'step' in unit).length,
    tokens: Math.round((calibration?.factor ?? 1) * sum(written.map(({ value }) => value))),
  };
}

/** The items without which nothing is shown, by delta debugging. */
export async function reduceList<Item>(items: readonly Item[], shows: Shows<readonly Item[]>) {
  let left = items;
  let size = Math.ceil(left.length / 2);
  while (size > 0 && left.length > 0) {
    const before = left.length;
    // From the end, where later pieces rest on earlier ones.
    for (let end = left.length; end > 0; end -= size) {
      const without = [...left.slice(0, Math.max(0, end - size)), ...left.slice(end)];
      if (await shows(without)) left = without;
    }
    // Where single items went, others may be able to go now.
    if (size > 1) size = Math.min(Math.ceil(size / 2), left.length);
    else if (left.length === before) return left;
  }
  return left;
}

/** The smallest number from 0 that still shows it. */
export async function reduceNumber(number: number, shows: Shows<number>) {
  if (number === 0 || (await shows(0))) return 0;
  // Few of the many numbers of a session can go down at all; the others cost two tries, not a whole search.
  if (number === 1 || !(await shows(number - 1))) return number;
  let [low, high] = [0, number - 1];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (await shows(middle)) high = middle;
    else low = middle;
  }
  return high;
}

async function leaveOut(outline: Outline, shows: Shows<Outline>) {
  const turns: Unit[][] = [];
  for (const unit of outline.units) {
    if ('user' in unit) turns.push([unit]);
    else turns.at(-1)?.push(unit);
  }
  const showsTurns = (left: readonly Unit[][]) => shows({ ...outline, units: left.flat() });
  const units = (await reduceList(turns, showsTurns)).flat();
  const withSteps = (left: readonly Unit[]) => {
    const kept = new Set(left);
    return { ...outline, units: units.filter((unit) => 'user' in unit || kept.has(unit)) };
  };
  const steps = units.filter((unit) => 'step' in unit);
  return withSteps(await reduceList(steps, (left) => shows(withSteps(left))));
}

function sizesIn(
  value: unknown,
  path: Path = [],
): readonly { readonly path: Path; readonly value: number }[] {
  return Object.entries(Object(value)).flatMap(([key, field]) => {
    if (typeof field === 'object') return sizesIn(field, [...path, key]);
    const isSize = typeof field === 'number' && Object.hasOwn(SIZES, key);
    return isSize ? [{ path: [...path, key], value: field }] : [];
  });
}

function withSize<Value>(value: Value, [key = '', ...rest]: Path, size: number) {
  const copy: Record<string, unknown> = Object.assign(Array.isArray(value) ? [] : {}, value);
  copy[key] = rest.length === 0 ? size : withSize(copy[key], rest, size);
  if (rest.length === 0) delete copy[SIZES[key] ?? ''];
  return copy as Value;
}
