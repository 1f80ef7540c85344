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
  {
    agent: 'pi',
    version: '1.6.0',
    scripts: ['edge-by-output'],
    why: 'The newest output is counted; the preset goes by usage alone.',
  },
  {
    agent: 'qwen-code',
    scripts: ['edge-by-output'],
    why: 'A large output is cut to some 4,500 characters before it is counted, so it does not cross the edge.',
  },
  {
    agent: 'qwen-code',
    scripts: ['empty-summary', 'failed-summary'],
    why: 'A summary that failed is asked for again without tools, and the turn goes on; under the preset it ends.',
  },
  {
    agent: 'qwen-code',
    scripts: ['oversized-summary'],
    why: 'A summary larger than what it replaces is taken; the preset rejects it.',
  },
  {
    agent: 'kimi-code',
    scripts: ['refused-first', 'refused-mid-turn'],
    why: 'A refused request is sent again without a compaction; under the preset the turn ends.',
  },
  {
    agent: 'kimi-code',
    scripts: ['empty-summary'],
    why: 'An empty summary is asked for a second time; the preset takes it.',
  },
  {
    agent: 'kilo',
    scripts: ['edge-at-end'],
    why: 'The end of a turn waits for the next prompt; the preset compacts and goes on.',
  },
  {
    agent: 'kilo',
    scripts: ['empty-summary'],
    why: 'An empty summary ends the turn; the preset goes on.',
  },
  {
    agent: 'gemini-cli',
    scripts: ['old-outputs'],
    why: 'Old outputs are shortened to their beginning, a prompt earlier than the preset clears them.',
  },
  {
    agent: 'gemini-cli',
    scripts: ['edge-at-end'],
    why: 'Each headless prompt is a process of its own, which does not know the usage before it.',
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
