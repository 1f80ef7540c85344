import { existsSync } from 'node:fs';
import { policies as presets } from '../../engine/index.ts';
import { badOption, HarnessError } from '../../simulator/lib/errors.ts';
import { quoted, quotedLong, unknownName } from '../../simulator/lib/names.ts';
import { RECORDED } from '../../simulator/replay/recorded.ts';
import { comparisonFormats, comparisonLines } from '../../simulator/report/comparison.ts';
import { isGlob } from '../../simulator/session/files/folder.ts';
import { compareSides } from '../../simulator/sweep/compare/compare-sides.ts';
import { readResults } from '../../simulator/sweep/compare/read-results.ts';
import {
  anonymiserFor,
  anonymousOption,
  defineCommand,
  detailsOption,
  reportOptions,
  topOption,
} from '../command.ts';
import { comparePolicies } from '../compare-policies.ts';
import { adapterOptions, planAdapter } from '../plan/adapter.ts';
import { modelOptions } from '../plan/models.ts';
import { demoOption, parseSeed, planOptions, SESSION_INPUTS } from '../plan/options.ts';
import { isPolicy, nameOfPolicy } from '../plan/policies.ts';
import { EXIT, printNote } from '../process/io.ts';
import { copyComparison, noteLack } from '../saved-reports.ts';

/** Models and settings of files come from their runs. */
const OPTIONS_OF_FILES = ['--seed', '--format', '--out', '--details', '--top', '--anonymous'];

const LOOKS_LIKE_PATH = /[/\\]|\.jsonl?$/i;

const EXAMPLES = `
Examples:
  $ compaction-bench compare opencode-1.18 sessions/
  $ compaction-bench compare opencode-1.2.16 opencode-1.18 sessions/
  $ compaction-bench compare opencode-1.18 'opencode-1.18 triggerFraction=0.7' sessions/
  $ compaction-bench compare opencode-1.2.16 opencode-1.18 sessions/ --closed-loop
  $ compaction-bench compare --adapter 'python3 compact.py' opencode-1.18 claude-code session.json
  $ compaction-bench compare base/ head/ --format markdown
  $ compaction-bench compare before.json after.json --out comparison.md`;

export const compareCommand = defineCommand({
  name: 'compare',
  describe: 'Compare two policies or two files of results, paired by session.',
  arguments: {
    '<a>':
      'a preset with settings behind it or none, `recorded`, results of `sweep` (its folder or JSONL) or a JSON report of `run`',
    '[b]':
      'the same; without it a preset is held against the run as recorded, and --adapter against all presets that are named',
    '[inputs...]': `for presets, ${SESSION_INPUTS}`,
  },
  options: {
    demo: demoOption,
    ...adapterOptions,
    ...planOptions({ seed: 'seed of everything random, resampling included' }),
    ...detailsOption(),
    ...reportOptions(comparisonFormats),
    ...anonymousOption(),
    ...topOption(),
    ...modelOptions,
  },
  examples: EXAMPLES,
  run: async ({ a, b, inputs }, options, { io, given, openReport }) => {
    const out = openReport(comparisonFormats, 'comparison format');
    const words = [a, b, ...inputs].filter((word) => word !== undefined);
    const hasAdapter = planAdapter(options) !== undefined;
    const count = countPolicies(words, hasAdapter);
    const readSides = () => {
      if (options.dryRun) throw badOption("Expected '--dry-run' with two presets, got files.");
      if (inputs.length > 0) {
        throw badOption('Expected sessions only with two presets, got files of results too.');
      }
      checkOptionsOfFiles(given);
      out.checkInputs(words);
      const [one, other] = [readResults(a), readResults(b ?? '')];
      for (const { name, rows, whole } of [one, other]) {
        noteLack({ from: name, rows: rows.length, whole }, io);
      }
      return compareSides(one, other, { seed: parseSeed(options.seed) });
    };
    const policies = hasAdapter
      ? words.slice(0, count)
      : [...(count === 1 ? [RECORDED] : []), ...words].slice(0, 2);
    const outcome =
      count === 0
        ? readSides()
        : await comparePolicies(policies, words.slice(count), { options, io, out });
    if (typeof outcome !== 'object') return outcome;
    if (outcome.state === 'incomparable') {
      printNote(io, `Not comparable: ${outcome.reason}.`);
      return EXIT.inconclusive;
    }
    const comparison = copyComparison(outcome.comparison, anonymiserFor(options));
    const isWhole = comparison.unread.length === 0 && comparison.failedRuns === 0;
    const shown = out.format(comparison, out.terminal);
    return out.finish(shown, isWhole ? EXIT.done : EXIT.failed, comparisonLines(comparison));
  },
});

/** The number of first words that are policies; 0 for two files of results. Throws if they are neither. */
function countPolicies(words: readonly string[], isOfAdapter: boolean): number {
  const [a = '', b] = words;
  if (isOfAdapter) {
    const end = words.findIndex((word) => !meansPolicy(word));
    if (end !== 0) return end < 0 ? words.length : end;
    throw badOption("Expected a preset to hold '--adapter' against, got none.");
  }
  if (meansPolicy(a) && (b === undefined || ((existsSync(b) || isGlob(b)) && !meansPolicy(b)))) {
    return 1;
  }
  if (b === undefined) {
    throw badOption(`Expected two presets or two files of results, got only ${quoted(a)}.`);
  }
  const others = [a, b].filter((name) => !meansPolicy(name));
  if (others.length === 0 && nameOfPolicy(a) === nameOfPolicy(b)) {
    throw badOption('Expected two policies to compare, got the same twice.');
  }
  const absent = others.find((name) => !existsSync(name));
  if (absent !== undefined) throw noSide(absent);
  if (others.length !== 1) return 2 - others.length;
  throw badOption(
    `Expected two presets or two files of results, got ${quoted(a)} and ${quoted(b)}.`,
  );
}

/** A preset or the recorded run, even where a file is called so; an agent's release where no file is. */
function meansPolicy(text: string): boolean {
  return Object.hasOwn(presets, text) || (isPolicy(text) && !existsSync(text));
}

/** Whoever wrote a path did not mean a policy that is called much the same. */
function noSide(name: string): HarnessError {
  if (!LOOKS_LIKE_PATH.test(name)) return unknownName('policy or file of results', presets, name);
  const message = `Expected ${quotedLong(name)} to be a policy or a file of results, got nothing at that path.`;
  return new HarnessError('NO_INPUT', message);
}

function checkOptionsOfFiles(given: readonly string[]): void {
  const others = given.filter((option) => !OPTIONS_OF_FILES.includes(option));
  if (others.length === 0) return;
  const shown = others.map((option) => `'${option}'`).join(', ');
  throw badOption(`Expected ${shown} only with two presets, got files.`);
}
