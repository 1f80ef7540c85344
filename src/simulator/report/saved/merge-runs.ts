import { quoted, quotedLong } from '../../lib/names.ts';
import { compareTexts } from '../../lib/text.ts';
import type { RunRecord } from '../../metrics/record.ts';
import type { Provenance } from '../report.ts';
import type { SavedEvents } from './events-file.ts';

/** Reports of runs as one, or why they are none. */
export type Merged =
  | { readonly state: 'merged'; readonly saved: SavedEvents }
  | { readonly state: 'refused'; readonly reason: string };

type Same = readonly [what: string, of: (provenance: Provenance) => unknown];

/** Properties that must be the same for runs to stand in one table. */
const SAME: readonly Same[] = [
  ['release', ({ version }) => version],
  ['model', ({ model }) => model],
  ['limits of the model', ({ limits }) => limits],
  ['simulated provider', ({ provider }) => provider],
  ['summarizer', ({ summarizer }) => summarizer],
  ['seed', ({ seed }) => seed],
  ['loop', ({ mode }) => mode],
  ['catalog', ({ catalog }) => catalog],
  ['settings', ({ settings }) => settings],
];

/** Several reports of runs as one: the same whatever the order in which they come. */
export function mergeRuns(all: readonly SavedEvents[]): Merged | undefined {
  const [first, ...others] = all;
  if (first === undefined) return undefined;
  if (others.length === 0) return { state: 'merged', saved: first };
  const reason = whyApart(all);
  if (reason !== undefined) return { state: 'refused', reason };
  const runs = all.flatMap(({ report }) => report.runs).toSorted(byKey);
  const twice = runs.find((run, index) => index > 0 && keyOf(run) === keyOf(runs[index - 1]));
  if (twice !== undefined) {
    return {
      state: 'refused',
      reason: `two of them have a run of ${quoted(twice.policy)} on ${quotedLong(twice.session)}`,
    };
  }
  const unread = all.flatMap(({ report }) => report.unread);
  const report = { ...first.report, provenance: joinProvenance(all), runs, unread };
  return {
    state: 'merged',
    saved: {
      report,
      events: new Map(all.flatMap((one) => [...one.events])),
      views: new Map(all.flatMap((one) => [...one.views])),
    },
  };
}

function whyApart(all: readonly SavedEvents[]): string | undefined {
  const provenances = all.map(({ report }) => report.provenance);
  const apart = SAME.find(([, of]) => new Set(provenances.map((one) => toKey(of(one)))).size > 1);
  if (apart !== undefined) return `not all of them have the same ${apart[0]}`;
  const known = new Map<string, string>();
  for (const policy of provenances.flatMap(({ policies }) => policies)) {
    const text = toKey(policy);
    if ((known.get(policy.name) ?? text) !== text)
      return `not all of them have the same policy ${quoted(policy.name)}`;
    known.set(policy.name, text);
  }
  return undefined;
}

/** Policies and prompts of all; sessions once each, by name. */
function joinProvenance(all: readonly SavedEvents[]): Provenance {
  const provenances = all.map(({ report }) => report.provenance);
  const [first] = provenances as [Provenance, ...Provenance[]];
  const policies = new Map(
    provenances.flatMap((one) => one.policies.map((policy) => [policy.name, policy])),
  );
  const sessions = new Map(
    provenances.flatMap((one) =>
      one.estimators.sessions.map((session) => [session.session, session]),
    ),
  );
  return {
    ...first,
    policies: [...policies.values()].toSorted((a, b) => compareTexts(a.name, b.name)),
    prompts: Object.assign(
      {},
      ...provenances.map(({ prompts }) => prompts),
    ) as Provenance['prompts'],
    estimators: {
      ...first.estimators,
      policies: Object.assign(
        {},
        ...provenances.map((one) => one.estimators.policies),
      ) as Provenance['estimators']['policies'],
      sessions: [...sessions.values()].toSorted((a, b) => compareTexts(a.session, b.session)),
    },
  };
}

function byKey(a: RunRecord, b: RunRecord): number {
  return compareTexts(a.session, b.session) || compareTexts(a.policy, b.policy) || a.seed - b.seed;
}

function keyOf(run: RunRecord | undefined): string {
  return run === undefined
    ? ''
    : toKey([run.session, run.policy, run.model, run.summarizer, run.seed, run.mode]);
}

function toKey(value: unknown): string {
  return JSON.stringify(value) ?? '';
}
