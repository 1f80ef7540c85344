import { setImmediate } from 'node:timers/promises';
import { laws, policies } from '../../engine/index.ts';
import { groupBy } from '../../simulator/lib/collections.ts';
import { badOption, HarnessError } from '../../simulator/lib/errors.ts';
import { badValue, quoted } from '../../simulator/lib/names.ts';
import { readCatalog } from '../../simulator/provider/catalog.ts';
import { compileFitted } from '../../simulator/replay/compile.ts';
import { listLaws } from '../../simulator/replay/foreign/compactor.ts';
import { shownText } from '../../simulator/report/markup.ts';
import { countOf as counted, formatCount } from '../../simulator/report/numbers.ts';
import { parseArm } from '../../simulator/scenario/arms.ts';
import { Model } from '../../simulator/scenario/file/model.ts';
import { readScenario } from '../../simulator/scenario/file/read-scenario.ts';
import type { SettingValue } from '../../simulator/scenario/settings.ts';
import { loadNamed } from '../../simulator/session/load.ts';
import { type CheckedLaws } from '../../simulator/sweep/adapter/run-compactor.ts';
import { runOnAdapter } from '../../simulator/sweep/gate/run-scenario.ts';
import { type CheckEnvironment, runScenario } from '../../simulator/sweep/gate/run-scenario.ts';
import {
  outlineOf,
  describeTarget,
  parseExpression,
  parseLaw,
  renderIssue,
  searchMinimal,
  type SearchOptions,
  type SearchResult,
  sizeOf,
  type Target,
} from '../../simulator/sweep/minimize/search.ts';
import { compileOptionsFor } from '../../simulator/sweep/run/prepare.ts';
import { createCounters } from '../../simulator/tokens/tokenizer.ts';
import { isScenarioFile } from '../check-gate.ts';
import { option, type OptionsOf, defineCommand } from '../command.ts';
import { type OpenAdapter, planAdapter } from '../plan/live.ts';
import {
  DEFAULT_MODEL,
  summarizerOption,
  setOption,
  catalogOption,
  seedOption,
  adapterOptions,
} from '../plan/options.ts';
import { onlyPolicy, planRun } from '../plan/plan.ts';
import {
  checkNoInput,
  checkOutPath,
  type CliIo,
  EXIT,
  printNote,
  printNotes,
  settingFiles,
  writeDocument,
} from '../process/io.ts';
import { withProgress } from '../process/progress.ts';

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
  out: option('--out <path>', 'write the scenario to a file'),
};

type MinimizeOptions = OptionsOf<typeof OPTIONS>;

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
    const { policy, adapter: name = policy ?? '', out } = options;
    const adapter = planAdapter(options);
    if ((policy === undefined) === (adapter === undefined))
      throw badOption("Expected either '--policy NAME' or '--adapter COMMAND'.");
    const target = parseTarget(options, adapter === undefined ? laws : listLaws);
    checkOutPath(out);
    checkNoInput(out, [file, ...settingFiles(options)]);
    const counters = createCounters();
    const countOf = (id: string) => counters.of(id);
    const environment = { catalog: readCatalog(options.catalog), countOf };
    const plan = await planSearch(file, options, { io, environment, adapter, target });
    const found = await trySearch(plan, io);
    if (found === undefined) return undefined;
    if (found.state === 'absent') {
      printNote(io, `Expected the session to show ${describeTarget(target)}, got ${found.got}.`);
      return EXIT.failed;
    }
    const word = `'${name.replaceAll("'", String.raw`'\''`)}'`;
    const own = adapter === undefined ? [] : ['--adapter', word];
    io.stdout.write(renderIssue(found, plan, { name, options: [...own, '--chart'] }));
    const { scenario } = found;
    if (out !== undefined && !writeDocument(io, scenario, { path: out, what: 'Scenario' }))
      return EXIT.failed;
    if (!found.wasStopped) return EXIT.done;
    const next = out === undefined ? 'the scenario above, saved as a file,' : shownText(out);
    printNote(
      io,
      `The search was stopped; this is the smallest session so far. 'check minimize' of ${next} goes on.`,
    );
    return EXIT.interrupted;
  },
});

export function splitSettings(values: Values) {
  const parts = groupBy(Object.entries(values), ([name]) =>
    Object.hasOwn(Model.options[1].shape, name),
  );
  const model: Values = Object.fromEntries(parts.get(true) ?? []);
  const { cacheTtl } = model;
  // A scenario has durations with their unit.
  const duration = cacheTtl === undefined ? {} : { cacheTtl: `${String(cacheTtl)}s` };
  return { model: { ...model, ...duration }, policy: Object.fromEntries(parts.get(false) ?? []) };
}

function parseTarget({ violates, expect }: MinimizeOptions, known: CheckedLaws): Target {
  if (violates !== undefined && expect === undefined) return parseLaw(violates, known);
  if (expect !== undefined && violates === undefined) return parseExpression(expect);
  throw badOption("Expected either '--violates LAW' or '--expect EXPRESSION'.");
}

async function planSearch(
  file: string,
  options: MinimizeOptions,
  {
    io,
    environment,
    adapter,
    target,
  }: Pick<SearchOptions, 'target'> & {
    io: CliIo;
    environment: CheckEnvironment;
    adapter: OpenAdapter | undefined;
  },
): Promise<SearchOptions> {
  // A session of an adapter is one that is left as it is, to a preset.
  const named = adapter === undefined ? options.policy : policies.none.name;
  const plan = planRun({ ...options, policy: named }, io.env);
  printNotes(io, plan.notes);
  const { id } = plan.model;
  const { preset, settings: own } = parseArm(onlyPolicy(plan).name);
  const settings = splitSettings(plan.settings.values);
  const [ofPolicy] = Object.keys(settings.policy);
  if (adapter !== undefined && ofPolicy !== undefined)
    throw badValue('--set', 'about the model where an adapter stands for the policy', ofPolicy);
  const { session, ...known } = loadSubject(file);
  const count = await environment.countOf(id);
  const trace = compileFitted(session, { ...compileOptionsFor(id, count), ...known });
  return {
    original: outlineOf(trace),
    overheadTokens: trace.basis.overheadTokens,
    target,
    frame: {
      why: `Shrunk from a session that shows ${describeTarget(target)}.`,
      model: { id, ...settings.model },
      policy: { preset, set: { ...settings.policy, ...own } },
      summarizer: options.summarizer,
      seed: plan.seed,
      expect: {},
    },
    isInFile: adapter === undefined,
    check: (scenario) =>
      adapter === undefined
        ? runScenario(scenario, environment)
        : runOnAdapter(scenario, environment, () => adapter(io.signal)),
    signal: io.signal,
  };
}

function loadSubject(file: string) {
  if (!isScenarioFile(file)) return { session: loadNamed(file) };
  const [run] = readScenario(file).runs;
  if (run?.session.type === 'built') {
    const { session, overheadTokens, scale } = run.session;
    return { session, overheadTokens, scale };
  }
  const message = `Expected ${quoted(file)} to hold its session, got the path of another file.`;
  throw new HarnessError('NO_INPUT', message);
}

async function trySearch(plan: SearchOptions, io: CliIo): Promise<SearchResult | undefined> {
  const { steps: total } = sizeOf(plan.original);
  const search = withProgress(io, (show) => {
    const onTry: SearchOptions['onTry'] = async (smallest, tries) => {
      const { steps, tokens } = sizeOf(smallest);
      const detail = `${counted(steps, 'step')}, ${counted(tokens, 'token')}, try ${formatCount(tries + 1)}`;
      show({ file: detail, detail, index: total - steps, total });
      // A try blocks; a signal is heard only between two of them.
      await setImmediate();
    };
    return searchMinimal({ ...plan, onTry });
  });
  return await search.catch((error: unknown) => {
    if (io.signal.aborted) return undefined;
    throw error;
  });
}
