import type { Server } from 'node:http';
import type { Command } from '@commander-js/extra-typings';
import { SAVED_KINDS } from '../../simulator/report/saved/read-saved.ts';
import { badOption } from '../../simulator/errors.ts';
import { collect } from '../options/collect.ts';
import { type CliIo, EXIT } from '../process/io.ts';
import { printNote } from '../process/output.ts';
import { parseWhole } from '../options/parse-whole.ts';
import { createReportServer, SERVED_HOST } from '../report/server.ts';
import { WITH_TEXT } from '../options/with-text.ts';

/** What is served. */
interface Served {
  readonly files: readonly string[];
  /** The sessions whose texts are shown. */
  readonly withText?: readonly string[] | undefined;
}

const DEFAULT_PORT = '4170';
const LAST_PORT = 65_535;

const EXAMPLES = `
Examples:
  $ compaction-bench serve run.jsonl
  $ compaction-bench serve results/ --port 8080`;

/** Adds the command that shows a report in a browser of this machine while its files change. */
export function addServeCommand(program: Command, io: CliIo, onExit: (code: number) => void): void {
  program
    .command('serve')
    .description('Show a report in a local browser, and refresh it when its files change.')
    .argument('<files...>', SAVED_KINDS)
    .option('--port <number>', 'port on 127.0.0.1; 0 takes any free one', DEFAULT_PORT)
    .option('--with-text <session>', WITH_TEXT.report, collect)
    .addHelpText('after', EXAMPLES)
    .action(async (files, { port, withText }) => {
      const chosen = parseWhole('--port', port, { least: 0, most: LAST_PORT });
      onExit(await serve({ files, withText }, chosen, io));
    });
}

/** Serves until the user wants to stop. */
async function serve({ files, withText }: Served, port: number, io: CliIo): Promise<number> {
  const server = createReportServer(files, withText);
  await listen(server, port);
  const address = server.address();
  const used = typeof address === 'object' && address !== null ? address.port : port;
  printNote(io, `Report: http://${SERVED_HOST}:${used}/ (Ctrl-C ends)`);
  await new Promise<void>((resolve) => {
    if (io.signal.aborted) resolve();
    io.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  server.closeAllConnections();
  await new Promise((resolve) => {
    server.close(resolve);
  });
  return EXIT.interrupted;
}

async function listen(server: Server, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('listening', resolve);
    server.once('error', (error: NodeJS.ErrnoException) => {
      const message = `Expected '--port' to be free, got ${port}: ${error.code ?? error.message}.`;
      reject(badOption(message, { cause: error }));
    });
    server.listen(port, SERVED_HOST);
  });
}
