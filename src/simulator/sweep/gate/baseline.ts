import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { badOption, HarnessError } from '../../lib/errors.ts';
import {
  describeFailure,
  makeFolder,
  readTextFile,
  statOf,
  writeTogether,
  writing,
} from '../../lib/files.ts';
import { type Immutable, parseJson, shortHash } from '../../lib/json.ts';
import { quoted } from '../../lib/names.ts';
import { type MetricValues, UNKNOWN_METRICS } from '../../metrics/metrics.ts';
import { StateShape } from '../../report/saved/shapes.ts';

const HeaderFile = z.strictObject({
  schemaVersion: z.int(),
  version: z.string(),
  scorerVersion: z.int(),
  catalog: z.string(),
  reason: z.string(),
});

export const ScenarioFile = z.strictObject({
  scenario: z.string(),
  source: z.string(),
  runs: z.array(
    z.strictObject({
      run: z.string(),
      made: z.strictObject({
        policy: z.string(),
        model: z.string(),
        summarizer: z.string(),
        seed: z.int(),
        tokenizer: z.string(),
        /** How the policy estimates; that may change as the policy may. */
        estimator: z.string(),
        prompts: z.record(z.string(), z.string()),
      }),
      state: StateShape,
      reason: z.string().exactOptional(),
      /** Over all fields of all events but the place of the session. */
      digest: z.string(),
      metrics: z
        .record(z.string(), z.number())
        .transform((values): MetricValues => ({ ...UNKNOWN_METRICS, ...values })),
      log: z.array(z.string()),
    }),
  ),
});

export type BaselineHeader = Immutable<z.infer<typeof HeaderFile>>;
export type ScenarioRecord = Immutable<z.infer<typeof ScenarioFile>>;
export type CaseRecord = ScenarioRecord['runs'][number];

export interface Baseline {
  readonly folder: string;
  readonly header: BaselineHeader;
  readonly scenarios: ReadonlyMap<string, ScenarioRecord>;
  readonly doubles?: readonly string[];
}

const HEADER_NAME = 'baseline.json';
const ENDING = '.json';
const INDENT = 1;
const LONGEST_NAME = 250;
/** Goes up whenever a metric comes to mean something else. */
const METRICS_VERSION = 3;

export const BASELINE_SCHEMA_VERSION = 2;

const VersionedFile = z.looseObject({ schemaVersion: z.int() });
const AnyScenarioFile = z.looseObject({ scenario: z.string(), runs: z.array(z.unknown()) });

const HEADER_FACTS = {
  schemaVersion: 'schema version',
  scorerVersion: 'scorer version',
  catalog: 'catalog',
};

/** Fields of a run that both sides must share; the policy and its prompts may change. */
const RUN_FACTS = {
  policy: 'preset',
  model: 'model',
  summarizer: 'summarizer',
  seed: 'seed',
  tokenizer: 'tokenizer',
};

/** The baseline in a folder, if there is one; of another schema version its header only. */
export function readBaseline(folder: string) {
  if (statOf(folder)?.isFile()) throw noFolder(folder);
  const path = join(folder, HEADER_NAME);
  if (statOf(path) === undefined) return undefined;
  const { schemaVersion } = readPart(path, VersionedFile);
  const scenarios = new Map<string, ScenarioRecord>();
  if (schemaVersion !== BASELINE_SCHEMA_VERSION) {
    const header = { ...createHeader({ version: '', catalog: '', reason: '' }), schemaVersion };
    return { folder, header, scenarios };
  }
  const header = readPart(path, HeaderFile);
  const files = new Map<string, string>();
  const doubles: string[] = [];
  for (const name of scenarioFilesIn(folder)) {
    const record = readPart(join(folder, name), ScenarioFile);
    const { scenario } = record;
    const other = files.get(scenario);
    if (other !== undefined) {
      const twice = `The baseline has scenario ${quoted(scenario)} twice`;
      doubles.push(`${twice}: in ${quoted(other)} and in ${quoted(name)}.`);
    }
    files.set(scenario, name);
    scenarios.set(scenario, record);
  }
  return { folder, header, scenarios, ...(doubles.length > 0 && { doubles }) };
}

/** Throws if a baseline would take for its own what is in a folder. */
export function checkBaselineFolder(folder: string) {
  const stats = statOf(folder);
  if (stats === undefined) return;
  if (!stats.isDirectory()) throw noFolder(folder);
  const names = scenarioFilesIn(folder);
  const hasHeader = existsSync(join(folder, HEADER_NAME));
  const other = hasHeader ? names.find((name) => isForeign(join(folder, name))) : names[0];
  if (other === undefined) return;
  const what = hasHeader ? 'a baseline alone' : 'a baseline or a new folder';
  const got = hasHeader ? 'one that also' : `one without ${HEADER_NAME} that`;
  throw badOption(
    `Expected ${quoted(folder)} to be ${what}, got ${got} contains ${quoted(other)}.`,
  );
}

export function writeBaseline({ folder, header, scenarios }: Baseline) {
  writing(folder, () => makeFolder(folder));
  const texts = new Map<string, string>();
  const add = (name: string, value: unknown) =>
    texts.set(join(folder, name), `${JSON.stringify(value, null, INDENT)}\n`);
  for (const record of scenarios.values()) add(fileNameOf(record.scenario), toStored(record));
  add(HEADER_NAME, header);
  writeTogether(texts);
  for (const path of scenarioFilesIn(folder).map((name) => join(folder, name))) {
    if (!texts.has(path)) writing(path, () => rmSync(path));
  }
}

export function createHeader(facts: Omit<BaselineHeader, 'schemaVersion' | 'scorerVersion'>) {
  return { schemaVersion: BASELINE_SCHEMA_VERSION, scorerVersion: METRICS_VERSION, ...facts };
}

/** A scenario as its file has it: a metric that is not there is unknown. */
export function toStored({ runs, ...scenario }: ScenarioRecord) {
  const stored = runs.map((run) => {
    const known = Object.entries(run.metrics).filter(([, value]) => value !== null);
    return { ...run, metrics: Object.fromEntries(known) };
  });
  return { ...scenario, runs: stored };
}

export function baselineMismatches({ header, doubles = [] }: Baseline, now: BaselineHeader) {
  const mismatches = differences(HEADER_FACTS, header, now);
  // By another schema nothing else can be read.
  const told = header.schemaVersion === now.schemaVersion ? mismatches : mismatches.slice(0, 1);
  return [...told.map((difference) => `The baseline has a different ${difference}.`), ...doubles];
}

export function scenarioMismatches(
  { scenario, source, runs }: ScenarioRecord,
  { scenarios }: Pick<Baseline, 'scenarios'>,
): readonly string[] {
  const known = scenarios.get(scenario);
  if (known === undefined) return [`Scenario ${quoted(scenario)} is not in the baseline.`];
  const mismatch = sourceMismatch(known, source);
  if (mismatch !== undefined) return [mismatch];
  return runs.flatMap(({ run, made }) => {
    const base = known.runs.find((one) => one.run === run);
    const place = `Run ${quoted(run)} of scenario ${quoted(scenario)}`;
    if (base === undefined) return [`${place} is not in the baseline.`];
    return differences(RUN_FACTS, base.made, made).map(
      (difference) => `${place} was made with a different ${difference}.`,
    );
  });
}

export function sourceMismatch({ scenario, source }: ScenarioRecord, now: string) {
  if (source === now) return undefined;
  return `Scenario ${quoted(scenario)} has changed since the baseline was written.`;
}

function noFolder(path: string) {
  return badOption(`Expected the baseline to be a folder, got the file ${quoted(path)}.`);
}

function readPart<Value>(path: string, schema: z.ZodType<Value>) {
  const text = readTextFile(path, (_, cause) => noPart(path, cause));
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    throw noPart(path, error);
  }
}

function noPart(path: string, cause: unknown) {
  const got = describeFailure(cause);
  const message = `Expected ${quoted(path)} to be part of a baseline, got ${got}.`;
  return new HarnessError('BAD_CONFIG', message, { cause });
}

function scenarioFilesIn(folder: string) {
  return readdirSync(folder)
    .filter((name) => name.endsWith(ENDING) && name !== HEADER_NAME)
    .toSorted();
}

/** Broken JSON is most likely a bad merge, which a blessing repairs. */
function isForeign(path: string) {
  const value = parseJson(readTextFile(path, (_, cause) => noPart(path, cause)));
  return value !== undefined && !AnyScenarioFile.safeParse(value).success;
}

/** A scenario may have any name, also that of the header. */
function fileNameOf(scenario: string) {
  const safe = scenario
    .toWellFormed()
    .replaceAll(/[^\w.-]/gu, (character) => encodeURIComponent(character))
    .replaceAll('%', '=');
  if (`${safe}${ENDING}`.toLowerCase() === HEADER_NAME) return `=${safe}${ENDING}`;
  if (safe.length <= LONGEST_NAME) return `${safe}${ENDING}`;
  const hash = shortHash(safe);
  return `${safe.slice(0, LONGEST_NAME - hash.length - 1)}-${hash}${ENDING}`;
}

function differences<Name extends string>(
  words: Readonly<Record<Name, string>>,
  before: Readonly<Record<NoInfer<Name>, string | number>>,
  now: typeof before,
) {
  return (Object.keys(words) as Name[]).flatMap((name) =>
    before[name] === now[name] ? [] : [`${words[name]}: ${before[name]}, now ${now[name]}`],
  );
}
