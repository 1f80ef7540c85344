import { existsSync } from 'node:fs';
import { policies as presets, type Policy } from '../../engine/index.ts';
import { badOption, HarnessError } from '../../simulator/lib/errors.ts';
import { quoted, quotedLong, unknownName } from '../../simulator/lib/names.ts';
import { RECORDED } from '../../simulator/replay/recorded.ts';
import { ADAPTER_NAME } from '../../simulator/replay/foreign/compactor.ts';
import { surroundingsOf } from '../../simulator/replay/run-trace.ts';
import { comparisonFormats } from '../../simulator/report/compare.ts';
import {
  type Comparison,
  comparisonLines,
  type SessionDifference,
} from '../../simulator/report/comparison.ts';
import { countRecordedModels } from '../../simulator/report/origin.ts';
import { type Report, SCHEMA_VERSION } from '../../simulator/report/report.ts';
import { toStories } from '../../simulator/report/stories.ts';
import { isGlob } from '../../simulator/session/files/folder.ts';
import { openNamed } from '../../simulator/session/load.ts';
import type { Session } from '../../simulator/session/session.ts';
import {
  compareSides,
  type ComparisonOutcome,
} from '../../simulator/sweep/compare/compare-sides.ts';
import { compareAdapter, type RunSide } from '../../simulator/sweep/compare/compare-adapter.ts';
import { partRuns } from '../../simulator/sweep/compare/find-parting.ts';
import { readResults } from '../../simulator/sweep/compare/read-results.ts';
import { firstBreakOf } from '../../simulator/sweep/gate/bill.ts';
import type { RecordItem } from '../../simulator/sweep/run-files.ts';
import { compileFor, traceFor } from '../../simulator/sweep/run/prepare.ts';
import type { Counters } from '../../simulator/tokens/counters.ts';
import { findSessions, noInput, noteDropped, type RunInputs, withCounters } from '../inputs.ts';
import { adapterOptions, planAdapter } from '../plan/adapter.ts';
import { modelOptions, printEstimates, withSpent } from '../plan/models.ts';
import { noteMisfits } from '../../simulator/sweep/run/recorded-fit.ts';
import { type LivePlan, meetPlan, planOver, toRun } from '../plan/plan.ts';
import { isPolicy, nameOfPolicy } from '../plan/policies.ts';
import { copyComparison } from '../saved-reports.ts';
import { type CliIo, EXIT } from '../process/io.ts';
import { printNote, printNotes, settingFiles } from '../process/output.ts';
import { runSessions } from '../run-sessions.ts';
import { noteLack } from '../saved-reports.ts';
import { demoOption, parseSeed, planOptions, SESSION_INPUTS } from '../plan/options.ts';
import {
  anonymiserFor,
  anonymousOption,
  topOption,
  reportOptions,
  type OptionsOf,
  defineCommand,
  detailsOption,
  type OpenReport,
  type Call,
} from '../command.ts';
import { originOf } from '../origin.ts';

/** The words of the command line. */
interface Named {
  readonly a: string;
  readonly b: string | undefined;
  readonly inputs: readonly string[];
}

/** Two policies, or those that an adapter is held against. */
interface Presets {
  readonly policies: readonly string[];
  readonly inputs: readonly string[];
}

/** Two files of results. */
interface Files {
  readonly policies?: undefined;
  readonly a: string;
  readonly b: string;
  readonly inputs: readonly string[];
}

type Contest = Presets | Files;

type PartingPlan = Omit<LivePlan, 'policies'> & {
  readonly policies: readonly [Policy, Policy];
  readonly counters: Counters;
};

/** Options that apply to files of results, whose models and settings come from their runs. */
const OPTIONS_OF_FILES: ReadonlySet<string> = new Set([
  '--seed',
  '--format',
  '--out',
  '--details',
  '--top',
  '--anonymous',
]);

const CONTROL = presets.none.name;
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
  ...detailsOption(),
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
    '[b]':
      'the same; without it a preset is held against the run as recorded, and --adapter against all presets that are named',
    '[inputs...]': `for presets, ${SESSION_INPUTS}`,
  },
  options: OPTIONS,
  examples: EXAMPLES,
  run: async (named, options, { io, given, openReport }) => {
    const out = openReport(comparisonFormats, 'comparison format');
    const contest = readContest(named, options);
    if (options.dryRun) return estimate(contest, options, io);
    const outcome = await (contest.policies === undefined
      ? compareFiles(contest, options, { io, out, given })
      : comparePresets(contest, options, { io, out }));
    if (outcome === undefined) return undefined;
    if (outcome.state === 'incomparable') {
      printNote(io, `Not comparable: ${outcome.reason}.`);
      return EXIT.inconclusive;
    }
    const comparison = copyComparison(outcome.comparison, anonymiserFor(options));
    const isWhole = comparison.unread.length === 0 && comparison.failedRuns === 0;
    const shown = out.format(comparison, out.terminal);
    const verdict = comparisonLines(comparison);
    return out.finish(shown, isWhole ? EXIT.done : EXIT.failed, verdict);
  },
});

/** The presets or files of results to compare. Throws where the words mean neither. */
function readContest(named: Named, options: CompareOptions): Contest {
  const words = [named.a, named.b, ...named.inputs].filter((word) => word !== undefined);
  if (planAdapter(options) !== undefined) {
    const end = words.findIndex((word) => !meansPolicy(word));
    const policies = words.slice(0, end < 0 ? words.length : end);
    if (policies.length > 0) return { policies, inputs: words.slice(policies.length) };
    throw badOption("Expected a preset to hold '--adapter' against, got none.");
  }
  const { a, b, inputs } = named;
  if (meansPolicy(a) && (b === undefined || (!meansPolicy(b) && meansInput(b)))) {
    return { policies: [RECORDED, a], inputs: words.slice(1) };
  }
  if (b === undefined) {
    throw badOption(`Expected two presets or two files of results, got only ${quoted(a)}.`);
  }
  return arePolicies({ a, b }) ? { policies: [a, b], inputs } : { a, b, inputs };
}

/** `undefined` if the user interrupted. */
async function comparePresets(
  { policies, inputs }: Presets,
  options: CompareOptions,
  { io, out }: { readonly io: CliIo; readonly out: OpenReport<unknown> },
): Promise<ComparisonOutcome | undefined> {
  const { plan, registry, found } = await planPresets({ policies, inputs }, options, io);
  out.checkInputs([...found.files, ...settingFiles(options)]);
  printNotes(io, plan.notes);
  return withSpent(registry, io, () =>
    comparePolicies(policies.map(nameOfPolicy), { plan, found }, io),
  );
}

/** The plan of all presets, against the recorded model where none is named. */
async function planPresets({ policies, inputs }: Presets, options: CompareOptions, io: CliIo) {
  const never = options.adapter !== undefined && !policies.includes(CONTROL) ? [CONTROL] : [];
  const asked = { ...options, policy: [...never, ...policies] };
  const { plan, found } = await planOver(
    asked,
    { find: () => findSessions(inputs, options, io) },
    io,
  );
  return { plan: toRun(plan), registry: plan.sources.registry, found };
}

async function estimate(
  { policies, inputs }: Contest,
  options: CompareOptions,
  io: CliIo,
): Promise<number | undefined> {
  if (policies === undefined) {
    throw badOption("Expected '--dry-run' with two presets, got files.");
  }
  const { plan, registry, found } = await planPresets({ policies, inputs }, options, io);
  const report = await runSessions(plan, found, io);
  if (report === undefined) return undefined;
  if (report.runs.length === 0) throw noInput(report.unread);
  return printEstimates(io, registry, options.summarizer);
}

async function compareFiles(
  { a, b, inputs }: Files,
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

function meansInput(text: string): boolean {
  return existsSync(text) || isGlob(text);
}

/** A preset's name means the preset, also where a file has it. */
function arePolicies({ a, b }: Pick<Files, 'a' | 'b'>): boolean {
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

/** Runs policies over sessions and compares them; `undefined` if the user wanted to stop. */
async function comparePolicies(
  names: readonly string[],
  { plan, found }: { readonly plan: LivePlan; readonly found: RunInputs },
  io: CliIo,
): Promise<ComparisonOutcome | undefined> {
  const firstBreaks = new Map<string, number>();
  const onRecord = ({ record, events = [] }: RecordItem) => {
    const step = record.policy === ADAPTER_NAME ? firstBreakOf(events) : undefined;
    if (step !== undefined) firstBreaks.set(record.session, step);
  };
  const report = await runSessions({ ...plan, ...(plan.adapter && { onRecord }) }, found, io);
  if (report === undefined) return undefined;
  const { unread, provenance } = report;
  noteDropped(
    io,
    provenance.estimators.sessions.map(({ dropped }) => dropped),
  );
  if (report.runs.length === 0) throw noInput(unread);
  printNotes(io, noteMisfits(report.runs));
  const options = { seed: plan.seed, unread };
  const side = (name: string) => sideOf(name, report, plan);
  if (plan.adapter !== undefined) {
    const others = names.map(side);
    const sides = { adapter: side(ADAPTER_NAME), never: side(CONTROL), others };
    return compareAdapter(sides, { ...options, firstBreaks });
  }
  const [a = '', b = ''] = names;
  const outcome = compareSides(side(a), side(b), options);
  return outcome.state === 'compared'
    ? tellPartings(outcome.comparison, { plan, found }, io)
    : outcome;
}

/** The comparison with where its sessions part; a recording has no rules whose first difference could be told. */
async function tellPartings(
  compared: Comparison,
  { plan, found }: { readonly plan: LivePlan; readonly found: RunInputs },
  io: CliIo,
): Promise<ComparisonOutcome | undefined> {
  const [a, b] = plan.policies;
  if (a === undefined || b === undefined) return { state: 'compared', comparison: compared };
  const comparison = await withCounters(io, (counters) =>
    withPartings(compared, found, { ...plan, policies: [a, b], counters }),
  );
  return io.signal.aborted ? undefined : { state: 'compared', comparison };
}

function sideOf(name: string, { runs, provenance }: Report, plan: LivePlan): RunSide {
  const { mode, catalog, model, settings } = plan;
  const rows = runs.filter(({ policy }) => policy === name);
  const origin = {
    ...originOf(catalog, [model.id], settings.values),
    recorded: countRecordedModels(provenance.estimators.sessions, plan.onSetup),
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
    const parting = session && (await partSession(session, plan));
    mostDifferent.push({ ...difference, ...(parting && { parting }) });
  }
  return { ...comparison, mostDifferent };
}

async function partSession(session: Session, { policies: [a, b], counters, ...rest }: PartingPlan) {
  const { plan } = meetPlan({ ...rest, policies: [a, b] }, session);
  const [one = a, other = b] = plan.policies;
  const { id } = plan.model;
  const whole = await compileFor(id, session, counters);
  const trace = traceFor(plan.summarizer.name, whole, await counters.of(id));
  return partRuns(trace, { policies: [one, other], ...surroundingsOf(plan) });
}

function checkOptionsOfFiles(given: readonly string[]): void {
  const others = given.filter((option) => !OPTIONS_OF_FILES.has(option));
  if (others.length === 0) return;
  const shown = others.map((option) => `'${option}'`).join(', ');
  throw badOption(`Expected ${shown} only with two presets, got files.`);
}
