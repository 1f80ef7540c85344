import type { UnreadInput } from './report.ts';

/** Why an input could not be read, with its file, which most reasons name. */
export function describeUnread({ file, reason }: UnreadInput): string {
  return reason.includes(file) ? reason : `${file}: ${reason}`;
}

/** What is wrong with an input one by one, each with its file. */
export function unreadProblems(unread: UnreadInput): readonly string[] {
  const start = `${unread.file}:`;
  const [first = '', ...rest] = describeUnread(unread).split(`\n${start}`);
  return [first, ...rest.map((problem) => `${start}${problem}`)];
}
