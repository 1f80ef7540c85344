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
  /** Gives it to the last message: to a prompt in front, to a step behind. */
  place(createdAt: number): void;
}

/** Nothing pending yet, before these messages. */
export function createPending(drafts: DraftMessage[], tally: Tally): PendingParts {
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
      if (pending.length > 0) placeParts(take(), drafts, { createdAt, tally });
    },
  };
}

function placeParts(
  parts: DraftPart[],
  drafts: DraftMessage[],
  { createdAt, tally }: { readonly createdAt: number; readonly tally: Tally },
): void {
  const last = drafts.at(-1);
  if (last?.role === 'user') last.parts = [...parts, ...last.parts];
  else if (last !== undefined) last.parts = [...last.parts, ...parts];
  else {
    tally.repair('user message made for injected texts');
    drafts.push({ role: 'user', createdAt, parts });
  }
}
