import { isStandIn, type Part } from '../message.ts';
import { hasMedia, withoutMedia } from '../pivot/media.ts';
import { findByAge } from './aged.ts';
import type { Cleanup } from './cleanup.ts';
import { rememberLast } from './remember-last.ts';

/** Puts a line of text in the place of old images and documents. Source: MiMo-Code, which strips those of turns long ago. */
export const media: Cleanup = {
  find: findByAge(showsMedia),
  clear: rememberLast((part, _, now) => {
    const bare = withoutMedia(part);
    return bare.type === 'text' || bare.type === 'tool'
      ? { ...bare, stored: { part, clearedAt: now } }
      : part;
  }),
};

function showsMedia(part: Part): boolean {
  const isCleared =
    part.type === 'tool' &&
    part.state.status === 'completed' &&
    part.state.compactedAt !== undefined;
  return hasMedia(part) && !isStandIn(part) && !isCleared;
}
