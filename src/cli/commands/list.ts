import { HarnessError } from '../../simulator/lib/errors.ts';
import { named, nearestNames, quoted } from '../../simulator/lib/names.ts';
import type { Metric } from '../../simulator/metrics/metric.ts';
import type { Catalog } from '../../simulator/provider/catalog.ts';
import { joinSections, jsonText, shownText } from '../../simulator/report/markup.ts';
import { formatCount } from '../../simulator/report/numbers.ts';
import type { Origin } from '../../simulator/report/origin.ts';
import { alignProse } from '../../simulator/report/prose.ts';
import type { Terminal } from '../../simulator/report/report.ts';
import { type Column, describeLeftOut, fitColumns } from '../../simulator/report/text-table.ts';
import type { Setting } from '../../simulator/scenario/settings.ts';
import { EXIT } from '../process/io.ts';
import { defineCommand, formatOption } from '../command.ts';
import { catalogOption } from '../plan/options.ts';
import { originOf, ownOrigin } from '../origin.ts';

/** The listed things of one kind. */
interface List {
  readonly kind: string;
  readonly items: readonly Listed[];
  readonly origin: Origin;
}

type Render = (list: List, terminal: Terminal) => string;

/** One thing that can be named on the command line. */
interface Listed {
  readonly name: string;
  /** Columns for a person. */
  readonly cells: readonly string[];
  /** Fields for a program. */
  readonly facts: Readonly<Record<string, unknown>>;
}

/** All things of one kind, and what they rest on. */
interface Listing {
  readonly items: readonly Listed[];
  readonly origin: Origin;
}

/** Lists one kind; the catalog file matters to models only. */
type MakeListing = (catalogFile?: string) => Promise<Listing>;

/** Names that no table has, as there is one for each model or folder. */
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

/** Kinds that can be listed, by name; each is loaded alone. */
export const listings = {
  policies: async () => {
    const { policies } = await import('../../engine/index.ts');
    return listAll(policies, (policy) => ({ cells: [policy.describes], facts: { ...policy } }));
  },
  models: async (catalogFile) => {
    const { readCatalog } = await import('../../simulator/provider/catalog.ts');
    return listModels(readCatalog(catalogFile));
  },
  summarizers: async () => {
    const { summarizers } = await import('../../simulator/summarizer/summarizers.ts');
    return listDescribed({ ...summarizers, ...OPEN_NAMES });
  },
  formats: async () => listDescribed((await import('../../simulator/report/runs.ts')).formats),
  dialects: async () => listDescribed((await import('../../simulator/provider/usage.ts')).dialects),
  caches: async () =>
    listDescribed((await import('../../simulator/provider/cache-rules.ts')).cacheRules),
  refusals: async () =>
    listDescribed((await import('../../simulator/provider/refusals.ts')).refusals),
  checks: async () => listDescribed((await import('../../simulator/provider/checks.ts')).checks),
  metrics: async () => {
    const { metrics } = await import('../../simulator/metrics/metrics.ts');
    return listAll<Metric>(metrics, ({ label, unit, better, describes }) => ({
      cells: [unit, describes],
      facts: { label, unit, better: better ?? null, describes },
    }));
  },
  settings: async () => {
    const { settings } = await import('../../simulator/scenario/settings.ts');
    return listAll<Setting>(settings, ({ unit, expected, describes }) => ({
      cells: [unit, describes],
      facts: { unit, expected, describes },
    }));
  },
  workloads: async () => {
    const { findWorkload, workloads } = await import(
      '../../simulator/scenario/workload/workload.ts'
    );
    return listAll(workloads, (_, name) => {
      const { describes, source } = findWorkload(name);
      return { cells: [describes], facts: { describes, source } };
    });
  },
  'session-formats': async () => {
    const { sessionFormats } = await import('../../simulator/session/formats.ts');
    return listAll(sessionFormats, ({ label }) => ({ cells: [label], facts: { label } }));
  },
  laws: async () => {
    const { laws } = await import('../../engine/index.ts');
    return listAll(laws, ({ says }) => ({ cells: [says], facts: { says } }));
  },
  gates: async () => listDescribed((await import('../../simulator/scenario/gate.ts')).gateTypes),
} satisfies Record<string, MakeListing>;

const KINDS = Object.keys(listings).join(', ');

const EXAMPLES = `
Examples:
  $ compaction-bench list policies
  $ compaction-bench list models sonnet
  $ compaction-bench list settings --format json`;

/** Columns that may be left out of a list, by kind: without titles, the names first. */
const listedColumns: Readonly<Record<string, readonly Column[]>> = {
  models: [
    { title: '' },
    { title: '', name: 'context', rank: 1 },
    { title: '', name: 'input', rank: 3 },
    { title: '', name: 'output', rank: 2 },
    { title: '', name: 'label', rank: 4 },
  ],
};

/** How a list can be printed, by name. */
const renderers = {
  table: renderLines,
  json: renderJson,
} satisfies Record<string, Render>;

/** Lists what can be named on the command line. */
export const listCommand = defineCommand({
  name: 'list',
  describe: `List what can be named: ${KINDS}.`,
  arguments: { '<kind>': `one of ${KINDS}`, '[part]': 'only names that contain this' },
  options: { catalog: catalogOption, ...formatOption(renderers) },
  examples: EXAMPLES,
  run: async ({ kind, part }, { catalog }, { openReport }) => {
    const out = openReport<Render>(renderers, 'list format');
    const { items, origin } = await named('list', listings, kind)(catalog);
    const found = { kind, items: choose(items, kind, part), origin };
    return out.finish(out.format(found, out.terminal), EXIT.done);
  },
});

function choose(listed: readonly Listed[], kind: string, part = ''): readonly Listed[] {
  const wanted = part.toLowerCase();
  const chosen = listed.filter(({ name }) => name.toLowerCase().includes(wanted));
  if (chosen.length > 0) return chosen;
  const names = listed.map(({ name }) => name);
  throw new HarnessError(
    'UNKNOWN_NAME',
    `None of the ${kind} has ${quoted(part)} in its name. Nearest: ${nearestNames(part, names).join(', ')}.`,
  );
}

/** A line each, its cells below each other. */
function renderLines({ kind, items }: List, terminal: Terminal): string {
  const rows = items.map(({ name, cells }) => [name, ...cells].map(shownText));
  const columns = listedColumns[kind] ?? (rows[0] ?? []).map(() => ({ title: '' }));
  // Programs read a list by its lines, whatever their width.
  const { terminalColumns = Infinity } = terminal;
  const { table, leftOut } = fitColumns({ columns, rows }, { ...terminal, terminalColumns });
  return joinSections([
    alignProse(table.rows, terminal),
    describeLeftOut(leftOut, terminal, 'json'),
  ]);
}

function renderJson({ kind, items, origin }: List): string {
  const told = items.map(({ name, facts }) => ({ name, ...facts }));
  return jsonText({ origin, kind, items: told });
}

/** All of a table that comes with this program, by the names that it has there. */
function listAll<Thing>(
  table: Readonly<Record<string, Thing>>,
  describe: (thing: Thing, name: string) => Omit<Listed, 'name'>,
): Listing {
  const items = Object.entries(table).map(([name, thing]) => ({ name, ...describe(thing, name) }));
  return { items, origin: ownOrigin() };
}

function listModels(catalog: Catalog): Listing {
  const items = Array.from(catalog.models.values(), ({ id, name, limits, prices }) => ({
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
  return { items, origin: originOf(catalog, [], {}) };
}

function listDescribed(table: Readonly<Record<string, { readonly describes: string }>>): Listing {
  return listAll(table, ({ describes }) => ({ cells: [describes], facts: { describes } }));
}
