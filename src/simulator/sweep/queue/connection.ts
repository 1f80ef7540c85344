import type { Redis } from 'ioredis';
import { HarnessError } from '../../errors.ts';
import { quoted } from '../../names.ts';
import type { QueuePackages } from './packages.ts';

/** A connection that comes back by itself when the server was away. */
export interface Connection {
  readonly redis: Redis;
  /** Lets go at once; what waits for an answer fails. */
  close(): void;
}

/** Tells the user something that is worth knowing and stops nothing. */
export type Note = (message: string) => void;

const PROTOCOLS = ['redis:', 'rediss:'];
const RETRY_STEP_MS = 100;
const LONGEST_RETRY_MS = 2_000;
const CONNECT_TIMEOUT_MS = 10_000;

/** Checks the address of a queue. Throws `HarnessError`, which does not repeat the address: it may hold a password. */
export function parseQueueUrl(text: string): string {
  if (URL.canParse(text) && PROTOCOLS.includes(new URL(text).protocol)) return text;
  throw new HarnessError(
    'BAD_OPTION',
    "Expected '--queue' to be an address as redis://HOST:PORT or rediss://HOST:PORT, got something else.",
  );
}

/** Connects to a server that answers now. Throws `HarnessError` where it does not. */
export async function connect(
  url: string,
  { ioredis }: QueuePackages,
  note: Note,
): Promise<Connection> {
  await checkServer(url, ioredis);
  const redis = new ioredis.Redis(url, {
    // Nothing is given up while the server is away.
    maxRetriesPerRequest: null,
    retryStrategy: (times) => Math.min(times * RETRY_STEP_MS, LONGEST_RETRY_MS),
  });
  noteOutages(redis, url, note);
  return { redis, close: () => redis.disconnect() };
}

/** The server of an address, without who may use it. */
export function serverOf(url: string): string {
  return quoted(new URL(url).host);
}

async function checkServer(url: string, { Redis }: QueuePackages['ioredis']): Promise<void> {
  const probe = new Redis(url, {
    lazyConnect: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
    retryStrategy: () => null,
  });
  let reason: unknown;
  probe.on('error', (error) => {
    reason ??= error;
  });
  try {
    await probe.connect();
    await probe.ping();
  } catch (error) {
    const why = reason ?? error;
    throw new HarnessError(
      'BAD_OPTION',
      `Expected a Redis or Valkey server at ${serverOf(url)}, got ${quoted(reasonOf(why))}.`,
      { cause: why },
    );
  } finally {
    probe.disconnect();
  }
}

/** One note an outage, however often it is tried again. */
function noteOutages(redis: Redis, url: string, note: Note): void {
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

/** What an error says; a code where it says nothing. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.message !== '') return error.message;
  return 'code' in error ? String(error.code) : error.name;
}
