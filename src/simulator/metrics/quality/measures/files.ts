import { groupBy } from '../../../lib/collections.ts';
import type { FileOperation } from '../../../session/facts.ts';
import { normaliseValue } from '../text/normalise.ts';
import type { Artifact } from './artifacts.ts';

/** Files to which something was done. */
export interface Files {
  /** Normalised. */
  readonly paths: readonly string[];
  /** Each file with the one thing to know of it. */
  readonly toTell: readonly Artifact[];
  /** Whether it was done, to a path as it stands here. */
  readonly isSo: (told: Artifact) => boolean;
  /** What is told, of the file that is meant: a path may lack its root, or have one that nobody else knows. */
  readonly meant: (told: Artifact) => Artifact;
}

/** Folders of a path with which it may be told by its end; a longer one is noise, and each costs a copy of it. */
const MOST_SEGMENTS = 64;

/** The files of what was done, in its order. */
export function createFiles(artifacts: readonly Artifact[]): Files {
  const done = artifacts.map(({ path, ...rest }) => ({ path: normaliseValue(path), ...rest }));
  const byPath = groupBy(done, ({ path }) => path);
  const paths = [...byPath.keys()];
  const byEnding = groupBy(
    paths.flatMap((path) => endingsOf(path).map((ending) => ({ path, ending }))),
    ({ ending }) => ending,
  );
  const isSo = ({ path, operation }: Artifact) =>
    byPath.get(path)?.some((one) => one.operation === operation) === true;
  return {
    paths,
    toTell: [...byPath].map(([path, own]) => ({ path, operation: mainOf(own) })),
    isSo,
    meant: ({ path, operation }) => {
      const known = endingsOf(path).find((ending) => byPath.has(ending));
      const longer = byEnding.get(path)?.map((one) => one.path) ?? [];
      const all = [...(known === undefined ? [] : [known]), ...longer, path];
      const named = all.map((one) => ({ path: one, operation }));
      return named.find(isSo) ?? named[0] ?? { path, operation };
    },
  };
}

/** A path, and what is left of it without its first folder, its first two, and so on. */
function endingsOf(path: string): readonly string[] {
  const segments = path.split('/');
  if (segments.length > MOST_SEGMENTS) return [path];
  return segments.map((_, from) => segments.slice(from).join('/'));
}

function mainOf(artifacts: readonly Artifact[]): FileOperation {
  return artifacts.map(({ operation }) => operation).reduce(outweigh);
}

/** A change outweighs a look; a file that was made here stays so, unless it is gone. */
function outweigh(before: FileOperation, now: FileOperation): FileOperation {
  if (now === 'read') return before;
  if (now !== 'edit') return now;
  return before === 'create' || before === 'delete' ? 'create' : now;
}
