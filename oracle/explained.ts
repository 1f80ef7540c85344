/** Where a release is known to differ from the preset that claims it, and why. */

import { known } from '../src/simulator/lib/collections.ts';
import { compare } from './agents.ts';
import type { FieldName } from './compare.ts';
import type { OracleRecord } from './record.ts';
import type { ScriptName } from './scripts.ts';

interface Explained {
  /** `pi@0.55.4..1.6.0`, one release as `pi@0.55.4`; an artefact may be of all releases, as `pi`. */
  readonly releases: readonly string[];
  /** All scripts, where absent. */
  readonly scripts?: readonly ScriptName[];
  /** The order of requests, where absent. */
  readonly fields?: readonly FieldName[];
  readonly why: string;
}

/** How a record stands to the preset that claims its release. */
export type Kind = 'equal' | 'artefact' | 'other';

/** What comes of running without a terminal, where each prompt may be a process or a session of its own. */
const artefacts: readonly Explained[] = [
  {
    releases: ['pi@0.55.4'],
    scripts: ['edge-at-end', 'refused-first', 'refused-mid-turn'],
    why: 'A headless process ends before it compacts; the next prompt does so, but not after a refusal.',
  },
  {
    releases: ['codex@0.74.0..0.77.0'],
    scripts: ['edge-at-end', 'model-switch'],
    why: 'A headless prompt is a process of its own, which does not know the usage before it; in one process the next prompt compacts.',
  },
  {
    releases: ['qwen-code@0.12.0'],
    scripts: ['edge'],
    fields: ['kept'],
    why: 'A headless session that is taken up again after a compaction lacks one output.',
  },
  {
    releases: ['qwen-code@0.15.10..0.24.4'],
    scripts: ['idle-gap'],
    why: 'A headless prompt is a process of its own, which does not know of the pause and clears nothing.',
  },
  {
    releases: ['qwen-code@0.21.10..0.24.4'],
    fields: ['form'],
    why: 'A headless prompt is a process of its own, and 80 % of its request equal that of the process before.',
  },
  {
    releases: ['gemini-cli@0.52.0..0.61.0'],
    scripts: ['old-outputs', 'idle-gap', 'protected-output'],
    why: 'A session that is resumed holds its outputs twice, so that more of them are beyond what is protected.',
  },
  {
    releases: ['gemini-cli'],
    scripts: ['edge-at-end'],
    why: 'Each headless prompt is a process of its own, which does not know the usage before it.',
  },
];

/** What a release does that its preset does not follow, and what a record tells otherwise than the engine. */
const others: readonly Explained[] = [
  {
    releases: ['gemini-cli@0.34.0'],
    scripts: ['three-compactions'],
    why: 'After a second compaction, outputs that the first one kept are cleared.',
  },
  {
    releases: ['gemini-cli@0.34.0'],
    scripts: ['refused-summary'],
    why: 'A refused request for a summary ends the turn; the preset asks again.',
  },
  {
    releases: ['opencode@1.0.185'],
    scripts: ['protected-output'],
    why: 'Skills are never cleared since 1.0.190; the preset has it so from 1.0.154 on.',
  },
  {
    releases: ['cline@3.0.61..3.0.62'],
    fields: ['kept', 'asked'],
    why: 'The record takes a call that names its output for that output.',
  },
  {
    releases: ['cline@3.0.57..3.0.65'],
    scripts: ['protected-output'],
    fields: ['asked'],
    why: 'The output of a skill is one text, which goes into a request for a summary; those of commands do not.',
  },
  {
    releases: ['continue@1.5.47'],
    scripts: ['huge-prompt'],
    fields: ['asked'],
    why: 'A request for a summary above the window less an answer goes without its newest messages; here the prompt.',
  },
  {
    releases: ['gemini-cli@0.24.0', 'gemini-cli@0.34.0', 'nanocoder@1.30.0'],
    scripts: ['protected-output'],
    fields: ['moves', 'kept'],
    why: 'The skill is loaded by a tool with a name of its own, or by none, so that its output is another than that of the script.',
  },
  {
    releases: ['gemini-cli@0.24.0'],
    scripts: ['reasoning-edge'],
    why: 'A call that comes in one piece with a thought is passed over, and the turn ends.',
  },
  {
    releases: ['qwen-code@0.15.10'],
    scripts: ['config-keys'],
    why: 'Nothing is summarised that is less than 5 % of what was said, as a prompt alone.',
  },
];

/** Rows of both tables, each for one range of releases; all are meant where none are named. */
export const explanations = [...rowsOf(artefacts, true), ...rowsOf(others, false)];

/** Tells if fields of a record differ by artefacts alone, or otherwise. */
export function kindOf(record: OracleRecord, fields: readonly FieldName[]): Kind {
  if (fields.length === 0) return 'equal';
  return fields.every((field) => explain(record, field)?.isArtefact) ? 'artefact' : 'other';
}

/** Why a record differs in a field; `undefined` where nobody knows. */
export function explain({ agent, version, script }: OracleRecord, field: FieldName) {
  return explanations.find(
    ({ from = version, to = version, scripts = [script], fields = ['moves'], ...row }) =>
      row.agent === agent &&
      compare(from, version) <= 0 &&
      compare(version, to) <= 0 &&
      scripts.some((name) => name === script) &&
      fields.includes(field),
  );
}

function rowsOf(rows: readonly Explained[], isArtefact: boolean) {
  return rows.flatMap(({ releases, ...row }) =>
    releases.map((range) => {
      const [agent, versions] = range.split('@');
      const [from, to = from] = versions?.split('..') ?? [];
      return { ...row, isArtefact, agent, ...known({ from, to }) };
    }),
  );
}
