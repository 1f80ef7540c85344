import type { Command } from '@commander-js/extra-typings';
import { badOption, HarnessError } from '../../simulator/errors.ts';
import { named, unknownName } from '../../simulator/names.ts';
import { shownText } from '../../simulator/report/shown-text.ts';
import { type FormatName, sessionFormats } from '../../simulator/session/formats.ts';
import { formatNames } from '../options/format-help.ts';
import { importSessions } from '../sessions/import-sessions.ts';
import { importRenderers } from '../sessions/import-report.ts';
import { type CliIo, EXIT, terminalOf } from '../process/io.ts';
import { noInput } from '../inputs/no-input.ts';
import { printDone } from '../process/output.ts';
import { loadRedaction } from '../sessions/redaction.ts';
import { findInputs } from '../inputs/run-inputs.ts';
import { ownOrigin } from '../run/origin.ts';
import { createSessionStore } from '../sessions/store.ts';

/** What the command line says, as text. */
interface ImportOptions {
  readonly out: string;
  readonly from?: string | undefined;
  readonly explain?: boolean | undefined;
  readonly redact?: boolean | undefined;
  readonly salt?: string | undefined;
  readonly format: string;
}

const EXAMPLES = `
Examples:
  $ compaction-bench import ~/.claude/projects --out sessions/
  $ compaction-bench import --explain --out sessions/ 'logs/**/*.jsonl'
  $ compaction-bench import sessions/ --redact --out shared/
  $ compaction-bench import chat.json --from openai-chat --out sessions/ --format json`;

/** Adds the command that writes recorded sessions in the format of this program. */
export function addImportCommand(
  program: Command,
  io: CliIo,
  onExit: (code: number) => void,
): void {
  program
    .command('import')
    .description(
      'Convert recorded sessions into one format, a file each, and say what they contain.',
    )
    .argument('<inputs...>', 'files, folders or patterns')
    .requiredOption('--out <folder>', 'where the sessions go; no file there is overwritten')
    .option(
      '--from <format>',
      'read all files as this format of `list session-formats` (default: detect each)',
    )
    .option('--explain', 'say what was dropped and repaired in each file')
    .option('--redact', 'replace all texts by filler of the same shape and size')
    .option(
      '--salt <text>',
      'with --redact: makes the filler repeatable (default: random, thrown away)',
    )
    .option('--format <name>', formatNames(importRenderers), 'table')
    .addHelpText('after', EXAMPLES)
    .action(async (inputs, options) => {
      onExit(await importInputs(inputs, options, io));
    });
}

async function importInputs(
  given: readonly string[],
  options: ImportOptions,
  io: CliIo,
): Promise<number> {
  const render = named('import format', importRenderers, options.format);
  const from = options.from === undefined ? undefined : toFormatName(options.from);
  if (options.salt !== undefined && options.redact !== true) {
    throw badOption("Expected '--salt' to come with '--redact', got it alone.");
  }
  // A variable that is not set would be a salt that everybody knows.
  if (options.salt === '') throw badOption("Expected '--salt' to be a text, got nothing.");
  const store = createSessionStore(options.out);
  const inputs = findInputs(given);
  const redaction = options.redact ? await loadRedaction(options.salt) : undefined;
  const result = await importSessions({ given, inputs, store, from, redaction }, io);
  if (result.state === 'interrupted') return EXIT.interrupted;
  const { files } = result;
  const hasRead = files.some(({ sessions }) => sessions > 0);
  if (!hasRead && options.format !== 'json') throw noInput(files);

  const report = { origin: ownOrigin(), files };
  io.stdout.write(render(report, { isExplained: options.explain === true }, terminalOf(io)));
  if (!hasRead) return EXIT.wrongUse;
  printDone(io, `Sessions: ${shownText(options.out)}`);
  return files.every(({ state }) => state === 'read') ? EXIT.done : EXIT.failed;
}

function toFormatName(name: string): FormatName {
  if (Object.hasOwn(sessionFormats, name)) return name as FormatName;
  const { message } = unknownName('session format', sessionFormats, name);
  throw new HarnessError('UNKNOWN_NAME', `${message} 'list session-formats' names them.`);
}
