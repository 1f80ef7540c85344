import { join } from 'node:path';
import { HarnessError } from '../../simulator/lib/errors.ts';
import { RESULTS_FILE, statOf } from '../../simulator/lib/files.ts';
import { quoted } from '../../simulator/lib/names.ts';
import { shownText } from '../../simulator/report/markup.ts';
import { countOf } from '../../simulator/report/numbers.ts';
import { exportFormats, exportRows, type WriteRows } from '../../simulator/sweep/export.ts';
import { headerBeside } from '../../simulator/sweep/store/header.ts';
import { readOnlyRows, wholeOf } from '../../simulator/sweep/store/read-rows.ts';
import { EXIT, printDone } from '../process/io.ts';
import { noteLack } from '../saved-reports.ts';
import { defineCommand, option, required, formatHelp } from '../command.ts';

const EXAMPLES = `
Examples:
  $ compaction-bench sweep export results --out results.parquet
  $ compaction-bench sweep export results/results.jsonl --format csv --out results.csv`;

export const exportCommand = defineCommand({
  name: 'export',
  describe: 'Write the rows of a sweep as a flat table, with settings and metrics as columns.',
  arguments: { '<results>': "a folder that 'sweep --out' wrote, or its results.jsonl" },
  options: {
    format: option('--format <name>', formatHelp(exportFormats)),
    out: required('--out <file>', 'file to write'),
  },
  examples: EXAMPLES,
  run: async ({ results }, { out }, { io, openReport }) => {
    const { format, checkInputs } = openReport<WriteRows>(exportFormats, 'export format');
    const file = findResults(results);
    checkInputs([file]);
    const header = headerBeside(file);
    const rows = await exportRows(out, format, {
      readRows: () => readOnlyRows(file, header),
      header,
    });
    noteLack({ from: file, rows, whole: header && wholeOf(header) }, io);
    printDone(io, `${countOf(rows, 'row')}: ${shownText(out)}`);
    return EXIT.done;
  },
});

function findResults(path: string) {
  const kind = statOf(path);
  const file = kind?.isDirectory() ? join(path, RESULTS_FILE) : path;
  if (statOf(file)?.isFile()) return file;
  const got = kind?.isDirectory() ? `no ${RESULTS_FILE}` : 'nothing';
  const message = `Expected ${quoted(path)} to be results of 'sweep --out', got ${got} there.`;
  throw new HarnessError('NO_INPUT', message);
}
