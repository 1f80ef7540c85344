import * as z from 'zod';
import type { Immutable } from '../../lib/json.ts';
import type { Draw } from './draw.ts';
import { createWords, lengthen, type Words } from './words.ts';
import { type Language, shippedTexts, type Workload } from './workload.ts';

interface Project {
  /** Where it lies on the machine of the session. */
  readonly root: string;
  readonly words: Words;
  readonly files: readonly ProjectFile[];
  /** A file that nobody has touched; one whose path is about so long, if that is told. */
  readonly fresh: (characters?: number) => ProjectFile;
}

/** A file of the project; it grows as far as somebody looks. */
export interface ProjectFile {
  readonly path: string;
  readonly language: CodeLanguage;
  readonly lines: string[];
  version: number;
  /** Position of its last touch in the session, in tokens; absent before the first. */
  touchedAt?: number;
  wasRead: boolean;
  nextLine: number;
}

export interface Scene extends Project {
  readonly workload: Workload;
  readonly draw: Draw;
  readonly language: Language;
  /** Errors that come up again and again until somebody solves them. */
  readonly problems: readonly string[];
  readonly tasks: { readonly content: string; status: 'pending' | 'in_progress' | 'completed' }[];
  /** Content so far, in tokens of four characters. */
  position: number;
  /** Reads that are still to come, and how many of them are to be of files that were read before. */
  readonly reads: { left: number; repeats: number };
  /** Finished calls by tool, for repeats. */
  readonly made: Map<string, MadeCall[]>;
}

export interface MadeCall {
  readonly input: Readonly<Record<string, unknown>>;
  readonly output: string;
  /** True while a repeat would give the same output; absent: always. */
  readonly isCurrent?: () => boolean;
}

type CodeLanguage = Immutable<z.infer<typeof CodeLanguage>>;

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
const codeLanguages = shippedTexts('code', z.record(z.string(), CodeLanguage));
const LANGUAGE_WEIGHTS = { typescript: 5, go: 3, python: 2, yaml: 1 } as const;
const MAIN_LANGUAGE_RATE = 0.85;
const FILES_AT_FIRST = 40;

export function createProject(draw: Draw): Project {
  const files: ProjectFile[] = [];
  const words = createWords(draw, () => draw.one(files)?.path ?? 'src');
  const main = draw.weighted(LANGUAGE_WEIGHTS);
  const addFile = (characters?: number) => {
    const name = draw.isTrue(MAIN_LANGUAGE_RATE) ? main : draw.weighted(LANGUAGE_WEIGHTS);
    const language = codeLanguages()[name];
    if (language === undefined) throw new RangeError(`Expected a language, got '${name}'.`);
    const base = newBase(words, language, characters);
    const isTaken = (path: string) => files.some((file) => file.path === path);
    let path = `${base}.${language.extension}`;
    for (let number = 2; isTaken(path); number++) path = `${base}_${number}.${language.extension}`;
    const file = createFile(path, language);
    files.push(file);
    return file;
  };
  for (let count = 0; count < FILES_AT_FIRST; count++) addFile();
  return {
    root: words.fill('{home}/{noun}-{noun}'),
    words,
    files,
    fresh: (characters) =>
      characters === undefined
        ? (files.find(({ touchedAt }) => touchedAt === undefined) ?? addFile())
        : addFile(characters),
  };
}

export function createFile(path: string, language: CodeLanguage): ProjectFile {
  return { path, language, lines: [], version: 0, wasRead: false, nextLine: 0 };
}

function newBase({ fill }: Words, { extension }: CodeLanguage, characters: number | undefined) {
  const name = fill('{noun}_{verb}');
  if (characters === undefined) return fill(`{parent}/{noun}/${name}`);
  return lengthen(name, characters - extension.length - 1, (path) => fill(`{noun}/${path}`));
}
