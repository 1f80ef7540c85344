import { messageOf } from '../../errors.ts';
import { loadFile } from '../../session/load.ts';
import type { Session } from '../../session/session.ts';
import { findSummarizer } from '../../summarizer/summarizers.ts';
import { createCounters } from '../../tokens/counters.ts';
import { tokenizerOf } from '../../tokens/tokenizer-of.ts';
import type { Cell } from '../grid/cell.ts';
import { hashSession } from '../plan/scan.ts';
import { type CountWith, type PreparedSession, prepareSession } from './controls.ts';
import { effectiveKey } from './effective-key.ts';
import type { TaskBench } from './run-task.ts';
import { byId, type SessionRef, type SweepTask } from './task.ts';

/** What a bench may use besides the cells. */
export interface BenchOptions {
  /** Folder of token counts that other processes may use at the same time; none means that they are forgotten. */
  readonly cacheFolder?: string | undefined;
  /** Whether a session must be what its hash says; preparing another one throws. */
  readonly checksContent?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A bench that can be put away. */
export interface OpenBench extends TaskBench {
  readonly checksContent: boolean;
  /** Keeps for the next process what was counted. */
  save(): void;
}

/** A bench on which the tasks of these cells can be run, with every tokenizer that they need. */
export async function createBench(
  cells: readonly Cell[],
  { cacheFolder, checksContent = false, signal }: BenchOptions = {},
): Promise<OpenBench> {
  const counters = createCounters({ cacheFolder });
  const counts = new Map<string, (text: string) => number>();
  for (const { model } of cells) {
    counts.set(tokenizerOf(model.id).name, await counters.of(model.id));
  }
  const summarizers = new Map(
    cells.map(({ summarizer }) => [summarizer, findSummarizer(summarizer)]),
  );
  const keys = new Map(cells.map((cell) => [cell.id, effectiveKey(cell)]));
  return {
    cells: byId(cells),
    checksContent,
    effectiveKeyOf: (cell) => keys.get(cell.id) ?? effectiveKey(cell),
    prepare: createPrepare((name) => {
      const count = counts.get(name);
      if (count === undefined) throw new RangeError(`Expected a loaded tokenizer, got ${name}.`);
      return count;
    }, createOpener(checksContent)),
    findSummarizer: (name) => summarizers.get(name) ?? findSummarizer(name),
    signal,
    save: () => counters.save(),
  };
}

/** Why a task cannot be begun, for a bench that checks what sessions hold. */
export function refusalOf({ session }: SweepTask, bench: OpenBench): string | undefined {
  if (!bench.checksContent) return undefined;
  try {
    bench.prepare(session);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** Prepares sessions of files; the last one stays, for its next task. */
function createPrepare(
  countWith: CountWith,
  open: (ref: SessionRef) => Session,
): TaskBench['prepare'] {
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

/** Opens sessions of files; the file that was read last stays, for its next session. */
function createOpener(checksContent: boolean): (ref: SessionRef) => Session {
  let last: { readonly file: string; readonly sessions: readonly Session[] } | undefined;
  return ({ file, index, hash }) => {
    if (last?.file !== file) {
      const loaded = loadFile(file);
      if (loaded.state === 'unread') throw new Error(loaded.reason);
      last = { file, sessions: loaded.sessions };
    }
    const session = last.sessions[index];
    if (session === undefined) throw new Error(`the file no longer has its session ${index}`);
    if (checksContent && hashSession(session) !== hash) {
      // Whoever mends the file finds it read again.
      last = undefined;
      throw new Error('the file holds something else than where the sweep was planned');
    }
    return session;
  };
}
