/** Where a release is known to differ from the preset that claims it, and why. */

import type { FieldName } from './compare.ts';
import type { OracleRecord } from './record.ts';
import type { ScriptName } from './scripts.ts';

export interface Explained {
  readonly agent: string;
  /** All releases that were observed, where absent. */
  readonly versions?: readonly string[];
  /** All scripts, where absent. */
  readonly scripts?: readonly ScriptName[];
  /** The order of requests, where absent. */
  readonly fields?: readonly FieldName[];
  readonly why: string;
}

export const explained: readonly Explained[] = [
  {
    agent: 'pi',
    versions: ['1.6.0'],
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
    versions: ['0.52.0', '0.61.0'],
    scripts: ['old-outputs', 'idle-gap'],
    why: 'A session that is resumed holds its newest output twice, so that more of them are beyond what is protected.',
  },
  {
    agent: 'gemini-cli',
    scripts: ['protected-output'],
    fields: ['moves', 'kept'],
    why: 'The skill is loaded by a tool with a name of its own, or by none, so that its output is another than that of the script.',
  },
  {
    agent: 'gemini-cli',
    scripts: ['edge-at-end'],
    why: 'Each headless prompt is a process of its own, which does not know the usage before it.',
  },
];

/** Why a record differs in a field; `undefined` where nobody knows. */
export function explain(
  { agent, version, script }: OracleRecord,
  field: FieldName,
): Explained | undefined {
  return explained.find(
    (one) =>
      one.agent === agent &&
      (one.versions ?? [version]).includes(version) &&
      (one.scripts ?? [script]).some((name) => name === script) &&
      (one.fields ?? ['moves']).includes(field),
  );
}
