import { badValue } from '../../simulator/bad-value.ts';
import { checkEachOnce } from '../../simulator/each-once.ts';
import { splitAtCommas } from '../../simulator/split-at-commas.ts';
import { AMOUNT, parseAmount } from '../../simulator/scenario/file/amounts.ts';

/** A number of tokens from the command line: `16000`, `16k` or `1M`. */
export function parseTokens(option: string, text: string): number {
  const amount = text.trim();
  const tokens = AMOUNT.test(amount) ? parseAmount(amount) : Number.NaN;
  if (Number.isSafeInteger(tokens)) return tokens;
  throw badValue(option, 'a whole number of tokens, such as 16000, 16k or 1M', text);
}

/** Numbers of tokens with commas between, of an option that can be repeated: none blank, each once. */
export function parseTokenList(option: string, values: readonly string[]): readonly number[] {
  const texts = splitAtCommas(values);
  const amounts = texts.map((text) => parseTokens(option, text));
  checkEachOnce(option, texts, amounts);
  return amounts;
}
