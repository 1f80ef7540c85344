import pico from 'picocolors';
import type { RunState } from '../events.ts';
import { groupBy } from '../lib/collections.ts';
import type { RunRecord } from '../metrics/record.ts';
import { widthOf } from './align-rows.ts';
import { numberColumns } from './columns.ts';
import { describeLeftOut, fitColumns } from './fit-columns.ts';
import { describeLost, describeMisses } from './lost.ts';
import { namePaths } from './path-names.ts';
import { describeEvidence, provenanceFacts } from './provenance-facts.ts';
import type { Format, Provenance, RenderOptions, Report, Terminal } from './report.ts';
import { renderSawtooth } from './sawtooth.ts';
import { joinSections, listSection } from './sections.ts';
import { shownText } from './shown-text.ts';
import { describeFailures } from './summary-failures.ts';
import { alignTable, type Column } from './text-table.ts';
import { type PolicyTotal, totalPolicies } from './totals.ts';
import { describeUnread } from './unread.ts';
import { fitProse, wrapProse } from './wrap-prose.ts';

type Colors = ReturnType<typeof pico.createColors>;

/** Longest session name in the table where it is like no other; the end of a path tells more than its start. */
const SESSION_WIDTH = 32;
/** The same on a terminal without room: a share of it, but as much as tells anything. */
const SESSION_SHARE = 1 / 5;
const LEAST_SESSION_WIDTH = 12;
const TOTAL = 'Total of completed runs';
const SHORT_TOTAL = 'Total';

const COLUMNS: readonly Column[] = [
  { title: 'Session' },
  { title: 'Policy', holds: 'names' },
  ...numberColumns,
  { title: 'State', rank: 0, holds: 'names' },
];

/** The report for a terminal. */
export const table: Format = {
  extension: '.txt',
  describes: 'The key numbers of each run, for a terminal.',
  render: (report, { hasCharts, eventsOf, ...terminal }) => {
    const paint = pico.createColors(terminal.colors);
    const charts = hasCharts ? toCharts(report.runs, eventsOf, { ...terminal, paint }) : [];
    const runs = renderRuns(report.runs, paint, terminal);
    return joinSections([...runs, ...toSections(report, paint, terminal), ...charts]);
  },
};

function toSections(report: Report, paint: Colors, terminal: Terminal): readonly string[] {
  const lists = [
    renderIncomplete(report.runs),
    describeFailures(report.runs, shownText).join('\n'),
    listSection('Unread:', report.unread.map(describeUnread)),
  ];
  const provenance = describeProvenance(report.provenance);
  return [
    ...lists.map((list) => fitProse(list, terminal)),
    describeWhatWasLost(report, terminal),
    paint.dim(wrapProse(provenance, terminal.terminalColumns)),
  ];
}

/** The saw-tooth of each run. */
function toCharts(
  runs: readonly RunRecord[],
  eventsOf: RenderOptions['eventsOf'],
  { paint, ...terminal }: Terminal & { readonly paint: Colors },
): readonly string[] {
  return runs.flatMap((run) => {
    const events = eventsOf?.(run);
    if (events === undefined) return [];
    const title = shownText(`${run.session}, ${run.policy}, ${run.state}`);
    const chart = renderSawtooth(events, terminal).trimEnd();
    return [`${paint.bold(fitProse(title, terminal))}\n${chart}`];
  });
}

function describeWhatWasLost({ runs }: Report, { terminalColumns }: Terminal): string {
  const totals = totalPolicies(runs);
  const sentences = [...describeMisses(totals), ...describeLost(totals)];
  return wrapProse(sentences.join('\n'), terminalColumns);
}

/** The table, and what it has no room for. */
function renderRuns(
  runs: readonly RunRecord[],
  paint: Colors,
  terminal: Terminal,
): readonly string[] {
  if (runs.length === 0) return ['No session was run.'];
  const fitted = fitColumns({ columns: COLUMNS, rows: toRows(runs, paint, terminal) }, terminal);
  const { columns, rows } = fitted.table;
  const heads = columns.map((column) => ({ ...column, title: paint.bold(column.title) }));
  const lines = alignTable({ columns: heads, rows }, terminal).split('\n');
  const note = describeLeftOut(fitted.leftOut, terminal, 'markdown');
  return [withRules(lines, [1, 1 + runs.length]), note];
}

function toRows(
  runs: readonly RunRecord[],
  paint: Colors,
  { terminalColumns = Infinity }: Terminal,
): readonly (readonly string[])[] {
  const width = Math.max(LEAST_SESSION_WIDTH, Math.floor(terminalColumns * SESSION_SHARE));
  const names = namePaths(
    runs.map(({ session }) => session),
    Math.min(SESSION_WIDTH, width),
  );
  const total = width < TOTAL.length ? SHORT_TOTAL : TOTAL;
  return [
    ...runs.map((run) => [names.get(run.session) ?? '', ...runRow(run, paint)]),
    ...totalPolicies(runs).map((sums) =>
      [total, ...totalRow(sums)].map((cell) => paint.bold(cell)),
    ),
  ];
}

function runRow(run: RunRecord, paint: Colors): string[] {
  return [
    shownText(run.policy),
    ...numberColumns.map((column) => column.of(run.metrics)),
    paintState(run.state, paint),
  ];
}

function totalRow({ policy, runs, completedRuns, metrics }: PolicyTotal): readonly string[] {
  const numbers = numberColumns.map((column) => column.of(metrics));
  return [shownText(policy), ...numbers, `${completedRuns} of ${runs}`];
}

function paintState(state: RunState, paint: Colors): string {
  if (state === 'completed') return paint.green(state);
  return state === 'failed' ? paint.red(state) : paint.yellow(state);
}

/** Lines with a rule before some of them, by their places. */
function withRules(lines: readonly string[], before: readonly number[]): string {
  const rule = '─'.repeat(lines.reduce((width, line) => Math.max(width, widthOf(line)), 0));
  return lines
    .flatMap((line, place) => (before.includes(place) ? [rule, line] : [line]))
    .join('\n');
}

/** Why runs did not complete, once where it holds of several policies: a copy is one under each. */
function renderIncomplete(runs: readonly RunRecord[]): string {
  const byReason = groupBy(
    runs.filter(({ state }) => state !== 'completed'),
    ({ session, state, reason }) => JSON.stringify([session, state, reason]),
  );
  return listSection('Not completed:', [...byReason.values()].flatMap(describeIncomplete));
}

function describeIncomplete(alike: readonly RunRecord[]): readonly string[] {
  const policies = alike.map(({ policy }) => policy).join(', ');
  return alike.slice(0, 1).map(({ session, state, reason }) => {
    return `${session} with ${policies}: ${state}${reason === undefined ? '' : `, ${reason}`}`;
  });
}

function describeProvenance(provenance: Provenance): string {
  const facts = provenanceFacts(provenance).map(({ label, value }) => `${label}: ${value}.`);
  return shownText([...facts, describeEvidence(provenance)].join(' '));
}
