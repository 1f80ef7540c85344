import { HarnessError } from '../../lib/errors.ts';
import { quotedLong } from '../../lib/names.ts';
import type { Session } from '../session.ts';

/** What is said of a recording in which nobody speaks; `got` is what it holds instead. */
export function noConversation(name: string, got: string): HarnessError {
  const message = `Expected ${quotedLong(name)} to hold a conversation, got ${got}.`;
  return new HarnessError('BAD_SESSION', message);
}

/** The sessions in which somebody speaks; throws where there is none, and `got` is what the recording holds instead. */
export function withMessages(
  sessions: readonly Session[],
  name: string,
  got: string,
): readonly Session[] {
  const spoken = sessions.filter(({ messages }) => messages.length > 0);
  if (spoken.length === 0) throw noConversation(name, got);
  return spoken;
}
