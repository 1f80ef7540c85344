import { known, sum } from '../../simulator/lib/collections.ts';
import { statOf } from '../../simulator/lib/files.ts';
import { badOption } from '../../simulator/lib/errors.ts';
import { badValue, named } from '../../simulator/lib/names.ts';
import { readCatalog } from '../../simulator/provider/catalog.ts';
import { answerFormats, answerLines, type ToldAnswer } from '../../simulator/report/answer.ts';
import type { Answer } from '../../simulator/report/answer-schema.ts';
import { type AgentConfigs, readAgentConfigs } from '../../simulator/scenario/agent-config.ts';
import {
  homeIn,
  type SessionPlace,
  sessionPlaces,
} from '../../simulator/session/files/local-sessions.ts';
import { shortIdOf } from '../../simulator/session/files/short-ids.ts';
import {
  type AnswerOptions,
  findAnswer,
  planAnswer,
} from '../../simulator/sweep/answer/find-answer.ts';
import {
  defineCommand,
  detailsOption,
  flag,
  type OpenReport,
  option,
  reportOptions,
} from '../command.ts';
import {
  asGiven,
  findInputs,
  findOwnSessions,
  localFiles,
  noInput,
  USUAL_DAYS,
} from '../inputs.ts';
import { ownOrigin, readVersion } from '../package.ts';
import { createSetupOf } from '../plan/defaults.ts';
import { leaveCoresTo } from '../process/cores.ts';
import {
  catalogOption,
  DEFAULT_POLICY,
  DEFAULT_SUMMARIZER,
  jobsOption,
  parseJobs,
  SESSION_INPUTS,
} from '../plan/options.ts';
import { type CliIo, EXIT } from '../process/io.ts';
import { countsFolder } from '../process/out-folder.ts';
import type { Terminal } from '../../simulator/report/layout.ts';
import { withProgress, shownLeft } from '../process/progress.ts';

type AnswerFormat = (answer: ToldAnswer, terminal: Terminal) => string;

type Sought = Pick<Answer, 'sinceDays'> &
  Pick<AnswerOptions, 'files' | 'agentOf' | 'unread'> & {
    readonly places: readonly SessionPlace[];
    /** None where files were named, which may be of other machines. */
    readonly own: AgentConfigs;
  };

const MEGABYTE = 1_000_000;

const EXAMPLES = `
Examples:
  $ compaction-bench
  $ compaction-bench --since 7d --details
  $ compaction-bench answer sessions/`;

const DEMO = {
  workload: 'claude-code',
  seed: 1,
  index: 3,
  policy: ['none', 'opencode-1.18', 'opencode-1.18 triggerFraction=0.7'],
  model: 'anthropic/claude-opus-4-5',
};
const DEMO_LEAD =
  "A demo: one generated session like Claude Code's, on Claude Opus 4.5, without compaction and under\nthe rules of OpenCode 1.18.";

export const answerCommand = defineCommand({
  name: 'answer',
  describe:
    'Say what to change about compaction, from the sessions that agents keep on this machine.',
  arguments: { '[inputs...]': SESSION_INPUTS },
  options: {
    demo: flag('--demo', 'show one session that comes with the program'),
    since: option('--since <days>', 'only files that changed in so many days', `${USUAL_DAYS}d`),
    all: flag('--all', 'files of any age'),
    ...detailsOption,
    catalog: catalogOption,
    jobs: jobsOption,
    ...reportOptions(answerFormats),
  },
  examples: EXAMPLES,
  run: async ({ inputs }, { since, all, demo, ...options }, { io, openReport }) => {
    const out = openReport<AnswerFormat>(answerFormats, 'format');
    const jobs = parseJobs(options.jobs);
    const days = /^([1-9]\d{0,4})d$/.exec(since)?.[1];
    if (days === undefined) throw badValue('--since', "a number of days such as '30d'", since);
    if (demo && inputs.length > 0) throw badOption("Expected sessions or '--demo', got both.");
    if (demo) {
      const text = await renderDemo(io, out);
      return text === undefined ? undefined : out.finish(text, EXIT.done);
    }
    const sought =
      inputs.length === 0 ? seek(io, all ? undefined : Number(days)) : toSought(inputs);
    out.checkInputs(sought.files);
    leaveCoresTo(jobs);
    const catalog = readCatalog(options.catalog);
    const setupOf = createSetupOf({ ...options, set: [] }, io.env);
    const answer = await answerFor(sought, io, { jobs, catalog, setupOf });
    if (answer === undefined) return undefined;
    if (answer.found.length === 0) {
      if (sought.places.length === 0) throw noInput(answer.leftOut.unread);
      return await answerWithout(answer, sought, { io, out });
    }
    return out.finish(out.format(answer, out.terminal), EXIT.done, answerLines(answer));
  },
});

function seek({ env }: CliIo, sinceDays: number | undefined): Sought {
  const places = sessionPlaces(env);
  const { agents, unread } = findOwnSessions(env, sinceDays);
  return {
    files: agents.flatMap(({ files }) => files),
    agentOf: new Map(agents.flatMap(({ agent, files }) => files.map((file) => [file, agent]))),
    unread,
    places,
    own: readAgentConfigs(env),
    ...known({ sinceDays }),
  };
}

function toSought(inputs: readonly string[]): Sought {
  const { files, unread } = findInputs(inputs);
  if (files.length === 0) throw noInput(unread);
  const own = { configs: new Map(), unread: [] };
  return { files, unread, agentOf: new Map(), places: [], own };
}

async function answerFor(
  { sinceDays, files, agentOf, unread, places, own }: Sought,
  io: CliIo,
  how: Pick<AnswerOptions, 'jobs' | 'catalog' | 'setupOf'>,
): Promise<ToldAnswer | undefined> {
  const options = {
    files,
    agentOf,
    unread,
    ...how,
    version: readVersion(),
    configs: own.configs,
    unreadConfigs: own.unread,
    summarizer: DEFAULT_SUMMARIZER,
    policy: DEFAULT_POLICY,
    cacheFolder: countsFolder(io.cache ?? {}, io.env),
    nameOf: String,
    idOf: (session: string) =>
      places.length === 0 ? null : shortIdOf(session, localFiles(io.env), homeIn(io.env)),
    signal: io.signal,
  };
  const plan = await withSizeProgress(io, 'read', (show) => {
    const sizes = new Map(files.map((file) => [file, statOf(file)?.size ?? 0]));
    let begunBytes = 0;
    const onFile = (file: string) => {
      show(begunBytes, sum(sizes.values()));
      begunBytes += sizes.get(file) ?? 0;
    };
    return planAnswer({ ...options, onFile });
  });
  if (plan === undefined) return undefined;
  const answer = await withSizeProgress(io, 'replayed', (show) =>
    findAnswer(plan, { ...options, onRun: show }),
  );
  return answer && { ...answer, ...known({ sinceDays }) };
}

async function answerWithout(
  nothing: ToldAnswer,
  { places, files, sinceDays }: Sought,
  { io, out }: { io: CliIo; out: OpenReport<AnswerFormat> },
): Promise<number | undefined> {
  const answer: Answer = {
    ...nothing,
    basis: { ...nothing.basis, origin: ownOrigin() },
    ...(sinceDays !== undefined && { olderFiles: localFiles(io.env).length - files.length }),
    lookedIn: places.map(({ agent, paths }) => ({ agent, paths: [...paths] })),
  };
  const told = out.format(answer, out.terminal);
  if (out.name === 'json' || out.name === 'html')
    return out.finish(told, EXIT.done, answerLines(answer));
  const demo = await renderDemo(io, out);
  if (demo === undefined) return undefined;
  return out.finish(`${told}\n${demo}`, EXIT.done, answerLines(answer));
}

async function renderDemo(io: CliIo, out: OpenReport<AnswerFormat>): Promise<string | undefined> {
  const [{ generateSession }, { findWorkload }, { planRun }, { runSessions }, { formats }] =
    await Promise.all([
      import('../../simulator/scenario/workload/generate-session.ts'),
      import('../../simulator/scenario/workload/workload.ts'),
      import('../plan/plan.ts'),
      import('../run-sessions.ts'),
      import('../../simulator/report/runs.ts'),
    ]);
  const session = generateSession(findWorkload(DEMO.workload), DEMO);
  const options = { ...DEMO, seed: `${DEMO.seed}`, summarizer: DEFAULT_SUMMARIZER, set: [] };
  const inputs = { files: [], unread: [], written: { session }, nameOf: asGiven, pathOf: asGiven };
  const report = await runSessions(planRun(options, io.env), inputs, io);
  if (report === undefined) return undefined;
  const shown = named('format', formats, out.name).render(report, out.terminal);
  return out.name === 'table' || out.name === 'markdown' ? `${DEMO_LEAD}\n\n${shown}` : shown;
}

async function withSizeProgress<Result>(
  io: CliIo,
  done: string,
  work: (show: (doneBytes: number, allBytes: number) => void) => Promise<Result>,
): Promise<Result> {
  const startMs = io.now();
  return await withProgress(io, (show) =>
    work((doneBytes, allBytes) => {
      const detail = `MB ${done}${shownLeft(io.now() - startMs, doneBytes, allBytes)}`;
      const [index, total] = [doneBytes, allBytes].map((bytes) => Math.round(bytes / MEGABYTE));
      show({ file: detail, detail, index: index ?? 0, total: total ?? 0 });
    }),
  );
}
