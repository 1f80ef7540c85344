import { type RunEvent } from '../../events.ts';
import { quoted, quotedLong } from '../../lib/names.ts';
import { compareTexts } from '../../lib/text.ts';
import type { RunRecord } from '../../metrics/record.ts';
import { type Provenance, type Report, type SessionSource, type UnreadInput } from '../report.ts';
import { type RunView } from '../plots.ts';

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
export const EVENTS_SCHEMA_VERSION = 3;

export const EVENTS_KIND = 'compaction-bench events';
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
