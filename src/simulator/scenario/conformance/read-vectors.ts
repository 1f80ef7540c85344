import * as z from 'zod';
import { HarnessError } from '../../errors.ts';
import { quotedLong } from '../../names.ts';
import { readNamedFile } from '../../text-file.ts';
import { describeContent } from '../../session/files/describe-content.ts';
import { createSourceFile } from '../../session/files/source-file.ts';
import { Vector } from './vector.ts';
import { describeIssue } from '../../schema-issue.ts';

const Vectors = z.array(Vector).min(1);

/** The vectors of a file. Throws `HarnessError` where it cannot be read or holds none. */
export function readVectors(path: string): readonly Vector[] {
  const source = createSourceFile(path, readNamedFile(path));
  const document = source.json();
  if (!Array.isArray(document) || document.length === 0) {
    const expected = 'a JSON array of objects with "id" and "kind"';
    throw badVectors(`${quotedLong(path)} to be ${expected}, got ${describeContent(source)}`);
  }
  const checked = Vectors.safeParse(document);
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  throw badVectors(
    `${quotedLong(path)} to hold vectors, got at ${describeIssue(issue)}`,
    checked.error,
  );
}

function badVectors(expectation: string, cause?: unknown): HarnessError {
  return new HarnessError('BAD_VECTORS', `Expected ${expectation}.`, { cause });
}
