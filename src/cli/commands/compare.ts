import { existsSync } from 'node:fs';
import { policies as presets, type Policy } from '../../engine/index.ts';
import { badOption, HarnessError } from '../../simulator/lib/errors.ts';
import { quoted, quotedLong, unknownName } from '../../simulator/lib/names.ts';
import { surroundingsOf } from '../../simulator/replay/run-trace.ts';
import { comparisonFormats } from '../../simulator/report/compare.ts';
import type { Comparison, SessionDifference } from '../../simulator/report/comparison.ts';
import { countRecordedModels } from '../../simulator/report/origin.ts';
import { type Report, SCHEMA_VERSION } from '../../simulator/report/report.ts';
import { toStories } from '../../simulator/report/stories.ts';
import { openNamed } from '../../simulator/session/load.ts';
import {
  compareSides,
  type ComparisonOutcome,
} from '../../simulator/sweep/compare/compare-sides.ts';
import { partRuns } from '../../simulator/sweep/compare/find-parting.ts';
import type { Side } from '../../simulator/sweep/compare/pair-sides.ts';
import { readResults } from '../../simulator/sweep/compare/read-results.ts';
import { compileFor } from '../../simulator/sweep/run/prepare.ts';
import type { Counters } from '../../simulator/tokens/counters.ts';
import { findInputs, noInput, noteDropped, type RunInputs, withCounters } from '../inputs.ts';
import { describeUnasked, printEstimates, withSpent, modelOptions } from '../plan/models.ts';
import { type LivePlan, parseSeed, planLive } from '../plan/plan.ts';
import { isPolicy, nameOfPolicy } from '../plan/policies.ts';
import { copyComparison } from '../saved-reports.ts';
import { type CliIo, EXIT } from '../process/io.ts';
import { printNote, printNotes, settingFiles } from '../process/output.ts';
import { runSessions } from '../run-sessions.ts';
import { noteLack } from '../saved-reports.ts';
import { planOptions } from '../plan/options.ts';
import {
  anonymiserFor,
  anonymousOption,
  topOption,
  reportOptions,
  type OptionsOf,
  defineCommand,
  type OpenReport,
  type Call,
} from '../command.ts';
import { originOf } from '../origin.ts';

/** The two things that are compared. */
interface Sides {
  readonly a: string;
  readonly b: string;
  readonly inputs: readonly string[];
}

type PartingPlan = Omit<LivePlan, 'policies'> & {
  readonly policies: readonly [Policy, Policy];
  readonly counters: Counters;
};

/** Options that apply to files of results, whose models and settings come from their runs. */
const OPTIONS_OF_FILES: ReadonlySet<string> = new Set([
  '--seed',
  '--format',
  '--out',
  '--anonymous',
]);

const LOOKS_LIKE_PATH = /[/\\]|\.jsonl?$/i;

const EXAMPLES = `
Examples:
  $ compaction-bench compare opencode-1.2.16 opencode-1.18 sessions/
  $ compaction-bench compare opencode-1.18 'opencode-1.18 triggerFraction=0.7' sessions/
  $ compaction-bench compare opencode-1.2.16 opencode-1.18 sessions/ --closed-loop
  $ compaction-bench compare base/ head/ --format markdown
  $ compaction-bench compare before.json after.json --out comparison.md`;

const OPTIONS = {
  ...planOptions({ seed: 'seed of everything random, resampling included' }),
  ...reportOptions(comparisonFormats),
  ...anonymousOption(),
  ...topOption(),
  ...modelOptions,
};

type CompareOptions = OptionsOf<typeof OPTIONS>;

/** Compares two policies, or two files of results, session by session. */
export const compareCommand = defineCommand({
  name: 'compare',
  describe: 'Compare two policies or two files of results, paired by session.',
  arguments: {
    '<a>':
      'a preset with settings behind it or none, `recorded`, results of `sweep` (its folder or JSONL) or a JSON report of `run`',
    '<b>': 'the same',
    '[inputs...]': 'sessions, for two presets (default: the shipped sessions)',
  },
  options: OPTIONS,
  examples: EXAMPLES,
  run: async (sides, options, { io, given, openReport }) => {
    const out = openReport(comparisonFormats, 'comparison format');
    if (options.dryRun) return estimate(sides, options, io);
    const outcome = await (arePolicies(sides)
      ? comparePresets(sides, options, { io, out })
      : compareFiles(sides, options, { io, out, given }));
    if (outcome === undefined) return undefined;
    if (outcome.state === 'incomparable') {
      printNote(io, `Not comparable: ${outcome.reason}.`);
      return EXIT.inconclusive;
    }
    const comparison = copyComparison(outcome.comparison, anonymiserFor(options));
    const isWhole = comparison.unread.length === 0 && comparison.failedRuns === 0;
    const shown = out.format(comparison, out.terminal);
    return out.finish(shown, isWhole ? EXIT.done : EXIT.failed);
  },
});

/** `undefined` if the user interrupted. */
async function comparePresets(
  { a, b, inputs }: Sides,
  options: CompareOptions,
  { io, out }: { readonly io: CliIo; readonly out: OpenReport<unknown> },
): Promise<ComparisonOutcome | undefined> {
  const { plan, registry } = planLive({ ...options, policy: [a, b] }, io.env);
  const found = findInputs(inputs);
  out.checkInputs([...found.files, ...settingFiles(options)]);
  printNotes(io, [...plan.notes, ...describeUnasked(options, [options.summarizer])]);
  return withSpent(registry, io, () =>
    comparePolicies([nameOfPolicy(a), nameOfPolicy(b)], { plan, found }, io),
  );
}

/** Prints what both sides might cost. */
async function estimate(
  sides: Sides,
  options: CompareOptions,
  io: CliIo,
): Promise<number | undefined> {
  if (!arePolicies(sides)) {
    throw badOption("Expected '--dry-run' with two presets, got files.");
  }
  const { plan, registry } = planLive({ ...options, policy: [sides.a, sides.b] }, io.env);
  const report = await runSessions(plan, findInputs(sides.inputs), io);
  if (report === undefined) return undefined;
  if (report.runs.length === 0) throw noInput(report.unread);
  return printEstimates(io, registry, options.summarizer);
}

async function compareFiles(
  { a, b, inputs }: Sides,
  { seed }: CompareOptions,
  { io, out, given }: Pick<Call, 'io' | 'given'> & { readonly out: OpenReport<unknown> },
): Promise<ComparisonOutcome> {
  if (inputs.length > 0) {
    throw badOption('Expected sessions only with two presets, got files of results too.');
  }
  checkOptionsOfFiles(given);
  out.checkInputs([a, b]);
  const [one, other] = [readResults(a), readResults(b)];
  for (const { name, rows, whole } of [one, other]) {
    noteLack({ from: name, rows: rows.length, whole }, io);
  }
  return compareSides(one, other, { seed: parseSeed(seed) });
}

/** A preset's name means the preset, also where a file has it. */
function arePolicies({ a, b }: Sides): boolean {
  const [isA, isB] = [a, b].map(meansPolicy);
  if (isA && isB && nameOfPolicy(a) === nameOfPolicy(b))
    throw badOption('Expected two policies to compare, got the same twice.');
  if (isA && isB) return true;
  const others = [a, b].filter((name) => !meansPolicy(name));
  const absent = others.find((name) => !existsSync(name));
  if (absent !== undefined) throw noSide(absent);
  if (!isA && !isB) return false;
  throw badOption(
    `Expected two presets or two files of results, got ${quoted(a)} and ${quoted(b)}.`,
  );
}

/** A preset or the run as recorded; the name of an agent's release where no file has it. */
function meansPolicy(text: string): boolean {
  return Object.hasOwn(presets, text) || (isPolicy(text) && !existsSync(text));
}

/** Whoever wrote a path did not mean a policy that is called much the same. */
function noSide(name: string): HarnessError {
  if (!LOOKS_LIKE_PATH.test(name)) return unknownName('policy or file of results', presets, name);
  const message = `Expected ${quotedLong(name)} to be a policy or a file of results, got nothing at that path.`;
  return new HarnessError('NO_INPUT', message);
}

/** Runs two policies over sessions and compares them; `undefined` if the user wanted to stop. */
async function comparePolicies(
  names: readonly [string, string],
  { plan, found }: { readonly plan: LivePlan; readonly found: RunInputs },
  io: CliIo,
): Promise<ComparisonOutcome | undefined> {
  const report = await runSessions(plan, found, io);
  if (report === undefined) return undefined;
  const { unread, provenance } = report;
  noteDropped(
    io,
    provenance.estimators.sessions.map(({ dropped }) => dropped),
  );
  if (report.runs.length === 0) throw noInput(unread);
  const [a, b] = [sideOf(names[0], report, plan), sideOf(names[1], report, plan)];
  const outcome = compareSides(a, b, { seed: plan.seed, unread });
  const [policyA, policyB] = plan.policies;
  if (outcome.state === 'incomparable') return outcome;
  // A recording has no rules whose first difference could be told.
  if (policyA === undefined || policyB === undefined) {
    return { state: 'compared', comparison: outcome.comparison };
  }
  const policies = [policyA, policyB] as const;
  const comparison = await withCounters(io, (counters) =>
    withPartings(outcome.comparison, found, { ...plan, policies, counters }),
  );
  return io.signal.aborted ? undefined : { state: 'compared', comparison };
}

function sideOf(name: string, { runs, provenance }: Report, plan: LivePlan): Side {
  const { mode, catalog, model, settings } = plan;
  const rows = runs.filter(({ policy }) => policy === name);
  const origin = {
    ...originOf(catalog, [model.id], settings.values),
    recorded: countRecordedModels(provenance.estimators.sessions),
  };
  const stories = toStories(provenance.estimators.sessions);
  return { name, rows, schemaVersion: SCHEMA_VERSION, mode, origin, stories };
}

/** Runs the sessions that differ most once more, to tell where they part. */
async function withPartings(
  comparison: Comparison,
  inputs: RunInputs,
  plan: PartingPlan,
): Promise<Comparison> {
  if (plan.summarizer.isAsync) return comparison;
  const mostDifferent: SessionDifference[] = [];
  for (const difference of comparison.mostDifferent) {
    const opened = openNamed(inputs.pathOf(difference.session));
    const session = opened.state === 'read' ? opened.session : undefined;
    const trace = session && (await compileFor(plan.model.id, session, plan.counters));
    const parting =
      trace && (await partRuns(trace, { policies: plan.policies, ...surroundingsOf(plan) }));
    mostDifferent.push({ ...difference, ...(parting && { parting }) });
  }
  return { ...comparison, mostDifferent };
}

function checkOptionsOfFiles(given: readonly string[]): void {
  const others = given.filter((option) => !OPTIONS_OF_FILES.has(option));
  if (others.length === 0) return;
  const shown = others.map((option) => `'${option}'`).join(', ');
  throw badOption(`Expected ${shown} only with two presets, got files.`);
}
