/** Makes calls of Node.js fail where a test wants it; as a preload it takes the fault from the variable FAULT. */

import fs from 'node:fs';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import threads from 'node:worker_threads';

const require = createRequire(import.meta.url);
/** How many calls were made to fail in this thread. */
export const counted = { failures: 0 };

/** Calls of the file system that may fail. */
const CALLS = Object.keys(fs).filter((name) =>
  /^(?!exists|watch|unwatch|opendir|_).*Sync$/.test(name),
);

/** What is thrown otherwise than by the system. */
const THROWN = {
  error: new Error('injected'),
  range: new RangeError('Invalid array length'),
  text: 'injected',
  nothing: null,
};
const ANSWERS = {
  rejects: () => Promise.reject(new TypeError('fetch failed')),
  throws: () => {
    throw new Error('injected');
  },
  garbage: () => new Response('\0garbage'),
  wrong: () => Response.json({ choices: 3, output: [{ content: null }] }),
  fails: () => new Response('{"error":{"message":"injected"}}', { status: 500 }),
  refuses: () => new Response('<html>', { status: 401 }),
  hangs: (_, { signal } = {}) =>
    new Promise((_resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason));
    }),
  breaks: () =>
    new Response(new ReadableStream({ start: (stream) => stream.error(new Error('injected')) })),
};

/** Ports by name: each takes a fault and gives what takes it back. */
const PORTS = {
  files: patchFiles,
  threads: patchThreads,
  database: ({ name, how, nth }) =>
    replace(require('node-sqlite3-wasm').Database.prototype, name, (real, left = { of: nth }) => {
      return function (...args) {
        if (--left.of !== 0) return real.apply(this, args);
        counted.failures += 1;
        throw THROWN[how];
      };
    }),
  fetch: ({ how, nth }) =>
    replace(globalThis, 'fetch', () => {
      let left = nth;
      return (...args) => {
        counted.failures += 1;
        return --left <= 0 ? ANSWERS[how](...args) : ANSWERS.fails();
      };
    }),
};

/** @param {{ port: keyof typeof PORTS, name?: string, how: string, nth: number, lasts?: boolean, within?: readonly string[] }} fault */
export function inject(fault) {
  const undo = PORTS[fault.port]?.(fault) ?? (() => undefined);
  syncBuiltinESMExports();
  return () => {
    undo();
    syncBuiltinESMExports();
  };
}

/** Counts the calls of the file system in some folders; gives what ends that, with the counts by name. */
export function countCalls(within) {
  const counts = {};
  const undoes = CALLS.map((name) =>
    patchFiles({
      name,
      nth: Infinity,
      within,
      onCall: () => (counts[name] = (counts[name] ?? 0) + 1),
    }),
  );
  syncBuiltinESMExports();
  return () => {
    for (const undo of undoes.toReversed()) undo();
    syncBuiltinESMExports();
    return counts;
  };
}

function replace(object, name, make) {
  const real = object[name];
  object[name] = Object.assign(make(real), real);
  return () => {
    object[name] = real;
  };
}

/** Calls on files below a folder fail from the nth on, or only that one; a code of the system, or a write or read of a part. */
function patchFiles({ name, how, nth, lasts = false, within, onCall = () => undefined }) {
  const paths = new Map();
  const undo = replace(fs, 'openSync', (real) => (path, ...rest) => {
    const file = real(path, ...rest);
    paths.set(file, String(path));
    return file;
  });
  let left = nth;
  const isHit = (file) => {
    const path = typeof file === 'number' ? paths.get(file) : String(file);
    if (!within.some((folder) => path?.startsWith(folder))) return false;
    onCall();
    left -= 1;
    return lasts ? left <= 0 : left === 0;
  };
  const isRead = name.startsWith('read');
  const undoOther = replace(fs, name, (real) => (file, content, ...rest) => {
    if (!isHit(file)) return real(file, content, ...rest);
    counted.failures += 1;
    if (how !== 'part') fail(how, name, file);
    // All but the bytes at hand, as of a disk that gets full in the middle.
    if (name === 'readSync') return real(file, content, rest[0], Math.ceil(rest[1] / 2), rest[2]);
    if (isRead) return real(file, content, ...rest).slice(0, 7);
    const bytes = Buffer.from(content).subarray(name === 'writeSync' ? (rest[0] ?? 0) : 0);
    real(file, bytes.subarray(0, bytes.length / 2));
    return fail('ENOSPC', name, file);
  });
  return () => {
    undoOther();
    undo();
  };
}

function fail(code, name, file) {
  const syscall = name.replace(/File|Sync/g, '');
  const place = typeof file === 'number' ? {} : { path: String(file) };
  throw Object.assign(new Error(`${code}: injected, ${syscall}`), { code, syscall, ...place });
}

/** A thread that cannot start, or that breaks in one of these ways at its nth message. */
function patchThreads(fault) {
  const FAULT = JSON.stringify(fault);
  const Real = threads.Worker;
  return replace(
    threads,
    'Worker',
    () =>
      class extends Real {
        constructor(url, options) {
          if (fault.how === 'unborn')
            throw Object.assign(new Error('no thread'), { code: 'ERR_WORKER_INIT_FAILED' });
          counted.failures += 1;
          const execArgv = ['--import', import.meta.url];
          super(url, { ...options, execArgv, env: { ...process.env, FAULT } });
        }
      },
  );
}

function breakThread({ how, nth }) {
  const on = threads.parentPort.on.bind(threads.parentPort);
  let left = nth;
  threads.parentPort.on = (name, listener) =>
    on(name, (message) => {
      if (--left !== 0) return listener(message);
      if (how === 'exit') process.exit(3);
      if (how === 'rejects') return void Promise.reject(new Error('injected'));
      if (how === 'memory') return new ArrayBuffer(2 ** 60);
      throw THROWN[how];
    });
}

if (process.env.FAULT) {
  const fault = JSON.parse(process.env.FAULT);
  if (threads.isMainThread) inject(fault);
  else if (fault.port === 'threads' && threads.parentPort) breakThread(fault);
}
