import { HarnessError } from '../../errors.ts';
import { quotedLong } from '../../names.ts';

/** What is said of a recording of OpenCode that holds no conversation; `kind` is with its article. */
export function noMessages(name: string, kind: string): HarnessError {
  const message = `Expected ${quotedLong(name)} to hold a conversation, got ${kind} without messages.`;
  return new HarnessError('BAD_SESSION', message);
}
