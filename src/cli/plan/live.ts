import { setImmediate } from 'node:timers/promises';
import type { Environment } from '../../simulator/env.ts';
import { badOption } from '../../simulator/lib/errors.ts';
import { quoted } from '../../simulator/lib/names.ts';
import { MS_PER_SECOND } from '../../simulator/lib/units.ts';
import { readCatalog } from '../../simulator/provider/catalog.ts';
import { adapterPlace, OWN_SUMMARIES } from '../../simulator/replay/foreign/compactor.ts';
import { type ModelSettings, openSummarizers } from '../../simulator/summarizer/open.ts';
import { findSummarizer, makesWait } from '../../simulator/summarizer/summarizers.ts';
import {
  commandCompactor,
  type OpenCompactor,
} from '../../simulator/sweep/adapter/command-compactor.ts';
import type { LiveCells } from '../../simulator/sweep/run/run-task.ts';
import { doneIn, type PlanOptions, planSweep, tasksOf } from '../../simulator/sweep/plan.ts';
import { runLive } from '../../simulator/sweep/run-plan.ts';
import type { AdapterArm } from '../../simulator/sweep/run/row.ts';
import type { OptionsOf } from '../command.ts';
import { noInput, type RunInputs } from '../inputs.ts';
import { type adapterOptions, parseWholeIfGiven } from './options.ts';
import { type CliIo, EXIT } from '../process/io.ts';
import { countsFolder } from '../process/out-folder.ts';
import { type ModelOptions, noModel, parseModelOptions, printEstimates } from './models.ts';

export type OpenRegistry = ReturnType<typeof openRegistry>;

interface EstimatedGrid extends Pick<PlanOptions, 'cells' | 'seeds'> {
  readonly models?: GridModels | undefined;
}

export type GridModels = NonNullable<ReturnType<typeof findGridModels>>;

/** The signal fires when nobody waits any more. */
export type OpenAdapter = (signal?: AbortSignal) => OpenCompactor;

export const ADAPTER_SPENDS =
  'What the adapter spends by itself, as on summaries of its own, is in no number.';

export function openRegistry(
  options: ModelOptions & { readonly catalog?: string | undefined },
  environment: Environment,
  own: Pick<ModelSettings, 'needsWords'> = {},
) {
  const settings: ModelSettings = { ...parseModelOptions(options, environment), ...own };
  if (settings.redactsCassette && settings.needsWords) {
    throw badOption(
      "Expected '--cassette-redact' where summaries are not judged by their words; filler has none.",
    );
  }
  const catalog = readCatalog(options.catalog);
  const registry = openSummarizers(settings, { environment, profiles: catalog.models });
  return { registry, settings, catalog };
}

export async function estimateGrid(
  { cells, seeds, models }: EstimatedGrid,
  inputs: RunInputs,
  io: CliIo,
): Promise<number> {
  if (models === undefined) throw noModel(namesOfSummarizers(cells));
  const plan = await planSweep({ ...inputs, cells, seeds, signal: io.signal });
  if (plan === undefined) return EXIT.interrupted;
  if (plan.sessions.length === 0) throw noInput([...inputs.unread, ...plan.unread]);
  const live = toLiveCells(models);
  const isDone = doneIn(
    plan,
    (cell) => live.isLive(cell),
    () => false,
  );
  const tasks = tasksOf(plan, plan.sessions.keys(), isDone);
  const cacheFolder = countsFolder(io.cache ?? {}, io.env);
  for await (const _ of runLive(plan, tasks, { live, cacheFolder, signal: io.signal })) {
    // The stand-in answers at once; a signal is heard only between two sessions.
    await setImmediate();
  }
  if (io.signal.aborted) return EXIT.interrupted;
  return printEstimates(io, models.registry, namesOfSummarizers(cells));
}

export function findGridModels(
  names: readonly string[],
  firstSeed: number,
  { registry, settings }: Pick<OpenRegistry, 'registry' | 'settings'>,
) {
  const nameOf = new Map<string, string>();
  for (const name of new Set(names)) {
    const own = registry.identify(name).name;
    const twin = nameOf.get(own);
    if (twin !== undefined) {
      const got = `${quoted(twin)} and ${quoted(name)}`;
      throw badOption(`Expected each summarizer once, got ${got}.`);
    }
    nameOf.set(own, name);
  }
  const askedFor = new Map([...nameOf].filter(([, name]) => makesWait(name)));
  return askedFor.size === 0 ? undefined : { settings, registry, askedFor, firstSeed };
}

export function toLiveCells({ settings, registry, askedFor, firstSeed }: GridModels): LiveCells {
  const find = (name: string) => registry.find(askedFor.get(name) ?? name);
  for (const name of askedFor.keys()) find(name);
  return {
    isLive: ({ summarizer }) => askedFor.has(summarizer),
    find,
    tasksAtOnce: settings.isDryRun ? 1 : settings.concurrency,
    firstSeed,
  };
}

export function findLiveCells(
  {
    models,
    adapter,
    seeds,
  }: Pick<EstimatedGrid, 'models' | 'seeds'> & { adapter?: OpenAdapter | undefined },
  io: Pick<CliIo, 'signal'>,
): LiveCells | undefined {
  const asked = models && toLiveCells(models);
  const own = toAdapterArm(adapter, io);
  if (own === undefined) return asked;
  const alone = { find: findSummarizer, tasksAtOnce: 1, firstSeed: seeds[0] ?? 0 };
  return {
    ...(asked ?? alone),
    isLive: (cell) => cell.summarizer === OWN_SUMMARIES || asked?.isLive(cell) === true,
    adapter: own,
  };
}

export function toAdapterArm(
  open: OpenAdapter | undefined,
  { signal }: { signal: AbortSignal },
): AdapterArm | undefined {
  return open && { ...adapterPlace, open: () => open(signal) };
}

export function planAdapter({
  adapter,
  answerTimeout,
}: Partial<OptionsOf<typeof adapterOptions>>): OpenAdapter | undefined {
  if (adapter === undefined && answerTimeout === undefined) return undefined;
  if (adapter === undefined)
    throw badOption("Expected '--answer-timeout' to come with '--adapter', got it alone.");
  if (adapter.trim() === '') throw badOption("Expected '--adapter' to be a command, got nothing.");
  const seconds = parseWholeIfGiven('--answer-timeout', answerTimeout);
  const timeout = seconds === undefined ? {} : { timeoutMs: seconds * MS_PER_SECOND };
  return (signal) => commandCompactor(adapter, { signal, ...timeout });
}

export function checkInPlaceOfPolicy(given: readonly string[]): void {
  if (!given.includes('--adapter') || !given.includes('--policy')) return;
  throw badOption("Expected '--policy' or '--adapter', got both.");
}

function namesOfSummarizers(cells: EstimatedGrid['cells']) {
  return [...new Set(cells.map(({ summarizer }) => summarizer))].join(', ');
}
