import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import * as z from 'zod';
import { HarnessError, messageOf } from '../../../src/simulator/lib/errors.ts';
import { readNamedFile } from '../../../src/simulator/lib/files.ts';
import { describeIssue } from '../../../src/simulator/lib/json.ts';
import { quoted, quotedLong } from '../../../src/simulator/lib/names.ts';
import {
  createSourceFile,
  describeContent,
} from '../../../src/simulator/session/files/source-file.ts';
import { countingKinds } from './counting-kinds.ts';
import { historyKinds } from './history-kinds.ts';
import { type Kind, skippedResult, Vector, type VectorResult } from './vector.ts';

const Vectors = z.array(Vector).min(1);

/** Kinds of vectors by name. */
const kinds = {
  isOverflow: countingKinds.isOverflow,
  tokenEstimate: countingKinds.tokenEstimate,
  prune: historyKinds.prune,
  filterCompacted: historyKinds.filterCompacted,
  selectTail: historyKinds.selectTail,
  preserveBudget: historyKinds.preserveBudget,
  contextOverflowErrorDetection: countingKinds.contextOverflowErrorDetection,
  getUsage: countingKinds.getUsage,
  flagParse: countingKinds.flagParse,
  v2Required: historyKinds.v2Required,
  v2SelectTail: historyKinds.v2SelectTail,
} satisfies Record<string, Kind>;

/** Kinds whose cases have fields of their own; each case is a test instead of a vector. */
const testedKinds: ReadonlySet<string> = new Set([
  'create',
  'flattenHistory',
  'idOrdering',
  'import',
  'latest',
  'loop',
  'process',
  'retry',
  'revert',
  'summaryPromptStructure',
  'toModelMessages',
  'v2Process',
]);

/** Evaluates vectors with the engine: a result for each of their profiles. */
export function runVectors(vectors: readonly Vector[]): readonly VectorResult[] {
  return vectors.flatMap((vector) => {
    const kind = findKind(vector.kind);
    return kind === undefined ? [skippedResult(vector, whyUnknown(vector.kind))] : kind(vector);
  });
}

/** The vectors of a file, packed by gzip or not. Throws `HarnessError` where it cannot be read or holds none. */
export function readVectors(path: string): readonly Vector[] {
  const source = createSourceFile(path, path.endsWith('.gz') ? unpack(path) : readNamedFile(path));
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

function unpack(path: string): string {
  try {
    return gunzipSync(readFileSync(path)).toString('utf8');
  } catch (error) {
    throw badVectors(`${quotedLong(path)} to be packed by gzip, got ${messageOf(error)}`, error);
  }
}

function findKind(name: string): Kind | undefined {
  return Object.hasOwn(kinds, name) ? kinds[name as keyof typeof kinds] : undefined;
}

function whyUnknown(name: string): string {
  if (testedKinds.has(name))
    return `Cases of kind ${quoted(name)} are told in fields of their own: each is a test that names its id.`;
  return `Unknown kind ${quoted(name)}. Expected one of: ${Object.keys(kinds).join(', ')}.`;
}

function badVectors(expectation: string, cause?: unknown): HarnessError {
  return new HarnessError('UNREADABLE', `Expected ${expectation}.`, { cause });
}
