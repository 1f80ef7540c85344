import { known } from '../../simulator/lib/collections.ts';
import { badOption } from '../../simulator/lib/errors.ts';
import { quoted, unknownName } from '../../simulator/lib/names.ts';
import { listed } from '../../simulator/lib/text.ts';
import { readCatalog } from '../../simulator/provider/catalog.ts';
import { readScenario } from '../../simulator/scenario/file/read-scenario.ts';
import type { ScenarioRun } from '../../simulator/scenario/scenario.ts';
import { resolveRun, unaskedSummarizer } from '../../simulator/sweep/gate/run-scenario.ts';
import { asGiven, isScenario, SCENARIO } from '../inputs.ts';
import type { PlanOptions } from './plan.ts';

type OpenScenario = NonNullable<ReturnType<typeof openScenario>>;

export function findScenario(inputs: readonly string[], options: Pick<PlanOptions, 'catalog'>) {
  const place = inputs.find(isScenario);
  if (place === undefined) return undefined;
  if (inputs.length === 1) return openScenario(place, options);
  throw badOption(
    `Expected sessions or one scenario, got ${quoted(place)} beside others; 'check' runs several.`,
  );
}

/** The run that `path` or `path#name` means; `undefined` where it is no scenario. */
export function openScenario(place: string, { catalog }: Pick<PlanOptions, 'catalog'>) {
  const { file, name } = SCENARIO.exec(place)?.groups ?? {};
  if (file === undefined) return undefined;
  const { runs } = readScenario(file);
  const run = name === undefined ? runs[0] : runs.find((one) => one.name === name);
  if (run === undefined) {
    const names = Object.fromEntries(runs.map((one) => [one.name, one]));
    throw unknownName('run of the scenario', names, name ?? '');
  }
  const names = { catalog: readCatalog(catalog), findSummarizer: unaskedSummarizer };
  const { session: made, options } = resolveRun(run, file, names);
  // Whatever it was made for, it is run with the model of its run.
  const { model: _, ...session } = made;
  const { overheadTokens, scale } = run.session;
  const { trueContextTokens, trueInputTokens } = run.model.value;
  const isAlike = (other: ScenarioRun) => surroundingsIn(other) === surroundingsIn(run);
  const others = runs.filter((other) => !isAlike(other));
  const places = others.map(({ name: own }) => quoted(`${file}#${own}`));
  return {
    run,
    parts: { ...options, provider: known({ trueContextTokens, trueInputTokens }) },
    file,
    written: { session: { ...session, name: place }, overheadTokens, scale },
    alike: runs.filter((other) => other !== run && isAlike(other)),
    notes:
      others.length === 0
        ? []
        : [`Left out, for another session, model, summarizer or fault: ${listed(places, 'and')}.`],
  };
}

export function inputsOf({ file, written }: OpenScenario) {
  return { files: [file], written, unread: [], nameOf: asGiven, pathOf: asGiven };
}

export function withScenario<Options extends PlanOptions>(
  options: Options,
  { run, alike, parts: scenario }: OpenScenario,
  given: readonly string[],
): Options {
  const { summarizer, seed } = run;
  return {
    ...options,
    scenario,
    policy: given.includes('--policy')
      ? options.policy
      : [
          ...new Set(
            [run, ...alike].map(({ policy: { preset, set } }) =>
              [preset, ...Object.entries(set).map(([name, value]) => `${name}=${value}`)].join(' '),
            ),
          ),
        ],
    summarizer: given.includes('--summarizer') ? options.summarizer : summarizer.value,
    seed: given.includes('--seed') ? options.seed : `${seed}`,
  };
}

function surroundingsIn({ session, model, summaryModel, ...run }: ScenarioRun) {
  const { summarizer, seed, faults } = run;
  const replayed = session.type === 'file' ? { ...session, path: session.path.value } : session;
  const values = [model.value, summaryModel?.value, summarizer.value, seed, faults];
  return JSON.stringify([replayed, ...values]);
}
