/** Where the scripts of the page are, which run in a browser. */
const PAGE = 'simulator/report/html/page/';
/** What is said of types only is not there in a browser, so it may come from here too. */
const TYPE_SOURCES = ['../../plots.ts'];
const STATEMENT = /^import\b[^;]*;?/gm;
const PLAIN_IMPORT = /^import \{[\w\s,]*\} from '\.\/[\w-]+\.js';$/;
const RENAMED = /\bas\b/;
const EXPORT = /^.*\bexport\b.*/gm;
const PLAIN_EXPORT = /^export (?:async )?(?:function|const) \w+/;
const TYPE_IMPORT = /@import .* from '([^']*)'|\bimport\('([^']*)'\)/g;

/** Whether a file of `src` runs in a browser. */
export function isOfPage(file: string): boolean {
  return file.startsWith(PAGE);
}

/** What a script of the page does by which it could not be put into the page, in words; `code` is without comments. */
export function pageViolations(source: string, code: string): readonly string[] {
  const statements = matchesOf(source, STATEMENT);
  const exports = matchesOf(code, EXPORT);
  const types = [...source.matchAll(TYPE_IMPORT)].map(([, named, inline]) => named ?? inline ?? '');
  return [
    ...statements.filter((one) => !isPlainImport(one)).map((one) => `imports otherwise: ${one}`),
    ...exports.filter((one) => !PLAIN_EXPORT.test(one)).map((one) => `exports otherwise: ${one}`),
    ...types.filter((one) => !isTypeSource(one)).map((one) => `has types of ${one}`),
  ];
}

function isPlainImport(statement: string): boolean {
  return PLAIN_IMPORT.test(statement) && !RENAMED.test(statement);
}

function isTypeSource(path: string): boolean {
  return TYPE_SOURCES.includes(path) || /^\.\/[\w-]+\.js$/.test(path);
}

function matchesOf(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)].map(([words]) => words.replaceAll(/\s+/g, ' '));
}
