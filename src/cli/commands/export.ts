import { statSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { Command } from '@commander-js/extra-typings';
import { HarnessError } from '../../simulator/errors.ts';
import { named, quoted } from '../../simulator/names.ts';
import { shownText } from '../../simulator/report/shown-text.ts';
import {
  type ExportFormatName,
  exportFormats,
  exportRows,
} from '../../simulator/sweep/export/export-rows.ts';
import { RESULTS_FILE } from '../../simulator/sweep/store/header.ts';
import { readRowsOf } from '../../simulator/sweep/summary/read-rows.ts';
import { type CliIo, EXIT } from '../io.ts';
import { checkNoInput, checkOutPath, printNote, printDone } from '../output.ts';

/** What the command line says, as text. */
interface ExportOptions {
  readonly format?: string | undefined;
  readonly out: string;
}

const DEFAULT_FORMAT: ExportFormatName = 'parquet';

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
    .description('Write the rows of a sweep as a flat table: settings and metrics as columns.')
    .argument('<results>', "a folder that 'sweep --out' wrote, or its results.jsonl")
    .option('--format <name>', 'parquet, csv or jsonl (default: by --out, else parquet)')
    .requiredOption('--out <file>', 'the file to be written')
    .addHelpText('after', EXAMPLES)
    .action(async (results, options) => onExit(await exportResults(results, options, io)));
}

async function exportResults(
  results: string,
  { format: name, out }: ExportOptions,
  io: CliIo,
): Promise<number> {
  const format = chooseFormat(name, out);
  checkOutPath(out);
  const file = findResults(results);
  checkNoInput(out, [file]);
  checkHasRows(file);
  const rows = await exportRows(out, format, () => readRowsOf(file));
  if (rows === 0) printNote(io, `Note: ${quoted(file)} has no row.`);
  printDone(io, `${rows} rows: ${shownText(out)}`);
  return EXIT.done;
}

/** The format that was named, else the one that files of that extension have. */
function chooseFormat(name: string | undefined, out: string): ExportFormatName {
  if (name !== undefined) named('export format', exportFormats, name);
  const format = name ?? extname(out).slice(1).toLowerCase();
  return Object.hasOwn(exportFormats, format) ? (format as ExportFormatName) : DEFAULT_FORMAT;
}

/** Throws where a file holds something else; a sweep that was stopped at once has no row yet. */
function checkHasRows(file: string): void {
  const isEmpty = statSync(file).size === 0;
  if (isEmpty || readRowsOf(file).next().done !== true) return;
  const message = `Expected ${quoted(file)} to be results of 'sweep --out', but none of its lines is a row of them.`;
  throw new HarnessError('BAD_RESULTS', message);
}

function findResults(path: string): string {
  const kind = statSync(path, { throwIfNoEntry: false });
  const file = kind?.isDirectory() ? join(path, RESULTS_FILE) : path;
  if (statSync(file, { throwIfNoEntry: false })?.isFile()) return file;
  const got = kind?.isDirectory() ? `no ${RESULTS_FILE}` : 'nothing';
  const message = `Expected ${quoted(path)} to be results of 'sweep --out', got ${got} there.`;
  throw new HarnessError('NO_INPUT', message);
}
