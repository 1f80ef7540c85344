import { existsSync } from 'node:fs';
import { policies as presets } from '../../engine/index.ts';
import type { RunEvent } from '../../simulator/events.ts';
import { known } from '../../simulator/lib/collections.ts';
import { badOption, HarnessError } from '../../simulator/lib/errors.ts';
import { quoted, quotedLong, unknownName } from '../../simulator/lib/names.ts';
import { ADAPTER_NAME } from '../../simulator/replay/foreign/compactor.ts';
import { RECORDED } from '../../simulator/replay/recorded.ts';
import {
  type Comparison,
  comparisonFormats,
  comparisonLines,
} from '../../simulator/report/comparison.ts';
import { countRecordedModels } from '../../simulator/report/origin.ts';
import { toStories } from '../../simulator/report/session-names.ts';
import { isGlob } from '../../simulator/session/files/folder.ts';
import { parseSessionName } from '../../simulator/session/session.ts';
import {
  compareAdapter,
  compareSides,
  type ComparisonOutcome,
  findParting,
  type RunSide,
} from '../../simulator/sweep/compare/compare-sides.ts';
import { readResults } from '../../simulator/sweep/compare/read-results.ts';
import { firstBreakOf } from '../../simulator/sweep/gate/run-scenario.ts';
import type { RecordItem } from '../../simulator/sweep/run-files.ts';
import { noteMisfits } from '../../simulator/sweep/run/meet-setup.ts';
import {
  anonymiserFor,
  anonymousOption,
  defineCommand,
  detailsOption,
  type OpenReport,
  type OptionsOf,
  reportOptions,
  topOption,
} from '../command.ts';
import { findSessions, noInput, noteDropped, type RunInputs } from '../inputs.ts';
import { originOf } from '../package.ts';
import { planAdapter } from '../plan/live.ts';
import { printEstimates, withSpent } from '../plan/models.ts';
import {
  demoOption,
  parseSeed,
  planOptions,
  SESSION_INPUTS,
  adapterOptions,
  modelOptions,
} from '../plan/options.ts';
import { type LivePlan, planOver, toRun, isPolicy, nameOfPolicy } from '../plan/plan.ts';
import { type CliIo, EXIT, printNote, printNotes, settingFiles } from '../process/io.ts';
import { runSessions } from '../run-sessions.ts';
import { copyComparison, noteLack } from '../saved-reports.ts';

interface PlannedRuns {
  readonly plan: LivePlan;
  readonly found: RunInputs;
}

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

const OPTIONS = {
  demo: demoOption,
  ...adapterOptions,
  ...planOptions({ seed: 'seed of everything random, resampling included' }),
  ...detailsOption,
  ...reportOptions(comparisonFormats),
  ...anonymousOption,
  ...topOption,
  ...modelOptions,
};

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
  options: OPTIONS,
  examples: EXAMPLES,
  run: async ({ a, b, inputs }, options, { io, given, openReport }) => {
    const out = openReport(comparisonFormats, 'comparison format');
    const words = [a, b, ...inputs].filter((word) => word !== undefined);
    const hasAdapter = planAdapter(options) !== undefined;
    const count = countPolicies(words, hasAdapter);
    const readSides = () => {
      if (options.dryRun) throw badOption("Expected '--dry-run' with two presets, got files.");
      if (inputs.length > 0)
        throw badOption('Expected sessions only with two presets, got files of results too.');
      checkOptionsOfFiles(given);
      out.checkInputs(words);
      const [one, other] = [readResults(a), readResults(b ?? '')];
      for (const { name, rows, whole } of [one, other])
        noteLack({ from: name, rows: rows.length, whole }, io);
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
    const comparison = copyComparison(outcome.comparison, await anonymiserFor(options));
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
  if (meansPolicy(a) && (b === undefined || ((existsSync(b) || isGlob(b)) && !meansPolicy(b))))
    return 1;
  if (b === undefined)
    throw badOption(`Expected two presets or two files of results, got only ${quoted(a)}.`);
  const others = [a, b].filter((name) => !meansPolicy(name));
  if (others.length === 0 && nameOfPolicy(a) === nameOfPolicy(b))
    throw badOption('Expected two policies to compare, got the same twice.');
  const absent = others.find((name) => !existsSync(name));
  if (absent !== undefined) throw noSide(absent);
  if (others.length !== 1) return 2 - others.length;
  throw badOption(
    `Expected two presets or two files of results, got ${quoted(a)} and ${quoted(b)}.`,
  );
}

/** A preset or the recorded run, even where a file is called so; an agent's release where no file is. */
function meansPolicy(text: string) {
  return Object.hasOwn(presets, text) || (isPolicy(text) && !existsSync(text));
}

/** Whoever wrote a path did not mean a policy that is called much the same. */
function noSide(name: string) {
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

async function comparePolicies(
  policies: readonly string[],
  inputs: readonly string[],
  {
    options,
    io,
    out,
  }: {
    options: OptionsOf<typeof OPTIONS>;
    io: CliIo;
    out: OpenReport<unknown>;
  },
): Promise<ComparisonOutcome | number | undefined> {
  const never = presets.none.name;
  const isNeverAdded = options.adapter !== undefined && !policies.includes(never);
  const { plan: asked, found } = await planOver(
    { ...options, policy: [...(isNeverAdded ? [never] : []), ...policies] },
    { find: () => findSessions(inputs, options, io) },
    io,
  );
  const [plan, registry] = [toRun(asked), asked.sources.registry];
  if (options.dryRun) {
    const report = await runSessions(plan, found, io);
    if (report?.runs.length === 0) throw noInput(report.unread);
    return report && printEstimates(io, registry, options.summarizer);
  }
  out.checkInputs([...found.files, ...settingFiles(options)]);
  printNotes(io, plan.notes);
  return withSpent(registry, io, () => runSides(policies.map(nameOfPolicy), { plan, found }, io));
}

async function runSides(
  names: readonly string[],
  { plan, found }: PlannedRuns,
  io: CliIo,
): Promise<ComparisonOutcome | undefined> {
  const firstBreaks = new Map<string, number>();
  const onRecord = ({ record, events = [] }: RecordItem) => {
    const step = record.policy === ADAPTER_NAME ? firstBreakOf(events) : undefined;
    if (step !== undefined) firstBreaks.set(record.session, step);
  };
  const report = await runSessions({ ...plan, ...(plan.adapter && { onRecord }) }, found, io);
  if (report === undefined) return undefined;
  const { runs, unread, provenance } = report;
  const { sessions } = provenance.estimators;
  const dropped = sessions.map((session) => session.dropped);
  noteDropped(io, dropped);
  if (runs.length === 0) throw noInput(unread);
  printNotes(io, noteMisfits(runs));
  const { mode, catalog, model, settings, seed } = plan;
  const side = (name: string): RunSide => ({
    name,
    rows: runs.filter(({ policy }) => policy === name),
    mode,
    origin: {
      ...originOf(catalog, [model.id], settings.values),
      recorded: countRecordedModels(sessions, plan.onSetup),
    },
    stories: toStories(sessions),
  });
  if (plan.adapter !== undefined) {
    const [adapter, never] = [side(ADAPTER_NAME), side(presets.none.name)];
    const sides = { adapter, never, others: names.map(side), firstBreaks };
    return compareAdapter(sides, { seed, unread });
  }
  const [a = '', b = ''] = names;
  const outcome = compareSides(side(a), side(b), { seed, unread });
  // A recording has no rules whose first difference could be told.
  const isTold = plan.policies.length > 1 && !plan.summarizer.isAsync;
  if (outcome.state !== 'compared' || !isTold) return outcome;
  const mostDifferent = await findPartings(outcome.comparison, { plan, found }, io);
  if (io.signal.aborted) return undefined;
  return { state: 'compared', comparison: { ...outcome.comparison, mostDifferent } };
}

/** Of a file that holds several sessions, all are run again. */
async function findPartings(
  { mostDifferent }: Comparison,
  { plan, found }: PlannedRuns,
  io: CliIo,
): Promise<Comparison['mostDifferent']> {
  const runs = new Map(
    mostDifferent.map(({ session }): [string, (readonly RunEvent[])[]] => [session, []]),
  );
  const onRecord = ({ record, events = [] }: RecordItem) =>
    void runs.get(record.session)?.push(events);
  const files = [...runs.keys()].map((name) => parseSessionName(found.pathOf(name)).path);
  await runSessions({ ...plan, onRecord }, { ...found, files: [...new Set(files)] }, io);
  return mostDifferent.map((difference) => {
    const [first = [], second = []] = runs.get(difference.session) ?? [];
    return { ...difference, ...known({ parting: findParting(first, second) }) };
  });
}
