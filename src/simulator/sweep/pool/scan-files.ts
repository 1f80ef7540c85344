import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { known } from '../../lib/collections.ts';
import { messageOf } from '../../lib/errors.ts';
import { isFault } from '../../lib/files.ts';
import { quotedLong } from '../../lib/names.ts';
import { isList } from '../../lib/json.ts';
import { type Keep, openKeep } from '../../lib/keep.ts';
import { guardOwnFolders } from '../../lib/process-end.ts';
import { packedKindOf } from '../../session/files/file-content.ts';
import { sessionFormats } from '../../session/formats.ts';
import { createTraceKeeper, type TraceKeeping } from '../run/prepare.ts';
import { type FoundSession, type Scan, scanFile } from '../run/task.ts';
import { CAN_START_WORKERS, MOST_BREAKS } from './pool.ts';
import { NO_STORY } from '../../session/story.ts';

export interface ScanOptions {
  readonly files: readonly string[];
  readonly jobs?: number | undefined;
  /** Folder in which what was found in a file is kept for as long as that does not change; nothing is kept by default. */
  readonly keptIn?: string | undefined;
  /** Traces to keep of what is read, for runs of it; none by default. */
  readonly traces?: TraceKeeping | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onFile?: ((file: string, index: number) => void) | undefined;
}

export type ScanSetup = Pick<ScanOptions, 'keptIn' | 'traces'>;

export interface ScannedFile {
  readonly file: string;
  readonly scan: Scan;
}

interface KeptSession extends Omit<FoundSession, 'place' | 'candidate' | 'story'> {
  readonly place: Omit<FoundSession['place'], 'file'>;
  readonly candidate: Omit<FoundSession['candidate'], 'name'> & { readonly nameEnd: string };
}

const FOUND = 'found';
const MOST_BYTES = 2 ** 29;
/** As git has it: a file that was changed just now may change again within the same tick of a clock. */
const SETTLED_MS = 2000;

export async function scanFiles(options: ScanOptions) {
  const { files, jobs = 1 } = options;
  const isShared = jobs > 1 && files.length > 1 && CAN_START_WORKERS;
  const byFile = await (isShared ? scanInThreads(options, jobs) : scanHere(options));
  if (options.signal?.aborted) return undefined;
  const scans = files.flatMap((file) => byFile.get(file) ?? []);
  return {
    sessions: scans.flatMap(({ sessions }) => sessions),
    unread: scans.flatMap(({ unread }) => unread),
  };
}

export function* scanKept(
  file: string,
  { keep, keepTrace }: ReturnType<typeof openScan>,
): Generator<void, Scan, void> {
  const key = keep && keyOfFile(file);
  const kept = findKept(file, key, keep);
  if (kept !== undefined) return kept;
  const scan: Scan = { sessions: [], unread: [] };
  yield* scanFile(file, scan, keepTrace);
  const { sessions, unread } = scan;
  const isAlone = unread.length === 0 && !sessions.some(readsAround);
  if (isAlone && key !== undefined && packedKindOf(file) !== 'database') {
    const all = sessions.map((found) => toKept(found, file));
    keep?.put(key, all);
  }
  return scan;
}

export function openScan({ keptIn, traces }: ScanSetup) {
  return {
    keep: keptIn === undefined ? undefined : openKeep(join(keptIn, FOUND), { isOne: isList }),
    keepTrace: traces && createTraceKeeper(traces),
  };
}

function findKept(file: string, key: string | undefined, keep: Keep | undefined) {
  const kept = key === undefined ? undefined : keep?.get(key);
  if (kept === undefined) return undefined;
  const sessions = (kept as readonly KeptSession[]).map((one) => fromKept(one, file));
  return { sessions, unread: [] };
}

async function scanHere(options: ScanOptions) {
  const { files, signal, onFile } = options;
  const scan = openScan(options);
  const byFile = new Map<string, Scan>();
  for (const [index, file] of files.entries()) {
    onFile?.(file, index);
    const steps = scanKept(file, scan);
    let step = steps.next();
    while (!step.done) {
      // Reading blocks; a signal is heard only between two sessions.
      await setImmediate();
      if (signal?.aborted) return byFile;
      step = steps.next();
    }
    byFile.set(file, step.value);
  }
  return byFile;
}

async function scanInThreads(options: ScanOptions, jobs: number) {
  const { files, signal, onFile, keptIn, traces } = options;
  const { keep } = openScan({ keptIn });
  const byFile = new Map<string, Scan>();
  for (const file of files) {
    const kept = findKept(file, keep && keyOfFile(file), keep);
    if (kept === undefined) continue;
    onFile?.(file, byFile.size);
    byFile.set(file, kept);
  }
  const left = files
    .filter((file) => !byFile.has(file))
    .map((file) => ({ file, size: statSync(file, { throwIfNoEntry: false })?.size ?? 0 }))
    .toSorted((a, b) => b.size - a.size)
    .map(({ file }) => file);
  let breaks = 0;
  // A thread that breaks costs the file that it was at; another one goes on.
  const runThread = (): Promise<void> =>
    new Promise<void>((resolve) => {
      let inHand: string | undefined;
      let broke: string | undefined;
      const worker = new Worker(new URL('./scan-worker.js', import.meta.url), {
        workerData: { keptIn, traces },
      });
      const stop = () => void worker.terminate();
      signal?.addEventListener('abort', stop, { once: true });
      const goOn = () => {
        inHand = left.shift();
        if (inHand !== undefined) onFile?.(inHand, files.length - left.length - 1);
        worker.postMessage(inHand, []);
      };
      worker.on('message', ({ file, scan }: ScannedFile) => {
        byFile.set(file, scan);
        breaks = 0;
        goOn();
      });
      const breakOff = (why: string) => {
        if (inHand === undefined) return;
        breaks += 1;
        const lost = [inHand, ...(breaks > MOST_BREAKS ? left.splice(0) : [])];
        for (const file of lost) byFile.set(file, brokenScan(file, why));
        broke = inHand;
        inHand = undefined;
      };
      worker.on('error', (error) => breakOff(messageOf(error)));
      worker.on('exit', (code) => {
        signal?.removeEventListener('abort', stop);
        breakOff(`it ended with ${code}`);
        resolve(broke === undefined || signal?.aborted ? undefined : runThread());
      });
      goOn();
    });
  guardOwnFolders();
  const threads = Math.min(jobs, left.length);
  await Promise.all(Array.from({ length: threads }, runThread));
  return byFile;
}

function brokenScan(file: string, why: string): Scan {
  const reason = `Expected to read ${quotedLong(file)}, but the worker broke: ${why}`;
  return { sessions: [], unread: [{ file, reason }] };
}

/** Another one once the file has changed; `undefined` where it cannot be read. */
function keyOfFile(file: string) {
  try {
    const stats = statSync(file, { bigint: true });
    const { size, mtimeNs, ctimeNs, ino } = stats;
    if (!stats.isFile() || size > MOST_BYTES) return undefined;
    const isSettled = Date.now() - Number(stats.ctimeMs) > SETTLED_MS;
    const state = isSettled
      ? [size, mtimeNs, ctimeNs, ino].join()
      : createHash('sha256').update(readFileSync(file)).digest('base64url');
    return JSON.stringify([file, state]);
  } catch (error) {
    // Whoever reads it says so.
    if (isFault(error)) return undefined;
    throw new Error(`Expected to look at ${file}, got ${messageOf(error)}`, { cause: error });
  }
}

function readsAround({ candidate: { format } }: FoundSession) {
  return Object.entries(sessionFormats).some(([name, one]) => name === format && one.readsAround);
}

/** No texts, and no paths: a field that is new has to be told apart from these first. */
function toKept(found: FoundSession, file: string) {
  const { place, candidate, hash, evidence, dropped, recordedModel } = found;
  const { file: _, ...placed } = place;
  const { name, ...marked } = candidate;
  return {
    place: placed,
    candidate: { ...marked, nameEnd: name.slice(file.length) },
    hash,
    evidence,
    dropped,
    ...known({ recordedModel }),
  };
}

function fromKept({ place, candidate, ...rest }: KeptSession, file: string) {
  const { nameEnd, ...marked } = candidate;
  return {
    ...rest,
    place: { ...place, file },
    candidate: { ...marked, name: `${file}${nameEnd}` },
    story: NO_STORY,
  };
}
