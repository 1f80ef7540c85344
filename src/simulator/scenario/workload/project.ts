import * as z from 'zod';
import type { Immutable } from '../../lib/json.ts';
import type { Draw } from './draw.ts';
import type { CallPlan } from './plan.ts';
import { createWords, lengthen, type Words } from './words.ts';
import { type Language, shippedTexts, type Workload } from './workload.ts';

/** The files that a session is about. */
interface Project {
  /** Where it lies on the machine of the session. */
  readonly root: string;
  readonly words: Words;
  readonly files: ProjectFile[];
  /** A file that nobody has touched; one whose path is about so long, if that is told. */
  fresh(characters?: number): ProjectFile;
  /** The touched file whose last touch lies about that far back, in tokens; absent before the first touch. */
  touched(wanted: TouchWanted): ProjectFile | undefined;
}

/** Criteria for a touched file. */
export interface TouchWanted {
  readonly position: number;
  readonly distance: number;
  /** Only one that was read. */
  readonly wasRead: boolean;
}

/** A file of the project; it grows as far as somebody looks. */
export interface ProjectFile {
  readonly path: string;
  readonly language: CodeLanguage;
  readonly lines: string[];
  /** Number of changes. */
  version: number;
  /** Position of its last touch in the session, in tokens; absent before the first. */
  touchedAt?: number;
  wasRead: boolean;
  /** First line that was not read yet. */
  nextLine: number;
}

/** A session while it is written. */
export interface Scene {
  readonly workload: Workload;
  readonly draw: Draw;
  readonly project: Project;
  readonly language: Language;
  /** Errors that come up again and again until somebody solves them. */
  readonly problems: readonly string[];
  readonly tasks: Task[];
  /** Content so far, in tokens of four characters. */
  position: number;
  readonly reads: ReadBudget;
  /** Finished calls by tool, for repeats. */
  readonly made: Map<string, MadeCall[]>;
}

/** Reads that are still to come, and how many of them are to be of files that were read before. */
export interface ReadBudget {
  left: number;
  repeats: number;
}

/** An entry of the list of tasks. */
export interface Task {
  readonly title: string;
  state: 'pending' | 'in_progress' | 'completed';
}

/** Input and output of a call. */
export interface MadeCall {
  readonly input: Readonly<Record<string, unknown>>;
  readonly output: string;
  /** True while a repeat would give the same output; absent: always. */
  readonly isCurrent?: () => boolean;
}

/** Makes the calls of one kind of tools. */
export type MakeCall = (scene: Scene, call: CallPlan) => MadeCall;

const Lines = z.array(z.string());

/** A language that files are written in: the lines of a function or a paragraph, with statements between them. */
const CodeLanguage = z.strictObject({
  extension: z.string(),
  /** Prefix of a comment line. */
  comment: z.string(),
  before: Lines,
  statements: Lines.exactOptional(),
  after: Lines.exactOptional(),
});
type CodeLanguage = Immutable<z.infer<typeof CodeLanguage>>;

const LANGUAGE_WEIGHTS = { typescript: 5, go: 3, python: 2, yaml: 1 } as const;
const codeLanguages = shippedTexts('code', z.record(z.string(), CodeLanguage));

/** Lines in a body. */
const BODY = { least: 2, most: 9 } as const;
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
const FARTHER_WEIGHT = 3;
const MAIN_LANGUAGE_RATE = 0.85;

/** A project with some files. */
export function createProject(draw: Draw): Project {
  const files: ProjectFile[] = [];
  const words = createWords(draw, () => draw.one(files)?.path ?? 'src');
  const main = draw.weighted(LANGUAGE_WEIGHTS);
  const addFile = (characters?: number) => {
    const language = draw.isTrue(MAIN_LANGUAGE_RATE) ? main : draw.weighted(LANGUAGE_WEIGHTS);
    const code = codeLanguages()[language];
    if (code === undefined) throw new RangeError(`Expected a language, got '${language}'.`);
    const file = createFile(newPath(words, files, { code, characters }), code);
    files.push(file);
    return file;
  };
  for (let count = 0; count < FILES_AT_FIRST; count++) addFile();
  return {
    root: words.fill(`${draw.word(HOMES)}/{noun}-{noun}`),
    words,
    files,
    fresh: (characters) =>
      characters === undefined
        ? (files.find(({ touchedAt }) => touchedAt === undefined) ?? addFile())
        : addFile(characters),
    touched: (wanted) => findTouched(files, wanted),
  };
}

/** A file that nobody has looked at. */
export function createFile(path: string, language: CodeLanguage): ProjectFile {
  return { path, language, lines: [], version: 0, wasRead: false, nextLine: 0 };
}

/** A line of a file, which goes on as long as lines are asked for. */
export function lineAt(file: ProjectFile, index: number, words: Words): string {
  while (file.lines.length <= index) file.lines.push(...blockOf(file.language, words));
  return file.lines[index] ?? '';
}

/** Puts other lines in the place of some. */
export function replaceLines(
  file: ProjectFile,
  range: { readonly from: number; readonly count: number },
  lines: readonly string[],
): void {
  file.lines.splice(range.from, range.count, ...lines);
  file.version += 1;
}

/** A path as the agent gives it to tools. */
export function shownPath({ project, workload }: Scene, path: string): string {
  return workload.style.hasAbsolutePaths ? `${project.root}/${path}` : path;
}

/** Characters that are left for a text in arguments that are to have that many as JSON. */
export function roomBeside(characters: number, input: object): number {
  return Math.max(1, characters - JSON.stringify(input).length);
}

function blockOf(
  { before, statements, after = [] }: CodeLanguage,
  words: Words,
): readonly string[] {
  const { draw, fill } = words;
  const first = before.map(fill);
  if (statements === undefined) return first;
  const lines = draw.whole(BODY.least, BODY.most);
  const body = Array.from({ length: lines }, () => fill(draw.word(statements)));
  return [...first, ...body, ...after.map(fill)];
}

/** The path of a file that there is not, about so long, as far as folders make it so, if that is told. */
function newPath(
  { draw, fill }: Words,
  files: readonly ProjectFile[],
  { code, characters }: { readonly code: CodeLanguage; readonly characters: number | undefined },
): string {
  const { extension } = code;
  const name = fill('{noun}_{verb}');
  const base =
    characters === undefined
      ? fill(`${draw.word(FOLDERS)}/{noun}/${name}`)
      : lengthen(name, characters - extension.length - 1, (path) => fill(`{noun}/${path}`));
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
