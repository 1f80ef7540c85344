import { HarnessError } from '../../simulator/lib/errors.ts';
import { readTextFile } from '../../simulator/lib/files.ts';
import { named, quoted, quotedLong } from '../../simulator/lib/names.ts';
import type { CheckFormat } from '../../simulator/report/check-report.ts';
import { checkFormats } from '../../simulator/report/check.ts';
import { readSaved } from '../../simulator/report/saved/documents.ts';
import { type SweepFormat, sweepFormats } from '../../simulator/report/sweep.ts';
import { kindOf } from '../../simulator/session/files/folder.ts';
import { mergeChecks, type NamedCheck } from '../../simulator/sweep/gate/gate-report.ts';
import { mergeShards } from '../../simulator/sweep/store/result-store.ts';
import { exitCodeOfCheck } from './check.ts';
import { checkNoInput, type CliIo, EXIT, printNote, terminalOf } from '../process/io.ts';
import { checkOutFolder, openOutFolder } from '../process/out-folder.ts';
import { exitCodeOf, printSweep } from '../saved-reports.ts';
import {
  defineCommand,
  detailsOption,
  formatOption,
  option,
  reportOptions,
  TELLING,
} from '../command.ts';

const CODES = `
Exit codes: 3 where a shard is missing, there twice or of something else; otherwise that of the whole.`;

const OF_SWEEPS = `
Examples:
  $ compaction-bench sweep merge part-1 part-2 part-3 --out results
  $ compaction-bench sweep merge part-1 part-2 part-3 --format json
${CODES}`;

const OF_CHECKS = `
Examples:
  $ compaction-bench check merge check-1.json check-2.json --out check.json
  $ compaction-bench check merge check-*.json --format markdown
${CODES}`;

const SHARD = { sweep: 'a shard of a sweep', check: 'a shard of a check' };

export const mergeSweepCommand = defineCommand({
  name: 'merge',
  describe: 'Combine the shards of a sweep into what one machine would have written.',
  arguments: { '<shards...>': "folders that 'sweep --shard i/n --out' wrote, in any order" },
  options: {
    out: option('--out <folder>', 'where the rows of the whole go'),
    ...formatOption(sweepFormats),
    ...detailsOption,
  },
  examples: OF_SWEEPS,
  run: async ({ shards }, { out, format: name, details }, { io }) => {
    const wrong = shards.find((shard) => kindOf(shard) !== 'folder');
    if (wrong !== undefined) {
      const isFile = kindOf(wrong) === 'file';
      const got = isFile ? "a file ('check merge' takes files)" : 'nothing at that path';
      const message = `Expected ${quotedLong(wrong)} to be ${SHARD.sweep}, got ${got}.`;
      throw new HarnessError('UNREADABLE', message);
    }
    const format = named<Record<string, SweepFormat>>('sweep format', sweepFormats, name);
    if (out !== undefined) {
      checkOutFolder(out);
      checkNoInput(out, shards, { kind: 'folder' });
    }
    const terminal = { ...terminalOf(io), details };
    return mergeInto({ shards, out }, { format, terminal, names: TELLING }, io);
  },
});

export const mergeCheckCommand = defineCommand({
  name: 'merge',
  describe: 'Combine the shards of a check into what one machine would have written.',
  arguments: { '<shards...>': "files that 'check --shard i/n --out' wrote, in any order" },
  options: { ...detailsOption, ...reportOptions(checkFormats) },
  examples: OF_CHECKS,
  run: ({ shards }, _, { io, openReport }) => {
    const { format, terminal, checkInputs, finish } = openReport<CheckFormat>(
      checkFormats,
      'check format',
    );
    checkInputs(shards);
    const merged = mergeChecks(shards.map(readCheckReport));
    if (merged.state === 'refused') return refuse(`check, each once, but ${merged.reason}`, io);
    return finish(format.render(merged.report, terminal), exitCodeOfCheck(merged.report));
  },
});

async function mergeInto(
  { shards, out }: { shards: readonly string[]; out: string | undefined },
  shown: Parameters<typeof printSweep>[1],
  io: CliIo,
): Promise<number> {
  const { path: folder, takeBack, close } = openOutFolder(out);
  try {
    const merged = mergeShards(shards, folder);
    if (merged.state === 'refused') return refuse(`sweep, each once, but ${merged.reason}`, io);
    return exitCodeOf(await printSweep({ folder, header: merged.header }, shown, io));
  } catch (error) {
    takeBack();
    throw error;
  } finally {
    close();
  }
}

function refuse(what: string, io: CliIo): number {
  printNote(io, `Expected all shards of one and the same ${what}.`);
  return EXIT.inconclusive;
}

function readCheckReport(file: string): NamedCheck {
  const text = readTextFile(file, (reason, cause) => {
    const message = `Expected ${quoted(file)} to be ${SHARD.check}, got ${reason}.`;
    return new HarnessError('UNREADABLE', message, { cause });
  });
  const saved = readSaved(file, text, { what: SHARD.check });
  if (saved.kind === 'check') return { name: file, report: saved.report };
  const message = `Expected ${quoted(file)} to be ${SHARD.check}, got what another command has written.`;
  throw new HarnessError('BAD_RESULTS', message);
}
