import type { CompactionPart, UserMessage } from '../message.ts';
import { type Tools } from '../state.ts';

/** Why a compaction is queued. */
export interface MarkerOptions {
  readonly auto: boolean;
  /** The provider had refused the request. */
  readonly overflow: boolean;
}

/** The user message that queues a compaction. */
export function createMarker(options: MarkerOptions, tools: Tools): UserMessage {
  const part: CompactionPart = {
    type: 'compaction',
    id: tools.newId('part'),
    auto: options.auto,
    overflow: options.overflow,
  };
  return { id: tools.newId('message'), role: 'user', createdAt: tools.now, parts: [part] };
}
