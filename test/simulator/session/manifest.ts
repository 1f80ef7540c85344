import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { decodeText } from '../../../src/simulator/lib/files.ts';
import { sessionFormats } from '../../../src/simulator/session/formats.ts';
import { readSessions } from '../../../src/simulator/session/load.ts';
import type { RecordedCompaction } from '../../../src/simulator/session/session.ts';

/** An entry of the manifest. */
export interface ManifestEntry {
  readonly file: string;
  readonly format: string;
  readonly toolOutputs: number;
  readonly models: readonly string[];
  readonly compactions: readonly {
    readonly kind: string;
    readonly trigger: string | null;
    readonly pre: number | null;
    readonly saved?: number;
    readonly n?: number;
  }[];
}

/** The folder of the recorded sessions. */
export const FOLDER = resolve(import.meta.dirname, '../../../../shared/sessions');
const MANIFEST = join(FOLDER, 'MANIFEST.json');
/** Entries of the manifest; empty where the folder is absent. */
export const manifest: readonly ManifestEntry[] = existsSync(MANIFEST)
  ? JSON.parse(readFileSync(MANIFEST, 'utf8'))
  : [];
/** Why tests of the recordings are skipped; empty where they are not. */
export const note = existsSync(MANIFEST) ? '' : ' (skipped: ../shared/sessions is not there)';

/** The text of a recording. */
export const textOf = (file: string) => decodeText(readFileSync(join(FOLDER, file)));
/** The sessions of a recording. */
export const read = (file: string) => readSessions(file, textOf(file));
/** Formats that the manifest lists under other names. */
const NAMES: Readonly<Record<string, string>> = {
  'atif-stream': 'atif',
  'claude-sdk-stream': 'claude-agent-sdk',
  'cline-sdk': 'cline',
  'codex-rollout': 'codex',
  'openhands-output': 'openhands',
};
/** A file that says of a session everything but its messages. */
export const WITHOUT_MESSAGES = 'cline/session.json';

/** The name here of a format of the manifest. */
export const nameOf = (format: string) => NAMES[format] ?? format;
/** Selects the files that some format reads. */
export const isRead = ({ file, format }: ManifestEntry) =>
  file !== WITHOUT_MESSAGES && Object.hasOwn(sessionFormats, nameOf(format));
/** The files of a format of the manifest. */
export const byFormat = (name: string) => manifest.filter(({ format }) => format === name);

/** A compaction as the manifest has it, whoever tells of it. */
export function toManifest(
  compaction: RecordedCompaction | ManifestEntry['compactions'][number],
): unknown {
  if ('pre' in compaction) {
    const { kind, trigger, pre, saved, n } = compaction;
    const after = saved === undefined ? undefined : (pre ?? 0) - saved;
    return [kind, trigger ?? undefined, pre ?? undefined, after, n];
  }
  const { kind, trigger, tokensBefore, tokensAfter, clearedCallIds } = compaction;
  return [kind, trigger, tokensBefore, tokensAfter, clearedCallIds?.length];
}
