import { codeSpan, markdownTable } from '../code-span.ts';
import { formatCount } from '../numbers.ts';
import { describeMakers } from '../origin.ts';
import { joinMarkdown, markdownList } from '../sections.ts';
import { unreadProblems } from '../unread.ts';
import type { CheckedScenario, CheckFormat, CheckReport } from './check-report.ts';
import type { GateFinding, GateReport } from './gate-report.ts';
import { describeFinding, headline } from './gate-text.ts';
import { describeVerdict, stateOfCheck } from './verdict.ts';

/** By this a program finds the comment that it wrote before. */
export const COMMENT_MARKER = '<!-- compaction-bench -->';

/** Of each kind; fewer where a comment has no room for them. */
const MOST_ITEMS = 50;
/** A comment that is too long is refused; GitHub takes 65,536 characters. */
const MOST_CHARACTERS = 65_000;
/** Of one text, so that there is room for one of each kind, also where each of its characters is spelled out. */
const MOST_TEXT_CHARACTERS = 500;
const HALF_CHARACTER = /\p{Cs}$/u;
const TITLES = ['Scenario', 'Run', 'Step', 'Rule', 'Baseline', 'Now'];

/** A comment for a pull request or a step summary. */
export const markdown: CheckFormat = {
  extension: '.md',
  describes: 'Markdown for a step summary or a comment, with a marker by which it is found again.',
  render: (report) => fit(report, MOST_ITEMS),
};

/** With as many items of each kind as a comment has room for: the verdict and the first of each are always told. */
function fit(report: CheckReport, mostItems: number): string {
  const text = joinMarkdown(toSections(report, mostItems));
  if (text.length <= MOST_CHARACTERS || mostItems === 1) return text;
  return fit(report, Math.floor(mostItems / 2));
}

function toSections(report: CheckReport, mostItems: number): readonly (readonly string[])[] {
  const { gate, origin, scenarios, unread } = report;
  const makers = describeMakers(origin);
  return [
    [COMMENT_MARKER, `## ${stateOfCheck(report) === 'good' ? '✅' : '❌'} Compaction`],
    [`${describeVerdict(report)}.`],
    ...sections('Not as expected', scenarios.flatMap(failuresOf), mostItems),
    ...sections('Not read', unread.flatMap(unreadProblems), mostItems),
    ...gateSections(gate, mostItems),
    makers === '' ? [] : [codeSpan(makers)],
  ];
}

function failuresOf({ name, runs }: CheckedScenario): readonly string[] {
  return runs.flatMap((run) =>
    run.failures.map(
      ({ expected, got }) => `${name}: ${run.name}: expected ${expected}, got ${got}`,
    ),
  );
}

function gateSections(
  gate: GateReport | undefined,
  mostItems: number,
): readonly (readonly string[])[] {
  if (gate === undefined) return [['Nothing was compared with a baseline.']];
  const inconclusive = gate.inconclusive.map(({ reason }) => reason);
  const events = gate.findings.filter(isEvents);
  const others = gate.findings.filter((finding) => !isEvents(finding));
  return [
    [`### ${codeSpan(headline(gate))}`],
    gate.reason === '' ? [] : [`Baseline: ${span(gate.reason)}`],
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
): readonly (readonly string[])[] {
  if (findings.length === 0) return [];
  const rows = findings
    .slice(0, mostItems)
    .map(({ scenario, run, step, isUnlogged, rule, baseline, now }) =>
      [scenario, run, `${step ?? (isUnlogged ? 'any' : 'start')}`, rule, baseline, now].map(span),
    );
  const isNumber = TITLES.map((title) => title === 'Step');
  return [markdownTable(TITLES, rows, isNumber), andMore(findings.length - mostItems)];
}

function sections(
  title: string,
  items: readonly string[],
  mostItems: number,
): readonly (readonly string[])[] {
  const shown = items.slice(0, mostItems).map(span);
  return [markdownList(title, shown), andMore(items.length - mostItems)];
}

function andMore(others: number): readonly string[] {
  if (others <= 0) return [];
  return [`And ${formatCount(others)} more, which the log of the action and reports in JSON have.`];
}

/** A text as code, cut when very long, but not within a character. */
function span(text: string): string {
  const cut = text.slice(0, MOST_TEXT_CHARACTERS).replace(HALF_CHARACTER, '');
  return codeSpan(text.length > MOST_TEXT_CHARACTERS ? `${cut}…` : text);
}
