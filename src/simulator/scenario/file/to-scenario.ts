import { basename, dirname, extname, isAbsolute, join } from 'node:path';
import type { TokenScale } from '../../events.ts';
import type { Fault } from '../fault.ts';
import { type SettingName, settings, type SettingValues } from '../settings.ts';
import { parseAmount } from './amounts.ts';
import { buildSession } from './build-session.ts';
import { describeValue } from './describe-issue.ts';
import { toExpectation } from './expect.ts';
import { toFaults } from './faults.ts';
import { toModel } from './model.ts';
import { firstRun, furtherRun, type RunSource } from './run-source.ts';
import type { Path, Places } from './places.ts';
import type { Scenario, ScenarioRun, ScenarioSession } from './scenario.ts';
import type { ScenarioFile } from './schema.ts';
import { THREAD } from './schema/leaves.ts';
import type { Calibration } from './schema/session.ts';

/** What all runs of a file share. */
interface Shared {
  readonly places: Places;
  readonly sources: readonly string[];
}

interface SessionWithFaults {
  readonly session: ScenarioSession;
  readonly faults: readonly Fault[];
  /** Unknown for a recorded session. */
  readonly steps?: number;
}

const DEFAULT_SUMMARIZER = 'extractive';
const DEFAULT_SEED = 1;
/** What can be said of a session that is made up. */
const INVENTED = [
  { key: 'startsAt', words: 'a time' },
  { key: 'calibration', words: 'a calibration' },
];

/** The scenario that a file of the right shape describes. */
export function toScenario(value: ScenarioFile, places: Places): Scenario {
  const { file } = places;
  const sources = toSources(value, places);
  const entries = [
    firstRun(value),
    ...(value.also ?? []).map((further, index) => furtherRun(value, further, index)),
  ];
  refuseSameNames(entries, places);
  return {
    file,
    name: basename(file, extname(file)),
    why: value.why.trim(),
    sources,
    runs: entries.map((entry) => toRun(entry, { places, sources })),
  };
}

function toSources({ source = [] }: ScenarioFile, places: Places): readonly string[] {
  const sources = typeof source === 'string' ? [source] : source;
  if (sources.length === 0 || sources.some((text) => THREAD.test(text))) return sources;
  const expected = 'a thread as OWNER/REPO#NUMBER, or a list of sources with one';
  throw places.problem(['source'], expected, describeValue(source));
}

function refuseSameNames(entries: readonly RunSource[], places: Places): void {
  const names = new Set<string>();
  for (const { name, pathOf } of entries) {
    if (names.has(name)) {
      throw places.problem(pathOf('name'), 'a name of its own', describeValue(name));
    }
    names.add(name);
  }
}

function toRun(entry: RunSource, { places, sources }: Shared): ScenarioRun {
  const { pathOf, summaryModel, policy, summarizer = DEFAULT_SUMMARIZER } = entry;
  const placed = <Value>(key: Parameters<RunSource['pathOf']>[0], value: Value) => ({
    value,
    at: places.at(pathOf(key)),
  });
  const { session, faults, steps } = toSession(entry, places);
  const listed = toFaults(entry.faults ?? [], { path: pathOf('faults'), places, steps });
  return {
    name: entry.name,
    at: places.at(entry.path),
    session,
    model: placed('model', toModel(entry.model)),
    ...(summaryModel !== undefined && {
      summaryModel: placed('summaryModel', toModel(summaryModel)),
    }),
    policy: { preset: policy.preset, set: toSettings(policy.set ?? {}) },
    summarizer: placed('summarizer', summarizer),
    seed: entry.seed ?? DEFAULT_SEED,
    faults: [...faults, ...listed],
    expect: toExpectation(entry.expect, { path: pathOf('expect'), places, sources }),
  };
}

function toSession(
  { session: source, model, pathOf }: RunSource,
  places: Places,
): SessionWithFaults {
  const path: Path = pathOf('session');
  const overhead = source.overhead === undefined ? undefined : parseAmount(source.overhead);
  if ('file' in source) {
    refuseInvented(source, { pathOf, places });
    const file = isAbsolute(source.file) ? source.file : join(dirname(places.file), source.file);
    const recorded = { value: file, at: places.at([...path, 'file']) };
    return {
      session: {
        type: 'file',
        path: recorded,
        ...(overhead !== undefined && { overheadTokens: overhead }),
      },
      faults: [],
    };
  }
  const { session, faults, steps } = buildSession(source, {
    model: toModel(model).id,
    path,
    places,
  });
  const scale = source.calibration && toScale(source.calibration);
  const built = { type: 'built', session, overheadTokens: overhead ?? 0 } as const;
  return { session: { ...built, ...(scale && { scale }) }, faults, steps };
}

function toScale({ factor, perMessage }: Calibration): TokenScale {
  return { factor, perMessageTokens: parseAmount(perMessage) };
}

/** A recording has times and usage of its own. */
function refuseInvented(
  source: object,
  { pathOf, places }: { readonly pathOf: RunSource['pathOf']; readonly places: Places },
): void {
  for (const { key, words } of INVENTED) {
    if (!(key in source)) continue;
    const path = [...pathOf('name').slice(0, -1), 'session', key];
    throw places.problem(path, 'absent for a recorded session', words);
  }
}

function toSettings(set: NonNullable<RunSource['policy']['set']>): SettingValues {
  const entries = Object.entries(set).map(([name, value]) => {
    const isAmount = settings[name as SettingName].unit === 'tokens' && typeof value === 'string';
    return [name, isAmount ? parseAmount(value) : value];
  });
  return Object.fromEntries(entries);
}
