import {
  closeSync,
  constants,
  lstatSync,
  openSync,
  readFileSync,
  readSync,
  statSync,
} from 'node:fs';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

/** An open file that is read from its start, or at a position. */
export interface Reader {
  /** The count of bytes that were read; 0 at the end. Waits for who writes to a pipe; an interruption ends that. */
  read(buffer: Uint8Array, position?: number | null): number;
  close(): void;
}

const CHUNK_BYTES = 65_536;
const MOST_BYTES = 2 ** 29;
const LOOK_MS = 20;
/** Looks at a pipe without a writer: some seconds of them. */
const PATIENCE_LOOKS = 250;
const INTERRUPTED = 'ERR_SCRIPT_EXECUTION_INTERRUPTED';
const CLOCK = new Int32Array(new SharedArrayBuffer(4));

/** Opens a file or pipe. Errors of `read`: those of the system, NO_WRITER for a pipe to which nobody writes, EINTR at an interruption. */
export function openReader(path: string): Reader {
  // Else it would wait for a writer where no signal is heard.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  let looks = lstatSync(path).isFIFO() ? PATIENCE_LOOKS : 0;
  const attempt = (buffer: Uint8Array, position: number | null) => {
    try {
      const count = readSync(file, buffer, 0, buffer.length, position);
      if (count > 0 || looks === 0) return count;
      looks -= 1;
      if (looks === 0) throw toFault('NO_WRITER');
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
    }
    return undefined;
  };
  const read: Reader['read'] = (buffer, position = null) => {
    let count = attempt(buffer, position);
    const wait = () => {
      for (; count === undefined; count = attempt(buffer, position))
        Atomics.wait(CLOCK, 0, 0, LOOK_MS);
    };
    if (count === undefined) interruptibly(wait);
    if (count !== 0) looks = 0;
    return count ?? 0;
  };
  return { read, close: () => closeSync(file) };
}

/** The bytes of a file or pipe. Throws an error of the system, also ERR_FS_FILE_TOO_LARGE for a pipe that never ends. */
export function readBytes(path: string): Buffer {
  const stats = statSync(path);
  if (stats.isFile() || stats.isDirectory()) return readFileSync(path);
  const reader = openReader(path);
  try {
    const chunks: Buffer[] = [];
    for (let bytes = 0, count = 1; count > 0; bytes += count) {
      if (bytes > MOST_BYTES) throw toFault('ERR_FS_FILE_TOO_LARGE');
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      count = reader.read(chunk);
      chunks.push(chunk.subarray(0, count));
    }
    return Buffer.concat(chunks);
  } finally {
    reader.close();
  }
}

/** Signals are heard between two events only, but for code that asks to be ended by one; who listens is told then. */
function interruptibly(act: () => void) {
  try {
    runInNewContext('act()', { act }, { breakOnSigint: isMainThread });
  } catch (error) {
    // It is an error of the other context.
    if ((error as NodeJS.ErrnoException).code !== INTERRUPTED) throw error;
    process.emit('SIGINT');
    throw toFault('EINTR');
  }
}

function toFault(code: string) {
  return Object.assign(new Error(code), { code, syscall: 'read' });
}
