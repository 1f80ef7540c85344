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
  failuresOf,
  findingLines,
  type GateFinding,
  type GateReport,
  outcomeLines,
  problemsOf,
  stateOfCheck,
  verdictOfCheck,
} from './check-report.ts';
import {
  type Block,
  renderMarkdown,
  renderTerminal,
  type Text,
  type Untrusted,
  untrusted,
} from './document.ts';
import { htmlOfCheck } from './html/page-of-check.ts';
import { junit } from './junit.ts';
import { unreadProblems } from './kept.ts';
import { cutLeft, jsonText, shownText, toCsvLine } from './markup.ts';
import { countOf, formatCount } from './numbers.ts';
import { basisBlocks, describeMakers } from './origin.ts';
import { cutEnd } from './prose.ts';
import { describeEnding } from './report.ts';
import type { Column } from './text-table.ts';

/** Unmet expectations and the scenarios, for a terminal. */
const table: CheckFormat = {
  extension: '.txt',
  describes: 'What is not as expected, and where; with --details each scenario.',
  render: (report, terminal) => renderTerminal(screenDocument(report), terminal),
};

/** The whole outcome as one JSON document, for programs: the same outcome is the same bytes. */
const json: CheckFormat = {
  extension: '.json',
  describes: 'The whole outcome as one JSON document, its keys sorted.',
  render: (report) => jsonText(sortKeys({ ...report, verdict: verdictOfCheck(report) })),
};

/** By this a program finds the comment that it wrote before. */
export const COMMENT_MARKER = '<!-- compaction-bench -->';

/** Scenarios that a screen has room for. */
const FEW_SCENARIOS = 3;
/** Lines of a screen for what is not as it should be, and columns of one problem in two of them. */
const SCREEN_LINES = 12;
const MOST_COLUMNS = 190;
const MOST_PATH = 60;

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

function screenDocument(report: CheckReport): readonly Block[] {
  const { gate, origin, scenarios } = report;
  const problems = problemsOf(report);
  const isBad = problems.length > 0;
  return [
    { type: 'lines', lines: outcomeLines(report) },
    {
      type: 'lines',
      lines: problems.map(cutLine),
      color: 'red',
      most: SCREEN_LINES,
      only: 'screen',
    },
    { type: 'lines', lines: problems, color: 'red', isDetail: true },
    {
      type: 'lines',
      lines: scenarios.flatMap(scenarioLines),
      isDetail: isBad || scenarios.length > FEW_SCENARIOS,
    },
    ...scenarios.flatMap(({ runs }) => runs.flatMap(chartBlocks)),
    {
      type: 'lines',
      lines: gate?.findings.flatMap(contextLines) ?? [],
      isDetail: true,
    },
    ...basisBlocks(origin, [describeMakers(origin)]),
  ];
}

/** A problem in at most two lines of a screen, long paths cut from the left. */
function cutLine(line: string): string {
  const words = shownText(line).split(' ');
  return cutEnd(words.map((word) => cutLeft(word, MOST_PATH)).join(' '), MOST_COLUMNS);
}

function scenarioLines({ name, runs, passed }: CheckedScenario): readonly string[] {
  const bills = billedIn(runs).flatMap(({ name: run, bill }) => {
    const [line = '', ...why] = billLines(bill);
    return [runs.length === 1 ? line : `${run}: ${line}`, ...why];
  });
  const title = `${passed ? '✓' : '✗'} ${name} (${countOf(runs.length, 'run')})`;
  return [title, ...bills.map((bill) => `  ${bill}`)];
}

function chartBlocks(run: CheckedRun): readonly Block[] {
  const { name, policy, chart } = run;
  if (chart === undefined) return [];
  return [
    { type: 'lines', lines: [`${name}, ${policy}, ${describeEnding(run)}`] },
    { type: 'chart', draw: () => chart.trimEnd() },
  ];
}

/** The log around an event that differs. */
function contextLines(finding: GateFinding): readonly string[] {
  const [first = '', ...context] = findingLines(finding);
  return context.length === 0 ? [] : [first, ...context.map((line) => `    ${line}`)];
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
    { type: 'lines', lines: [...outcomeLines(report), ...firstLines(report)] },
    ...sections(
      'Not as expected',
      scenarios.flatMap((scenario) => failuresOf(scenario)),
      mostItems,
    ),
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

function gateSections(gate: GateReport | undefined, mostItems: number): readonly Block[] {
  if (gate === undefined) {
    return [{ type: 'lines', lines: ['Nothing was compared with a baseline.'] }];
  }
  const inconclusive = gate.inconclusive.map(({ reason }) => reason);
  const events = gate.findings.filter(isEvents);
  const others = gate.findings.filter((finding) => !isEvents(finding));
  return [
    { type: 'heading', level: 3, text: ['Against ', untrusted(gate.baseline)] },
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
