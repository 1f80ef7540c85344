import type { Command } from '@commander-js/extra-typings';
import { readCatalog } from '../../simulator/provider/catalog.ts';
import type { FidelityReport } from '../../simulator/report/fidelity/fidelity-report.ts';
import { fidelityFormats } from '../../simulator/report/fidelity/formats.ts';
import { chooseFormat } from '../options/choose-format.ts';
import { formatHelp } from '../options/format-help.ts';
import { type CliIo, EXIT, terminalOf } from '../process/io.ts';
import { noInput } from '../inputs/no-input.ts';
import { checkNoInput, checkOutPath, writeReport } from '../process/output.ts';
import { findInputs } from '../inputs/run-inputs.ts';
import { validateSessions } from '../sessions/validate-sessions.ts';

/** What the command line says, as text. */
interface ValidateOptions {
  readonly format?: string | undefined;
  readonly out?: string | undefined;
  readonly catalog?: string | undefined;
}

const EXAMPLES = `
Examples:
  $ compaction-bench validate sessions/
  $ compaction-bench validate 'logs/**/*.jsonl' --format json
  $ compaction-bench validate session.jsonl --out fidelity.json

Exit codes: 3 where no session has usage to compare with, 1 where an input could not be read, 0 otherwise.`;

/** Adds the command that compares predicted with recorded usage. */
export function addValidateCommand(
  program: Command,
  io: CliIo,
  onExit: (code: number) => void,
): void {
  program
    .command('validate')
    .description('Compare the predicted usage of recorded sessions with what was recorded.')
    .argument('[inputs...]', 'files, folders or patterns (default: the shipped sessions)')
    .option('--catalog <file>', "models.dev's api.json instead of the shipped catalog")
    .option('--format <name>', formatHelp(fidelityFormats))
    .option('--out <path>', 'write the report to a file')
    .addHelpText('after', EXAMPLES)
    .action(async (inputs, options) => {
      onExit(await validate(inputs, options, io));
    });
}

async function validate(
  inputs: readonly string[],
  options: ValidateOptions,
  io: CliIo,
): Promise<number> {
  const { format, out } = options;
  const render = chooseFormat(fidelityFormats, 'validate format', { format, out });
  checkOutPath(out);
  const catalog = readCatalog(options.catalog);
  const found = findInputs(inputs);
  const catalogFiles = options.catalog === undefined ? [] : [options.catalog];
  checkNoInput(out, [...found.files, ...catalogFiles]);

  const report = await validateSessions(catalog, found, io);
  if (report === undefined) return EXIT.interrupted;
  if (report.sessions.length === 0) throw noInput(report.unread);
  const isWritten = writeReport(io, render(report, terminalOf(io, out)), out);
  return isWritten ? exitCodeOf(report) : EXIT.failed;
}

function exitCodeOf({ sessions, unread }: FidelityReport): number {
  if (sessions.every(({ steps }) => steps === 0)) return EXIT.inconclusive;
  return unread.length === 0 ? EXIT.done : EXIT.failed;
}
