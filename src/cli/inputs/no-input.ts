import { HarnessError } from '../../simulator/errors.ts';

/** What is thrown where nothing could be read, with the reason for each input. */
export function noInput(unread: readonly { readonly reason?: string }[]): HarnessError {
  const reasons = unread.map(({ reason = '' }) => reason);
  const message = reasons.length === 1 ? reasons : ['No input could be read.', ...reasons];
  return new HarnessError('NO_INPUT', message.join('\n'));
}

/** The same of files that are no sessions: the reasons alone. */
export function nothingRead(unread: readonly { readonly reason: string }[]): HarnessError {
  return new HarnessError('NO_INPUT', unread.map(({ reason }) => reason).join('\n'));
}
