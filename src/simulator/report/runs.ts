import pico from 'picocolors';
import { groupBy } from '../lib/collections.ts';
import type { Metric } from '../metrics/metric.ts';
import { METRIC_NAMES, type MetricName, metrics, titleOf } from '../metrics/metrics.ts';
import { countsAs, type RunRecord } from '../metrics/record.ts';
import {
  asDetails,
  type Block,
  renderMarkdown,
  renderTerminal,
  type Text,
  untrusted,
} from './document.ts';
import { renderSvg } from './html/draw-chart.ts';
import { renderHtml } from './html/render-html.ts';
import { contextsOf, type Pictures, sessionSections } from './html/timelines.ts';
import {
  describeFailures,
  describeSavings,
  type PolicyTotal,
  totalPolicies,
  unreadList,
} from './run-notes.ts';
import { armBlocks, isCopy, sessionBlocks } from './arm-table.ts';
import { codeSpan, jsonText, shownText } from './markup.ts';
import { formatCount, formatValue } from './numbers.ts';
import { otel } from './otel.ts';
import { fitProse } from './prose.ts';
import { basisOf, describeEvidence, provenanceFacts, screenEnd } from './provenance.ts';
import type { Format, RenderOptions, Report, Terminal } from './report.ts';
import { columnsOf, csvLines, RUN_KEYS } from './row-table.ts';
import { renderSawtooth } from './sawtooth.ts';
import { type NamedStory, nameSessions, toStories } from './session-names.ts';
import { type Arm, armsOfPolicies, findCompared, keyOfArmRun } from './arms.ts';
import { conclude } from './verdict.ts';
import { isArm, parseArm } from '../scenario/arms.ts';
import { verdictBlock } from './verdict-lines.ts';

/** The name of a format. */
export type FormatName = keyof typeof formats;

/** The report for a terminal. */
export const table: Format = {
  extension: '.txt',
  describes: 'The key numbers of each run, for a terminal.',
  render: (report, { hasCharts, eventsOf, ...terminal }) =>
    renderTerminal(
      [...runsDocument(report, terminal), ...(hasCharts ? toCharts(report.runs, eventsOf) : [])],
      terminal,
    ),
};

/** The whole report as one JSON document, for programs. */
export const json: Format = {
  extension: '.json',
  describes: 'Everything, for programs: provenance, every metric of every run, unreadable inputs.',
  render: (report) => jsonText(toDocument(report)),
};

/** One row a run, for spreadsheets and data frames. */
export const csv: Format = {
  extension: '.csv',
  describes: 'One row per run with every metric; an empty cell means unknown.',
  render: (report) => [...toCsv(report)].join(''),
};

const SUMS = 'Sums over the same sessions; for contexts, the largest.';

/** Keys of a run in JSON. */
const PUBLISHED = [
  'session',
  'family',
  ...RUN_KEYS,
  'metrics',
  'edgeTokens',
  'fit',
  'paybacks',
  'summaryFailures',
] as const satisfies readonly (keyof RunRecord)[];

/** Runs without a result that are told. */
const MOST_INCOMPLETE = 5;

/** A report to be read, commented on and kept. */
export const markdown: Format = {
  extension: '.md',
  describes: 'A report to read: policies, sessions, every metric, unreadable inputs, provenance.',
  render: (report, options) => renderMarkdown(runsDocument(report, options)),
};

/** The report as one page for a browser, with everything in it that it needs. */
const html: Format = {
  needsEvents: true,
  extension: '.html',
  describes: 'One page for a browser: tables, charts, every session step by step.',
  render: (report, options) => renderHtml(pageDocument(report, options)),
};

/** The first chart of the page as a picture. */
const svg: Format = {
  needsEvents: true,
  extension: '.svg',
  describes: 'The first chart of the page as a picture: cost against losses, or one run by step.',
  render: (report, options) => renderSvg(pageDocument(report, options)),
};

/** The formats of a report by name, the default first. */
export const formats = { table, json, csv, markdown, html, svg, otel } satisfies Record<
  string,
  Format
>;

/** The same for a page, with a section for each session. */
function pageDocument(report: Report, { eventsOf, viewOf }: RenderOptions): readonly Block[] {
  const { runs, provenance } = report;
  const stories = toStories(provenance.estimators.sessions);
  const names = nameSessions(
    runs.map(({ session }) => session),
    stories,
  );
  const pictures = { eventsOf, viewOf };
  const asked = runs.filter(({ state }) => state !== 'skipped');
  const noTimeline = 'No timeline: its events were not saved (run --events FILE).';
  return [
    ...runsDocument(report, { colors: false, details: true }, pictures),
    { type: 'lines', lines: [untrusted(describeEvidence(provenance))] },
    ...sessionSections(asked, armsOfPolicies(asked), { names, noTimeline, ...pictures }),
  ];
}

function runsDocument(
  report: Report,
  { top, details }: Terminal,
  pictures?: Pictures,
): readonly Block[] {
  const { runs, unread, provenance } = report;
  const arms = armsOfPolicies(runs);
  const conclusion = conclude(arms);
  const totals = totalPolicies(findComparable(runs, arms));
  const stories = toStories(provenance.estimators.sessions);
  return [
    { type: 'heading', level: 1, text: 'Compaction report' },
    verdictBlock(conclusion),
    ...(runs.length === 0
      ? [{ type: 'lines' as const, lines: ['No session was run.'] }]
      : [
          ...armBlocks(arms, conclusion),
          ...sessionBlocks(arms, {
            stories,
            top,
            details,
            ...(pictures && { contexts: contextsOf(runs, pictures) }),
          }),
        ]),
    ...asDetails([
      { type: 'lines', lines: describeFailures(runs), areItems: true },
      { type: 'lines', lines: describeSavings(runs), isWrapped: true },
      { type: 'list', title: 'Not completed', items: incompleteLines(runs, stories) },
      { ...unreadList(unread), level: 2 },
      ...totalsBlocks(totals),
      ...provenanceBlocks(provenance),
    ]),
    ...(conclusion.baseline === undefined ? [whyNoneBlock(runs, stories)] : []),
    screenEnd(basisOf(provenance), unread),
  ];
}

function provenanceBlocks(provenance: Report['provenance']): readonly Block[] {
  const items = provenanceFacts(provenance).map(({ label, value }) => [
    `${label}: `,
    untrusted(value),
  ]);
  const lines = [describeEvidence(provenance)];
  return [
    { type: 'list', title: 'Provenance', items, level: 2 },
    { type: 'lines', lines, isWrapped: true, only: 'terminal' },
    { type: 'lines', lines: [describeEvidence(provenance, codeSpan)], only: 'markdown' },
  ];
}

/** The runs of sessions that the baseline completed, without policies that failed in any; all where there is no such session. */
function findComparable(runs: readonly RunRecord[], arms: readonly Arm[]): readonly RunRecord[] {
  const { base, others, keys } = findCompared(arms);
  if (base === undefined || keys.length === 0) return runs;
  const fit = others.filter(({ runs: found }) => found.size === keys.length);
  const [names, own] = [new Set([base, ...fit].map(({ name }) => name)), new Set(keys)];
  return runs.filter((run) => names.has(run.policy) && own.has(keyOfArmRun(run)));
}

/** Every metric of each policy. */
function totalsBlocks(totals: readonly PolicyTotal[]): readonly Block[] {
  if (totals.length === 0) return [];
  const titles = ['Metric', ...totals.map(({ policy }) => untrusted(policy))];
  const completed = totals.map((total) => `${total.completedRuns} of ${total.runs}`);
  return [
    { type: 'heading', level: 2, text: 'All metrics' },
    {
      type: 'table',
      lead: SUMS,
      columns: titles.map((title, place) => (place === 0 ? { title } : { title, rank: place - 1 })),
      rows: [
        ['Completed runs', ...completed],
        ...METRIC_NAMES.map((name) => toTotalRow(name, totals)),
      ],
    },
  ];
}

function toTotalRow(name: MetricName, totals: readonly PolicyTotal[]): readonly string[] {
  const { unit }: Metric = metrics[name];
  return [titleOf(name), ...totals.map((total) => formatValue(total.metrics[name], unit))];
}

/** The saw-tooth of each run. */
function toCharts(
  runs: readonly RunRecord[],
  eventsOf: RenderOptions['eventsOf'],
): readonly Block[] {
  return runs.flatMap((run) => {
    const events = eventsOf?.(run);
    if (events === undefined) return [];
    const title = shownText(`${run.session}, ${run.policy}, ${countsAs(run)}`);
    const draw = (terminal: Terminal) => {
      const { bold } = pico.createColors(terminal.colors);
      return `${bold(fitProse(title, terminal))}\n${renderSawtooth(events, terminal).trimEnd()}`;
    };
    return [{ type: 'chart', draw, isAsked: true }];
  });
}

/** Why runs did not complete, once where it holds of several policies; copies are told by their number. */
function incompleteLines(
  runs: readonly RunRecord[],
  stories: readonly NamedStory[],
): readonly Text[] {
  const names = nameSessions(
    runs.map(({ session }) => session),
    stories,
  );
  const byReason = groupBy(
    runs.filter((run) => countsAs(run) !== 'completed' && !isCopy(run)),
    (run) => JSON.stringify([run.session, countsAs(run), run.impossible ?? run.reason]),
  );
  const lines = [...byReason.values()].flatMap((alike) => describeIncomplete(alike, names));
  const others = lines.length - MOST_INCOMPLETE;
  if (others <= 0) return lines;
  return [...lines.slice(0, MOST_INCOMPLETE), `${formatCount(others)} more: see --format json`];
}

/** Why the first of several runs did not complete, where none did. */
function whyNoneBlock(runs: readonly RunRecord[], stories: readonly NamedStory[]): Block {
  const lines = incompleteLines(runs, stories).slice(0, 1);
  return { type: 'lines', lines, isWrapped: true, only: 'screen' };
}

function describeIncomplete(
  alike: readonly RunRecord[],
  names: ReadonlyMap<string, string>,
): readonly Text[] {
  const policies = alike.map(({ policy }) => policy).join(', ');
  return alike.slice(0, 1).map((run) => {
    const reason = run.impossible ?? run.reason;
    const why = reason === undefined ? '' : `, ${reason}`;
    return untrusted(`${names.get(run.session)} with ${policies}: ${countsAs(run)}${why}`);
  });
}

/** The report as it is published, each run with its keys in their order. */
function toDocument({ schemaVersion, provenance, runs, unread }: Report) {
  return {
    schemaVersion,
    verdict: conclude(armsOfPolicies(runs)).verdict,
    provenance,
    runs: runs.map((run) =>
      Object.fromEntries(
        PUBLISHED.flatMap((key) => (run[key] === undefined ? [] : [[key, run[key]]])),
      ),
    ),
    unread: unread.map(({ file, reason }) => ({ file, reason })),
  };
}

function toCsv({ runs, unread, provenance }: Report): Iterable<string> {
  const { version, settings, estimators } = provenance;
  const stories = toStories(estimators.sessions);
  const rows = runs.map((run) => {
    const own = isArm(run.policy) ? parseArm(run.policy).settings : {};
    return { ...run, settings: { ...settings, ...own } };
  });
  const all = rows.map((row) => row.settings);
  const columns = columnsOf(['session', ...RUN_KEYS], all, { stories, version });
  return csvLines(columns, rows, { unread, version });
}
