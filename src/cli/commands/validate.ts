import type { Command } from '@commander-js/extra-typings';
import {
  recordFidelity,
  recordUncompared,
  type SessionFidelity,
} from '../../simulator/metrics/fidelity.ts';
import { type Catalog, readCatalog } from '../../simulator/provider/catalog.ts';
import { predictSession } from '../../simulator/replay/predict.ts';
import { fidelityFormats, type FidelityReport } from '../../simulator/report/fidelity.ts';
import type { UnreadInput } from '../../simulator/report/report.ts';
import type { LoadedSession } from '../../simulator/session/load.ts';
import {
  describeCopy,
  findFileRepeats,
  type GrowingCopy,
} from '../../simulator/session/repeats.ts';
import type { ImportReport, Session } from '../../simulator/session/session.ts';
import type { Counters } from '../../simulator/tokens/counters.ts';
import { loadInTurn } from '../describe-files.ts';
import { findInputs, noInput, noteDropped, type RunInputs } from '../inputs.ts';
import { originOf } from '../package.ts';
import { chooseFormat, formatHelp } from '../plan/options.ts';
import { type CliIo, EXIT, terminalOf } from '../process/io.ts';
import { withCounters } from '../process/out-folder.ts';
import { checkNoInput, checkOutPath, writeReport } from '../process/output.ts';
import { inTurn } from '../process/progress.ts';

/** What the command line says, as text. */
interface ValidateOptions {
  readonly format?: string | undefined;
  readonly out?: string | undefined;
  readonly catalog?: string | undefined;
}

/** What sessions are validated against. */
interface ValidationContext {
  readonly catalog: Catalog;
  readonly inputs: RunInputs;
  readonly counters: Counters;
  /** Sessions that another one continues, by name. */
  readonly copies: ReadonlyMap<string, GrowingCopy>;
}

/** What one file gave. */
interface Findings {
  readonly sessions: SessionFidelity[];
  readonly unread: UnreadInput[];
}

/** The same with what could not be read of sessions that were. */
interface Tallied extends Findings {
  readonly dropped: ImportReport['dropped'][];
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

/** Compares every session with what is predicted of it; `undefined` if the user wanted to stop. */
async function validateSessions(
  catalog: Catalog,
  inputs: RunInputs,
  io: CliIo,
): Promise<FidelityReport | undefined> {
  const { files } = inputs;
  const { copies } = findFileRepeats(files);
  const findings: Findings = { sessions: [], unread: [...inputs.unread] };
  const tallied: Tallied = { ...findings, dropped: [] };
  await withCounters(io, async (counters) => {
    const context = { catalog, inputs, counters, copies };
    for (const file of inTurn(files, (path) => inputs.nameOf(path), io)) {
      for await (const loaded of loadInTurn(file, io)) await addSession(tallied, loaded, context);
      if (io.signal.aborted) return;
    }
  });
  if (io.signal.aborted) return undefined;
  noteDropped(io, tallied.dropped);
  return { ...findings, origin: originOf(catalog, modelsOf(findings), {}) };
}

async function addSession(
  { sessions, unread, dropped }: Tallied,
  loaded: LoadedSession,
  context: ValidationContext,
): Promise<void> {
  if (loaded.state === 'read') {
    dropped.push(loaded.session.report.dropped);
    sessions.push(await validateSession(loaded.session, context));
  } else unread.push({ file: context.inputs.nameOf(loaded.file), reason: loaded.reason });
}

async function validateSession(
  session: Session,
  context: ValidationContext,
): Promise<SessionFidelity> {
  const { inputs } = context;
  const copy = context.copies.get(session.name);
  const shown = { ...session, name: inputs.nameOf(session.name) };
  if (copy !== undefined)
    return recordUncompared(
      shown,
      describeCopy(copy, (name) => inputs.nameOf(name)),
    );
  const count = await context.counters.of(session.model ?? '');
  const pricesOf = (model: string) => context.catalog.models.get(model)?.prices;
  return recordFidelity(shown, predictSession(session, { count, pricesOf }));
}

/** Whose tokens were counted. */
function modelsOf({ sessions }: Findings): readonly string[] {
  return sessions.flatMap(({ model, steps }) =>
    model === undefined || steps === 0 ? [] : [model],
  );
}

function exitCodeOf({ sessions, unread }: FidelityReport): number {
  if (sessions.every(({ steps }) => steps === 0)) return EXIT.inconclusive;
  return unread.length === 0 ? EXIT.done : EXIT.failed;
}
