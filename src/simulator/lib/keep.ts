import { createCipheriv, createDecipheriv, createHash, createHmac, randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deserialize, serialize } from 'node:v8';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { isFault, makeFolder } from './files.ts';
import { shortHash } from './json.ts';

/**
 * Values that outlive their process, in a folder that any number of processes use. Whoever does not know its key cannot read a
 * value, or make one; a damaged one is none.
 */
export interface Keep {
  /** The value of a key; `undefined` where there is none that can be read. */
  get(key: string): unknown;
  /** True if something lies there, which may be damaged. */
  has(key: string): boolean;
  /** Keeps a value of plain data; nothing where the system does not let it. */
  put(key: string, value: unknown): void;
}

interface KeepOptions {
  /** Bytes of all values together; beyond them the oldest go. */
  readonly maxBytes?: number;
  /** Takes values of the kind that is kept there; others are none. */
  readonly isOne?: (value: unknown) => boolean;
}

const DEFAULT_MAX_BYTES = 512 * 1024 * 1024;
const SOURCE = '.ts';
/** Access for the owner only: values tell what sessions there are. */
const OWN_FOLDER = 0o700;
const OWN_FILE = 0o600;
const CIPHER = 'aes-128-gcm';
const KEY_BYTES = 16;
const NONCE_BYTES = 12;
const CHECK_BYTES = 16;
/** Numbers of sizes and places repeat enough for the quickest level. */
const LEVEL = 1;

let release: string | undefined;

/** A keep in a folder, which is made when something is put there; one that forgets where there is none. */
export function openKeep(
  folder: string | undefined,
  { maxBytes = DEFAULT_MAX_BYTES, isOne = () => true }: KeepOptions = {},
): Keep {
  if (folder === undefined) return { get: () => undefined, has: () => false, put: () => undefined };
  const pathOf = (key: string) => join(folder, `${shortHash([releaseOf(), key])}.kept`);
  let room: number | undefined;
  return {
    get: (key) => {
      const value = tolerate(() => readValue(pathOf(key), secretOf(key)));
      return isOne(value) ? value : undefined;
    },
    has: (key) => existsSync(pathOf(key)),
    put: (key, value) =>
      tolerate(() => {
        const bytes = toBytes(value, secretOf(key));
        makeFolder(folder, { mode: OWN_FOLDER });
        room ??= maxBytes - sizeOf(folder);
        if (bytes.length > room) room = makeRoom(folder, maxBytes / 2) + maxBytes / 2;
        room -= bytes.length;
        // One that is not written to its end is none.
        writeFileSync(pathOf(key), bytes, { mode: OWN_FILE });
      }),
  };
}

/** Values of another form, or of other code, are of no use: built modules are named by what is in them. */
function releaseOf(): string {
  release ??= shortHash([
    serialize(0).toString('hex'),
    process.version,
    tolerate(() =>
      import.meta.url.endsWith(SOURCE)
        ? newestMs()
        : readdirSync(new URL('../../chunks', import.meta.url)).toSorted(),
    ) ?? randomUUID(),
  ]);
  return release;
}

function newestMs(): number {
  const folder = fileURLToPath(new URL('../..', import.meta.url));
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const sources = files.filter((file) => file.endsWith(SOURCE));
  return Math.max(...sources.map((file) => statSync(join(folder, file)).mtimeMs));
}

function tolerate<Result>(act: () => Result): Result | undefined {
  try {
    return act();
  } catch (error) {
    if (isFault(error)) return undefined;
    throw error;
  }
}

/** Not to be had from the name of the file. */
function secretOf(key: string): Buffer {
  return createHash('sha256').update(`${releaseOf()} ${key}`).digest().subarray(0, KEY_BYTES);
}

function toBytes(value: unknown, secret: Buffer): Buffer {
  const plain = deflateRawSync(serialize(value), { level: LEVEL });
  const nonce = createHmac('sha256', secret).update(plain).digest().subarray(0, NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, secret, nonce);
  const packed = cipher.update(plain);
  cipher.final();
  return Buffer.concat([nonce, cipher.getAuthTag(), packed]);
}

function readValue(path: string, secret: Buffer): unknown {
  const bytes = readFileSync(path);
  const [nonce, start] = [bytes.subarray(0, NONCE_BYTES), NONCE_BYTES + CHECK_BYTES];
  if (bytes.length < start) return undefined;
  const cipher = createDecipheriv(CIPHER, secret, nonce, { authTagLength: CHECK_BYTES });
  const packed = cipher
    .setAuthTag(bytes.subarray(NONCE_BYTES, start))
    .update(bytes.subarray(start));
  try {
    cipher.final();
  } catch {
    // Cut, changed, or the value of another key.
    return undefined;
  }
  return deserialize(inflateRawSync(packed));
}

function filesIn(folder: string) {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.kept'))
    .flatMap((name) => {
      const path = join(folder, name);
      const stats = statSync(path, { throwIfNoEntry: false });
      return stats ? [{ path, size: stats.size, atMs: stats.mtimeMs }] : [];
    });
}

function sizeOf(folder: string): number {
  return filesIn(folder).reduce((total, { size }) => total + size, 0);
}

function makeRoom(folder: string, mostBytes: number): number {
  let left = sizeOf(folder);
  for (const { path, size } of filesIn(folder).toSorted((a, b) => a.atMs - b.atMs)) {
    if (left <= mostBytes) break;
    rmSync(path, { force: true });
    left -= size;
  }
  return mostBytes - left;
}
