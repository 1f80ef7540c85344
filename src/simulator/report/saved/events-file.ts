import * as z from 'zod';
import { eventTypes, type RunEvent } from '../../events.ts';
import { HarnessError } from '../../lib/errors.ts';
import { withoutFolder } from '../../lib/files.ts';
import { describeIssue, parseJson } from '../../lib/json.ts';
import { quoted, quotedLong } from '../../lib/names.ts';
import { compareTexts } from '../../lib/text.ts';
import type { RunRecord } from '../../metrics/record.ts';
import {
  type Provenance,
  type Report,
  SCHEMA_VERSION,
  type SessionBasis,
  type SessionSource,
  type UnreadInput,
} from '../report.ts';
import { type RunView, ViewShape } from '../plots.ts';
import {
  type Checked,
  completeMetrics,
  isOf,
  ProvenanceShape,
  RecordShape,
  SessionBasisShape,
  UnreadShape,
} from './shapes.ts';

interface SavedRun {
  readonly record: RunRecord;
  /** Absent for a session that was not run. */
  readonly source?: SessionSource | undefined;
  readonly events: readonly RunEvent[];
  /** The views of its requests; absent where they were not recorded. */
  readonly view?: RunView | undefined;
}

export interface SavedEvents {
  readonly report: Report;
  readonly events: ReadonlyMap<RunRecord, readonly RunEvent[]>;
  readonly views: ReadonlyMap<RunRecord, RunView>;
}

type Merged =
  | { readonly state: 'merged'; readonly saved: SavedEvents }
  | { readonly state: 'refused'; readonly reason: string };

interface Reading {
  readonly events: Map<RunRecord, RunEvent[]>;
  readonly views: Map<RunRecord, RunView>;
  readonly bases: Map<string, SessionBasis>;
  readonly unread: UnreadInput[];
  current?: RunRecord;
}

export const EVENTS_SCHEMA_VERSION = 3;

export const EVENTS_KIND = 'compaction-bench events';

const Header = z.looseObject({
  schemaVersion: z.literal(EVENTS_SCHEMA_VERSION),
  holds: z.literal(EVENTS_KIND),
  provenance: ProvenanceShape,
});

const IDENTITY = {
  session: true,
  family: true,
  policy: true,
  model: true,
  summarizer: true,
  seed: true,
  mode: true,
} as const;
const RunLine = z.looseObject({
  run: RecordShape.pick(IDENTITY),
  ...RecordShape.omit(IDENTITY).shape,
  source: SessionBasisShape.omit({ session: true }).exactOptional(),
});

const UnreadLine = z.looseObject({ unread: UnreadShape.element });
const ViewLine = z.object({ view: ViewShape });
const EventLines: ReadonlyMap<unknown, z.ZodType> = new Map(
  Object.entries(eventTypes).map(([type, { fields }]) => [type, z.looseObject(fields)]),
);

/** The same wherever runs stand in one table. */
const SAME = {
  release: 'version',
  model: 'model',
  'limits of the model': 'limits',
  'simulated provider': 'provider',
  summarizer: 'summarizer',
  seed: 'seed',
  loop: 'mode',
  catalog: 'catalog',
  settings: 'settings',
} as const satisfies Record<string, keyof Provenance>;

/** The first line of saved events; what sessions rest on stands beside their runs. */
export function renderEventsHeader(provenance: Provenance) {
  const estimators = { ...provenance.estimators, sessions: [] };
  return toLine({
    schemaVersion: EVENTS_SCHEMA_VERSION,
    holds: EVENTS_KIND,
    provenance: { ...provenance, estimators },
  });
}

/** A run, below it its events, and what its requests showed. */
export function renderSavedRun({ record, source, events, view }: SavedRun) {
  const { session, family, policy, model, summarizer, seed, mode } = record;
  const { state, reason, impossible, baseline, metrics, edgeTokens } = record;
  const { fit, paybacks, findings } = record;
  const run = { session, family, policy, model, summarizer, seed, mode };
  const outcome = { state, reason, impossible, baseline, metrics, edgeTokens };
  const head = { run, ...outcome, fit, paybacks, findings, source };
  return [head, ...events, ...(view ? [{ view }] : [])].map(toLine).join('');
}

export function renderSavedUnread({ file, reason }: UnreadInput) {
  return toLine({ unread: { file, reason } });
}

export function isEventsText(text: string) {
  return text.split('\n', 1)[0]?.includes(`"holds":"${EVENTS_KIND}"`) ?? false;
}

/** Saved events of this version; throws where it is none of them. */
export function readEvents(file: string, text: string): SavedEvents {
  const [first = '', ...lines] = text.split('\n');
  const { provenance } = readHeader(file, first);
  const reading: Reading = { events: new Map(), views: new Map(), bases: new Map(), unread: [] };
  for (const [index, line] of lines.entries()) {
    const fault = line === '' ? undefined : faultOfLine(line, reading);
    if (fault !== undefined) throw badEvents(file, `line ${index + 2} is not: ${fault}`);
  }
  const { events, views, bases, unread } = reading;
  const estimators = { ...provenance.estimators, sessions: [...bases.values()] };
  const report = {
    schemaVersion: SCHEMA_VERSION,
    provenance: { ...provenance, estimators },
    runs: [...events.keys()],
    unread,
  };
  return { report, events, views };
}

/** The same whatever the order in which they come. */
export function mergeRuns(all: readonly SavedEvents[]): Merged | undefined {
  const [first, ...others] = all;
  if (first === undefined) return undefined;
  if (others.length === 0) return { state: 'merged', saved: first };
  const provenances = all.map(({ report }) => report.provenance);
  const runs = all
    .flatMap(({ report }) => report.runs)
    .toSorted(
      (a, b) =>
        compareTexts(a.session, b.session) || compareTexts(a.policy, b.policy) || a.seed - b.seed,
    );
  const keys = runs.map(({ session, policy, model, summarizer, seed, mode }) =>
    JSON.stringify([session, policy, model, summarizer, seed, mode]),
  );
  const twice = runs[keys.findIndex((key, index) => key === keys[index - 1])];
  const reason =
    whyApart(provenances) ??
    (twice && `two of them have a run of ${quoted(twice.policy)} on ${quotedLong(twice.session)}`);
  if (reason !== undefined) return { state: 'refused', reason };
  return {
    state: 'merged',
    saved: {
      report: {
        ...first.report,
        provenance: joined(first.report.provenance, provenances),
        runs,
        unread: all.flatMap(({ report }) => report.unread),
      },
      events: new Map(all.flatMap((one) => [...one.events])),
      views: new Map(all.flatMap((one) => [...one.views])),
    },
  };
}

function toLine(value: unknown) {
  return `${JSON.stringify(value)}\n`;
}

function readHeader(file: string, line: string): Checked<typeof Header> {
  const value = parseJson(line);
  if (value === undefined) throw badEvents(file, 'its first line is cut off or not JSON');
  const version = z.looseObject({ schemaVersion: z.int() }).safeParse(value).data?.schemaVersion;
  if (version !== undefined && version !== EVENTS_SCHEMA_VERSION) {
    const got = `version ${version}, of another release`;
    throw badEvents(file, `it has ${got}, and this one reads version ${EVENTS_SCHEMA_VERSION}`);
  }
  if (isOf(Header, value)) return value;
  const { error } = Header.safeParse(value);
  throw badEvents(file, `its first line is not: ${describeIssue(error?.issues[0])}`, error);
}

function badEvents(file: string, reason: string, cause?: unknown) {
  const message = `Expected ${quotedLong(file)} to be saved events, but ${reason}.`;
  return new HarnessError('BAD_RESULTS', message, { cause });
}

/** Reads a line and returns its fault; nothing where it was taken. */
function faultOfLine(line: string, reading: Reading) {
  const value = parseJson(line);
  if (typeof value !== 'object' || value === null) return 'it is not a JSON object';
  const { current } = reading;
  if ('type' in value) {
    const fault = faultOfEvent(value);
    if (fault !== undefined) return fault;
    if (current === undefined) return 'its run is not named before it';
    reading.events.get(current)?.push(value as RunEvent);
    return undefined;
  }
  if ('view' in value) {
    const { data, error } = ViewLine.safeParse(value);
    if (data === undefined) return describeIssue(error.issues[0]);
    if (current === undefined) return 'its run is not named before it';
    reading.views.set(current, data.view);
    return undefined;
  }
  if ('unread' in value) {
    const { data, error } = UnreadLine.safeParse(value);
    if (data === undefined) return describeIssue(error.issues[0]);
    reading.unread.push(data.unread);
    return undefined;
  }
  if (!isOf(RunLine, value)) return describeIssue(RunLine.safeParse(value).error?.issues[0]);
  const { run, source, metrics, ...rest } = value;
  const record = { ...run, ...rest, metrics: completeMetrics(metrics) };
  if (source) reading.bases.set(run.session, { session: withoutFolder(run.session), ...source });
  reading.current = record;
  reading.events.set(record, []);
  return undefined;
}

/** Objects in it are not looked into. */
function faultOfEvent(value: object) {
  const line = EventLines.get('type' in value && value.type);
  if (line === undefined) return 'it is not an event';
  const issues = line.safeParse(value).error?.issues ?? [];
  const issue = issues.find(({ path }) => typeof path[1] !== 'string');
  return issue && describeIssue(issue);
}

function whyApart(provenances: readonly Provenance[]) {
  const apart = Object.entries(SAME).find(([, key]) =>
    areApart(provenances.map((one) => one[key])),
  );
  if (apart !== undefined) return `not all of them have the same ${apart[0]}`;
  const policies = provenances.flatMap((one) => one.policies);
  const other = policies.find(({ name }) =>
    areApart(policies.filter((policy) => policy.name === name)),
  );
  return other && `not all of them have the same policy ${quoted(other.name)}`;
}

function areApart(values: readonly unknown[]) {
  return new Set(values.map((value) => JSON.stringify(value))).size > 1;
}

function joined(first: Provenance, provenances: readonly Provenance[]) {
  const policies = provenances.flatMap((one) => one.policies);
  const estimators = provenances.map((one) => one.estimators);
  const sessions = estimators.flatMap((one) => one.sessions);
  return {
    ...first,
    policies: onceEach(policies, ({ name }) => name),
    prompts: Object.fromEntries(provenances.flatMap(({ prompts }) => Object.entries(prompts))),
    estimators: {
      ...first.estimators,
      policies: Object.fromEntries(estimators.flatMap((one) => Object.entries(one.policies))),
      sessions: onceEach(sessions, ({ session }) => session),
    },
  };
}

/** The last of each name, in the order of names. */
function onceEach<Item>(items: readonly Item[], nameOf: (item: Item) => string) {
  const byName = new Map(items.map((item) => [nameOf(item), item]));
  return [...byName.values()].toSorted((a, b) => compareTexts(nameOf(a), nameOf(b)));
}
