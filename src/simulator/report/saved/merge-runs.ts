import { quoted, quotedLong } from '../../lib/names.ts';
import { compareTexts } from '../../lib/text.ts';
import type { Provenance } from '../report.ts';
import type { SavedEvents } from './events-file.ts';

type Merged =
  | { readonly state: 'merged'; readonly saved: SavedEvents }
  | { readonly state: 'refused'; readonly reason: string };

/** Properties that must be the same for runs to stand in one table. */
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

/** Several reports of runs as one: the same whatever the order in which they come. */
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

function whyApart(provenances: readonly Provenance[]): string | undefined {
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

function areApart(values: readonly unknown[]): boolean {
  return new Set(values.map((value) => JSON.stringify(value))).size > 1;
}

function joined(first: Provenance, provenances: readonly Provenance[]): Provenance {
  const policies = new Map(
    provenances.flatMap((one) => one.policies).map((policy) => [policy.name, policy]),
  );
  const estimators = provenances.map((one) => one.estimators);
  const sessions = new Map(
    estimators.flatMap((one) => one.sessions).map((session) => [session.session, session]),
  );
  return {
    ...first,
    policies: [...policies.values()].toSorted((a, b) => compareTexts(a.name, b.name)),
    prompts: Object.fromEntries(provenances.flatMap(({ prompts }) => Object.entries(prompts))),
    estimators: {
      ...first.estimators,
      policies: Object.fromEntries(estimators.flatMap((one) => Object.entries(one.policies))),
      sessions: [...sessions.values()].toSorted((a, b) => compareTexts(a.session, b.session)),
    },
  };
}
