import { HarnessError } from '../errors.ts';
import { describeContent, quote } from './describe-content.ts';
import { formats } from './formats.ts';
import type { Session } from './session.ts';
import { createSourceFile } from './source-file.ts';

/** The sessions of a recorded file, the main one first. Throws `HarnessError` when no format claims the content. */
export function readSessions(name: string, text: string): readonly Session[] {
  const file = createSourceFile(name, text);
  const format = Object.values(formats).find((candidate) => candidate.detect(file));
  if (format !== undefined) return format.read(file);
  const expected = Object.keys(formats).join(', ');
  throw new HarnessError(
    'BAD_SESSION',
    `Expected ${quote(name)} to be a recorded session (${expected}), got ${describeContent(file)}.`,
  );
}
