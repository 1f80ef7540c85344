/** A file of a made-up project, and what a session has seen of it. */

import type { CodeLanguage } from '../text/code.ts';
import type { Words } from '../text/words.ts';

/** A file of the project; it grows as far as somebody looks. */
export interface ProjectFile {
  readonly path: string;
  readonly language: CodeLanguage;
  readonly lines: string[];
  /** How often it was changed. */
  version: number;
  /** Where in the content of the session it was last touched, in tokens; absent before. */
  touchedAt?: number;
  wasRead: boolean;
  /** Where the next part of it begins that nobody has read. */
  nextLine: number;
}

/** A file that nobody has looked at. */
export function createFile(path: string, language: CodeLanguage): ProjectFile {
  return { path, language, lines: [], version: 0, wasRead: false, nextLine: 0 };
}

/** A line of a file, which goes on as long as lines are asked for. */
export function lineAt(file: ProjectFile, index: number, words: Words): string {
  while (file.lines.length <= index) file.lines.push(...file.language.block(words));
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
