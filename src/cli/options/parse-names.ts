import { badValue } from '../../simulator/bad-value.ts';
import { checkEachOnce } from '../../simulator/each-once.ts';
import { splitAtCommas } from '../../simulator/split-at-commas.ts';

/** Names with commas between, of an option that can be repeated: none blank, each once; `what` they are of. */
export function parseNames(
  option: string,
  values: readonly string[],
  what: string,
): readonly string[] {
  const names = splitAtCommas(values);
  if (names.includes('')) throw badValue(option, `${what} separated by commas`, values.join(','));
  checkEachOnce(option, names, names);
  return names;
}
