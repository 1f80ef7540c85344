import { badOption, HarnessError } from '../../simulator/lib/errors.ts';
import { isFile, readTextFile, statOf } from '../../simulator/lib/files.ts';
import { named, quoted, quotedLong } from '../../simulator/lib/names.ts';
import type { CheckFormat } from '../../simulator/report/check-report.ts';
import { checkFormats } from '../../simulator/report/check.ts';
import { readSaved } from '../../simulator/report/saved/documents.ts';
import type { SweepFormat } from '../../simulator/report/sweep-report.ts';
import { sweepFormats } from '../../simulator/report/sweep.ts';
import { mergeChecks, type NamedCheck } from '../../simulator/sweep/gate/conclude.ts';
import { mergeShards } from '../../simulator/sweep/store/result-store.ts';
import { exitCodeOfCheck } from '../check-scenarios.ts';
import { type CliIo, EXIT } from '../process/io.ts';
import { checkOutFolder, openOutFolder } from '../process/out-folder.ts';
import { checkNoInput, printNote } from '../process/output.ts';
import { exitCodeOf, printSweep } from '../saved-reports.ts';
import { anonymiserFor, defineCommand, option, type Call, formatNamesBeyond } from '../command.ts';

const EXAMPLES = `
Examples:
  $ compaction-bench sweep merge part-1 part-2 part-3 --out results
  $ compaction-bench sweep merge part-1 part-2 part-3 --format json
  $ compaction-bench check merge check-1.json check-2.json --out check.json
  $ compaction-bench check merge check-1.json check-2.json --format markdown

Exit codes: 3 where a shard is missing, there twice or of something else; otherwise that of the whole.`;

/** Mergeable input, in the words of errors. */
const SHARD = 'a shard of a sweep or of a check';

/** Makes one sweep, or one check, of its shards. */
export const mergeCommand = defineCommand({
  name: 'merge',
  describe: 'Combine the shards of a sweep or check into what one machine would have written.',
  arguments: {
    '<shards...>':
      "folders that 'sweep --shard i/n --out' wrote, or files of 'check --shard i/n --out', in any order",
  },
  options: {
    out: option('--out <path>', 'folder for the rows of a sweep, or file for a check'),
    format: option(
      '--format <name>',
      `${formatNamesBeyond(sweepFormats, { of: 'checks', formats: checkFormats })} (default: of checks by --out, else table)`,
    ),
  },
  examples: EXAMPLES,
  run: ({ shards }, { out, format }, call) => {
    const absent = shards.find((shard) => statOf(shard) === undefined);
    if (absent !== undefined) throw noShard(absent);
    const files = shards.filter(isFile);
    if (files.length === 0) return mergeSweeps(shards, { out, format }, call.io);
    if (files.length === shards.length) return mergeReports(shards, call);
    const [file = ''] = files;
    throw badOption(
      `Expected shards of a sweep or of a check, got both: ${quoted(file)} is a file.`,
    );
  },
});

function mergeReports(files: readonly string[], { io, openReport }: Call): number {
  const { format, terminal, checkInputs, finish } = openReport<CheckFormat>(
    checkFormats,
    'check format',
  );
  checkInputs(files);
  const merged = mergeChecks(files.map(readCheckReport));
  if (merged.state === 'refused') return refuse(`check, each once, but ${merged.reason}`, io);
  return finish(format.render(merged.report, terminal), exitCodeOfCheck(merged.report));
}

async function mergeSweeps(
  folders: readonly string[],
  {
    out,
    format: name = 'table',
  }: { readonly out: string | undefined; readonly format: string | undefined },
  io: CliIo,
): Promise<number> {
  const format = named<Record<string, SweepFormat>>('sweep format', sweepFormats, name);
  const names = anonymiserFor({ anonymous: undefined });
  if (out !== undefined) {
    checkOutFolder(out);
    checkNoInput(out, folders, { kind: 'folder' });
  }
  const { path: folder, takeBack, close } = openOutFolder(out);
  try {
    const merged = mergeShards(folders, folder);
    if (merged.state === 'refused') return refuse(`sweep, each once, but ${merged.reason}`, io);
    return exitCodeOf(await printSweep({ folder, header: merged.header }, { format, names }, io));
  } catch (error) {
    takeBack();
    throw error;
  } finally {
    close();
  }
}

function noShard(path: string): HarnessError {
  return new HarnessError(
    'UNREADABLE',
    `Expected ${quotedLong(path)} to be ${SHARD}, got nothing at that path.`,
  );
}

function refuse(what: string, io: CliIo): number {
  printNote(io, `Expected all shards of one and the same ${what}.`);
  return EXIT.inconclusive;
}

/** A report of `check` in JSON, which its shards are; throws where a file is none. */
function readCheckReport(file: string): NamedCheck {
  const saved = readSaved(file, readText(file), { what: SHARD });
  if (saved.kind === 'check') return { name: file, report: saved.report };
  const message = `Expected ${quoted(file)} to be ${SHARD}, got what another command has written.`;
  throw new HarnessError('BAD_RESULTS', message);
}

function readText(file: string): string {
  return readTextFile(file, (reason, cause) => {
    const message = `Expected ${quoted(file)} to be ${SHARD}, got ${reason}.`;
    return new HarnessError('UNREADABLE', message, { cause });
  });
}
