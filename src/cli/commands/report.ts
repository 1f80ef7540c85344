import type { Command } from '@commander-js/extra-typings';
import { checkFormats } from '../../simulator/report/check/formats.ts';
import { formats } from '../../simulator/report/formats.ts';
import { SAVED_KINDS } from '../../simulator/report/saved/read-saved.ts';
import { collect } from '../options/collect.ts';
import { formatNamesBeyond } from '../options/format-help.ts';
import { type CliIo, EXIT, terminalOf } from '../process/io.ts';
import { checkNoInput, checkOutPath, printNote, writeReport } from '../process/output.ts';
import { renderSaved } from '../report/render-saved.ts';
import { readReportInputs } from '../report/inputs.ts';
import { noteLackOfCsv } from '../report/note-lack-of-csv.ts';
import { addTimelines } from '../report/timelines.ts';
import { checkTexts, chooseTexts, WITH_TEXT } from '../options/with-text.ts';

/** What the command line says, as text. */
interface ReportOptions {
  readonly format?: string | undefined;
  readonly out?: string | undefined;
  readonly withText?: readonly string[] | undefined;
  readonly timeline?: readonly string[] | undefined;
}

const EXAMPLES = `
Examples:
  $ compaction-bench run sessions/ --events run.jsonl
  $ compaction-bench report run.jsonl --out report.html
  $ compaction-bench report monday.jsonl tuesday.jsonl --format markdown
  $ compaction-bench report run.jsonl --with-text session.json --out report.html
  $ compaction-bench report results/ --timeline session.json --out sweep.html
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
    .argument('<files...>', SAVED_KINDS)
    .option(
      '--format <name>',
      `${formatNamesBeyond(formats, { of: "'check'", formats: checkFormats })} (default: by --out, else table)`,
    )
    .option('--out <path>', 'write the report to a file')
    .option('--with-text <session>', WITH_TEXT.report, collect)
    .option(
      '--timeline <session>',
      "with a sweep's folder: replay this session for its pictures; can be repeated",
      collect,
    )
    .addHelpText('after', EXAMPLES)
    .action(async (files, options) => onExit(await report(files, options, io)));
}

async function report(
  files: readonly string[],
  { format, out, withText, timeline: names = [] }: ReportOptions,
  io: CliIo,
): Promise<number> {
  checkOutPath(out);
  checkNoInput(out, files);
  const found = readReportInputs(files);
  if (found.state === 'refused') {
    printNote(io, `Expected files that fit in one report, but ${found.reason}.`);
    return EXIT.inconclusive;
  }
  for (const { reason } of found.unread) printNote(io, reason);
  const hasTexts = chooseTexts(withText, { isKept: true });
  const saved = await addTimelines(found.saved, { files, names, hasTexts }, io);
  checkTexts(withText, saved);
  const terminal = terminalOf(io, out);
  const isWritten = writeReport(io, renderSaved(saved, { format, out, terminal, hasTexts }), out);
  const [from = ''] = files.filter((file) => !found.unread.some((unread) => unread.file === file));
  noteLackOfCsv({ saved, from }, { format, out }, io);
  return isWritten && found.unread.length === 0 ? EXIT.done : EXIT.failed;
}
