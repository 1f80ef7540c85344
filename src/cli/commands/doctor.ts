import { policies as presets, type Policy, presetOrigins } from '../../engine/index.ts';
import { type Catalog, findModel, readCatalog } from '../../simulator/provider/catalog.ts';
import { doctorFormats } from '../../simulator/report/doctor.ts';
import { type CheckupOptions, examine, usableTokensOf } from '../../simulator/scenario/checkup.ts';
import { examineRows, readLimitRows, runLints } from '../../simulator/scenario/doctor.ts';
import { parseArm } from '../../simulator/scenario/arms.ts';
import { releaseIn } from '../../simulator/scenario/recording-agents.ts';
import {
  applySettings,
  type SettingTarget,
  withSummaries,
} from '../../simulator/scenario/settings.ts';
import { lateEdgeTokens, valuesToTry } from '../../simulator/sweep/tune/screen-axes.ts';
import { type Prices, stepPriceAt } from '../../simulator/provider/prices.ts';
import { describeKeys } from '../../simulator/report/agent-keys.ts';
import { known } from '../../simulator/lib/collections.ts';
import { placesOf } from '../../simulator/session/files/local-sessions.ts';
import { releaseWindow, withWindow } from '../../simulator/setup/setup.ts';
import { describeOutside } from '../plan/plan.ts';
import { parseTokens, settingOptions, DEFAULT_MODEL, DEFAULT_POLICY } from '../plan/options.ts';
import { chooseModel, describeConfig, readSettings } from '../plan/settings.ts';
import { EXIT, printNotes } from '../process/io.ts';
import { defineCommand, detailsOption, formatOption, option } from '../command.ts';
import { originOf, ownOrigin } from '../package.ts';

type Renderer = (typeof doctorFormats)['text'];

const DEFAULT_FLOOR_TOKENS = '12000';

const EXAMPLES = `
Examples:
  $ compaction-bench doctor --policy opencode-1.2.16 --model openai/gpt-5-codex
  $ compaction-bench doctor --policy opencode-1.2.16 --set reserved=30000 --set protect=90000
  $ compaction-bench doctor --policy opencode-1.18 --config opencode.json --format json
  $ compaction-bench doctor --limits limits.json`;

const OPTIONS = {
  policy: option(
    '--policy <name>',
    `preset to examine (default: ${DEFAULT_POLICY}; with --limits all of them)`,
  ),
  model: option(
    '--model <provider/id>',
    `model whose limits apply (default: that of '--config', else ${DEFAULT_MODEL})`,
  ),
  limits: option('--limits <file>', 'find every set of limits under which a preset can never work'),
  ...settingOptions(),
  floor: option('--floor <tokens>', 'size of system prompt and tools', DEFAULT_FLOOR_TOKENS),
  ...detailsOption,
  ...formatOption(doctorFormats),
};

export const doctorCommand = defineCommand({
  name: 'doctor',
  describe: 'Examine a policy on a model: when it compacts, and what cannot work.',
  options: OPTIONS,
  examples: EXAMPLES,
  run: (_, options, { io, openReport }) => {
    const { format, terminal, finish } = openReport<Renderer>(doctorFormats, 'doctor format');
    const floorTokens = parseTokens('--floor', options.floor);
    const settings = readSettings(options, io.env);
    printNotes(io, describeConfig(settings));
    if (options.limits !== undefined) {
      const given = settings.values;
      const rows = readLimitRows(options.limits);
      const { policy: named } = options;
      const arms = (named === undefined ? Object.keys(presets) : [named]).map(parseArm);
      const verdicts = arms.map(({ policy, settings: own }) =>
        examineRows(policy, rows, { given: { ...given, ...own }, floorTokens }),
      );
      const report = { origin: ownOrigin(given), floorTokens, verdicts };
      return finish(format.many(report, terminal), EXIT.done);
    }
    const name = options.policy ?? DEFAULT_POLICY;
    printNotes(io, describeOutside(name));
    const { policy, preset, settings: own } = parseArm(name);
    const { agent } = presetOrigins[preset];
    const values = { ...settings.values, ...own };
    const inForce = { ...settings, values };
    const catalog = readCatalog(options.catalog);
    const model = findModel(catalog, chooseModel(options.model, { settings: inForce, catalog }));
    const release = releaseIn(name);
    const window = releaseWindow({ agent, release, model: model.id });
    const base = {
      policy: withSummaries(policy, { summaryModel: settings.config?.summaryModel }),
      limits: window === undefined ? model.limits : withWindow(model.limits, window),
    };
    const target = applySettings(base, values);
    const summarizer = summarizerOf(target.policy, catalog);
    const checkup = examine({ base, target, given: values, floorTokens, summarizer });
    const usableTokens = usableTokensOf(checkup) ?? null;
    const today = { ...target.limits, model: model.id, usableTokens, ...known({ release }) };
    const diagnosis = {
      origin: originOf(catalog, [], values),
      model: model.id,
      ...known({ prices: model.prices }),
      ...(release && { release: `${agent} ${release.join('.')}` }),
      keys: describeKeys(preset, today),
      places: placesOf(agent, { ...io.env, HOME: '~' }),
      checkup,
      findings: runLints(checkup),
      late: lateEdges(target, model.prices),
    };
    const isHopeless = diagnosis.findings.some(({ severity }) => severity === 'never-works');
    return finish(format.one(diagnosis, terminal), isHopeless ? EXIT.failed : EXIT.done);
  },
});

function lateEdges(target: SettingTarget, prices: Prices | undefined) {
  const edgeTokens = lateEdgeTokens(target);
  const all = edgeTokens === undefined ? [] : [...valuesToTry('triggerTokens', target), edgeTokens];
  return all.map(Number).map((tokens) => ({ edgeTokens: tokens, ...stepPriceAt(tokens, prices) }));
}

function summarizerOf({ summary }: Policy, { models }: Catalog): CheckupOptions['summarizer'] {
  const found = summary.model === undefined ? undefined : models.get(summary.model);
  return found && { model: found.id, limits: found.limits };
}
