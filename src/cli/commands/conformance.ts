import type { Command } from '@commander-js/extra-typings';
import { HarnessError, unlessWrongInput } from '../../simulator/errors.ts';
import { named } from '../../simulator/names.ts';
import { readVectors } from '../../simulator/scenario/conformance/read-vectors.ts';
import { runVectors } from '../../simulator/scenario/conformance/run-vectors.ts';
import { formatNames } from '../options/format-help.ts';
import { nothingRead } from '../inputs/no-input.ts';
import {
  type ConformanceReport,
  renderers,
  toReport,
  type UnreadFile,
} from '../policies/conformance.ts';
import { type CliIo, EXIT, terminalOf } from '../process/io.ts';

const EXAMPLES = `
Examples:
  $ compaction-bench conformance test/fixtures/conformance/opencode-vectors.json
  $ compaction-bench conformance vectors/*.json --format json

Exit codes: 3 where no vector applies to the engine, 1 where one does not hold or a file could not be read, 0 otherwise.`;

/** Adds the command that proves the engine against facts about released versions. */
export function addConformanceCommand(
  program: Command,
  io: CliIo,
  onExit: (code: number) => void,
): void {
  program
    .command('conformance')
    .description('Check the engine against vectors of what released versions did.')
    .argument('<files...>', 'JSON files with vectors')
    .option('--format <name>', formatNames(renderers), 'table')
    .addHelpText('after', EXAMPLES)
    .action((files, { format }) => {
      const render = named('conformance format', renderers, format);
      const report = checkFiles(files);
      io.stdout.write(render(report, terminalOf(io)));
      onExit(exitCodeOf(report));
    });
}

/** Where no vector applies, nothing was proved. */
function exitCodeOf({ passed, failed, unread }: ConformanceReport): number {
  if (passed + failed === 0) return EXIT.inconclusive;
  return failed > 0 || unread.length > 0 ? EXIT.failed : EXIT.done;
}

/** Files that cannot be read are reported, unless that is all of them. */
function checkFiles(files: readonly string[]): ConformanceReport {
  const unread: UnreadFile[] = [];
  const vectors = files.flatMap((file) => {
    const read = unlessWrongInput(() => readVectors(file));
    if (!(read instanceof HarnessError)) return read;
    unread.push({ file, reason: read.message });
    return [];
  });
  if (unread.length === files.length) throw nothingRead(unread);
  return toReport(runVectors(vectors), unread);
}
