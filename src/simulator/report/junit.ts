import {
  type CheckedRun,
  type CheckedScenario,
  type CheckFormat,
  type CheckReport,
  describeFinding,
  type GateReport,
} from './check-report.ts';
import { unreadProblems } from './kept.ts';
import { shownLines, shownText } from './markup.ts';

/** A test case, and why it failed. */
interface Case {
  readonly name: string;
  readonly suite: string;
  readonly failures: readonly string[];
  /** Why it could not be run. */
  readonly errors?: readonly string[];
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** One `testsuite` a scenario, as CI services read it. Source: Jenkins' `junit-10.xsd`. */
export const junit: CheckFormat = {
  extension: '.xml',
  describes: 'JUnit XML: a test suite per scenario, a test case per run.',
  render: renderJunit,
};

function renderJunit(report: CheckReport): string {
  const suites = [
    ...report.scenarios.map((scenario) => suiteOf(scenario.name, casesOf(scenario, report.gate))),
    ...(report.unread.length === 0 ? [] : [suiteOf('not read', unreadCases(report))]),
    ...gateSuites(report.gate),
  ];
  return ['<?xml version="1.0" encoding="UTF-8"?>', '<testsuites>', ...suites, '</testsuites>', '']
    .flat()
    .join('\n');
}

function casesOf(scenario: CheckedScenario, gate: GateReport | undefined): readonly Case[] {
  return scenario.runs.map((run) => ({
    name: run.name,
    suite: scenario.name,
    failures: [
      ...expectationFailures(scenario, run),
      ...(gate?.findings ?? [])
        .filter((finding) => finding.scenario === scenario.name && finding.run === run.name)
        .map(describeFinding),
    ],
  }));
}

function expectationFailures({ file }: CheckedScenario, run: CheckedRun): readonly string[] {
  return run.failures.map(
    ({ line, column, expected, got }) =>
      `${file}:${line}:${column}: expected ${expected}, got ${got}`,
  );
}

function unreadCases({ unread }: CheckReport): readonly Case[] {
  return unread.map((one) => ({
    name: one.file,
    suite: 'not read',
    failures: [],
    errors: unreadProblems(one),
  }));
}

/** Suites for findings that concern no single run. */
function gateSuites(gate: GateReport | undefined): readonly string[] {
  if (gate === undefined) return [];
  const failures = gate.findings.filter(({ run }) => run === undefined).map(describeFinding);
  const errors = gate.inconclusive.map(({ reason }, index) => ({
    name: `inconclusive ${index + 1}`,
    suite: 'baseline',
    failures: [],
    errors: [reason],
  }));
  return [suiteOf('baseline', [{ name: 'all runs', suite: 'baseline', failures }, ...errors])];
}

function suiteOf(name: string, cases: readonly Case[]): string {
  const failed = cases.filter(({ failures }) => failures.length > 0).length;
  const errors = cases.filter((one) => one.errors !== undefined).length;
  const head = `name="${attribute(name)}" tests="${cases.length}" failures="${failed}" errors="${errors}"`;
  return [`  <testsuite ${head}>`, ...cases.map(renderCase), '  </testsuite>'].join('\n');
}

function renderCase({ name, suite, failures, errors = [] }: Case): string {
  const open = `    <testcase name="${attribute(name)}" classname="${attribute(suite)}"`;
  if (failures.length > 0) return `${open}>${renderProblems('failure', failures)}</testcase>`;
  return errors.length > 0 ? `${open}>${renderProblems('error', errors)}</testcase>` : `${open}/>`;
}

function renderProblems(tag: 'failure' | 'error', problems: readonly string[]): string {
  return `<${tag} message="${attribute(problems[0] ?? '')}">${xml(problems.join('\n'))}</${tag}>`;
}

/** Several lines stay lines; whatever XML does not allow is spelled out before. */
function xml(text: string): string {
  return shownLines(text).replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}

function attribute(text: string): string {
  return xml(shownText(text));
}
