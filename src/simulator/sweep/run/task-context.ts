import { messageOf } from '../../errors.ts';
import { createOpener } from '../../session/files/opener.ts';
import type { Session } from '../../session/session.ts';
import type { AnySummarizer } from '../../summarizer/summarizer.ts';
import { findSummarizer } from '../../summarizer/summarizers.ts';
import { createCounters } from '../../tokens/counters.ts';
import type { Cell } from '../grid/cell.ts';
import { hashSession } from '../plan/scan.ts';
import { type CountWith, loadCounts, type PreparedSession, prepareSession } from './controls.ts';
import { readCell } from './effective-key.ts';
import type { TaskContext } from './run-task.ts';
import { readSession } from './session-text.ts';
import { byId, type SessionRef, type SweepTask } from './task.ts';

/** What a context may use besides the cells. */
export interface TaskContextOptions {
  /** Folder of token counts that other processes may use at the same time; none means that they are forgotten. */
  readonly cacheFolder?: string | undefined;
  /** Whether a task whose session is not what its hash says is refused; its runs fail by default. */
  readonly checksContent?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Finds summarizers by name; only those that need no model by default. */
  readonly find?: ((name: string) => AnySummarizer) | undefined;
}

/** A context that can be put away. */
export interface OpenTaskContext extends TaskContext {
  readonly checksContent: boolean;
  /** Makes a text stand for the file of a session. */
  give(session: SessionRef, text: string): void;
  /** Keeps for the next process what was counted. */
  save(): void;
}

/** A context in which the tasks of these cells can be run, with every tokenizer that they need. */
export async function createTaskContext(
  cells: readonly Cell[],
  { cacheFolder, checksContent = false, signal, find = findSummarizer }: TaskContextOptions = {},
): Promise<OpenTaskContext> {
  const counters = createCounters({ cacheFolder });
  const modelIds = new Set(cells.map(({ model }) => model.id));
  const countWith = await loadCounts(counters, modelIds);
  const names = new Set(cells.map(({ summarizer }) => summarizer));
  const summarizers = new Map([...names].map((name) => [name, find(name)]));
  const read = new Map(cells.map((cell) => [cell.id, readCell(cell)]));
  const source = createSource();
  return {
    cells: byId(cells),
    checksContent,
    readCell: (cell) => read.get(cell.id) ?? readCell(cell),
    prepare: createPrepare(countWith, source.open),
    give: source.give,
    findSummarizer: (name) => summarizers.get(name) ?? find(name),
    signal,
    save: () => counters.save(),
  };
}

/** Why a task cannot be begun, for a context that checks what sessions hold. */
export function refusalOf({ session }: SweepTask, context: OpenTaskContext): string | undefined {
  if (!context.checksContent) return undefined;
  try {
    context.prepare(session);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** Prepares sessions of files; the last one stays, for its next task. */
function createPrepare(
  countWith: CountWith,
  open: (ref: SessionRef) => Session,
): TaskContext['prepare'] {
  let last: { readonly key: string; readonly prepared: PreparedSession } | undefined;
  return (ref) => {
    const key = JSON.stringify([ref.file, ref.index, ref.name, ref.hash]);
    if (last?.key !== key) {
      const session = { ...open(ref), name: ref.name };
      last = { key, prepared: prepareSession(session, countWith) };
    }
    return last.prepared;
  };
}

/**
 * Opens sessions of files, or of texts that stand for them. Throws at what a session's hash does not say: its cells may
 * be run at different times, and an agent may still write it.
 */
function createSource() {
  const files = createOpener();
  let given: { readonly hash: string; readonly text: string } | undefined;
  const find = (ref: SessionRef): Session => {
    if (given?.hash === ref.hash) return readSession(given.text);
    const opened = files.open(ref);
    if (opened.state === 'unread') throw new Error(opened.reason);
    return opened.session;
  };
  return {
    give: ({ hash }: SessionRef, text: string): void => {
      given = { hash, text };
    },
    open: (ref: SessionRef): Session => {
      const session = find(ref);
      if (hashSession(session) === ref.hash) return session;
      // Whoever mends the file finds it read again.
      files.forget();
      given = undefined;
      throw new Error('the file does not hold what the sweep was planned with');
    },
  };
}
