import { type CheckFormat, type CheckReport, describeFinding } from './check-report.ts';
import { unreadProblems } from './run-notes.ts';
import { shownLines, shownText } from './markup.ts';

interface Case {
  readonly name: string;
  readonly failures?: readonly string[];
  readonly errors?: readonly string[];
}

interface Annotation {
  readonly message: string;
  readonly file?: string | undefined;
  readonly line?: number;
  readonly column?: number;
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
export const junit: CheckFormat = {
  extension: '.xml',
  describes: 'JUnit XML: a test suite per scenario, a test case per run.',
  render: (report) => {
    const suites = suitesOf(report).map(([suite, cases]) => renderSuite(suite, cases));
    const all = ['<testsuites>', ...suites, '</testsuites>', ''];
    return ['<?xml version="1.0" encoding="UTF-8"?>', ...all].join('\n');
  },
};

/** Source: GitHub's workflow commands. */
export const annotations: CheckFormat = {
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

function renderAnnotation({ message, file, line, column }: Annotation): string {
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
