import { badOption, type HarnessError } from './errors.ts';
import { quoted } from './names.ts';

/** What is said of an option that has something else than it takes. */
export function badValue(option: string, expected: string, got: string): HarnessError {
  return badOption(`Expected '${option}' to be ${expected}, got ${quoted(got)}.`);
}
