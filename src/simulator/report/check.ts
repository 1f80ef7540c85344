import { sortKeys } from '../../engine/internal.ts';
import { METRIC_NAMES } from '../metrics/metrics.ts';
import { ADAPTER_NAME } from '../replay/foreign/compactor.ts';
import {
  billedIn,
  billLine,
  type CheckedScenario,
  type CheckFormat,
  type CheckReport,
  dearerThan,
  describeFinding,
  type EventsFinding,
  failuresOf,
  type GateFinding,
  momentOf,
  outcomeLines,
  problemsOf,
  stateOfCheck,
  verdictOfCheck,
} from './check-report.ts';
import { type Diagnosis, diagnosisBlocks, diagnosisOf } from './diagnosis.ts';
import {
  type Block,
  linesOf,
  listOf,
  renderMarkdown,
  renderTerminal,
  type Text,
  type Untrusted,
  untrusted,
} from './document.ts';
import { renderHtml } from './html/render-html.ts';
import { cutLeft, jsonText, shownLines, shownText, toCsvLine } from './markup.ts';
import { countOf, formatCount } from './numbers.ts';
import { basisBlocks, describeMakers, unreadProblems } from './origin.ts';
import { type Column, cutEnd } from './layout.ts';
import { describeEnding } from './report.ts';

interface Case {
  readonly name: string;
  readonly failures?: readonly string[];
  readonly errors?: readonly string[];
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** GitHub shows the first ones of a step; the others stand in the log alone, without a word. */
const MOST_ANNOTATIONS = 10;
const PLACE = /^:(\d+):(\d+): /;

/** One `testsuite` a scenario. Source: Jenkins' `junit-10.xsd`. */
const junit: CheckFormat = {
  extension: '.xml',
  describes: 'JUnit XML: a test suite per scenario, a test case per run.',
  render: (report) => {
    const suites = suitesOf(report).map(([suite, cases]) => renderSuite(suite, cases));
    const all = ['<testsuites>', ...suites, '</testsuites>', ''];
    return ['<?xml version="1.0" encoding="UTF-8"?>', ...all].join('\n');
  },
};

/** Source: GitHub's workflow commands. */
const annotations: CheckFormat = {
  extension: '.log',
  describes: 'GitHub workflow commands: an error at each unmet expectation.',
  render: (report) => {
    const kinds = annotationsOf(report);
    // The first of each kind before the others, so that none is hidden by another.
    const all = [
      ...kinds.flatMap((kind) => kind.slice(0, 1)),
      ...kinds.flatMap((kind) => kind.slice(1)),
    ];
    const shown = all.length > MOST_ANNOTATIONS ? all.slice(0, MOST_ANNOTATIONS - 1) : all;
    const others = all.slice(shown.length);
    const last = others.length === 0 ? [] : [{ message: `${others.length} more in the log` }];
    return [...shown, ...last, ...others].map((one) => `${renderAnnotation(one)}\n`).join('');
  },
};

/** By this a program finds the comment that it wrote before. */
export const COMMENT_MARKER = '<!-- compaction-bench -->';

const FEW_SCENARIOS = 3;
/** Lines of a screen for problems, and columns of one in two of them. */
const SCREEN_LINES = 12;
const MOST_COLUMNS = 190;
const MOST_PATH = 60;

/** A comment that is too long is refused; GitHub takes 65,536 characters. */
const MOST_CHARACTERS = 65_000;
const MOST_TEXT_CHARACTERS = 500;
const HALF_CHARACTER = /\p{Cs}$/u;
const MOST_ITEMS = 50;

const COLUMNS: readonly Column[] = [
  { title: 'Scenario' },
  { title: 'Run', holds: 'names' },
  { title: 'Step' },
  { title: 'Rule', holds: 'names' },
  { title: 'Baseline', holds: 'words' },
  { title: 'Now', holds: 'words' },
];

const KEYS = ['scenario', 'run', 'policy', 'state', 'reason', 'failures'] as const;

/** How the outcome of a check is written down, by name; the default first. */
export const checkFormats = {
  table: {
    extension: '.txt',
    describes: 'What is not as expected, and where; with --details each scenario.',
    render: (report, terminal) => renderTerminal(checkDocument(report), terminal),
  },
  json: {
    extension: '.json',
    describes: 'The whole outcome as one JSON document, its keys sorted.',
    render: (report) => jsonText(sortKeys({ ...report, verdict: verdictOfCheck(report) })),
  },
  junit,
  markdown: {
    extension: '.md',
    describes:
      'Markdown for a step summary or a comment, with a marker by which it is found again.',
    render: (report) => fitComment(report, MOST_ITEMS),
  },
  annotations,
  csv: {
    extension: '.csv',
    describes: 'One row per run with every metric; an empty cell means unknown.',
    render: ({ scenarios }) =>
      [[...KEYS, ...METRIC_NAMES], ...scenarios.flatMap(toRows)].map(toCsvLine).join(''),
  },
  html: {
    extension: '.html',
    describes: 'One page for a browser: what differs and where, every scenario.',
    render: (report) => renderHtml(checkDocument(report)),
  },
} satisfies Record<string, CheckFormat>;

function checkDocument(report: CheckReport): readonly Block[] {
  const { gate, origin, scenarios } = report;
  const problems = problemsOf(report);
  const isBad = problems.length > 0;
  const isDetail = isBad || scenarios.length > FEW_SCENARIOS;
  const findings = gate?.findings ?? [];
  return [
    { type: 'heading', level: 1, text: isBad ? 'Check failed' : 'Check passed' },
    ...diagnosisBlocks(diagnosisIn(scenarios)).map((block) =>
      isDetail ? { ...block, isDetail } : block,
    ),
    linesOf(outcomeLines(report)),
    linesOf(problems.map(cutLine), { color: 'red', most: SCREEN_LINES, only: 'screen' }),
    linesOf(problems, { color: 'red', isDetail: true }),
    linesOf(scenarios.flatMap(scenarioLines), { isDetail, only: 'terminal' }),
    ...findings.flatMap((one) => (one.kind === 'events' ? [diffBlock(one)] : [])),
    { ...runTable(report), only: 'page' },
    ...scenarios.flatMap(chartBlocks),
    linesOf(findings.flatMap(contextLines), { isDetail: true, only: 'terminal' }),
    linesOf(gate?.reason ? [['Baseline: ', untrusted(gate.reason)]] : [], { only: 'page' }),
    ...basisBlocks(origin, [describeMakers(origin)]),
  ];
}

function diagnosisIn(scenarios: CheckReport['scenarios']): Diagnosis {
  const runs = scenarios.flatMap(({ name, runs: own }) =>
    own.map((run) => ({ ...run, session: name, policy: run.name })),
  );
  return diagnosisOf(runs);
}

function diffBlock({ scenario, run, rule, before, baseline, now, ...at }: EventsFinding): Block {
  const log = [...before.map((line) => `  ${line}`), `- ${baseline}`, `+ ${now}`];
  return {
    type: 'snippet',
    where: `${scenario}, ${run}: ${momentOf(at)}; rule: ${rule}`,
    code: log.join('\n'),
    only: 'page',
  };
}

function runTable({ scenarios, gate }: CheckReport): Block {
  const runs = scenarios.flatMap(({ name, runs: own }) =>
    own.map((run) => {
      const isLike = gate?.findings.some((one) => one.scenario === name && one.run === run.name);
      const state = run.failures.length > 0 ? 'failed' : isLike ? 'differs' : 'passed';
      return { name, run, state };
    }),
  );
  const hasBills = runs.some(({ run }) => run.bill !== undefined);
  return {
    type: 'table',
    lead: `${countOf(runs.length, 'run')} of ${countOf(scenarios.length, 'scenario')}`,
    columns: [
      { title: 'Scenario' },
      { title: 'Run', holds: 'words' },
      { title: 'State', holds: 'words' },
      { title: 'Ended', holds: 'words' },
      ...['Steps', 'Peak context', 'Compactions', 'Prunes'].map((title) => ({ title })),
      ...(hasBills ? [{ title: 'Bill', holds: 'words' as const }] : []),
    ],
    rows: runs.map(({ name, run, state }) => {
      const { steps, peakContextTokens, compactions, prunes } = run.metrics;
      return [
        untrusted(name),
        untrusted(run.name),
        state,
        untrusted(describeEnding(run)),
        ...[steps, peakContextTokens, compactions, prunes].map(formatCount),
        ...(hasBills ? [run.bill === undefined ? '–' : billLine(run.bill)] : []),
      ];
    }),
    isBad: runs.map(({ state }) => state !== 'passed'),
  };
}

function cutLine(line: string): string {
  const words = shownText(line).split(' ');
  return cutEnd(words.map((word) => cutLeft(word, MOST_PATH)).join(' '), MOST_COLUMNS);
}

function scenarioLines({ name, runs, passed }: CheckedScenario): readonly string[] {
  const bills = billedIn(runs).map(({ name: run, bill }) =>
    runs.length === 1 ? billLine(bill) : `${run}: ${billLine(bill)}`,
  );
  const title = `${passed ? '✓' : '✗'} ${name} (${countOf(runs.length, 'run')})`;
  return [title, ...bills.map((bill) => `  ${bill}`)];
}

function chartBlocks({ runs }: CheckedScenario): readonly Block[] {
  return runs.flatMap((run): readonly Block[] => {
    const { name, policy, chart } = run;
    if (chart === undefined) return [];
    const title = linesOf([`${name}, ${policy}, ${describeEnding(run)}`]);
    return [title, { type: 'chart', draw: () => chart.trimEnd() }];
  });
}

function contextLines(finding: GateFinding): readonly string[] {
  if (finding.kind === 'gate') return [];
  const before = finding.before.map((line) => `      ${shownText(line)}`);
  const [was, now] = [finding.baseline, finding.now].map(shownText);
  return [describeFinding(finding), ...before, `    - ${was}`, `    + ${now}`];
}

function fitComment(report: CheckReport, mostItems: number): string {
  const text = renderMarkdown(commentDocument(report, mostItems));
  if (text.length <= MOST_CHARACTERS || mostItems === 1) return text;
  return fitComment(report, Math.floor(mostItems / 2));
}

function commentDocument(report: CheckReport, mostItems: number): readonly Block[] {
  const { gate, origin, scenarios, unread } = report;
  const makers = describeMakers(origin);
  const { first } = verdictOfCheck(report);
  const look = first === undefined ? [] : [['Look first: ', cut(first)]];
  const sections = (title: string, items: readonly string[]): readonly Block[] => [
    listOf(title, items.slice(0, mostItems).map(cut)),
    andMore(items.length - mostItems),
  ];
  const failures = scenarios.flatMap((scenario) => failuresOf(scenario));
  const findings = gate?.findings ?? [];
  const events = findings.filter((finding) => finding.kind === 'events');
  const others = findings.filter((finding) => finding.kind !== 'events');
  const reasons = gate?.inconclusive.map(({ reason }) => reason) ?? [];
  const against: readonly Block[] | undefined = gate && [
    { type: 'heading', level: 3, text: ['Against ', untrusted(gate.baseline)] },
    linesOf(gate.reason === '' ? [] : [['Baseline: ', cut(gate.reason)]]),
    ...sections('Inconclusive', reasons),
    ...sections('Gates', others.map(describeFinding)),
    { type: 'table', columns: COLUMNS, rows: events.slice(0, mostItems).map(toEventRow) },
    andMore(events.length - mostItems),
  ];
  return [
    linesOf([COMMENT_MARKER, `## ${stateOfCheck(report) === 'good' ? '✅' : '❌'} Compaction`]),
    linesOf([...outcomeLines(report), ...look]),
    ...sections('Not as expected', failures),
    ...sections('Dearer than need be', scenarios.flatMap(dearOf)),
    ...sections('Not read', unread.flatMap(unreadProblems)),
    ...(against ?? [linesOf(['Nothing was compared with a baseline.'])]),
    linesOf(makers === '' ? [] : [untrusted(makers)]),
  ];
}

function cut(text: string): Untrusted {
  const start = text.slice(0, MOST_TEXT_CHARACTERS).replace(HALF_CHARACTER, '');
  return untrusted(text.length > MOST_TEXT_CHARACTERS ? `${start}…` : text);
}

function andMore(others: number): Block {
  const more = `And ${formatCount(others)} more, which the log of the action and reports in JSON have.`;
  return linesOf(others > 0 ? [more] : []);
}

function dearOf({ name, runs }: CheckedScenario): readonly string[] {
  return runs.flatMap(({ name: run, policy, bill }) =>
    policy !== ADAPTER_NAME || bill === undefined || dearerThan(bill) === undefined
      ? []
      : [`${name}: ${run}: ${billLine(bill)}`],
  );
}

function toEventRow(finding: EventsFinding): readonly Text[] {
  const { scenario, run, step, isUnlogged, rule, baseline, now } = finding;
  const at = `${step ?? (isUnlogged ? 'any' : 'start')}`;
  return [scenario, run, at, rule, baseline, now].map(cut);
}

function toRows({ name, runs }: CheckedScenario) {
  return runs.map((run) => {
    const texts = [name, run.name, run.policy, run.state, run.reason ?? ''];
    return [...texts, run.failures.length, ...METRIC_NAMES.map((metric) => run.metrics[metric])];
  });
}

function suitesOf({ scenarios, unread, gate }: CheckReport) {
  const found = (run?: string, scenario?: string) =>
    (gate?.findings ?? [])
      .filter((one) => one.run === run && (run === undefined || one.scenario === scenario))
      .map(describeFinding);
  const ofScenarios = scenarios.map(({ file, name: suite, runs }) => {
    const cases = runs.map(({ name, failures }) => {
      const unmet = failures.map(
        ({ line, column, expected, got }) =>
          `${file}:${line}:${column}: expected ${expected}, got ${got}`,
      );
      return { name, failures: [...unmet, ...found(name, suite)] };
    });
    return [suite, cases] as const;
  });
  const notRead = unread.map((one) => ({ name: one.file, errors: unreadProblems(one) }));
  const against = gate && [
    { name: 'all runs', failures: found() },
    ...gate.inconclusive.map(({ reason }, index) => ({
      name: `inconclusive ${index + 1}`,
      errors: [reason],
    })),
  ];
  return [
    ...ofScenarios,
    ...(notRead.length === 0 ? [] : [['not read', notRead] as const]),
    ...(against === undefined ? [] : [['baseline', against] as const]),
  ];
}

function renderSuite(suite: string, cases: readonly Case[]): string {
  const failed = cases.filter(({ failures = [] }) => failures.length > 0).length;
  const errors = cases.filter((one) => one.errors !== undefined).length;
  const counts = `tests="${cases.length}" failures="${failed}" errors="${errors}"`;
  return [
    `  <testsuite name="${attribute(suite)}" ${counts}>`,
    ...cases.map((one) => renderCase(one, suite)),
    '  </testsuite>',
  ].join('\n');
}

function renderCase({ name, failures = [], errors = [] }: Case, suite: string): string {
  const open = `    <testcase name="${attribute(name)}" classname="${attribute(suite)}"`;
  const [tag, problems] = failures.length > 0 ? ['failure', failures] : ['error', errors];
  const [first] = problems;
  if (first === undefined) return `${open}/>`;
  const body = xml(problems.join('\n'));
  return `${open}><${tag} message="${attribute(first)}">${body}</${tag}></testcase>`;
}

/** Several lines stay lines; whatever XML does not allow is spelled out before. */
function xml(text: string): string {
  return shownLines(text).replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}

function attribute(text: string): string {
  return xml(shownText(text));
}

/** By kind; what weighs most in the exit code leads. */
function annotationsOf({ scenarios, unread, gate }: CheckReport) {
  const failures = scenarios.flatMap(({ file, name, runs }) =>
    runs.flatMap((run) =>
      run.failures.map(({ expected, got, ...place }) => {
        const message = `${name}: ${run.name}: expected ${expected}, got ${got}`;
        return { ...place, file, message };
      }),
    ),
  );
  const notRead = unread.flatMap((one) =>
    unreadProblems(one).map((problem) => {
      const { file } = one;
      const behind = problem.startsWith(file) ? problem.slice(file.length) : '';
      const [place, line, column] = PLACE.exec(behind) ?? [];
      if (place === undefined) return { message: problem, file };
      const message = behind.slice(place.length);
      return { message, file, line: Number(line), column: Number(column) };
    }),
  );
  const findings = (gate?.findings ?? []).map((finding) => {
    const { file, runs } = scenarios.find(({ name }) => name === finding.scenario) ?? {};
    const at = runs?.find(({ name }) => name === finding.run)?.at;
    return { message: describeFinding(finding), file, ...at };
  });
  const reasons = gate?.inconclusive.map(({ reason }) => ({ message: reason })) ?? [];
  return [reasons, failures, notRead, findings];
}

function renderAnnotation(of: {
  message: string;
  file?: string | undefined;
  line?: number;
  column?: number;
}) {
  const { message, file, line, column } = of;
  const property = (text: string) => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
  const places = [
    file !== undefined && `file=${property(file)}`,
    line !== undefined && `line=${line}`,
    column !== undefined && `col=${column}`,
    'title=compaction-bench',
  ].filter(Boolean);
  return `::error ${places.join(',')}::${data(message)}`;
}

/** One line, in which nothing is obeyed but what this program writes. */
function data(text: string): string {
  return shownText(text).replaceAll('%', '%25');
}
