import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { HarnessError } from '../../lib/errors.ts';
import { readTextFile } from '../../lib/files.ts';
import { MS_PER_SECOND } from '../../lib/units.ts';
import { shownLines } from '../markup.ts';
import type { PageData, PageRun, RunDetail } from './page-data.ts';

/** How a page is given to a browser. */
export interface PageOptions {
  /** Version of a page that is served, in hexadecimal digits; a page with one looks for newer ones. */
  readonly tag?: string;
}

/** The files of a page by their names. */
export type ReadSource = (name: string) => string;

/** Data above this many characters is packed. */
const MOST_PLAIN = 1_000_000;

/** Nothing is fetched from anywhere; scripts and styles are those of the page. */
const POLICY =
  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; connect-src 'self'";

/** An import of names from another script of the page. */
const IMPORT = /^import \{([^}]*)\} from\s'\.\/([\w-]+\.js)';\n/gm;
const EXPORT = /^export (?=(?:async )?(?:function|const) (\w+))/gm;
/** Comments that have lines of their own. */
const COMMENT = /^ *(?:\/\/.*|\/\*\*.*\*\/|\/\*\*.*\n(?: *\*.*\n)* *\*\/)\n/gm;
const EMPTY_LINES = /\n{2,}/g;

const FOLDER = new URL('./page/', import.meta.url);

/** The looks of a page in the order in which later ones win: by day and by night, then on a phone and on paper. */
const STYLES = ['colors.css', 'page.css', 'tables.css', 'charts.css', 'media.css'];

const ENTRY = 'boot.js';

/** A whole page; what comes from sessions stands in its data only, where nothing of it is markup. */
export function renderPage(data: PageData, { tag }: PageOptions = {}): string {
  const main =
    '<p>Loading …</p><noscript><p>This page draws its tables and charts with a script.</p></noscript>';
  const scripts = `${renderData(data)}
<script>(function () {
'use strict';
${readScript()}
})();</script>
`;
  return renderShell(main, 'compaction-bench', { tag, scripts });
}

/** A page around its content, which is markup, under a title. */
export function renderShell(
  main: string,
  title: string,
  { tag, scripts = '' }: { readonly tag?: string | undefined; readonly scripts?: string } = {},
): string {
  return `<!doctype html>
<html lang="en"${tag === undefined ? '' : ` data-tag="${tag}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="referrer" content="no-referrer">
<link rel="icon" href="data:,">
<title>${title}</title>
<style>
${readStyle()}</style>
</head>
<body>
<a class="skip" href="#content">To the content</a>
<header><a class="home" href="#/">compaction-bench</a><span id="where"></span></header>
<main id="content" tabindex="-1">${main}</main>
<footer id="footer"></footer>
${scripts}</body>
</html>
`;
}

/**
 * A script and those that it needs as one script: each is a function that is run once, after those that it imports, so
 * that its own names are its own.
 */
export function inlineScripts(entry: string, readSource: ReadSource): string {
  const modules = new Map<string, string>();
  addModule(entry, readSource, modules);
  return ['const modules = {};', ...modules.values()].join('\n');
}

/** The styles of a page as one. */
export function readStyle(): string {
  return STYLES.map(readSource).join('\n');
}

/** The scripts of a page as one. */
export function readScript(): string {
  return inlineScripts(ENTRY, readSource);
}

/** A page without runs, to be filled with what was compared in their place. */
export function emptyPage(
  unread: PageData['unread'],
): Omit<PageData, 'title' | 'verdict' | 'facts' | 'evidence'> {
  return {
    groupTitles: [],
    groups: [],
    peers: [],
    metrics: [],
    sessions: [],
    runs: [],
    notes: [],
    unread,
  };
}

/**
 * A page with the columns of its runs as what is not to be expected of them, which packs to a fraction: contexts and
 * turns as their growth, what was cached as what it is beyond the request before, what was written as what was not.
 */
export function packPage(data: PageData): PageData {
  return { ...data, runs: data.runs.map(packRun) };
}

function renderData(data: PageData): string {
  const entries = Object.entries(packPage(data)).filter(([, value]) => value !== undefined);
  const lines = entries.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`);
  const json = `{${lines.join(',\n')}}`;
  if (json.length <= MOST_PLAIN) {
    return `<script type="application/json" id="data">${escapeScript(json)}</script>`;
  }
  const packed = gzipSync(json).toString('base64');
  return `<script type="application/gzip" id="data">${packed}</script>`;
}

/** No text of the data can end its script, nor begin another or a comment; what a terminal might obey is escaped as JSON has it. */
function escapeScript(json: string): string {
  return shownLines(json.replaceAll('<', String.raw`\u003c`));
}

function readSource(name: string): string {
  return readTextFile(fileURLToPath(new URL(name, FOLDER)), (reason, cause) => {
    const message = `Expected '${name}' to come with the package, but it cannot be read: ${reason}.`;
    return new HarnessError('UNREADABLE', message, { cause });
  });
}

function addModule(name: string, readSource: ReadSource, modules: Map<string, string>): void {
  const source = readSource(name);
  for (const [, , needed = ''] of source.matchAll(IMPORT)) {
    if (!modules.has(needed)) addModule(needed, readSource, modules);
  }
  modules.set(name, toModule(name, source));
}

function toModule(name: string, source: string): string {
  const exported = [...source.matchAll(EXPORT)].map(([, word]) => word);
  const code = source
    .replaceAll(COMMENT, '')
    .replaceAll(IMPORT, "const {$1} = modules['$2'];\n")
    .replaceAll(EXPORT, '')
    .replaceAll(EMPTY_LINES, '\n');
  return `modules['${name}'] = (() => {\n${code.trim()}\nreturn { ${exported.join(', ')} };\n})();`;
}

function packRun(run: PageRun): PageRun {
  return run.d === undefined ? run : { ...run, d: packDetail(run.d) };
}

function packDetail(detail: RunDetail): RunDetail {
  const { context, cached, written, turn, view } = detail;
  return {
    ...detail,
    context: growthOf(context),
    cached: cached.map((tokens, step) => tokens - (context[step - 1] ?? 0)),
    written: written.map((tokens, step) => (context[step] ?? 0) - (cached[step] ?? 0) - tokens),
    turn: growthOf(turn),
    ...(view && { view: { ...view, pauses: view.pauses.map(toSeconds) } }),
  };
}

function growthOf(values: readonly number[]): readonly number[] {
  return values.map((value, index) => value - (values[index - 1] ?? 0));
}

function toSeconds(ms: number): number {
  return Math.round(ms / MS_PER_SECOND);
}
