import type { Command } from '@commander-js/extra-typings';
import { type CliIo, EXIT, hasColors } from '../io.ts';
import { checkNoInput, checkOutPath, printNote, writeReport } from '../output.ts';
import { renderSaved } from '../render-saved.ts';
import { readReportInputs } from '../report-inputs.ts';

/** What the command line says, as text. */
interface ReportOptions {
  readonly format?: string | undefined;
  readonly out?: string | undefined;
}

const EXAMPLES = `
Examples:
  $ compaction-bench run sessions/ --events run.jsonl
  $ compaction-bench report run.jsonl --out report.html
  $ compaction-bench report monday.jsonl tuesday.jsonl --format markdown
  $ compaction-bench report check.json --format junit --out junit.xml
  $ compaction-bench report results/ --out sweep.html`;

/** Adds the command that renders saved events and reports again. */
export function addReportCommand(
  program: Command,
  io: CliIo,
  onExit: (code: number) => void,
): void {
  program
    .command('report')
    .description('Render saved events, or the JSON report of another command, in any format.')
    .argument('<files...>', "saved events, JSON of 'run', 'check' or 'sweep', or a sweep's folder")
    .option(
      '--format <name>',
      "table, json, csv, markdown or html; of 'check' also junit and annotations (default: by --out, else table)",
    )
    .option('--out <path>', 'write the report to a file')
    .addHelpText('after', EXAMPLES)
    .action((files, options) => onExit(report(files, options, io)));
}

function report(files: readonly string[], { format, out }: ReportOptions, io: CliIo): number {
  if (out !== undefined) {
    checkOutPath(out);
    checkNoInput(out, files);
  }
  const found = readReportInputs(files);
  if (found.state === 'refused') {
    printNote(io, `Expected files that can stand in one report, but ${found.reason}.`);
    return EXIT.inconclusive;
  }
  for (const { reason } of found.unread) printNote(io, reason);
  const colors = out === undefined && hasColors(io);
  const isWritten = writeReport(io, renderSaved(found.saved, { format, out, colors }), out);
  return isWritten && found.unread.length === 0 ? EXIT.done : EXIT.failed;
}
