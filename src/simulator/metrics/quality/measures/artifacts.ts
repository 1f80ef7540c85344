import type { FileOperation, PlantedFact } from '../../../session/facts.ts';
import { shareOf } from '../../metric.ts';
import type { Entity } from '../entities/entity.ts';
import { findValue, type Occurrence, type TextIndex } from '../text/text-index.ts';
import { leadingCue, nearestCue } from './nearest-cue.ts';
import { createFiles, type Files } from './files.ts';
import { isTask, OPERATION_CUES, OPERATION_OF } from './operation-cues.ts';
import { STATE_CUES } from './todo-cues.ts';

/** A file, and what was done to it. */
export interface Artifact {
  readonly path: string;
  readonly operation: FileOperation;
}

/** What a text tells of files, against what was done to them. */
export interface ArtifactScore {
  /** Share of what it tells that is so; `null` where it tells nothing, or nothing was done. */
  readonly precision: number | null;
  /** Share of the files with the one thing to know of each that it tells; `null` where nothing was done. */
  readonly recall: number | null;
  /** `null` where nothing was done. */
  readonly f1: number | null;
}

/** What a text is compared with. */
interface ArtifactInput {
  /** Names in the text, each once. */
  readonly entities: readonly Entity[];
  /** In the order in which it was done. */
  readonly artifacts: readonly Artifact[];
}

/** Characters of a path; what is longer is the name of no file. */
const LONGEST_PATH = 4_096;

/** What facts say was done to files. */
export function artifactsOf(facts: readonly PlantedFact[]): readonly Artifact[] {
  return facts.flatMap(({ kind, value, operation }) =>
    kind === 'path' && operation !== undefined ? [{ path: value, operation }] : [],
  );
}

/** What a text tells of files, against what was done to them. */
export function scoreArtifacts(
  index: TextIndex,
  { entities, artifacts }: ArtifactInput,
): ArtifactScore {
  if (artifacts.length === 0) return { precision: null, recall: null, f1: null };
  const files = createFiles(artifacts);
  const others = entities.flatMap(({ type, value }) =>
    type === 'path' && value.length <= LONGEST_PATH && !files.paths.includes(value) ? [value] : [],
  );
  const told = new Map(
    [...files.paths, ...others]
      .flatMap((path) => toldOf(index, files, path))
      .map((artifact) => [`${artifact.operation} ${artifact.path}`, artifact]),
  );
  const right = [...told.values()].filter(files.isSo).length;
  const kept = files.toTell.filter(({ path, operation }) => told.has(`${operation} ${path}`));
  const precision = shareOf(right, told.size);
  const recall = shareOf(kept.length, files.toTell.length);
  return { precision, recall, f1: harmonicMean(precision ?? 0, recall ?? 0) };
}

/** What is told of one file. */
function toldOf(index: TextIndex, files: Files, path: string): readonly Artifact[] {
  return findValue(index, path).flatMap((place) => {
    const operation = operationAt(index, place);
    return operation === undefined ? [] : [files.meant({ path, operation })];
  });
}

/** What is told to have been done to a file; what is an open task was not. */
function operationAt(index: TextIndex, place: Occurrence): FileOperation | undefined {
  const told = nearestCue(index, place, OPERATION_CUES);
  if (told === undefined || told === 'none') return undefined;
  if (!isTask(told)) return told;
  const state = leadingCue(index, place, STATE_CUES);
  return state === 'pending' || state === 'cancelled' ? undefined : OPERATION_OF[told];
}

function harmonicMean(a: number, b: number): number {
  return a + b === 0 ? 0 : (2 * a * b) / (a + b);
}
