import { gzipSync } from 'node:zlib';
import { shownLines } from '../shown-text.ts';
import { packPage } from './pack-detail.ts';
import type { PageData } from './page-data.ts';
import { chartScript } from './page/chart-script.ts';
import { bootScript } from './page/boot-script.ts';
import { compareScript } from './page/compare-script.ts';
import { overviewScript } from './page/overview-script.ts';
import { planeScript } from './page/plane-script.ts';
import { sessionScript } from './page/session-script.ts';
import { stepScript } from './page/step-script.ts';
import { style } from './page/style.ts';
import { tableScript } from './page/table-script.ts';
import { toolScript } from './page/tool-script.ts';
import { viewScript } from './page/view-script.ts';

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

const SCRIPTS = [
  toolScript,
  tableScript,
  chartScript,
  viewScript,
  compareScript,
  overviewScript,
  planeScript,
  sessionScript,
  stepScript,
  bootScript,
];

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
<style>${style}</style>
</head>
<body>
<a class="skip" href="#content">To the content</a>
<header><a class="home" href="#/">compaction-bench</a><span id="where"></span></header>
<main id="content" tabindex="-1"><p>Loading …</p><noscript><p>This page draws its tables and charts with a script.</p></noscript></main>
<footer id="footer"></footer>
${renderData(data)}
<script>(function () {
'use strict';
${SCRIPTS.join('\n')}
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
