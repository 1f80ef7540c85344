import { basename, dirname, extname, isAbsolute, join } from 'node:path';
import { Document, isCollection, LineCounter, parse } from 'yaml';
import type * as z from 'zod';
import { known } from '../../lib/collections.ts';
import { HarnessError } from '../../lib/errors.ts';
import { readTextFile, statOf } from '../../lib/files.ts';
import { quotedLong } from '../../lib/names.ts';
import type { Scenario, ScenarioRun, ScenarioSession } from '../scenario.ts';
import { type SettingName, settings, type SettingValues } from '../settings.ts';
import { parseAmount, type Place } from './amounts.ts';
import { type BuiltSession, buildSession } from './build-session.ts';
import { toExpectation } from './expect.ts';
import { toFaults } from './faults.ts';
import { THREAD } from './leaves.ts';
import { type Model, type ModelChange, toModel } from './model.ts';
import { type FurtherRun, ScenarioFile } from './schema.ts';
import type { SessionChange, SessionSource } from './session-schema.ts';
import {
  badScenario,
  createPlaces,
  describeIssue,
  describeValue,
  type Places,
  type Spot,
  readYaml,
  SHOWN_PROBLEMS,
} from './yaml.ts';

type RunKey = Exclude<keyof FurtherRun, 'name'>;
type Policy = ScenarioFile['policy'];
type PolicyMap = Exclude<Policy, string>;

interface RunSource
  extends Pick<
    ScenarioFile,
    'session' | 'model' | 'summaryModel' | 'summarizer' | 'seed' | 'faults' | 'expect'
  > {
  readonly name: string;
  readonly policy: PolicyMap;
  readonly at: Place;
  /** Where its own keys stand. */
  readonly home: Spot;
  readonly spotOf: (key: RunKey | 'name') => Spot;
}

const MAX_BYTES = 256 * 1024;
const DEFAULT_SUMMARIZER = 'extractive';
const DEFAULT_SEED = 1;
/** Keys that only a generated session may have. */
const INVENTED = { startsAt: 'a time', calibration: 'a calibration' };

/** The scenario in a file. Throws `HarnessError` with line and column. */
export function readScenario(file: string): Scenario {
  return parseScenario(file, readText(file));
}

/** The scenario in a text; `file` is its name in errors. */
export function parseScenario(file: string, text: string): Scenario {
  const yaml = readYaml(file, text);
  if (yaml.state === 'broken') throw badScenario(yaml.problems, yaml.cause);
  const { value, places } = yaml;
  checkShape(value, places);
  return toScenario(value, places);
}

/** Parses YAML that this program wrote. */
export function valueOfYaml(text: string): unknown {
  return parse(text);
}

/** The text of a scenario file, with each item of its script on a line. */
export function scenarioText(value: ScenarioFile) {
  const document = new Document(value);
  const script = 'script' in value.session ? value.session.script : [];
  const items = [...script.keys()].map((index) => ['session', 'script', index]);
  const parts = ['model', 'policy', 'expect'].map((key) => [key]);
  for (const path of [...parts, ['session', 'calibration'], ...items]) {
    const node = document.getIn(path, true);
    if (isCollection(node)) node.flow = true;
  }
  return document.toString({
    lineWidth: 0,
    defaultStringType: 'QUOTE_DOUBLE',
    defaultKeyType: 'PLAIN',
  });
}

/** The scenario of a value that this program made, in which nothing has a place. */
export function scenarioOf(file: string, value: ScenarioFile): Scenario {
  return toScenario(value, createPlaces(file, new Document(), new LineCounter()));
}

function readText(file: string): string {
  const stats = statOf(file);
  if (stats?.isFIFO()) {
    const message = `Expected ${quotedLong(file)} to be a file, which can be read again, got a pipe.`;
    throw new HarnessError('UNREADABLE', message);
  }
  const size = stats?.size ?? 0;
  if (size > MAX_BYTES) {
    const limit = `a scenario of at most ${MAX_BYTES} bytes`;
    const message = `Expected ${quotedLong(file)} to be ${limit}, got ${size}.`;
    throw new HarnessError('BAD_SCENARIO', message);
  }
  return readTextFile(file, (reason, cause) => {
    const message = `Expected to read ${quotedLong(file)}, got ${reason}.`;
    return new HarnessError('UNREADABLE', message, { cause });
  });
}

function checkShape(value: unknown, places: Places): asserts value is ScenarioFile {
  const checked = ScenarioFile.safeParse(value, { reportInput: true });
  if (checked.success) return;
  const problems = checked.error.issues
    .toSorted((one, other) => rankOf(one) - rankOf(other))
    .slice(0, SHOWN_PROBLEMS)
    .map((issue) => ({ file: places.file, ...describeIssue(issue, places) }));
  throw badScenario(problems, checked.error);
}

function rankOf({ code }: z.core.$ZodIssue): number {
  return code === 'unrecognized_keys' ? 0 : 1;
}

function toScenario(value: ScenarioFile, places: Places): Scenario {
  const { file } = places;
  const sources = toSources(value, places);
  const first = firstRun(value, places.spot([]));
  const further = (value.also ?? []).map((run, index) => furtherRun(value, first, { run, index }));
  const entries = [first, ...further];
  const names = new Set<string>();
  for (const { name, spotOf } of entries) {
    if (names.has(name)) throw spotOf('name').problem('a name of its own', describeValue(name));
    names.add(name);
  }
  return {
    file,
    name: basename(file, extname(file)),
    why: value.why.trim(),
    sources,
    runs: entries.map((entry) => toRun(entry, file, sources)),
  };
}

function toSources({ source = [] }: ScenarioFile, places: Places): readonly string[] {
  const sources = typeof source === 'string' ? [source] : source;
  if (sources.length === 0 || sources.some((text) => THREAD.test(text))) return sources;
  const expected = 'a thread as OWNER/REPO#NUMBER, or a list of sources with one';
  throw places.spot(['source']).problem(expected, describeValue(source));
}

function firstRun(file: ScenarioFile, home: Spot): RunSource {
  const { name = 'main', policy } = file;
  const own = { name, policy: toPolicyMap(policy), home, spotOf: home.of };
  return { ...file, ...own, at: home.of('policy').at };
}

function toPolicyMap(policy: Policy): PolicyMap {
  return typeof policy === 'string' ? { preset: policy } : policy;
}

/** An incomplete map is laid over that of the first run. */
function furtherRun(
  file: ScenarioFile,
  first: RunSource,
  { run, index }: { readonly run: FurtherRun; readonly index: number },
): RunSource {
  const { session, model, summaryModel, policy, expect = file.expect, ...rest } = run;
  const isOwn = (key: RunKey | 'name') =>
    run[key] !== undefined && (key !== 'session' || isWhole(session));
  const summary = layModel(file.summaryModel ?? file.model, summaryModel);
  const home = first.home.of('also', index);
  return {
    ...first,
    ...rest,
    expect,
    session: isWhole(session) ? session : { ...file.session, ...session },
    model: layModel(file.model, model),
    ...((file.summaryModel ?? summaryModel) !== undefined && { summaryModel: summary }),
    policy: layPolicy(file.policy, policy),
    at: home.at,
    home,
    spotOf: (key) => (isOwn(key) ? home : first.home).of(key),
  };
}

function isWhole(session: SessionChange | undefined): session is SessionSource {
  return (
    session !== undefined && ('script' in session || 'generate' in session || 'file' in session)
  );
}

function layModel(base: Model, change: ModelChange | undefined): Model {
  if (change === undefined || typeof change === 'string') return change ?? base;
  const { id, ...overrides } = change;
  if (id !== undefined) return { ...overrides, id };
  return typeof base === 'string' ? { ...overrides, id: base } : { ...base, ...overrides };
}

function layPolicy(base: Policy, change: FurtherRun['policy']): PolicyMap {
  if (typeof change === 'string') return { preset: change };
  const { preset, set } = change ?? {};
  if (preset !== undefined) return { preset, set };
  const own = toPolicyMap(base);
  return { preset: own.preset, set: { ...own.set, ...set } };
}

function toRun(entry: RunSource, file: string, sources: readonly string[]): ScenarioRun {
  const { name, at, spotOf, summaryModel, policy, summarizer = DEFAULT_SUMMARIZER } = entry;
  const placed = <Value>(key: RunKey, value: Value) => ({ value, at: spotOf(key).at });
  const { session, faults = [], steps } = toSession(entry, file);
  const listed = toFaults(entry.faults ?? [], spotOf('faults'), steps);
  return {
    name,
    at,
    session,
    model: placed('model', toModel(entry.model)),
    ...(summaryModel !== undefined && {
      summaryModel: placed('summaryModel', toModel(summaryModel)),
    }),
    policy: { preset: policy.preset, set: toSettings(policy.set ?? {}) },
    summarizer: placed('summarizer', summarizer),
    seed: entry.seed ?? DEFAULT_SEED,
    faults: [...faults, ...listed],
    expect: toExpectation(entry.expect, spotOf('expect'), sources),
  };
}

/** With the faults of its script; the steps of a recorded session are unknown. */
function toSession(
  { session: source, model, home, spotOf }: RunSource,
  file: string,
): Partial<Omit<BuiltSession, 'session'>> & { readonly session: ScenarioSession } {
  const spot = spotOf('session');
  const overhead = source.overhead === undefined ? undefined : parseAmount(source.overhead);
  if ('file' in source) {
    // A recording has times and usage of its own.
    for (const [key, words] of Object.entries(INVENTED)) {
      const own = home.of('session', key);
      if (key in source) throw own.problem('absent for a recorded session', words);
    }
    const value = isAbsolute(source.file) ? source.file : join(dirname(file), source.file);
    const path = { value, at: spot.of('file').at };
    return { session: { type: 'file', path, ...known({ overheadTokens: overhead }) } };
  }
  const { calibration } = source;
  const built = buildSession(source, { model: toModel(model).id, file, spot });
  const scale = calibration && {
    factor: calibration.factor,
    perMessageTokens: parseAmount(calibration.perMessage),
  };
  const { session, ...rest } = built;
  return {
    ...rest,
    session: { type: 'built', session, overheadTokens: overhead ?? 0, ...known({ scale }) },
  };
}

function toSettings(set: NonNullable<PolicyMap['set']>): SettingValues {
  const entries = Object.entries(set).map(([name, value]) => {
    const isAmount = settings[name as SettingName].unit === 'tokens' && typeof value === 'string';
    return [name, isAmount ? parseAmount(value) : value];
  });
  return Object.fromEntries(entries);
}
