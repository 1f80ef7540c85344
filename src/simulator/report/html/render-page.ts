import { gzipSync } from 'node:zlib';
import { shownLines } from '../shown-text.ts';
import { packPage } from './pack-detail.ts';
import type { PageData } from './page-data.ts';
import { readScript, readStyle } from './page-sources.ts';

/** How a page is given to a browser. */
export interface PageOptions {
  /** Version of a page that is served, in hexadecimal digits; a page with one looks for newer ones. */
  readonly tag?: string;
}

/** Data above this many characters is packed. */
const MOST_PLAIN = 1_000_000;

/** Nothing is fetched from anywhere; scripts and styles are those of the page. */
const POLICY =
  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; connect-src 'self'";

/** A whole page; what comes from sessions stands in its data only, where nothing of it is markup. */
export function renderPage(data: PageData, { tag }: PageOptions = {}): string {
  return `<!doctype html>
<html lang="en"${tag === undefined ? '' : ` data-tag="${tag}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="referrer" content="no-referrer">
<link rel="icon" href="data:,">
<title>compaction-bench</title>
<style>
${readStyle()}</style>
</head>
<body>
<a class="skip" href="#content">To the content</a>
<header><a class="home" href="#/">compaction-bench</a><span id="where"></span></header>
<main id="content" tabindex="-1"><p>Loading …</p><noscript><p>This page draws its tables and charts with a script.</p></noscript></main>
<footer id="footer"></footer>
${renderData(data)}
<script>(function () {
'use strict';
${readScript()}
})();</script>
</body>
</html>
`;
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
