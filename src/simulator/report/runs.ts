import pico from 'picocolors';
import { groupBy, known } from '../lib/collections.ts';
import type { Metric } from '../metrics/metric.ts';
import { METRIC_NAMES, metrics, titleOf } from '../metrics/metrics.ts';
import { countsAs, type RunRecord } from '../metrics/record.ts';
import {
  asDetails,
  type Block,
  listOf,
  prose,
  renderMarkdown,
  renderTerminal,
  untrusted,
} from './document.ts';
import { renderHtml, renderSvg } from './html/render-html.ts';
import { contextsOf, type Pictures, sessionSections } from './html/timelines.ts';
import { describeSavings, type PolicyTotal, totalPolicies, unreadList } from './run-notes.ts';
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
import { diagnosisBlocks, diagnosisOf } from './diagnosis.ts';
import { conclude } from './verdict.ts';
import { isArm, parseArm } from '../scenario/arms.ts';
import { verdictBlock } from './verdict-lines.ts';

export type FormatName = keyof typeof formats;

const SUMS = 'Sums over the same sessions; for contexts, the largest.';

const PUBLISHED = [
  'session',
  'family',
  ...RUN_KEYS,
  'metrics',
  'edgeTokens',
  'fit',
  'paybacks',
  'findings',
] as const satisfies readonly (keyof RunRecord)[];

const MOST_INCOMPLETE = 5;

export const formats = {
  table: {
    extension: '.txt',
    describes: 'The key numbers of each run, for a terminal.',
    render: (report, { hasCharts, eventsOf, ...terminal }) =>
      renderTerminal(
        [...runsDocument(report, terminal), ...(hasCharts ? toCharts(report.runs, eventsOf) : [])],
        terminal,
      ),
  },
  json: {
    extension: '.json',
    describes:
      'Everything, for programs: provenance, every metric of every run, unreadable inputs.',
    render: (report) => jsonText(toDocument(report)),
  },
  csv: {
    extension: '.csv',
    describes: 'One row per run with every metric; an empty cell means unknown.',
    render: (report) => [...toCsv(report)].join(''),
  },
  markdown: {
    extension: '.md',
    describes: 'A report to read: policies, sessions, every metric, unreadable inputs, provenance.',
    render: (report, options) => renderMarkdown(runsDocument(report, options)),
  },
  html: {
    needsEvents: true,
    extension: '.html',
    describes: 'One page for a browser: tables, charts, every session step by step.',
    render: (report, options) => renderHtml(pageDocument(report, options)),
  },
  svg: {
    needsEvents: true,
    extension: '.svg',
    describes: 'The first chart of the page as a picture: cost against losses, or one run by step.',
    render: (report, options) => renderSvg(pageDocument(report, options)),
  },
  otel,
} satisfies Record<string, Format>;

function pageDocument(
  report: Report,
  { eventsOf, viewOf, blamed }: RenderOptions,
): readonly Block[] {
  const { runs, provenance } = report;
  const stories = toStories(provenance.estimators.sessions);
  const titled = nameSessions(
    runs.map(({ session }) => session),
    stories,
  );
  const pictures = { eventsOf, viewOf };
  const asked = runs.filter(({ state }) => state !== 'skipped');
  const noTimeline = 'No timeline: its events were not saved (run --events FILE).';
  return [
    ...runsDocument(report, { colors: false, details: true, blamed }, pictures),
    { type: 'lines', lines: [untrusted(describeEvidence(provenance))] },
    ...sessionSections(asked, armsOfPolicies(asked), { titled, noTimeline, ...pictures }),
  ];
}

function runsDocument(
  report: Report,
  { top, details, blamed }: Terminal & Pick<RenderOptions, 'blamed'>,
  pictures?: Pictures,
): readonly Block[] {
  const { runs, unread, provenance } = report;
  const arms = armsOfPolicies(runs);
  const conclusion = conclude(arms);
  const totals = totalPolicies(findComparable(runs, arms));
  const stories = toStories(provenance.estimators.sessions);
  const incomplete = incompleteLines(runs, stories);
  const contexts = pictures && contextsOf(runs, pictures);
  const told = { stories, top, details, ...known({ contexts }) };
  const why = conclusion.baseline === undefined ? incomplete.slice(0, 1) : [];
  return [
    { type: 'heading', level: 1, text: 'Compaction report' },
    ...diagnosisBlocks(diagnosisOf(runs), blamed),
    verdictBlock(conclusion),
    ...(runs.length === 0
      ? [{ type: 'lines' as const, lines: ['No session was run.'] }]
      : [...armBlocks(arms, conclusion), ...sessionBlocks(arms, told)]),
    ...asDetails([
      prose(describeSavings(runs)),
      listOf('Not completed', incomplete),
      { ...unreadList(unread), level: 2 },
      ...totalsBlocks(totals),
      {
        type: 'list',
        title: 'Provenance',
        items: provenanceFacts(provenance).map(({ label, value }) => [
          `${label}: `,
          untrusted(value),
        ]),
        level: 2,
      },
      { type: 'lines', lines: [describeEvidence(provenance)], isWrapped: true, only: 'terminal' },
      { type: 'lines', lines: [describeEvidence(provenance, codeSpan)], only: 'markdown' },
    ]),
    { type: 'lines', lines: why, isWrapped: true, only: 'screen' },
    screenEnd(basisOf(provenance), unread),
  ];
}

/** Of sessions that the baseline completed, without policies that failed in any; else all. */
function findComparable(runs: readonly RunRecord[], arms: readonly Arm[]) {
  const { base, others, keys } = findCompared(arms);
  if (base === undefined || keys.length === 0) return runs;
  const fit = others.filter(({ runs: found }) => found.size === keys.length);
  const [names, own] = [new Set([base, ...fit].map(({ name }) => name)), new Set(keys)];
  return runs.filter((run) => names.has(run.policy) && own.has(keyOfArmRun(run)));
}

function totalsBlocks(totals: readonly PolicyTotal[]): readonly Block[] {
  if (totals.length === 0) return [];
  return [
    { type: 'heading', level: 2, text: 'All metrics' },
    {
      type: 'table',
      lead: SUMS,
      columns: [
        { title: 'Metric' },
        ...totals.map(({ policy }, rank) => ({ title: untrusted(policy), rank })),
      ],
      rows: [
        ['Completed runs', ...totals.map((total) => `${total.completedRuns} of ${total.runs}`)],
        ...METRIC_NAMES.map((name) => {
          const { unit }: Metric = metrics[name];
          return [titleOf(name), ...totals.map((total) => formatValue(total.metrics[name], unit))];
        }),
      ],
    },
  ];
}

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

/** Once for several policies; copies are only counted. */
function incompleteLines(runs: readonly RunRecord[], stories: readonly NamedStory[]) {
  const titled = nameSessions(
    runs.map(({ session }) => session),
    stories,
  );
  const told = runs
    .filter((run) => countsAs(run) !== 'completed' && !isCopy(run))
    .map((run) => {
      const { session, policy, impossible, reason } = run;
      return { policy, session, state: countsAs(run), why: impossible ?? reason };
    });
  const byReason = groupBy(told, ({ session, state, why }) =>
    JSON.stringify([session, state, why]),
  );
  const lines = [...byReason.values()].map((alike) => {
    const [{ session, state, why }] = alike;
    const policies = alike.map(({ policy }) => policy).join(', ');
    const reason = why === undefined ? '' : `, ${why}`;
    return untrusted(`${titled(session)} with ${policies}: ${state}${reason}`);
  });
  const others = lines.length - MOST_INCOMPLETE;
  if (others <= 0) return lines;
  return [...lines.slice(0, MOST_INCOMPLETE), `${formatCount(others)} more: see --format json`];
}

function toDocument({ schemaVersion, provenance, runs, unread }: Report) {
  return {
    schemaVersion,
    verdict: conclude(armsOfPolicies(runs)).verdict,
    provenance,
    runs: runs.map((run) => Object.fromEntries(PUBLISHED.map((key) => [key, run[key]]))),
    unread: unread.map(({ file, reason }) => ({ file, reason })),
  };
}

function toCsv({ runs, unread, provenance }: Report) {
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
