import pico from 'picocolors';
import { sortKeys } from '../../engine/internal.ts';
import { METRIC_NAMES } from '../metrics/metrics.ts';
import { billedIn, billLines, dearerThan, isOfAdapter } from './check-bill.ts';
import { annotations } from './check-annotations.ts';
import {
  type CheckedRun,
  type CheckedScenario,
  type CheckFormat,
  type CheckReport,
  describeFinding,
  describeFirst,
  describeVerdict,
  type GateFinding,
  gateLines,
  type GateReport,
  headline,
  stateOfCheck,
  verdictOfCheck,
} from './check-report.ts';
import { type Block, renderMarkdown, type Text, type Untrusted, untrusted } from './document.ts';
import { htmlOfCheck } from './html/page-of-check.ts';
import { junit } from './junit.ts';
import { describeUnread, unreadProblems } from './kept.ts';
import { jsonText, shownLines, shownText, toCsvLine } from './markup.ts';
import { countOf, formatCount } from './numbers.ts';
import { describeMakers } from './origin.ts';
import { fitProse } from './prose.ts';
import { describeEnding, type Terminal } from './report.ts';
import type { Column } from './text-table.ts';

type Colors = ReturnType<typeof pico.createColors>;

/** Colors and line breaking of the report. */
interface Pen {
  readonly paint: Colors;
  /** Breaks lines between words where the terminal would break them. */
  readonly prose: (text: string) => string;
}

/** A line for each scenario that passed and each expectation that is not met, for a terminal. */
const table: CheckFormat = {
  extension: '.txt',
  describes: 'One line per scenario; what is not as expected, and where.',
  render: renderTable,
};

/** The whole outcome as one JSON document, for programs: the same outcome is the same bytes. */
const json: CheckFormat = {
  extension: '.json',
  describes: 'The whole outcome as one JSON document, its keys sorted.',
  render: (report) => jsonText(sortKeys({ ...report, verdict: verdictOfCheck(report) })),
};

/** By this a program finds the comment that it wrote before. */
export const COMMENT_MARKER = '<!-- compaction-bench -->';

/** Of one text, so that there is room for one of each kind, also where each of its characters is spelled out. */
const MOST_TEXT_CHARACTERS = 500;
const HALF_CHARACTER = /\p{Cs}$/u;
const COLUMNS: readonly Column[] = [
  { title: 'Scenario' },
  { title: 'Run', holds: 'names' },
  { title: 'Step' },
  { title: 'Rule', holds: 'names' },
  { title: 'Baseline', holds: 'words' },
  { title: 'Now', holds: 'words' },
];

/** A comment that is too long is refused; GitHub takes 65,536 characters. */
const MOST_CHARACTERS = 65_000;

/** Of each kind; fewer where a comment has no room for them. */
const MOST_ITEMS = 50;

/** A comment for a pull request or a step summary. */
const markdown: CheckFormat = {
  extension: '.md',
  describes: 'Markdown for a step summary or a comment, with a marker by which it is found again.',
  render: (report) => fit(report, MOST_ITEMS),
};

const KEYS = ['scenario', 'run', 'policy', 'state', 'reason', 'failures'] as const;

/** One row a run, for spreadsheets and data frames. */
const csv: CheckFormat = {
  extension: '.csv',
  describes: 'One row per run with every metric; an empty cell means unknown.',
  render: ({ scenarios }) =>
    [[...KEYS, ...METRIC_NAMES], ...scenarios.flatMap(toRows)].map(toCsvLine).join(''),
};

/** How the outcome of a check is written down, by name; the default first. */
export const checkFormats = {
  table,
  json,
  junit,
  markdown,
  annotations,
  csv,
  html: htmlOfCheck,
} satisfies Record<string, CheckFormat>;

function renderTable(report: CheckReport, terminal: Terminal): string {
  const paint = pico.createColors(terminal.colors);
  const pen: Pen = { paint, prose: (text) => fitProse(text, terminal) };
  const lines = [
    pen.prose(summarise(report, paint)),
    ...describeFirst(report).map((line) => pen.prose(shownText(line))),
    '',
    ...report.scenarios.flatMap((scenario) => toLines(scenario, pen)),
    ...report.unread.map((unread) =>
      toItem(paint.red('✗'), `not read: ${shownLines(describeUnread(unread))}`, pen),
    ),
    ...toGate(report, pen),
    ...toMakers(report, pen),
  ];
  return `${lines.join('\n')}\n`;
}

function toLines(scenario: CheckedScenario, pen: Pen): readonly string[] {
  const { name, runs, passed } = scenario;
  const { paint, prose } = pen;
  const count = paint.dim(`(${countOf(runs.length, 'run')})`);
  return [
    ...(passed ? [toItem(paint.green('✓'), `${shownText(name)} ${count}`, pen)] : []),
    ...runs.flatMap((run) => toFailures(scenario, run, pen)),
    ...billsOf(scenario).map((line) => `  ${prose(`- ${line}`).slice(2)}`),
    ...runs.flatMap((run) => toChart(run, pen)),
  ];
}

/** A text behind a mark, below which it does not stand. */
function toItem(mark: string, text: string, { prose }: Pen): string {
  return `${mark}${prose(`- ${text}`).slice(1)}`;
}

function billsOf({ runs }: CheckedScenario): readonly string[] {
  return billedIn(runs).flatMap(({ name, bill }) => {
    const [line = '', ...why] = billLines(bill).map(shownText);
    return [runs.length === 1 ? line : `${shownText(name)}: ${line}`, ...why];
  });
}

function toFailures(
  { file, name }: CheckedScenario,
  { name: run, failures }: CheckedRun,
  pen: Pen,
): readonly string[] {
  const { paint } = pen;
  return failures.map(({ line, column, expected, got }) => {
    const place = paint.dim(`at ${shownText(file)}:${line}:${column}`);
    const what = shownText(`${name}: ${run}: expected ${expected}`);
    return toItem(paint.red('✗'), `${what} ${place}, got ${shownText(got)}`, pen);
  });
}

function toChart(run: CheckedRun, { paint, prose }: Pen): readonly string[] {
  const { name, policy, chart } = run;
  if (chart === undefined) return [];
  const title = shownText(`${name}, ${policy}, ${describeEnding(run)}`);
  return ['', paint.bold(prose(title)), chart.trimEnd()];
}

function toGate({ gate }: CheckReport, { paint, prose }: Pen): readonly string[] {
  if (gate === undefined) return [];
  const lines = gateLines(gate).map((line) => paint.red(prose(line)));
  return ['', paint.bold(prose(headline(gate))), ...lines];
}

function summarise(report: CheckReport, paint: Colors): string {
  const counted = describeVerdict(report, ({ text, isGood }) =>
    isGood ? paint.green(text) : paint.red(text),
  );
  return `${counted}.`;
}

function toMakers({ origin }: CheckReport, { paint, prose }: Pen): readonly string[] {
  const makers = describeMakers(origin);
  return makers === '' ? [] : ['', paint.dim(prose(shownText(makers)))];
}

/** With as many items of each kind as a comment has room for: the verdict and the first of each are always told. */
function fit(report: CheckReport, mostItems: number): string {
  const text = renderMarkdown(commentDocument(report, mostItems));
  if (text.length <= MOST_CHARACTERS || mostItems === 1) return text;
  return fit(report, Math.floor(mostItems / 2));
}

function commentDocument(report: CheckReport, mostItems: number): readonly Block[] {
  const { gate, origin, scenarios, unread } = report;
  const makers = describeMakers(origin);
  const state = stateOfCheck(report) === 'good' ? '✅' : '❌';
  return [
    { type: 'lines', lines: [COMMENT_MARKER, `## ${state} Compaction`] },
    { type: 'lines', lines: [`${describeVerdict(report)}.`, ...firstLines(report)] },
    ...sections('Not as expected', scenarios.flatMap(failuresOf), mostItems),
    ...sections('Dearer than need be', scenarios.flatMap(dearOf), mostItems),
    ...sections('Not read', unread.flatMap(unreadProblems), mostItems),
    ...gateSections(gate, mostItems),
    { type: 'lines', lines: makers === '' ? [] : [untrusted(makers)] },
  ];
}

/** Where to look first, its words from outside kept inert. */
function firstLines(report: CheckReport): readonly Text[] {
  const { first } = verdictOfCheck(report);
  return first === undefined ? [] : [['Look first: ', cut(first)]];
}

function sections(title: string, items: readonly string[], mostItems: number): readonly Block[] {
  return [
    { type: 'list', title, items: items.slice(0, mostItems).map(cut) },
    andMore(items.length - mostItems),
  ];
}

/** An untrusted text, cut when very long, but not within a character. */
function cut(text: string): Untrusted {
  const start = text.slice(0, MOST_TEXT_CHARACTERS).replace(HALF_CHARACTER, '');
  return untrusted(text.length > MOST_TEXT_CHARACTERS ? `${start}…` : text);
}

function andMore(others: number): Block {
  const where = 'which the log of the action and reports in JSON have';
  return {
    type: 'lines',
    lines: others <= 0 ? [] : [`And ${formatCount(others)} more, ${where}.`],
  };
}

/** Runs of an adapter that cost more than never compacting, or than another policy. */
function dearOf({ name, runs }: CheckedScenario): readonly string[] {
  return runs
    .filter(isOfAdapter)
    .flatMap(({ name: run, bill }) =>
      bill === undefined || dearerThan(bill) === undefined
        ? []
        : [`${name}: ${run}: ${billLines(bill).join('; ')}`],
    );
}

function failuresOf({ name, runs }: CheckedScenario): readonly string[] {
  return runs.flatMap((run) =>
    run.failures.map(
      ({ expected, got }) => `${name}: ${run.name}: expected ${expected}, got ${got}`,
    ),
  );
}

function gateSections(gate: GateReport | undefined, mostItems: number): readonly Block[] {
  if (gate === undefined) {
    return [{ type: 'lines', lines: ['Nothing was compared with a baseline.'] }];
  }
  const inconclusive = gate.inconclusive.map(({ reason }) => reason);
  const events = gate.findings.filter(isEvents);
  const others = gate.findings.filter((finding) => !isEvents(finding));
  return [
    { type: 'heading', level: 3, text: untrusted(headline(gate)) },
    { type: 'lines', lines: gate.reason === '' ? [] : [['Baseline: ', cut(gate.reason)]] },
    ...sections('Inconclusive', inconclusive, mostItems),
    ...sections('Gates', others.map(describeFinding), mostItems),
    ...eventsTable(events, mostItems),
  ];
}

function isEvents(finding: GateFinding): finding is GateFinding & { readonly kind: 'events' } {
  return finding.kind === 'events';
}

function eventsTable(
  findings: readonly (GateFinding & { readonly kind: 'events' })[],
  mostItems: number,
): readonly Block[] {
  const rows = findings
    .slice(0, mostItems)
    .map(({ scenario, run, step, isUnlogged, rule, baseline, now }) =>
      [scenario, run, `${step ?? (isUnlogged ? 'any' : 'start')}`, rule, baseline, now].map(cut),
    );
  return [{ type: 'table', columns: COLUMNS, rows }, andMore(findings.length - mostItems)];
}

function toRows(scenario: CheckedScenario): readonly (readonly (string | number | null)[])[] {
  return scenario.runs.map((run) => toRow(scenario, run));
}

function toRow({ name }: CheckedScenario, run: CheckedRun): readonly (string | number | null)[] {
  const texts = [name, run.name, run.policy, run.state, run.reason ?? ''];
  return [...texts, run.failures.length, ...METRIC_NAMES.map((metric) => run.metrics[metric])];
}
