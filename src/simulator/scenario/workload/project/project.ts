import type { Draw } from '../draw.ts';
import { codeLanguages } from '../text/code.ts';
import { lengthen } from '../text/lengthen.ts';
import { createWords, type Words } from '../text/words.ts';
import { createFile, type ProjectFile } from './file.ts';

/** The files that a session is about. */
export interface Project {
  /** Where it lies on the machine of the session. */
  readonly root: string;
  readonly words: Words;
  readonly files: ProjectFile[];
  /** A file that nobody has touched; one whose path is about so long, if that is told. */
  fresh(characters?: number): ProjectFile;
  /** The touched file whose last touch lies about that far back, in tokens; absent before the first touch. */
  touched(wanted: TouchWanted): ProjectFile | undefined;
}

/** What file is looked for. */
export interface TouchWanted {
  readonly position: number;
  readonly distance: number;
  /** Only one that was read. */
  readonly wasRead: boolean;
}

type LanguageName = keyof typeof codeLanguages;

interface NewPath {
  readonly language: LanguageName;
  /** How long it is to be, as far as folders make it so; absent: as usual. */
  readonly characters: number | undefined;
}

const FILES_AT_FIRST = 40;
const FOLDERS = [
  'src/internal',
  'packages/core/src',
  'packages/server/test',
  'lib/shared',
  'app/server',
  'config',
];
const HOMES = ['/home/developer/projects', '/Users/developer/workspace', '/srv/build/checkouts'];
const LANGUAGE_WEIGHTS = { typescript: 5, go: 3, python: 2, yaml: 1 } as const;
const FARTHER_WEIGHT = 3;
const MAIN_LANGUAGE_RATE = 0.85;

/** A project with some files. */
export function createProject(draw: Draw): Project {
  const files: ProjectFile[] = [];
  const words = createWords(draw, () => draw.one(files)?.path ?? 'src');
  const main = draw.weighted(LANGUAGE_WEIGHTS);
  const addFile = (characters?: number) => {
    const language = draw.isTrue(MAIN_LANGUAGE_RATE) ? main : draw.weighted(LANGUAGE_WEIGHTS);
    const file = createFile(
      newPath(words, files, { language: language as LanguageName, characters }),
      codeLanguages[language as LanguageName],
    );
    files.push(file);
    return file;
  };
  for (let count = 0; count < FILES_AT_FIRST; count++) addFile();
  return {
    root: `${draw.word(HOMES)}/${words.noun()}-${words.noun()}`,
    words,
    files,
    fresh: (characters) =>
      characters === undefined
        ? (files.find(({ touchedAt }) => touchedAt === undefined) ?? addFile())
        : addFile(characters),
    touched: (wanted) => findTouched(files, wanted),
  };
}

function newPath(
  words: Words,
  files: readonly ProjectFile[],
  { language, characters }: NewPath,
): string {
  const { extension } = codeLanguages[language];
  const name = `${words.noun()}_${words.verb()}`;
  const base =
    characters === undefined
      ? `${words.draw.word(FOLDERS)}/${words.noun()}/${name}`
      : lengthen(name, characters - extension.length - 1, (path) => `${words.noun()}/${path}`);
  const isTaken = (path: string) => files.some((file) => file.path === path);
  let path = `${base}.${extension}`;
  for (let number = 2; isTaken(path); number++) path = `${base}_${number}.${extension}`;
  return path;
}

function findTouched(
  files: readonly ProjectFile[],
  { position, distance, wasRead }: TouchWanted,
): ProjectFile | undefined {
  let nearest: ProjectFile | undefined;
  let least = Infinity;
  for (const file of files) {
    if (file.touchedAt === undefined || (wasRead && !file.wasRead)) continue;
    const difference = differenceOf(position - file.touchedAt, distance);
    if (difference < least) [nearest, least] = [file, difference];
  }
  return nearest;
}

/** In orders of magnitude. Few files lie as near as the nearest ones are wanted, so that farther ones count less. */
function differenceOf(distance: number, wanted: number): number {
  const difference = Math.log1p(distance) - Math.log1p(wanted);
  return difference > 0 ? FARTHER_WEIGHT * difference : -difference;
}
