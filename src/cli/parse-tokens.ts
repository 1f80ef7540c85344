import { HarnessError } from '../simulator/errors.ts';
import { quoted } from '../simulator/names.ts';

const AMOUNT = /^(\d+(?:\.\d+)?)([kKmM]?)$/;
const FACTORS: Readonly<Record<string, number>> = { '': 1, k: 1_000, m: 1_000_000 };

/** A number of tokens from the command line: `16000`, `16k` or `1M`. */
export function parseTokens(option: string, text: string): number {
  const [, amount = '', letter = ''] = AMOUNT.exec(text.trim()) ?? [];
  const tokens = Number(amount) * (FACTORS[letter.toLowerCase()] ?? 1);
  if (amount !== '' && Number.isSafeInteger(tokens)) return tokens;
  throw new HarnessError(
    'BAD_OPTION',
    `Expected '${option}' to be numbers of tokens as in 16000, 16k or 1M, got ${quoted(text)}.`,
  );
}

/** Values of an option that can be repeated, each possibly several with commas between; blank ones are left out. */
export function splitList(values: readonly string[]): readonly string[] {
  const all = values.flatMap((value) => value.split(',')).map((value) => value.trim());
  return [...new Set(all)].filter((value) => value !== '');
}
