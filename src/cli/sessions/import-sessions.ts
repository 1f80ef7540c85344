import { writeSession } from '../../simulator/session/canonical/write.ts';
import type { FormatName } from '../../simulator/session/formats.ts';
import {
  addCounts,
  countSession,
  NO_COUNTS,
  type SessionCounts,
} from '../../simulator/session/import/count.ts';
import { toNeutralPath, toSessionPath } from '../../simulator/session/import/file-name.ts';
import { loadSessions } from '../../simulator/session/load.ts';
import type { Redactor } from '../../simulator/session/redact/redactor.ts';
import type { CliIo } from '../process/io.ts';
import { inTurn } from '../process/progress.ts';
import type { RunInputs } from '../inputs/run-inputs.ts';
import type { SessionStore } from './store.ts';
import { isStopped } from '../process/is-stopped.ts';

/** What was made of one file. */
export interface ImportedFile extends SessionCounts {
  readonly file: string;
  /** The format that claimed it; `null` where none did. */
  readonly format: FormatName | null;
  readonly state: 'read' | 'refused';
  /** Why it was refused, be it behind some of its sessions. */
  readonly reason?: string;
  /** Where its sessions are, below the folder. */
  readonly written: readonly string[];
}

/** How an import ended. */
export type ImportResult =
  | { readonly state: 'done'; readonly files: readonly ImportedFile[] }
  | Interrupted;

interface Interrupted {
  readonly state: 'interrupted';
}

/** What is imported, how and where to. */
export interface ImportPlan {
  /** The paths, folders and patterns as given. */
  readonly given: readonly string[];
  readonly inputs: RunInputs;
  readonly store: SessionStore;
  /** The format of all files; absent where each tells its own. */
  readonly from?: FormatName | undefined;
  /** What hides the sessions of a file before they are written; absent where they stay as they are. */
  readonly redaction?: Redaction | undefined;
}

/** How sessions are hidden. */
export interface Redaction {
  /** A redactor for the sessions of one file. */
  readonly createRedactor: () => Pick<Redactor, 'redact'>;
}

/** Writes every session of the files to the store, one after another. Throws `HarnessError` where one cannot be written. */
export async function importSessions(plan: ImportPlan, io: CliIo): Promise<ImportResult> {
  const { inputs } = plan;
  const imported = inputs.unread.map(({ file, reason }) => toRefused(file, reason));
  const files = inputs.files.map((file, index) => ({ file, index }));
  for (const place of inTurn(files, ({ file }) => inputs.nameOf(file), io)) {
    const result = await importFile(place, plan, io);
    if (result.state === 'interrupted') return result;
    imported.push(result);
  }
  return { state: 'done', files: imported };
}

async function importFile(
  { file, index }: { readonly file: string; readonly index: number },
  plan: ImportPlan,
  io: CliIo,
): Promise<ImportedFile | Interrupted> {
  const shown = plan.inputs.nameOf(file);
  let format: FormatName | null = null;
  let counts = NO_COUNTS;
  const written: string[] = [];
  const redactor = plan.redaction?.createRedactor();
  for (const loaded of loadSessions([file], { from: plan.from })) {
    if (loaded.state === 'unread') {
      return { ...toRefused(shown, loaded.reason), format, ...counts, written };
    }
    if (await isStopped(io)) return { state: 'interrupted' };
    const { session } = loaded;
    const place = { file, name: session.name };
    const path = redactor ? toNeutralPath(place, index) : toSessionPath(place, plan.given);
    const shared = redactor ? redactor.redact(session) : session;
    written.push(plan.store.write(path, writeSession(shared)).path);
    ({ format } = loaded);
    counts = addCounts(counts, countSession(shared));
  }
  return { file: shown, format, state: 'read', ...counts, written };
}

function toRefused(file: string, reason: string): ImportedFile {
  return { file, format: null, state: 'refused', reason, ...NO_COUNTS, written: [] };
}
