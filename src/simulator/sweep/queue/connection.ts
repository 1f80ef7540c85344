import type * as Bullmq from 'bullmq';
import type * as Ioredis from 'ioredis';
import type { Redis } from 'ioredis';
import { badOption, HarnessError } from '../../lib/errors.ts';
import { faultCode } from '../../lib/files.ts';
import { quoted } from '../../lib/names.ts';
import { unlessAborted } from '../wait.ts';

export type Note = (message: string) => void;

interface ConnectOptions {
  readonly note: Note;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
}

export interface QueuePackages {
  readonly bullmq: typeof Bullmq;
  readonly ioredis: typeof Ioredis;
}

const PROTOCOLS = ['redis:', 'rediss:'];
const RETRY_STEP_MS = 100;
const LONGEST_RETRY_MS = 2_000;
const CONNECT_TIMEOUT_MS = 10_000;
const REFUSAL_LENGTH = 200;
/** Where in a script of the queue's own something was refused. */
const WHERE = /\.? script: [\da-f]+, on @user_script:\d+\.?$/;
const PATH = /^(?:\/\d*)?$/;
const ADDRESS = 'an address like redis://HOST:PORT or rediss://HOST:PORT, got something else';
const BARE =
  "an address without '?' and '#', which are written %3F and %23 in a password, got one with them";
const ENCODED =
  "an address in which '%' is written %25 in a name or password, got one in which it begins no character";
const ABSENT = new Set(['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND']);

export function parseQueueUrl(text: string) {
  const wrong = URL.canParse(text) ? findWrong(new URL(text)) : ADDRESS;
  if (wrong === undefined) return text;
  throw badOption(`Expected '--queue' to be ${wrong}.`);
}

export async function connect(
  url: string,
  { ioredis }: QueuePackages,
  { note, signal, timeoutMs = CONNECT_TIMEOUT_MS }: ConnectOptions,
) {
  await checkServer(url, ioredis, { signal, timeoutMs });
  if (signal?.aborted) return undefined;
  const redis = new ioredis.Redis(url, {
    // Nothing is given up while the server is away.
    maxRetriesPerRequest: null,
    retryStrategy: (times) => Math.min(times * RETRY_STEP_MS, LONGEST_RETRY_MS),
  });
  noteOutages(redis, url, note);
  return { redis, close: () => redis.disconnect() };
}

/** The error for the user if the server refused for rights or room; other errors as they are. */
export function readRefusal(error: unknown, url: string) {
  if (!(error instanceof Error) || error.name !== 'ReplyError') return error;
  // Of several commands in one, the first that was refused says why.
  const previous: unknown = 'previousErrors' in error ? error.previousErrors : undefined;
  const first: unknown = Array.isArray(previous) ? (previous[0] ?? error) : error;
  const reason = reasonOf(first).replace(WHERE, '.');
  const message = `Expected the queue at ${serverOf(url)} to carry out its commands, got ${quoted(reason, REFUSAL_LENGTH)}.`;
  return new HarnessError('UNREADABLE', message, { cause: error });
}

export async function loadPackages(
  load: () => Promise<QueuePackages> = async () => {
    return { bullmq: await import('bullmq'), ioredis: await import('ioredis') };
  },
) {
  try {
    return await load();
  } catch (error) {
    if (!ABSENT.has(faultCode(error))) throw error;
    throw badOption(
      "Expected the packages 'bullmq' and 'ioredis' for '--queue', but they are not installed: npm install bullmq ioredis.",
      { cause: error },
    );
  }
}

function findWrong({ protocol, hostname, pathname, search, hash, username, password }: URL) {
  const isAddress = PROTOCOLS.includes(protocol) && hostname !== '' && PATH.test(pathname);
  if (!isAddress) return ADDRESS;
  // Words that stand there would be settings of the connection.
  if (search !== '' || hash !== '') return BARE;
  try {
    decodeURIComponent(`${username} ${password}`);
    return undefined;
  } catch (error) {
    if (error instanceof URIError) return ENCODED;
    throw error;
  }
}

async function checkServer(
  url: string,
  { Redis }: QueuePackages['ioredis'],
  { signal, timeoutMs }: Pick<ConnectOptions, 'signal'> & { readonly timeoutMs: number },
) {
  const probe = new Redis(url, {
    lazyConnect: true,
    connectTimeout: timeoutMs,
    retryStrategy: () => null,
  });
  let reason: unknown;
  probe.on('error', (error) => {
    reason ??= error;
  });
  const ask = async () => {
    await probe.connect();
    await probe.ping();
    // As of a database that is not there: it would go on with another one.
    if (reason !== undefined) throw reason;
    return true;
  };
  const until = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]);
  try {
    const hasAnswered = await unlessAborted(ask(), until);
    if (hasAnswered || signal?.aborted) return;
    throw new Error(`no answer within ${timeoutMs} ms`);
  } catch (error) {
    const why = reason ?? error;
    throw badOption(
      `Expected a Redis or Valkey server at ${serverOf(url)}, got ${quoted(reasonOf(why))}.`,
      { cause: why },
    );
  } finally {
    probe.disconnect();
  }
}

function serverOf(url: string) {
  return quoted(new URL(url).host);
}

function reasonOf(error: unknown) {
  if (!(error instanceof Error)) return String(error);
  if (error.message !== '') return error.message;
  return 'code' in error ? String(error.code) : error.name;
}

function noteOutages(redis: Redis, url: string, note: Note) {
  let isAway = false;
  redis.on('error', (error) => {
    if (isAway) return;
    isAway = true;
    note(`The queue at ${serverOf(url)} is away (${reasonOf(error)}); waiting for it.`);
  });
  redis.on('ready', () => {
    isAway = false;
  });
}
