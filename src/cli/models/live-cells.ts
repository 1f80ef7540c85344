import { badOption } from '../../simulator/errors.ts';
import { quoted } from '../../simulator/names.ts';
import type { ModelSettings, SummarizerRegistry } from '../../simulator/summarizer/open.ts';
import { makesWait } from '../../simulator/summarizer/summarizers.ts';
import type { LiveCells } from '../../simulator/sweep/live/live-cells.ts';
import type { OpenRegistry } from '../run/plan.ts';

/** Real models that the cells of a grid ask. */
export interface GridModels {
  readonly settings: ModelSettings;
  readonly registry: SummarizerRegistry;
  /** What was asked for, by the name that rows have. */
  readonly askedFor: ReadonlyMap<string, string>;
  /** The seed of the first trial. */
  readonly firstSeed: number;
}

/** The real models among summarizers; absent where there is none. Throws where two names mean the same summarizer. */
export function findGridModels(
  names: readonly string[],
  firstSeed: number,
  { registry, settings }: Pick<OpenRegistry, 'registry' | 'settings'>,
): GridModels | undefined {
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

/** The cells that ask them. Throws where one cannot be asked, before anything is run. */
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
