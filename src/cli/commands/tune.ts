import { UNPRICED_METRIC } from '../../simulator/metrics/statistics/judge-difference.ts';
import { unfitLines } from '../../simulator/report/answer.ts';
import { countBaselines, describeBaselines } from '../../simulator/report/run-notes.ts';
import { adviceLines, tuneFormats } from '../../simulator/report/tune.ts';
import { countUnfit } from '../../simulator/sweep/run/recorded-fit.ts';
import { ownUsableTokens } from '../../simulator/sweep/tune/screen-axes.ts';
import { tune } from '../../simulator/sweep/tune/tune.ts';
import {
  anonymiserFor,
  anonymousOption,
  defineCommand,
  detailsOption,
  option,
  repeated,
  reportOptions,
} from '../command.ts';
import { findSessions, noInput } from '../inputs.ts';
import { originOf } from '../package.ts';
import { estimateGrid } from '../plan/live.ts';
import { modelOptions, withSpent } from '../plan/models.ts';
import {
  demoOption,
  jobsOption,
  parseJobs,
  planOptions,
  POLICY_BY_DEFAULT,
  SESSION_INPUTS,
} from '../plan/options.ts';
import { planOver } from '../plan/plan.ts';
import { neededMetrics, parseSearch, planTuning, runSearch } from '../run-search.ts';
import { leaveCoresTo } from '../process/cores.ts';
import { EXIT, printNote, printNotes, settingFiles } from '../process/io.ts';

const DEFAULT_OBJECTIVES = 'cost,misses';

const EXAMPLES = `
Examples:
  $ compaction-bench tune sessions/ --config opencode.json
  $ compaction-bench tune sessions/ --objective cost,regret --vary reserved=10000,20000,40000
  $ compaction-bench tune sessions/ --vary protect=20000,40000 --within compactions=..40 --hold-out 0.3`;

const SAVINGS: readonly string[] = ['tokensSaved', 'costSavedUsd'];

const OPTIONS = {
  demo: demoOption,
  objective: repeated(
    '--objective <name,...>',
    `metrics to have less of, or more where more is better, as of tokensSaved (default: ${DEFAULT_OBJECTIVES})`,
    [DEFAULT_OBJECTIVES],
  ),
  vary: repeated(
    '--vary <key=a,b,c>',
    'a setting and its values; can be repeated (default: all numbers of the policy are screened, then those that matter)',
  ),
  within: repeated(
    '--within <key=min..max>',
    'range of a setting, or of a metric over all sessions; can be repeated',
  ),
  holdOut: option('--hold-out <share>', 'share of the sessions kept aside to report on', '0.3'),
  policy: option('--policy <name>', `preset to tune (default: ${POLICY_BY_DEFAULT})`),
  ...planOptions({
    set: "change one of today's settings; can be repeated",
    config: "take today's settings from an OpenCode configuration",
    seed: 'seed of everything random, the split too',
  }),
  jobs: jobsOption,
  ...detailsOption,
  ...reportOptions(tuneFormats),
  ...anonymousOption,
  ...modelOptions,
};

export const tuneCommand = defineCommand({
  name: 'tune',
  describe: "Search for better settings than today's, and say what to write in the config.",
  arguments: { '[inputs...]': SESSION_INPUTS },
  options: OPTIONS,
  examples: EXAMPLES,
  run: async ({ inputs }, options, { io, given, openReport }) => {
    const { summarizer } = options;
    const out = openReport(tuneFormats, 'tune format');
    const jobs = parseJobs(options.jobs);
    // Says what is wrong before anything is read.
    parseSearch(options);
    const how = { find: () => findSessions(inputs, options, io), isOneAgent: true };
    const { plan: whole, found } = await planOver({ ...options, vary: [] }, how, io);
    const isAsked = given.includes('--objective') || whole.first.model.prices !== undefined;
    const objective = isAsked ? options.objective : [`${UNPRICED_METRIC},misses`];
    const first = planTuning(whole, { ...options, objective });
    out.checkInputs([...found.files, ...settingFiles(options)]);
    printNotes(io, first.notes);
    if (options.dryRun) return estimateGrid(first, found, io);
    leaveCoresTo(jobs);
    const ran = await withSpent(first.models?.registry, io, () =>
      runSearch(first, { inputs: found, jobs }, io),
    );
    if (ran === undefined) return undefined;
    const { plan, observations, unfit, unread, recorded, release } = ran;
    if (observations.length === 0) throw noInput(unread);
    printNotes(io, unfitLines(countUnfit([...unfit.values()])));
    const outcome = tune(observations, plan.search);
    if (outcome.state === 'inconclusive') {
      printNote(io, `Nothing can be tuned: ${outcome.reason}.`);
      return EXIT.inconclusive;
    }
    const { mode, base, sources } = plan;
    const { arm, model } = base;
    const origin = { ...originOf(sources.catalog, [model], base.settings), recorded };
    // The baseline of savings, where any are among what is tuned for.
    const isOfSavings = neededMetrics(plan).some((name) => SAVINGS.includes(name));
    const runs = observations.map(({ values, ...run }) => ({ ...run, metrics: values }));
    const savings = isOfSavings ? describeBaselines(countBaselines(runs), 0) : [];
    const tuned = { ...outcome.tuned, ...(savings.length > 0 && { savings }) };
    const usableTokens = ownUsableTokens(plan.inUse) ?? null;
    const trigger = { model, ...plan.inUse.limits, usableTokens, release };
    const policy = arm.policy.name;
    const report = { policy, model, summarizer, mode, origin, trigger, ...tuned, unread };
    const hasFailed = unread.length > 0 || observations.some(({ state }) => state === 'failed');
    const shown = anonymiserFor(options).copy(report);
    const text = out.format(shown, out.terminal);
    return out.finish(text, hasFailed ? EXIT.failed : EXIT.done, adviceLines(shown));
  },
});
