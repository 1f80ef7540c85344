/** Parts that wait for a message to hold them. */

import type { Tally } from './tally.ts';
import type { DraftMessage, DraftPart } from './transcript.ts';

/** What programs put into a session, until there is a message to hold it. */
export interface PendingParts {
  add(part: DraftPart): void;
  /** Adds a text that no person and no model wrote; nothing where it is empty. */
  inject(text: string): void;
  /** Gives what is pending to a message that is about to be made. */
  take(): DraftPart[];
  /** Gives it to the last message: to a step behind; where there is none, to a prompt that is made for it. */
  place(createdAt: number): void;
}

/** Where a prompt that comes last takes what is pending. */
type AtPrompt = 'in-front' | 'behind';

/** Nothing pending yet, before these messages. */
export function createPending(
  drafts: DraftMessage[],
  tally: Tally,
  atPrompt: AtPrompt = 'in-front',
): PendingParts {
  let pending: DraftPart[] = [];
  const take = () => {
    const parts = pending;
    pending = [];
    return parts;
  };
  return {
    add: (part) => {
      pending.push(part);
    },
    inject: (text) => {
      if (text !== '') pending.push({ type: 'text', text, synthetic: true });
    },
    take,
    place: (createdAt) => {
      if (pending.length === 0) return;
      const last = drafts.at(-1);
      if (last !== undefined) last.parts = withParts(last, take(), atPrompt);
      else {
        tally.repair('user message made for injected texts');
        drafts.push({ role: 'user', createdAt, parts: take() });
      }
    },
  };
}

function withParts(
  { role, parts }: DraftMessage,
  pending: readonly DraftPart[],
  atPrompt: AtPrompt,
): DraftPart[] {
  const isInFront = role === 'user' && atPrompt === 'in-front';
  return isInFront ? [...pending, ...parts] : [...parts, ...pending];
}
