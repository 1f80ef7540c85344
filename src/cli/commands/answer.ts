import { sum } from '../../simulator/lib/collections.ts';
import { statOf } from '../../simulator/lib/files.ts';
import { badValue } from '../../simulator/lib/names.ts';
import { MINUTE_MS } from '../../simulator/lib/units.ts';
import { readCatalog } from '../../simulator/provider/catalog.ts';
import { answerFormats, answerLines } from '../../simulator/report/answer.ts';
import type { Answer } from '../../simulator/report/answer-schema.ts';
import type { Terminal } from '../../simulator/report/report.ts';
import { formats } from '../../simulator/report/runs.ts';
import { type AgentConfigs, readAgentConfigs } from '../../simulator/scenario/agent-config.ts';
import { findLocalSessions } from '../../simulator/session/files/local-sessions.ts';
import { type SessionPlace, sessionPlaces } from '../../simulator/session/files/places.ts';
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
import { findInputs, localFiles, noInput } from '../inputs.ts';
import { ownOrigin } from '../origin.ts';
import { readVersion } from '../package.ts';
import { createSetupOf } from '../plan/defaults.ts';
import { leaveCoresTo } from '../process/cores.ts';
import {
  catalogOption,
  DEFAULT_MODEL,
  DEFAULT_POLICY,
  DEFAULT_SUMMARIZER,
  jobsOption,
  parseJobs,
} from '../plan/options.ts';
import { planRun } from '../plan/plan.ts';
import { type CliIo, EXIT } from '../process/io.ts';
import { countsFolder } from '../process/out-folder.ts';
import { withSizeProgress } from '../process/progress.ts';
import { runSessions } from '../run-sessions.ts';

type AnswerFormat = (answer: Answer, terminal: Terminal) => string;

/** The sessions that are looked at. */
interface Sought extends Pick<AnswerOptions, 'files' | 'agentOf' | 'unread'> {
  readonly sinceDays?: number;
  /** Where this machine was searched; none where files were named. */
  readonly places: readonly SessionPlace[];
  /** Settings of agents on this machine; none where files were named, which may be of others. */
  readonly own: AgentConfigs;
}

const EXAMPLES = `
Examples:
  $ compaction-bench
  $ compaction-bench --since 7d --details
  $ compaction-bench answer sessions/`;

const NOTHING_FOUND: Answer = {
  answerVersion: 2,
  verdict: [],
  recorded: {
    costUsd: null,
    sessions: 0,
    sessionsWithCost: 0,
    compactions: 0,
    sessionsCompacted: 0,
  },
  simulated: [],
  idle: [],
  mostExpensive: null,
  settings: [],
  surprises: [],
  setups: [],
  basis: { origin: ownOrigin(), summarizer: DEFAULT_SUMMARIZER, sessions: 0, measured: 0 },
  found: [],
  leftOut: {
    copies: 0,
    withoutModel: 0,
    withoutPreset: 0,
    failed: 0,
    unfit: { sessions: 0, recorded: 0, simulated: 0 },
    unread: [],
    configurations: [],
  },
};

const SHIPPED_RUN = {
  policy: ['none', DEFAULT_POLICY],
  model: DEFAULT_MODEL,
  summarizer: DEFAULT_SUMMARIZER,
  seed: '1',
  set: [],
};

const NO_CONFIGS: AgentConfigs = { configs: new Map(), unread: [] };

const DAY_MS = 24 * 60 * MINUTE_MS;
const DAYS = /^(?<days>[1-9]\d{0,4})d$/;

/** Finds the sessions of this machine and says what to change. */
export const answerCommand = defineCommand({
  name: 'answer',
  describe:
    'Say what to change about compaction, from the sessions that agents keep on this machine.',
  arguments: { '[inputs...]': 'files, folders or patterns (default: where agents keep sessions)' },
  options: {
    since: option('--since <days>', 'only files that changed in so many days', '30d'),
    all: flag('--all', 'files of any age'),
    ...detailsOption(),
    catalog: catalogOption,
    jobs: jobsOption,
    ...reportOptions(answerFormats),
  },
  examples: EXAMPLES,
  run: async ({ inputs }, { since, all, ...options }, { io, openReport }) => {
    const out = openReport<AnswerFormat>(answerFormats, 'format');
    const jobs = parseJobs(options.jobs);
    const days = parseDays(since);
    const sought = inputs.length === 0 ? seek(io, all ? undefined : days) : named(inputs);
    if (sought.files.length === 0) return await answerWithout(sought, io, out);
    out.checkInputs(sought.files);
    leaveCoresTo(jobs);
    const catalog = readCatalog(options.catalog);
    const setupOf = createSetupOf({ ...options, set: [] }, io.env);
    const answer = await answerFor(sought, io, { jobs, catalog, setupOf });
    if (answer === undefined) return undefined;
    const { unread } = answer.leftOut;
    if (answer.found.length === 0) {
      if (sought.places.length === 0) throw noInput(unread);
      return await answerWithout({ ...sought, unread }, io, out);
    }
    return out.finish(out.format(answer, out.terminal), EXIT.done, answerLines(answer));
  },
});

function parseDays(text: string): number {
  const days = DAYS.exec(text)?.groups?.['days'];
  if (days === undefined) throw badValue('--since', "a number of days such as '30d'", text);
  return Number(days);
}

function seek({ env }: CliIo, sinceDays: number | undefined): Sought {
  const places = sessionPlaces(env);
  const sinceMs = sinceDays === undefined ? 0 : Date.now() - sinceDays * DAY_MS;
  const { agents, unread } = findLocalSessions(places, sinceMs);
  return {
    files: agents.flatMap(({ files }) => files),
    agentOf: new Map(agents.flatMap(({ agent, files }) => files.map((file) => [file, agent]))),
    unread,
    places,
    own: readAgentConfigs(env),
    ...(sinceDays !== undefined && { sinceDays }),
  };
}

/** Files that were named; the format of each tells of its agent. */
function named(inputs: readonly string[]): Sought {
  const { files, unread } = findInputs(inputs);
  if (files.length === 0) throw noInput(unread);
  return { files, unread, agentOf: new Map(), places: [], own: NO_CONFIGS };
}

async function answerFor(
  { sinceDays, files, agentOf, unread, places, own }: Sought,
  io: CliIo,
  { jobs, catalog, setupOf }: Pick<AnswerOptions, 'jobs' | 'catalog' | 'setupOf'>,
): Promise<Answer | undefined> {
  const options = {
    files,
    agentOf,
    unread,
    catalog,
    setupOf,
    version: readVersion(),
    configs: own.configs,
    unreadConfigs: own.unread,
    jobs,
    summarizer: DEFAULT_SUMMARIZER,
    cacheFolder: countsFolder(io.cache ?? {}, io.env),
    nameOf: String,
    idOf: (session: string) =>
      places.length === 0 ? null : shortIdOf(session, localFiles(io.env)),
    signal: io.signal,
  };
  const plan = await withSizeProgress(io, 'read', (show) => {
    const told = createSizes(files);
    return planAnswer({ ...options, onFile: (file) => show(told.before(file), told.all) });
  });
  if (plan === undefined) return undefined;
  const answer = await withSizeProgress(io, 'replayed', (show) =>
    findAnswer(plan, { ...options, onRun: show }),
  );
  return answer && { ...answer, ...(sinceDays !== undefined && { sinceDays }) };
}

/** Bytes of the files that were begun before another one. */
function createSizes(files: readonly string[]) {
  const sizes = new Map(files.map((file) => [file, statOf(file)?.size ?? 0]));
  let begunBytes = 0;
  const before = (file: string): number => {
    const doneBytes = begunBytes;
    begunBytes += sizes.get(file) ?? 0;
    return doneBytes;
  };
  return { all: sum(sizes.values()), before };
}

/** Says where sessions were looked for; people see what the shipped ones come to. */
async function answerWithout(
  { places, files, unread, sinceDays, own }: Sought,
  io: CliIo,
  out: OpenReport<AnswerFormat>,
): Promise<number | undefined> {
  const answer: Answer = {
    ...NOTHING_FOUND,
    leftOut: { ...NOTHING_FOUND.leftOut, unread: [...unread], configurations: [...own.unread] },
    ...(sinceDays !== undefined && { sinceDays }),
    ...(sinceDays !== undefined && { olderFiles: localFiles(io.env).length - files.length }),
    lookedIn: places.map(({ agent, paths }) => ({ agent, paths: [...paths] })),
  };
  const told = out.format(answer, out.terminal);
  if (out.format === answerFormats.json || out.format === answerFormats.html) {
    return out.finish(told, EXIT.done, answerLines(answer));
  }
  const report = await runSessions(planRun(SHIPPED_RUN, io.env), findInputs([]), io);
  if (report === undefined) return undefined;
  const shipped = out.format === answerFormats.markdown ? formats.markdown : formats.table;
  const lead = 'The sessions that come with the program, in their place:';
  const shown = `${told}\n${lead}\n\n${shipped.render(report, out.terminal)}`;
  return out.finish(shown, EXIT.done, answerLines(answer));
}
