/** Where a release is known to differ from the preset that claims it, and why. */

import type { OracleRecord } from './record.ts';
import type { ScriptName } from './scripts.ts';

interface Explained {
  readonly agent: string;
  /** All releases that were observed, where absent. */
  readonly version?: string;
  readonly scripts: readonly ScriptName[];
  readonly why: string;
}

export const explained: readonly Explained[] = [
  {
    agent: 'codex',
    scripts: ['refused-first', 'refused-mid-turn'],
    why: 'A refused request ends the turn; the preset compacts and asks again.',
  },
];

/** Why a record differs; `undefined` where nobody knows. */
export function explain({ agent, version, script }: OracleRecord): string | undefined {
  const row = explained.find(
    (one) =>
      one.agent === agent &&
      (one.version ?? version) === version &&
      one.scripts.some((name) => name === script),
  );
  return row?.why;
}
