import { isCleared, type Part, standIn } from '../message.ts';
import { hasMedia, withoutMedia } from '../pivot/media.ts';
import { findByAge } from './aged.ts';
import type { Cleanup } from './cleanup.ts';

/** Puts a line of text in the place of old images and documents. Source: MiMo-Code, which strips those of turns long ago. */
export const media: Cleanup = {
  find: findByAge(showsMedia),
  clear: (part, _, now) => {
    const bare = withoutMedia(part);
    return bare.type === 'text' || bare.type === 'tool'
      ? standIn(bare, part, { what: 'media', now })
      : part;
  },
};

/** Of a cleared output, nothing is sent that was attached to it. */
function showsMedia(part: Part): boolean {
  return hasMedia(part) && !isCleared(part);
}
