import { HarnessError } from '../simulator/errors.ts';
import { quoted } from '../simulator/names.ts';

const MOST_REPEATS = 1_000;
const BY_POLICY = 'policy';

/** Shares of the steps at which sessions are compacted, in order; absent where the policy decides. */
export function parseCompactAt(text: string): readonly number[] | undefined {
  if (text === BY_POLICY) return undefined;
  const shares = text
    .split(',')
    .map((share) => (/^\s*[\d.]+\s*$/.test(share) ? Number(share) : -1));
  const [first = 0, second = 0] = shares;
  if (shares.length === 2 && first > 0 && first < second && second <= 1) return shares;
  throw new HarnessError(
    'BAD_OPTION',
    `Expected '--compact-at' to be two shares as in '0.5,1', or 'policy', got ${quoted(text)}.`,
  );
}

/** How often each session is run. */
export function parseRepeats(text: string): number {
  const repeats = Number(text);
  if (/^\d+$/.test(text) && repeats >= 1 && repeats <= MOST_REPEATS) return repeats;
  throw new HarnessError(
    'BAD_OPTION',
    `Expected '--repeat' to be an integer from 1 to ${MOST_REPEATS}, got ${quoted(text)}.`,
  );
}
