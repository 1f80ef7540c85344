import { gunzipSync, gzipSync } from 'node:zlib';
import type { Redis } from 'ioredis';
import { createOpener } from '../../session/files/opener.ts';
import { hashSession } from '../plan/scan.ts';
import { writeSession } from '../run/session-text.ts';
import type { SessionRef } from '../run/task.ts';
import { QUEUE_PREFIX } from './queue-name.ts';

/** Texts that nobody comes back for are gone after a day. */
const LIFE_MS = 86_400_000;

/** Puts the texts of sessions into a queue, each once, for workers that have no file. A file that has changed is left out. */
export async function putTexts(
  redis: Redis,
  name: string,
  {
    sessions,
    signal,
  }: { readonly sessions: Iterable<SessionRef>; readonly signal?: AbortSignal | undefined },
): Promise<void> {
  const key = keyOf(name);
  const opener = createOpener();
  for (const ref of sessions) {
    if (signal?.aborted) return;
    if ((await redis.hexists(key, ref.hash)) === 1) continue;
    const opened = opener.open(ref);
    if (opened.state === 'unread' || hashSession(opened.session) !== ref.hash) continue;
    await redis.hset(key, ref.hash, gzipSync(writeSession(opened.session)));
  }
  await keepTexts(redis, name);
}

/** Keeps them for another while. */
export async function keepTexts(redis: Redis, name: string): Promise<void> {
  await redis.pexpire(keyOf(name), LIFE_MS);
}

/** The text of a session, where the sweep has sent it. */
export async function readText(
  redis: Redis,
  name: string,
  { hash }: SessionRef,
): Promise<string | undefined> {
  const packed = await redis.hgetBuffer(keyOf(name), hash);
  return packed === null ? undefined : gunzipSync(packed).toString('utf8');
}

/** Takes the text of a session out of a queue. */
export async function removeText(redis: Redis, name: string, { hash }: SessionRef): Promise<void> {
  await redis.hdel(keyOf(name), hash);
}

/** Takes the texts of all sessions of a sweep out of a queue. */
export async function removeTexts(redis: Redis, name: string): Promise<void> {
  await redis.del(keyOf(name));
}

function keyOf(name: string): string {
  return `${QUEUE_PREFIX}:texts:${name}`;
}
