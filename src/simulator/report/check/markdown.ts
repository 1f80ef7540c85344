import { codeSpan, markdownRow, markdownRule } from '../code-span.ts';
import { countOf, formatCount } from '../numbers.ts';
import { unreadProblems } from '../unread.ts';
import type { CheckedScenario, CheckFormat, CheckReport } from './check-report.ts';
import type { GateFinding, GateReport } from './gate-report.ts';
import { describeFinding, headline } from './gate-text.ts';

/** By this a program finds the comment that it wrote before. */
export const COMMENT_MARKER = '<!-- compaction-bench -->';

const MOST_ITEMS = 50;
/** A comment that is too long is refused; GitHub takes 65,536 characters. */
const MOST_CHARACTERS = 65_000;
const CUT = 'And more that does not fit in a comment.';
const TITLES = ['Scenario', 'Run', 'Step', 'Rule', 'Baseline', 'Now'];

/** A comment for a pull request or a step summary. */
export const markdown: CheckFormat = {
  extension: '.md',
  describes: 'Markdown for a step summary or a comment, with a marker by which it is found again.',
  render: (report) => `${fit(toLines(report)).join('\n')}\n`,
};

/** As many whole lines as a comment has room for. */
function fit(lines: readonly string[]): readonly string[] {
  let characters = 0;
  const end = lines.findIndex((line) => {
    characters += line.length + 1;
    return characters > MOST_CHARACTERS;
  });
  return end === -1 ? lines : [...lines.slice(0, end), '', CUT];
}

function toLines(report: CheckReport): readonly string[] {
  const { gate, passed, failed, scenarios, unread } = report;
  const counts = `${formatCount(passed)} passed, ${formatCount(failed)} failed, ${formatCount(unread.length)} not read`;
  return [
    COMMENT_MARKER,
    `## ${isGood(report) ? '✅' : '❌'} Compaction`,
    '',
    `${countOf(scenarios.length, 'scenario')}: ${counts}.`,
    ...section('Not as expected', scenarios.flatMap(failuresOf)),
    ...section('Not read', unread.flatMap(unreadProblems)),
    ...gateSection(gate),
  ];
}

function isGood({ gate, failed, unread }: CheckReport): boolean {
  const isGateGood =
    gate === undefined || (gate.findings.length === 0 && gate.inconclusive.length === 0);
  return failed === 0 && unread.length === 0 && isGateGood;
}

function failuresOf({ name, runs }: CheckedScenario): readonly string[] {
  return runs.flatMap((run) =>
    run.failures.map(
      ({ expected, got }) => `${name}: ${run.name}: expected ${expected}, got ${got}`,
    ),
  );
}

function gateSection(gate: GateReport | undefined): readonly string[] {
  if (gate === undefined) return [];
  const events = gate.findings.filter(isEvents);
  const others = gate.findings.filter((finding) => !isEvents(finding));
  return [
    '',
    `### ${codeSpan(headline(gate))}`,
    ...(gate.reason === '' ? [] : ['', `Baseline: ${codeSpan(gate.reason)}`]),
    ...section(
      'Inconclusive',
      gate.inconclusive.map(({ reason }) => reason),
    ),
    ...section('Gates', others.map(describeFinding)),
    ...eventsTable(events),
  ];
}

function isEvents(finding: GateFinding): finding is GateFinding & { readonly kind: 'events' } {
  return finding.kind === 'events';
}

function eventsTable(
  findings: readonly (GateFinding & { readonly kind: 'events' })[],
): readonly string[] {
  if (findings.length === 0) return [];
  const rows = findings
    .slice(0, MOST_ITEMS)
    .map(({ scenario, run, step, isUnlogged, rule, baseline, now }) =>
      [scenario, run, `${step ?? (isUnlogged ? 'any' : 'start')}`, rule, baseline, now].map(
        codeSpan,
      ),
    );
  return [
    '',
    markdownRow(TITLES),
    markdownRule(TITLES.map((title) => title === 'Step')),
    ...rows.map(markdownRow),
    ...andMore(findings.length),
  ];
}

function section(title: string, items: readonly string[]): readonly string[] {
  if (items.length === 0) return [];
  const shown = items.slice(0, MOST_ITEMS).map((item) => `- ${codeSpan(item)}`);
  return ['', `### ${title}`, '', ...shown, ...andMore(items.length)];
}

function andMore(count: number): readonly string[] {
  return count > MOST_ITEMS ? ['', `And ${formatCount(count - MOST_ITEMS)} more.`] : [];
}
