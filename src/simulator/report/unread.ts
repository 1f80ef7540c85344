import type { UnreadInput } from './report.ts';

/** Why an input could not be read, with its file, which most reasons name. */
export function describeUnread({ file, reason }: UnreadInput): string {
  return reason.includes(file) ? reason : `${file}: ${reason}`;
}
