import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from '@commander-js/extra-typings';
import { named } from '../../simulator/names.ts';
import { sweepFormats } from '../../simulator/report/sweep/formats.ts';
import type { SweepFormat } from '../../simulator/report/sweep/sweep-report.ts';
import { mergeShards } from '../../simulator/sweep/store/merge.ts';
import { type CliIo, EXIT } from '../io.ts';
import { checkOutFolder } from '../out-folder.ts';
import { printNote } from '../output.ts';
import { exitCodeOf, printSweep } from '../sweep-report.ts';

/** What the command line says, as text. */
interface MergeOptions {
  readonly out?: string | undefined;
  readonly format: string;
}

const EXAMPLES = `
Examples:
  $ compaction-bench merge part-1 part-2 part-3 --out results
  $ compaction-bench merge part-1 part-2 part-3 --format json`;

/** Adds the command that makes one sweep of its shards. */
export function addMergeCommand(program: Command, io: CliIo, onExit: (code: number) => void): void {
  program
    .command('merge')
    .description('Make one sweep of its shards, as one machine would have written it.')
    .argument('<folders...>', "folders that 'sweep --shard i/n --out' wrote, in any order")
    .option('--out <folder>', 'keep the rows of all shards there')
    .option('--format <name>', 'table, json, csv, markdown or html', 'table')
    .addHelpText('after', EXAMPLES)
    .action(async (folders, options) => onExit(await merge(folders, options, io)));
}

async function merge(
  folders: readonly string[],
  options: MergeOptions,
  io: CliIo,
): Promise<number> {
  const format = named<Record<string, SweepFormat>>('sweep format', sweepFormats, options.format);
  if (options.out !== undefined) checkOutFolder(options.out);
  const folder = options.out ?? mkdtempSync(join(tmpdir(), 'compaction-bench-'));
  try {
    const merged = mergeShards(folders, folder);
    if (merged.state === 'refused') {
      printNote(io, `Expected all shards of one sweep, each once, but ${merged.reason}.`);
      return EXIT.inconclusive;
    }
    return exitCodeOf(await printSweep({ folder, header: merged.header }, format, io));
  } finally {
    if (options.out === undefined) rmSync(folder, { recursive: true, force: true });
  }
}
