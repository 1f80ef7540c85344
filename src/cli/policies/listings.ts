import { laws, policies, type Policy } from '../../engine/index.ts';
import type { Metric } from '../../simulator/metrics/metric.ts';
import { metrics } from '../../simulator/metrics/metrics.ts';
import { cacheRules } from '../../simulator/provider/cache/rules.ts';
import { type Catalog, readCatalog } from '../../simulator/provider/catalog.ts';
import { checks } from '../../simulator/provider/checks/checks.ts';
import { refusals } from '../../simulator/provider/refusal/refusals.ts';
import { dialects } from '../../simulator/provider/usage/dialects.ts';
import { formats } from '../../simulator/report/formats.ts';
import { formatCount } from '../../simulator/report/numbers.ts';
import type { Origin } from '../../simulator/report/origin.ts';
import { gateTypes } from '../../simulator/scenario/gate/gate-types.ts';
import type { Column } from '../../simulator/report/text-table.ts';
import type { Setting } from '../../simulator/scenario/setting.ts';
import { settings } from '../../simulator/scenario/settings.ts';
import { findWorkload, workloads } from '../../simulator/scenario/workload/workloads.ts';
import { sessionFormats } from '../../simulator/session/formats.ts';
import { summarizers } from '../../simulator/summarizer/summarizers.ts';
import { originOf, ownOrigin } from '../run/origin.ts';

/** One thing that can be named on the command line. */
export interface Listed {
  readonly name: string;
  /** What a person is told, a column each. */
  readonly cells: readonly string[];
  /** What a program is told. */
  readonly facts: Readonly<Record<string, unknown>>;
}

/** All things of one kind; the catalog file matters to models only. */
type Listing = (catalogFile?: string) => readonly Listed[];

/** What is no line of a table, since there is one for each model or folder. */
const OPEN_NAMES = {
  'ai:PROVIDER/MODEL': {
    describes:
      "A real model's answers, as in ai:openai/gpt-5-mini; --cassette records and replays them",
  },
  'cassette:FOLDER': {
    describes:
      'Recorded answers, without a network; cassette:FOLDER=NAME where several models were recorded',
  },
} as const;

/** What can be listed, by the word for it. */
export const listings = {
  policies: () =>
    Object.values<Policy>(policies).map(({ name, ...facts }) => ({
      name,
      cells: [facts.describes],
      facts,
    })),
  models: (catalogFile) => listModels(readCatalog(catalogFile)),
  summarizers: () => listDescribed({ ...summarizers, ...OPEN_NAMES }),
  formats: () => listDescribed(formats),
  dialects: () => listDescribed(dialects),
  caches: () => listDescribed(cacheRules),
  refusals: () => listDescribed(refusals),
  checks: () => listDescribed(checks),
  metrics: () =>
    Object.entries<Metric>(metrics).map(([name, { label, unit, better, describes }]) => ({
      name,
      cells: [unit, describes],
      facts: { label, unit, better: better ?? null, describes },
    })),
  settings: () =>
    Object.entries<Setting>(settings).map(([name, { unit, expected, describes }]) => ({
      name,
      cells: [unit, describes],
      facts: { unit, expected, describes },
    })),
  workloads: () =>
    Object.keys(workloads).map((name) => {
      const { describes, source } = findWorkload(name);
      return { name, cells: [describes], facts: { describes, source } };
    }),
  'session-formats': () =>
    Object.entries(sessionFormats).map(([name, { label }]) => ({
      name,
      cells: [label],
      facts: { label },
    })),
  laws: () => listLaws(laws),
  gates: () => listDescribed(gateTypes),
} satisfies Record<string, Listing>;

/** What may be left out of a list, by the word for it: columns without titles, the names first. */
export const listedColumns: Readonly<Record<string, readonly Column[]>> = {
  models: [
    { title: '' },
    { title: '', name: 'context', rank: 1 },
    { title: '', name: 'input', rank: 3 },
    { title: '', name: 'output', rank: 2 },
    { title: '', name: 'label', rank: 4 },
  ],
};

/** What a list rests on: that of models on a catalog, any other on this program alone. */
export function originOfList(kind: string, catalogFile?: string): Origin {
  return kind === 'models' ? originOf(readCatalog(catalogFile), [], {}) : ownOrigin();
}

function listLaws(table: Readonly<Record<string, { readonly says: string }>>): readonly Listed[] {
  return Object.entries(table).map(([name, { says }]) => ({
    name,
    cells: [says],
    facts: { says },
  }));
}

function listDescribed(
  table: Readonly<Record<string, { readonly describes: string }>>,
): readonly Listed[] {
  return Object.entries(table).map(([name, { describes }]) => ({
    name,
    cells: [describes],
    facts: { describes },
  }));
}

function listModels({ models }: Catalog): readonly Listed[] {
  return [...models.values()].map(({ id, name, limits, prices }) => ({
    name: id,
    cells: [
      limits.contextTokens === 0
        ? 'context unknown'
        : `context ${formatCount(limits.contextTokens)}`,
      limits.inputTokens ? `input ${formatCount(limits.inputTokens)}` : '',
      limits.outputTokens ? `output ${formatCount(limits.outputTokens)}` : '',
      name,
    ],
    facts: { label: name, limits, prices: prices ?? null },
  }));
}
