import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** A source file and what it says of itself. */
export interface SourceLine {
  /** Relative to `src`, with slashes. */
  readonly file: string;
  readonly sentence: string;
}

/** Something exported with a docstring, its name in lower case. */
interface Exported {
  readonly name: string;
  readonly comment: string;
  readonly isValue: boolean;
}

const START = '<!-- files: `npm run architecture` writes what follows -->';
const END = '<!-- files end -->';

/** A docstring that stands alone on top of a file. */
const OF_FILE = /^\/\*\*(?<comment>(?:(?!\*\/)[^])*)\*\/\n\n/;
/** A docstring with what is exported right below it. */
const EXPORTED =
  /^\/\*\*(?<comment>(?:(?!\*\/)[^])*)\*\/\nexport (?:async )?(?<kind>function|const|interface|type|class)\*? (?<name>\w+)/gm;
/** Code, which stays as it is, and characters that Markdown would take for markup. */
const MARKUP = /`[^`]*`|[<*]/g;
const VALUES: readonly string[] = ['function', 'const', 'class'];
const EXPORT_LIST = /^export (?:type )?\{/m;

/** Files without a docstring of their own say what they are here. */
const LIST_SENTENCE = 'The public names, one list.';

/** Every source file with the first sentence of its leading docstring, by path. */
export function readSourceLines(folder: string): readonly SourceLine[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.ts'))
    .toSorted()
    .map((file) => ({
      file,
      sentence: describeSource(file, readFileSync(join(folder, file), 'utf8')),
    }));
}

/** What a source is: said on its top, else by the export that it is named for, else by its first value, else by its first type. */
export function describeSource(file: string, source: string): string {
  const own = OF_FILE.exec(source)?.groups?.['comment'];
  if (own !== undefined) return firstSentence(own);
  const exported = readExported(source);
  const base = posix.basename(file, '.ts').replaceAll('-', '').toLowerCase();
  const values = exported.filter(({ isValue }) => isValue);
  const speaker =
    exported.find(({ name }) => name === base) ??
    values.find(({ name }) => name.includes(base)) ??
    values[0] ??
    exported[0];
  if (speaker !== undefined) return firstSentence(speaker.comment);
  if (EXPORT_LIST.test(source)) return LIST_SENTENCE;
  throw new Error(`Expected an export with a docstring in '${file}', got none.`);
}

/** A page with its list of files replaced; everything around the two markers stays. */
export function replaceSourceLines(page: string, lines: readonly SourceLine[]): string {
  const [start, end] = [page.indexOf(START), page.indexOf(END)];
  if (start < 0 || end < start) throw new Error(`Expected '${START}' and '${END}' in the page.`);
  return `${page.slice(0, start)}${START}\n\n${renderFolders(lines)}\n${page.slice(end)}`;
}

/** The files that a page lists, relative to `src`. */
export function readListedFiles(page: string): readonly string[] {
  const list = page.slice(page.indexOf(START), page.indexOf(END));
  let folder = '';
  return list.split('\n').flatMap((line) => {
    folder = /^### `src\/(.*)\/`$/.exec(line)?.[1] ?? folder;
    const name = /^- `([^`]+\.ts)`/.exec(line)?.[1];
    return name === undefined ? [] : [`${folder}/${name}`];
  });
}

function readExported(source: string): readonly Exported[] {
  return [...source.matchAll(EXPORTED)].map(({ groups = {} }) => ({
    name: groups['name']?.toLowerCase() ?? '',
    comment: groups['comment'] ?? '',
    isValue: VALUES.includes(groups['kind'] ?? ''),
  }));
}

function firstSentence(comment: string): string {
  const text = comment
    .replaceAll(/^\s*\* ?/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  const sentence = /^.*?[.!?](?= [A-Z`]|$)/.exec(text)?.[0] ?? text;
  return sentence.replaceAll(MARKUP, (found) => (found.startsWith('`') ? found : `\\${found}`));
}

function renderFolders(lines: readonly SourceLine[]): string {
  const folders = [...new Set(lines.map(({ file }) => posix.dirname(file)))].toSorted();
  return folders
    .map((folder) => {
      const own = lines.filter(({ file }) => posix.dirname(file) === folder);
      return `### \`src/${folder}/\`\n\n${own.map(renderLine).join('\n')}\n`;
    })
    .join('\n');
}

function renderLine({ file, sentence }: SourceLine): string {
  return `- \`${posix.basename(file)}\`: ${sentence}`;
}
