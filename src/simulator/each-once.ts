import { badOption } from './errors.ts';
import { quoted } from './names.ts';

/** Throws `HarnessError` where two texts of a list stand for the same, which their keys tell. */
export function checkEachOnce(
  list: string,
  texts: readonly string[],
  keys: readonly unknown[],
): void {
  const first = new Map<unknown, string>();
  for (const [index, text] of texts.entries()) {
    const earlier = first.get(keys[index]);
    if (earlier !== undefined) throw again(list, text, earlier);
    first.set(keys[index], text);
  }
}

function again(list: string, text: string, earlier: string): Error {
  const after = text === earlier ? 'again' : `after ${quoted(earlier)}`;
  return badOption(
    `Expected ${quoted(list)} to have each value once, got ${quoted(text)} ${after}.`,
  );
}
