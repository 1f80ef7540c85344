import { parseJson } from '../../lib/json.ts';
import type { Tally } from './tally.ts';

/** The arguments of a call, which most recorders write as JSON in a text; a text that is no JSON stays as it is. */
export function toInput(written: unknown, tally: Tally): unknown {
  if (typeof written !== 'string') return written ?? {};
  const input = parseJson(written);
  if (input === undefined) tally.repair('tool arguments that are no JSON');
  return input ?? written;
}
