import type { Policy, PolicyName } from '../../engine/index.ts';
import { groupBy } from '../../simulator/lib/collections.ts';
import { HarnessError } from '../../simulator/lib/errors.ts';
import { describeNearest, named, quoted } from '../../simulator/lib/names.ts';
import type { Metric } from '../../simulator/metrics/metric-rows.ts';
import { joinSections, jsonText, shownText } from '../../simulator/report/markup.ts';
import { formatCount } from '../../simulator/report/numbers.ts';
import type { Origin } from '../../simulator/report/origin.ts';
import * as layout from '../../simulator/report/layout.ts';
import type { Setting } from '../../simulator/scenario/settings.ts';
import { EXIT } from '../process/io.ts';
import { defineCommand, formatOption } from '../command.ts';
import { catalogOption } from '../plan/options.ts';
import { originOf, ownOrigin } from '../package.ts';
import type { Terminal } from '../../simulator/report/layout.ts';

interface List {
  readonly kind: string;
  readonly items: readonly Listed[];
  readonly origin: Origin;
}

type Render = (list: List, terminal: Terminal) => string;

interface Listed {
  readonly name: string;
  readonly owner?: string;
  readonly cells: readonly string[];
  readonly text?: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

type Listing = Omit<List, 'kind'>;

interface Kind {
  readonly describes: string;
  readonly list: (catalogFile: string | undefined, wanted: string | undefined) => Promise<Listing>;
}

const OPEN_NAMES = {
  'ai:PROVIDER/MODEL': {
    describes:
      "A real model's answers, as in ai:openai/gpt-5-mini; --cassette records and replays them",
  },
  'cassette:FOLDER': {
    describes:
      'Recorded answers, without a network; cassette:FOLDER=NAME where several models were recorded',
  },
};

export const listings = {
  policies: { describes: 'presets of agents, frameworks and controls', list: listPolicies },
  prompts: {
    describes: 'what a policy asks for a summary, and what it says afterwards',
    list: async (_, wanted) => await listPrompts(wanted),
  },
  models: { describes: 'models of the catalog, with their limits', list: listModels },
  summarizers: described('what answers a request for a summary', async () => {
    const { summarizers } = await import('../../simulator/summarizer/summarizers.ts');
    return { ...summarizers, ...OPEN_NAMES };
  }),
  formats: described(
    'formats of reports',
    async () => (await import('../../simulator/report/runs.ts')).formats,
  ),
  dialects: described(
    'how providers report usage',
    async () => (await import('../../simulator/provider/usage.ts')).dialects,
  ),
  caches: described(
    'rules of prompt caches',
    async () => (await import('../../simulator/provider/behaviours.ts')).cacheRules,
  ),
  refusals: described(
    'how providers refuse a request that is too large',
    async () => (await import('../../simulator/provider/refusals.ts')).refusals,
  ),
  checks: described(
    'what providers check in a request',
    async () => (await import('../../simulator/provider/checks.ts')).checks,
  ),
  metrics: {
    describes: 'numbers that reports and gates can name',
    list: async () => {
      const { metrics } = await import('../../simulator/metrics/metrics.ts');
      return listAll<Metric>(metrics, ({ label, unit, better = null, describes }) => ({
        cells: [unit, describes],
        facts: { label, unit, better, describes },
      }));
    },
  },
  settings: {
    describes: 'what --set, an arm and a grid can change',
    list: async () => {
      const { settings } = await import('../../simulator/scenario/settings.ts');
      return listAll<Setting>(settings, ({ unit, expected, describes }) => ({
        cells: [unit, describes],
        facts: { unit, expected, describes },
      }));
    },
  },
  workloads: {
    describes: 'kinds of sessions that can be generated',
    list: async () => {
      const { findWorkload, workloads } = await import(
        '../../simulator/scenario/workload/workload.ts'
      );
      return listAll(workloads, (_, name) => {
        const { describes, source } = findWorkload(name);
        return { cells: [describes], facts: { describes, source } };
      });
    },
  },
  'session-formats': {
    describes: 'recordings that can be read',
    list: async () => {
      const { sessionFormats } = await import('../../simulator/session/formats.ts');
      return listAll(sessionFormats, ({ label }) => ({ cells: [label], facts: { label } }));
    },
  },
  laws: {
    describes: 'invariants that every run is checked for',
    list: async () => {
      const { laws } = await import('../../engine/index.ts');
      return listAll(laws, ({ says }) => ({ cells: [says], facts: { says } }));
    },
  },
  gates: described(
    'conditions under which a check fails',
    async () => (await import('../../simulator/scenario/gate.ts')).gateTypes,
  ),
} satisfies Record<string, Kind>;

const NO_AGENTS: readonly string[] = ['Design documents', 'Controls'];
const PROSE_COLUMNS = 100;
const INDENT = '  ';
const KINDS = Object.keys(listings).join(', ');
const HOOK_AGENTS: readonly string[] = ['OpenCode', 'OpenCode 2', 'OpenCode with DCP', 'Kilo'];
const HOOKS = [
  ['event', 'session.compacted'],
  ['hook before the request for a summary', 'experimental.session.compacting'],
  ['hook before the resume text', 'experimental.compaction.autocontinue'],
] as const;

const EXAMPLES = `
Examples:
  $ compaction-bench list policies
  $ compaction-bench list models sonnet
  $ compaction-bench list prompts opencode-1.18
  $ compaction-bench list settings --format json`;

const MODEL_COLUMNS: readonly layout.Column[] = [
  { title: '' },
  { title: '', name: 'context', rank: 1 },
  { title: '', name: 'input', rank: 3 },
  { title: '', name: 'output', rank: 2 },
  { title: '', name: 'label', rank: 4 },
];

const renderers = {
  table: renderLines,
  json: ({ kind, items, origin }) =>
    jsonText({ origin, kind, items: items.map(({ name, facts }) => ({ name, ...facts })) }),
} satisfies Record<string, Render>;

export const listCommand = defineCommand({
  name: 'list',
  describe: `List what can be named: ${KINDS}.`,
  arguments: {
    '[kind]': `one of ${KINDS}; without it, what each of them is`,
    '[part]': 'only names that contain this; of policies, agents as well; of prompts, the policy',
  },
  options: { catalog: catalogOption, ...formatOption(renderers) },
  examples: EXAMPLES,
  run: async ({ kind, part }, { catalog }, { openReport }) => {
    const out = openReport<Render>(renderers, 'list format');
    const { items, origin } =
      kind === undefined
        ? listAll<Kind>(listings, toDescribed)
        : await named<Record<string, Kind>>('list', listings, kind).list(catalog, part);
    const chosen = kind === undefined || kind === 'prompts' ? items : choose(items, kind, part);
    const found = { kind: kind ?? 'kinds', items: chosen, origin };
    return out.finish(out.format(found, out.terminal), EXIT.done);
  },
});

function choose(listed: readonly Listed[], kind: string, part = '') {
  const wanted = part.toLowerCase();
  const chosen = listed.filter(({ name, owner = '' }) =>
    [name, owner].some((text) => text.toLowerCase().includes(wanted)),
  );
  if (chosen.length > 0) return chosen;
  const names = listed.map(({ name }) => name);
  throw new HarnessError(
    'UNKNOWN_NAME',
    `None of the ${kind} has ${quoted(part)} in its name${describeNearest(part, names)}.`,
  );
}

function renderLines({ kind, items }: List, terminal: Terminal) {
  if (items.some(({ owner }) => owner !== undefined)) return renderOwned(items, terminal);
  if (items.some(({ text }) => text !== undefined)) return joinSections(items.map(renderText));
  const rows = items.map(({ name, cells }) => [name, ...cells].map(shownText));
  const columns = kind === 'models' ? MODEL_COLUMNS : (rows[0] ?? []).map(() => ({ title: '' }));
  // Programs read a list by its lines, whatever their width.
  const { terminalColumns = Infinity } = terminal;
  const { table, leftOut } = layout.fitColumns({ columns, rows }, { ...terminal, terminalColumns });
  return joinSections([
    layout.alignProse(table.rows, terminal),
    layout.describeLeftOut(leftOut, terminal, 'json'),
  ]);
}

function renderText({ name, cells, text = '' }: Listed) {
  const from = cells.length === 0 ? '' : ` (${cells.join(', ')})`;
  const lines = text === '' ? ['(nothing)'] : text.split('\n');
  return [`${name}${from}`, ...lines.map((line) => `${INDENT}${line}`.trimEnd())]
    .map(shownText)
    .join('\n');
}

function renderOwned(items: readonly Listed[], { terminalColumns }: Terminal) {
  if (terminalColumns === undefined) {
    const rows = items.map(({ name, owner = '', cells }) => [name, owner, ...cells].map(shownText));
    return joinSections([layout.alignRows(rows, () => true)]);
  }
  const width = Math.min(terminalColumns, PROSE_COLUMNS);
  const rows = items.map(({ name, cells }) => [name, ...cells.slice(0, -1)].map(shownText));
  const aligned = layout.alignRows(rows, () => true).split('\n');
  const hasRoom = aligned.every((line) => INDENT.length + line.length <= terminalColumns);
  const heads = hasRoom
    ? aligned
    : rows.map((row) => row.filter((cell) => cell !== '').join(layout.GAP));
  const lines = items.map(({ owner, cells }, place) => ({
    owner,
    text: `${INDENT}${heads[place]}\n${layout.wrapAfter(`${INDENT}${INDENT}`, shownText(cells.at(-1) ?? ''), width)}`,
  }));
  const sections = [...groupBy(lines, ({ owner = '' }) => owner)].map(([owner, found]) =>
    [shownText(owner), ...found.map(({ text }) => text)].join('\n'),
  );
  return joinSections(sections);
}

function listAll<Thing>(
  table: Readonly<Record<string, Thing>>,
  describe: (thing: Thing, name: string) => Omit<Listed, 'name'>,
) {
  const items = Object.entries(table).map(([name, thing]) => ({ name, ...describe(thing, name) }));
  return { items, origin: ownOrigin() };
}

async function listPolicies() {
  const { policies, presetOrigins } = await import('../../engine/index.ts');
  const { renderReleases, renderShortEvidence, toPlainOrigin } = await import(
    '../../simulator/report/explain-moment.ts'
  );
  const { items, origin } = listAll<Policy>(policies, (policy, name) => {
    const from = presetOrigins[name as PolicyName];
    return {
      owner: from.agent,
      cells: [renderReleases(from), renderShortEvidence(from), policy.describes],
      facts: { ...toPlainOrigin(name), ...policy },
    };
  });
  const byOwner = groupBy(items, ({ owner }) => owner);
  const agents = [...byOwner.keys()].filter((owner) => !NO_AGENTS.includes(owner));
  return { items: [...agents, ...NO_AGENTS].flatMap((owner) => byOwner.get(owner) ?? []), origin };
}

async function listPrompts(wanted?: string) {
  const { instructions, policies, presetOrigins, resumeTexts, systemPrompts } = await import(
    '../../engine/index.ts'
  );
  if (wanted === undefined) {
    return listAll<Policy>(policies, ({ summary: { instruction, systemPrompt }, resume }) => {
      const { continueText: resumeText = 'none' } = resume;
      return {
        cells: [`instruction ${instruction}`, `system ${systemPrompt}`, `resume ${resumeText}`],
        facts: { instruction, systemPrompt, resumeText },
      };
    });
  }
  const { parseArm } = await import('../../simulator/scenario/arms.ts');
  const { policy, preset } = parseArm(wanted);
  const { summary, render } = policy;
  const { continueText = 'none' } = policy.resume;
  const systemText = summary.systemText ?? systemPrompts[summary.systemPrompt];
  const texts: readonly (readonly [name: string, text: string, from?: string])[] = [
    ['system prompt', systemText, summary.systemPrompt],
    ['instruction', instructions[summary.instruction], summary.instruction],
    ['question of the marker', render.markerQuestion],
    ['placeholder of a cleared output', render.clearedOutput],
    ['resume text', resumeTexts[continueText], continueText],
    ...(HOOK_AGENTS.includes(presetOrigins[preset].agent) ? HOOKS : []),
  ];
  const items = texts.map(([name, text, from]) => ({
    name,
    text,
    cells: from === undefined ? [] : [from],
    facts: { from: from ?? null, text },
  }));
  return { items, origin: ownOrigin() };
}

async function listModels(catalogFile: string | undefined) {
  const { readCatalog } = await import('../../simulator/provider/catalog.ts');
  const catalog = readCatalog(catalogFile);
  const items = Array.from(catalog.models.values(), ({ id, name, limits, prices = null }) => ({
    name: id,
    cells: [
      toLimit('context', limits.contextTokens) || 'context unknown',
      toLimit('input', limits.inputTokens),
      toLimit('output', limits.outputTokens),
      name,
    ],
    facts: { label: name, limits, prices },
  }));
  return { items, origin: originOf(catalog, [], {}) };
}

function toLimit(name: string, tokens = 0) {
  return tokens ? `${name} ${formatCount(tokens)}` : '';
}

function described(
  describes: string,
  load: () => Promise<Readonly<Record<string, { readonly describes: string }>>>,
) {
  return { describes, list: async () => listAll(await load(), toDescribed) };
}

function toDescribed({ describes }: { describes: string }) {
  return { cells: [describes], facts: { describes } };
}
