import { HarnessError } from '../../errors.ts';
import { quotedLong } from '../../names.ts';

/** What is said of a recording in which nobody speaks; `got` is what it holds instead. */
export function noConversation(name: string, got: string): HarnessError {
  const message = `Expected ${quotedLong(name)} to hold a conversation, got ${got}.`;
  return new HarnessError('BAD_SESSION', message);
}
