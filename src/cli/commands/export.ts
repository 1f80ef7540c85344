import { join } from 'node:path';
import type { Command } from '@commander-js/extra-typings';
import { HarnessError } from '../../simulator/lib/errors.ts';
import { RESULTS_FILE, statOf } from '../../simulator/lib/files.ts';
import { quoted } from '../../simulator/lib/names.ts';
import { shownText } from '../../simulator/report/markup.ts';
import { countOf } from '../../simulator/report/numbers.ts';
import { exportFormats, exportRows, type WriteRows } from '../../simulator/sweep/export.ts';
import { headerBeside } from '../../simulator/sweep/store/header.ts';
import { readOnlyRows, wholeOf } from '../../simulator/sweep/store/read-rows.ts';
import { chooseFormat, formatHelp } from '../plan/options.ts';
import { type CliIo, EXIT } from '../process/io.ts';
import { checkNoInput, checkOutPath, printDone } from '../process/output.ts';
import { noteLack } from '../saved-reports.ts';

/** What the command line says, as text. */
interface ExportOptions {
  readonly format?: string | undefined;
  readonly out: string;
}

const EXAMPLES = `
Examples:
  $ compaction-bench export results --out results.parquet
  $ compaction-bench export results/results.jsonl --format csv --out results.csv`;

/** Adds the command that writes the rows of a sweep as a flat table for other programs. */
export function addExportCommand(
  program: Command,
  io: CliIo,
  onExit: (code: number) => void,
): void {
  program
    .command('export')
    .description('Write the rows of a sweep as a flat table, with settings and metrics as columns.')
    .argument('<results>', "a folder that 'sweep --out' wrote, or its results.jsonl")
    .option('--format <name>', formatHelp(exportFormats))
    .requiredOption('--out <file>', 'file to write')
    .addHelpText('after', EXAMPLES)
    .action(async (results, options) => onExit(await exportResults(results, options, io)));
}

async function exportResults(
  results: string,
  { format, out }: ExportOptions,
  io: CliIo,
): Promise<number> {
  const write = chooseFormat<WriteRows>(exportFormats, 'export format', { format, out });
  checkOutPath(out);
  const file = findResults(results);
  checkNoInput(out, [file]);
  const header = headerBeside(file);
  const rows = await exportRows(out, write, () => readOnlyRows(file, header));
  noteLack({ from: file, rows, whole: header && wholeOf(header) }, io);
  printDone(io, `${countOf(rows, 'row')}: ${shownText(out)}`);
  return EXIT.done;
}

function findResults(path: string): string {
  const kind = statOf(path);
  const file = kind?.isDirectory() ? join(path, RESULTS_FILE) : path;
  if (statOf(file)?.isFile()) return file;
  const got = kind?.isDirectory() ? `no ${RESULTS_FILE}` : 'nothing';
  const message = `Expected ${quoted(path)} to be results of 'sweep --out', got ${got} there.`;
  throw new HarnessError('NO_INPUT', message);
}
