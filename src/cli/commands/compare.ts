import { existsSync } from 'node:fs';
import type { Command } from '@commander-js/extra-typings';
import { policies as presets } from '../../engine/index.ts';
import { HarnessError } from '../../simulator/errors.ts';
import { named, quoted } from '../../simulator/names.ts';
import { comparisonFormats } from '../../simulator/report/compare/formats.ts';
import {
  type ComparisonOutcome,
  compareSides,
} from '../../simulator/sweep/compare/compare-sides.ts';
import { readResults } from '../../simulator/sweep/compare/read-results.ts';
import { collect } from '../collect.ts';
import { comparePolicies } from '../compare-policies.ts';
import { type CliIo, EXIT } from '../io.ts';
import { checkNoInput, checkOutPath, printNote, writeReport } from '../output.ts';
import { parseSeed, type PlanOptions, planRun } from '../run-plan.ts';

/** What the command line says, as text. */
interface CompareOptions extends Omit<PlanOptions, 'policy'> {
  readonly format?: string | undefined;
  readonly out?: string | undefined;
}

/** The two things that are compared. */
interface Sides {
  readonly a: string;
  readonly b: string;
  readonly inputs: readonly string[];
}

const DEFAULT_MODEL = 'anthropic/claude-sonnet-4-5';

const EXAMPLES = `
Examples:
  $ compaction-bench compare opencode-1.2.16 opencode-1.18 sessions/
  $ compaction-bench compare base/results.jsonl head/results.jsonl --format markdown
  $ compaction-bench compare before.json after.json --out comparison.md`;

/** Adds the command that compares two policies, or two files of results, session by session. */
export function addCompareCommand(
  program: Command,
  io: CliIo,
  onExit: (code: number) => void,
): void {
  program
    .command('compare')
    .description('Compare two policies or two files of results, paired by session.')
    .argument('<a>', 'a preset, results of `sweep` (JSONL) or a JSON report of `run`')
    .argument('<b>', 'the same')
    .argument('[inputs...]', 'sessions, for two presets (default: the sessions that are shipped)')
    .option('--model <provider/id>', 'model whose limits hold', DEFAULT_MODEL)
    .option('--summarizer <name>', 'what answers a summary request', 'extractive')
    .option('--set <key=value>', 'change a setting; can be repeated', collect)
    .option('--config <opencode.json>', 'take settings from an OpenCode configuration')
    .option('--catalog <file>', "models.dev's api.json instead of the shipped catalog")
    .option('--seed <number>', 'seed of everything random, resamples too', '1')
    .option('--format <name>', 'table, json or markdown (default: by --out, else table)')
    .option('--out <path>', 'write the report to a file')
    .addHelpText('after', EXAMPLES)
    .action(async (...[a, b, inputs, { set = [], ...rest }]) => {
      onExit(await compare({ a, b, inputs }, { ...rest, set }, io));
    });
}

async function compare(sides: Sides, options: CompareOptions, io: CliIo): Promise<number> {
  const { format, out } = options;
  const render = named('comparison format', comparisonFormats, format ?? formatOf(out));
  if (out !== undefined) checkOutPath(out);
  const outcome = await (arePolicies(sides)
    ? comparePolicies(planRun({ ...options, policy: [sides.a, sides.b] }, io.env), sides.inputs, io)
    : compareFiles(sides, options));
  if (outcome === undefined) return EXIT.interrupted;
  if (outcome.state === 'incomparable') {
    printNote(io, `Not comparable: ${outcome.reason}.`);
    return EXIT.inconclusive;
  }
  const { comparison } = outcome;
  const isWritten = writeReport(io, render(comparison), out);
  return isWritten && comparison.unread.length === 0 ? EXIT.done : EXIT.failed;
}

/** A preset's name means the preset, also where a file has it. */
function arePolicies({ a, b }: Sides): boolean {
  const [isA, isB] = [a, b].map((name) => Object.hasOwn(presets, name));
  if (isA && isB) return true;
  const others = [a, b].filter((name) => !Object.hasOwn(presets, name));
  const absent = others.find((name) => !existsSync(name));
  if (absent !== undefined) named('policy or file of results', presets, absent);
  if (!isA && !isB) return false;
  throw new HarnessError(
    'BAD_OPTION',
    `Expected two presets or two files of results, got ${quoted(a)} and ${quoted(b)}.`,
  );
}

async function compareFiles(
  { a, b, inputs }: Sides,
  { seed, out }: CompareOptions,
): Promise<ComparisonOutcome> {
  if (inputs.length > 0) {
    throw new HarnessError('BAD_OPTION', 'Expected sessions only for two presets, got files too.');
  }
  if (out !== undefined) checkNoInput(out, [a, b]);
  return compareSides(readResults(a), readResults(b), { seed: parseSeed(seed) });
}

function formatOf(path = ''): string {
  const extension = /\.(json|md)$/i.exec(path)?.[1]?.toLowerCase();
  if (extension === 'md') return 'markdown';
  return extension ?? 'table';
}
