import { setImmediate } from 'node:timers/promises';
import { policies } from '../../engine/index.ts';
import type { Environment } from '../../simulator/env.ts';
import { badOption, HarnessError } from '../../simulator/lib/errors.ts';
import { badValue, quoted } from '../../simulator/lib/names.ts';
import { readCatalog } from '../../simulator/provider/catalog.ts';
import { compileFitted, type CompileOptions } from '../../simulator/replay/compile.ts';
import type { CountText } from '../../simulator/replay/count.ts';
import { shownText } from '../../simulator/report/markup.ts';
import { countOf as counted, formatCount } from '../../simulator/report/numbers.ts';
import { Model } from '../../simulator/scenario/file/model.ts';
import { parseArm } from '../../simulator/scenario/arms.ts';
import { readScenario } from '../../simulator/scenario/file/read-scenario.ts';
import type { SettingValue } from '../../simulator/scenario/settings.ts';
import { loadNamed } from '../../simulator/session/load.ts';
import type { Session } from '../../simulator/session/session.ts';
import { adapterOptions, planAdapter } from '../plan/adapter.ts';
import { type Outline, sizeOf } from '../../simulator/sweep/minimize/outline.ts';
import {
  type IssueFacts,
  renderIssue,
  searchMinimal,
  type SearchOptions,
  type SearchResult,
} from '../../simulator/sweep/minimize/search.ts';
import {
  adapterSubject,
  describeTarget,
  parseExpression,
  parseLaw,
  policySubject,
  type Subject,
  type Target,
  type Wanted,
} from '../../simulator/sweep/minimize/target.ts';
import { compileOptionsFor } from '../../simulator/sweep/run/prepare.ts';
import { isScenarioFile } from '../check-sessions.ts';
import {
  DEFAULT_MODEL,
  summarizerOption,
  setOption,
  catalogOption,
  seedOption,
} from '../plan/options.ts';
import { onlyPolicy, planRun } from '../plan/plan.ts';
import { type CliIo, EXIT } from '../process/io.ts';
import {
  checkNoInput,
  checkOutPath,
  printNote,
  printNotes,
  settingFiles,
  writeDocument,
} from '../process/output.ts';
import { type ShowProgress, withProgress } from '../process/progress.ts';
import { option, unless, type OptionsOf, defineCommand } from '../command.ts';
import { withCounters } from '../inputs.ts';

/** The surroundings of a search. */
interface Surroundings {
  readonly countOf: (model: string) => Promise<CountText>;
  readonly env: Environment;
}

/** A search without its target. */
interface SearchPlan extends Pick<SearchOptions, 'trace' | 'run' | 'frame'> {
  /** Sentences about unexpected effects of the options. */
  readonly notes: readonly string[];
}

type Values = Readonly<Record<string, SettingValue>>;

const EXAMPLES = `
Examples:
  $ compaction-bench check minimize session.json --policy opencode-1.2.16 --expect 'compactions > 3'
  $ compaction-bench check minimize session.json --policy opencode-1.0.224 --violates newest-request-visible --out minimal.yaml
  $ compaction-bench check minimize session.json --policy opencode-1.2.16 --expect 'state = refused' --set trueContextTokens=100000
  $ compaction-bench check minimize session.json --adapter 'python3 compact.py' --violates calls-paired --out minimal.yaml

The issue goes to standard output, the scenario to '--out'. Ctrl-C ends the search with the smallest session so far;
its scenario, given as the file, goes on from there.
Exit codes: 1 where the session does not show it, 130 where the search was stopped, 0 otherwise.`;

const OPTIONS = {
  policy: option('--policy <name>', 'preset to replay it under'),
  ...adapterOptions,
  violates: option('--violates <law>', 'a law that must be broken'),
  expect: option('--expect <expression>', "what must hold, as in 'compactions > 3'"),
  model: option(
    '--model <provider/id>',
    `model whose limits and prices apply (default: ${DEFAULT_MODEL})`,
  ),
  summarizer: summarizerOption(),
  set: setOption(),
  catalog: catalogOption,
  seed: seedOption(),
  redact: unless(
    '--no-redact',
    'keep texts and tool names (default: only sizes, and well-known tool names)',
  ),
  out: option('--out <path>', 'write the scenario to a file'),
};

type MinimizeOptions = OptionsOf<typeof OPTIONS>;

/** Shrinks a session to the smallest one that still shows something. */
export const minimizeCommand = defineCommand({
  name: 'minimize',
  describe: 'Shrink a session that breaks something to the smallest one that still breaks it.',
  arguments: {
    '<file>':
      "a session (path#index where a file holds several), or a scenario of 'check minimize' to go on from",
  },
  options: OPTIONS,
  examples: EXAMPLES,
  run: async ({ file }, options, { io }) => {
    const subject = subjectOf(options, io.signal);
    const target = parseTarget(options, subject);
    const { out } = options;
    checkOutPath(out);
    checkNoInput(out, [file, ...settingFiles(options)]);
    const found = await search({ ...options, file, subject, target }, io).catch(
      (error: unknown) => {
        if (io.signal.aborted) return undefined;
        throw error;
      },
    );
    if (found === undefined) return undefined;
    if (found.state !== 'found') {
      printNote(io, describeAbsence(found, target, options));
      return EXIT.failed;
    }
    io.stdout.write(
      renderIssue({ ...found, ...shownBy(options), target, model: options.model ?? DEFAULT_MODEL }),
    );
    if (out !== undefined && !writeDocument(io, found.scenario, { path: out, what: 'Scenario' })) {
      return EXIT.failed;
    }
    if (!found.wasStopped) return EXIT.done;
    const next = out === undefined ? 'the scenario above, saved as a file,' : shownText(out);
    printNote(
      io,
      `The search was stopped; this is the smallest session so far. 'check minimize' of ${next} goes on.`,
    );
    return EXIT.interrupted;
  },
});

/** Settings as a scenario has them: what is said of the model, and what of the policy. */
export function splitSettings(values: Values): { readonly model: Values; readonly policy: Values } {
  const entries = Object.entries(values);
  const ofModel = entries.filter(isOfModel).map(toModelEntry);
  return {
    model: Object.fromEntries(ofModel),
    policy: Object.fromEntries(entries.filter((entry) => !isOfModel(entry))),
  };
}

/** The policy or adapter that a session is shrunk for. Throws unless exactly one is given. */
function subjectOf(options: MinimizeOptions, signal: AbortSignal): Subject {
  const { policy } = options;
  const adapter = planAdapter(options);
  if (policy !== undefined && adapter === undefined) return policySubject;
  if (adapter === undefined || policy !== undefined)
    throw badOption("Expected either '--policy NAME' or '--adapter COMMAND'.");
  return adapterSubject(adapter, signal);
}

function parseTarget({ violates, expect }: MinimizeOptions, { laws }: Subject): Target {
  if (violates !== undefined && expect === undefined) return parseLaw(violates, laws);
  if (expect !== undefined && violates === undefined) return parseExpression(expect);
  throw badOption("Expected either '--violates LAW' or '--expect EXPRESSION'.");
}

async function search(
  options: MinimizeOptions & Wanted & { readonly file: string },
  io: CliIo,
): Promise<SearchResult> {
  const { file, subject, target } = options;
  return await withCounters(io, async (counters) => {
    const countOf = (id: string) => counters.of(id);
    const { notes, ...plan } = await planSearch(file, options, { countOf, env: io.env });
    printNotes(io, notes);
    const why = `Shrunk from a session that shows ${describeTarget(target)}.`;
    const searched = {
      ...plan,
      frame: { ...plan.frame, why },
      subject,
      target,
      withTexts: !options.redact,
      environment: { catalog: readCatalog(options.catalog), countOf },
      signal: io.signal,
    };
    return await withProgress(io, (show) => searchMinimal({ ...searched, onTry: tellTo(show) }));
  });
}

/** Checks everything that a search is made of; throws at the first thing that is wrong. */
async function planSearch(
  file: string,
  options: MinimizeOptions,
  { countOf, env }: Surroundings,
): Promise<SearchPlan> {
  const { set, summarizer, adapter } = options;
  // A session of an adapter is one that is left as it is, to a preset.
  const named = adapter === undefined ? options.policy : policies.none.name;
  const plan = planRun({ ...options, policy: named, set }, env);
  const { model, seed } = plan;
  const policy = onlyPolicy(plan);
  const { preset, settings: own } = parseArm(policy.name);
  const count = await countOf(model.id);
  const { session, ...known } = loadSubject(file);
  const trace = compileFitted(session, { ...compileOptionsFor(model.id, count), ...known });
  const settings = splitSettings(plan.settings.values);
  if (adapter !== undefined) checkNoneOfPolicy(settings.policy);
  const { overheadTokens } = trace.basis;
  return {
    notes: plan.notes,
    trace,
    run: { policy, model, summarizer: plan.summarizer, seed },
    frame: {
      why: '',
      overheadTokens,
      model: model.id,
      modelSet: settings.model,
      policy: preset,
      policySet: { ...settings.policy, ...own },
      summarizer,
      seed,
    },
  };
}

/** The session to shrink; of a scenario that of its first run, so that a stopped search can go on. */
function loadSubject(file: string): {
  readonly session: Session;
} & Pick<CompileOptions, 'overheadTokens' | 'scale'> {
  if (!isScenarioFile(file)) return { session: loadNamed(file) };
  const [run] = readScenario(file).runs;
  if (run?.session.type === 'built') {
    const { session, overheadTokens, scale } = run.session;
    return { session, overheadTokens, scale };
  }
  const message = `Expected ${quoted(file)} to hold its session, got the path of another file.`;
  throw new HarnessError('NO_INPUT', message);
}

/** Nobody can set what an adapter does. */
function checkNoneOfPolicy(settings: object): void {
  const [first] = Object.keys(settings);
  if (first === undefined) return;
  throw badValue('--set', 'about the model where an adapter stands for the policy', first);
}

/** Tells how many steps are gone, and how many tries that took, for the last sizes take the most of them. */
function tellTo(show: ShowProgress) {
  let total: number | undefined;
  return async (smallest: Outline, tries: number): Promise<void> => {
    const { steps, tokens } = sizeOf(smallest);
    total ??= steps;
    const detail = `${counted(steps, 'step')}, ${counted(tokens, 'token')}, try ${formatCount(tries + 1)}`;
    show({ file: detail, detail, index: total - steps, total });
    // A try blocks; a signal is heard only between two of them.
    await setImmediate();
  };
}

function describeAbsence(
  result: SearchResult,
  target: Target,
  { redact }: Pick<MinimizeOptions, 'redact'>,
): string {
  const wanted = `Expected the session to show ${describeTarget(target)}`;
  if (result.state === 'absent') return `${wanted}, got ${result.got}.`;
  const way = redact ? ": '--no-redact' keeps texts" : '';
  return `${wanted} in a scenario of its messages, got it only in the recording itself${way}.`;
}

/** The part of an issue about who shows the target, and how to see it. */
function shownBy({ policy = '', adapter }: MinimizeOptions): Pick<IssueFacts, 'name' | 'options'> {
  if (adapter === undefined) return { name: policy, options: ['--chart'] };
  return { name: adapter, options: ['--adapter', shellWord(adapter), '--chart'] };
}

function shellWord(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function isOfModel([name]: readonly [string, SettingValue]): boolean {
  return Object.hasOwn(Model.options[1].shape, name);
}

/** A scenario has durations with their unit. */
function toModelEntry([name, value]: readonly [string, SettingValue]): [string, SettingValue] {
  return [name, name === 'cacheTtl' ? `${String(value)}s` : value];
}
