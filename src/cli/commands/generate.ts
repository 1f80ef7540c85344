import type { Command } from '@commander-js/extra-typings';
import { badOption } from '../../simulator/errors.ts';
import { shownText } from '../../simulator/report/shown-text.ts';
import { findWorkload } from '../../simulator/scenario/workload/workloads.ts';
import { chooseFormat } from '../options/choose-format.ts';
import { formatHelp } from '../options/format-help.ts';
import { fitFiles, type FittedWorkload } from '../sessions/fit-files.ts';
import { generateRenderers } from '../sessions/generate-report.ts';
import { toReport } from '../sessions/to-generate-report.ts';
import { generateSessions } from '../sessions/generate-sessions.ts';
import { type CliIo, EXIT, terminalOf } from '../process/io.ts';
import {
  checkNoInput,
  checkOutPath,
  printDone,
  printNotes,
  writeReport,
} from '../process/output.ts';
import { findInputs, type RunInputs } from '../inputs/run-inputs.ts';
import { parseWhole } from '../options/parse-whole.ts';
import { parseSeed } from '../run/plan.ts';
import { createSessionStore } from '../sessions/store.ts';

/** What the command line says, as text. */
interface GenerateOptions {
  readonly sessions: string;
  readonly seed: string;
  readonly fit?: readonly string[] | undefined;
  readonly out?: string | undefined;
  readonly report?: string | undefined;
  readonly format?: string | undefined;
}

const MOST_SESSIONS = 1_000_000;
const WITHOUT_REPORT =
  "'--format' is of the report, which is written with '--out' or '--report' only.";

const EXAMPLES = `
Examples:
  $ compaction-bench generate claude-code --sessions 200 --seed 1 | compaction-bench stats
  $ compaction-bench generate codex --sessions 50 --out sessions/
  $ compaction-bench generate --fit ~/.claude/projects --sessions 100 --out sessions/
  $ compaction-bench list workloads`;

/** Adds the command that makes up sessions that look like those of a workload. */
export function addGenerateCommand(
  program: Command,
  io: CliIo,
  onExit: (code: number) => void,
): void {
  program
    .command('generate')
    .description('Generate sessions like those of an agent, or like your own.')
    .argument(
      '[workload]',
      'what they should be like; with --fit, only where your sessions say nothing',
    )
    .option('--sessions <number>', 'how many to generate', '10')
    .option('--seed <number>', 'seed of everything random', '1')
    .option('--fit <inputs...>', 'files, folders or patterns of sessions to imitate')
    .option('--out <folder>', 'write one file per session (default: all to standard output)')
    .option(
      '--report <path>',
      'write how close they come to that file (with --out: to standard output)',
    )
    .option('--format <name>', `of the report: ${formatHelp(generateRenderers, '--report')}`)
    .addHelpText('after', EXAMPLES)
    .action(async (workload, options) => {
      onExit(await generate(workload, options, io));
    });
}

async function generate(
  name: string | undefined,
  options: GenerateOptions,
  io: CliIo,
): Promise<number> {
  const { out, format, report: reportPath } = options;
  const render = chooseFormat(generateRenderers, 'report format', {
    format,
    out: reportPath,
    option: '--report',
  });
  const sessions = parseWhole('--sessions', options.sessions, { most: MOST_SESSIONS });
  const seed = parseSeed(options.seed);
  const store = out === undefined ? undefined : createSessionStore(out);
  checkOutPath(reportPath, '--report');
  const fitted = options.fit === undefined ? undefined : findInputs(options.fit);
  checkNoInput(reportPath, fitted?.files ?? [], { what: "'--report'" });
  const found = await resolveWorkload(name, fitted, io);
  if (found === undefined) return EXIT.interrupted;
  const { workload, isWhole } = found;

  const isSampled = out !== undefined || reportPath !== undefined;
  if (!isSampled && format !== undefined) printNotes(io, [WITHOUT_REPORT]);
  const result = await generateSessions({ workload, sessions, seed, store, isSampled }, io);
  if (result.state === 'interrupted') return EXIT.interrupted;
  if (out !== undefined) printDone(io, `Sessions: ${shownText(out)}`);
  if (!isSampled) return isWhole ? EXIT.done : EXIT.failed;
  const report = toReport(workload, result.samples, { sessions, seed });
  const isWritten = writeReport(io, render(report, terminalOf(io, reportPath)), reportPath);
  return isWritten && isWhole ? EXIT.done : EXIT.failed;
}

/** The workload; absent if the user wanted to stop. */
async function resolveWorkload(
  name: string | undefined,
  fitted: RunInputs | undefined,
  io: CliIo,
): Promise<FittedWorkload | undefined> {
  const base = name === undefined ? undefined : findWorkload(name);
  if (fitted !== undefined) return fitFiles(fitted, base, io);
  if (base !== undefined) return { workload: base, isWhole: true };
  throw badOption("Expected a workload or '--fit', got neither. 'list workloads' names them.");
}
