import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { HarnessError, unlessWrongInput } from '../../simulator/lib/errors.ts';
import { createGuardedServer } from '../../simulator/lib/guarded-server.ts';
import { RESULTS_FILE, statOf } from '../../simulator/lib/files.ts';
import { withTag } from '../../simulator/report/html/render-html.ts';
import { chooseTexts, parseWhole, WITH_TEXT } from '../plan/options.ts';
import { printFault } from '../process/faults.ts';
import { LAST_PORT, SERVED_HOST, serveUntilEnd } from '../process/serve.ts';
import { checkTexts, readReportInputs, renderPage } from '../saved-reports.ts';
import { defineCommand, option, repeated } from '../command.ts';
import { SAVED_KINDS, type Saved } from '../../simulator/report/saved/documents.ts';

interface ServedPage {
  readonly tag: string;
  readonly html: string;
}

const DEFAULT_PORT = '4170';

const EXAMPLES = `
Examples:
  $ compaction-bench report serve run.jsonl
  $ compaction-bench report serve results/ --port 8080`;

const STATUS = { ok: 200, unchanged: 304, forbidden: 403, notFound: 404, notAllowed: 405 } as const;

const HEADERS = {
  'cache-control': 'no-cache',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
} as const;

export const serveCommand = defineCommand({
  name: 'serve',
  describe: 'Show a report in a local browser, and refresh it when its files change.',
  arguments: { '<files...>': SAVED_KINDS },
  options: {
    port: option('--port <number>', 'port on 127.0.0.1; 0 takes any free one', DEFAULT_PORT),
    withText: repeated('--with-text <session>', WITH_TEXT.report),
  },
  examples: EXAMPLES,
  run: async ({ files }, { port: chosen, withText }, { io }) => {
    const port = parseWhole('--port', chosen, { least: 0, most: LAST_PORT });
    const server = createReportServer(files, {
      withText,
      onFault: (error) => printFault(error, io),
    });
    await serveUntilEnd(server, port, { io, what: 'Report' });
    return undefined;
  },
});

export function createReportServer(
  files: readonly string[],
  {
    withText = [],
    onFault,
  }: { withText?: readonly string[]; onFault?: (error: unknown) => void } = {},
) {
  const hasTexts = chooseTexts(withText, { isKept: true });
  const show = (saved: Saved) => renderPage(saved, { hasTexts });
  let page = readPage(files, (saved) => {
    checkTexts(withText, saved);
    return show(saved);
  });
  const newest = () => {
    if (tagOf(files) === page.tag) return page;
    const read = unlessWrongInput(() => readPage(files, show));
    // A file that is just being written says nothing for now.
    if (!(read instanceof HarnessError)) page = read;
    return page;
  };
  return createGuardedServer((request, response) => answer(request, response, newest), onFault);
}

function readPage(files: readonly string[], show: (saved: Saved) => string): ServedPage {
  const tag = tagOf(files);
  const found = readReportInputs(files);
  if (found.state === 'found') return { tag, html: withTag(show(found.saved), tag) };
  const message = `Expected files that can stand in one report, but ${found.reason}.`;
  throw new HarnessError('BAD_RESULTS', message);
}

function tagOf(files: readonly string[]) {
  const stamps = files
    .flatMap((file) => [file, join(file, RESULTS_FILE)])
    .map((path) => {
      const stats = unlessWrongInput(() => statOf(path));
      if (stats instanceof HarnessError) return stats.message;
      return stats && `${stats.mtimeMs}/${stats.size}/${stats.ino}`;
    });
  return createHash('sha256').update(stamps.join(' ')).digest('hex').slice(0, 16);
}

function answer(request: IncomingMessage, response: ServerResponse, newest: () => ServedPage) {
  const send = (status: number, text: string, headers: Readonly<Record<string, string>> = {}) => {
    const type = { 'content-type': 'text/plain; charset=utf-8' };
    response.writeHead(status, { ...HEADERS, ...type, ...headers });
    response.end(request.method === 'HEAD' ? undefined : text);
  };
  // A page of elsewhere may know this address by a name of its own; nothing is told to it.
  const port = request.socket.localPort;
  const isOwn = [SERVED_HOST, 'localhost'].some(
    (host) => request.headers.host === `${host}:${port}`,
  );
  if (!isOwn) return send(STATUS.forbidden, 'Only this machine is served.\n');
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return send(STATUS.notAllowed, 'Only GET.\n', { allow: 'GET, HEAD' });
  const { tag, html } = newest();
  if (request.url === '/version') return send(STATUS.ok, tag);
  if (request.url !== '/') return send(STATUS.notFound, 'Nothing here.\n');
  const etag = `"${tag}"`;
  if (request.headers['if-none-match'] === etag) return send(STATUS.unchanged, '', { etag });
  send(STATUS.ok, html, { 'content-type': 'text/html; charset=utf-8', etag });
}
