import {
  type CheckedScenario,
  type CheckFormat,
  type CheckReport,
  describeFinding,
} from './check-report.ts';
import { unreadProblems } from './kept.ts';
import { shownText } from './markup.ts';
import type { UnreadInput } from './report.ts';

/** The message of an annotation, and its place. */
interface Annotation {
  readonly message: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
}

/** GitHub shows this many of a step, the first ones; the others stand in the log alone, without a word. */
const MOST_ANNOTATIONS = 10;

/** How the place of a problem stands behind the name of its file. */
const PLACE = /^:(\d+):(\d+): /;

/** Commands in a log by which GitHub marks lines of files. Source: GitHub's workflow commands. */
export const annotations: CheckFormat = {
  extension: '.log',
  describes: 'GitHub workflow commands: an error at each unmet expectation.',
  render: renderAnnotations,
};

/** The first of each kind before the others, so that none is hidden by another; what weighs most in the exit code leads. */
function renderAnnotations(report: CheckReport): string {
  const kinds = [
    ofInconclusive(report),
    report.scenarios.flatMap(ofScenario),
    report.unread.flatMap(ofUnread),
    ofFindings(report),
  ];
  const all = [
    ...kinds.flatMap((kind) => kind.slice(0, 1)),
    ...kinds.flatMap((kind) => kind.slice(1)),
  ];
  const shown = all.length > MOST_ANNOTATIONS ? all.slice(0, MOST_ANNOTATIONS - 1) : all;
  const others = all.slice(shown.length);
  const last = others.length === 0 ? [] : [{ message: `${others.length} more in the log` }];
  return [...shown, ...last, ...others].map((one) => `${render(one)}\n`).join('');
}

function ofScenario({ file, name, runs }: CheckedScenario): readonly Annotation[] {
  return runs.flatMap((run) =>
    run.failures.map(({ line, column, expected, got }) => ({
      message: `${name}: ${run.name}: expected ${expected}, got ${got}`,
      file,
      line,
      column,
    })),
  );
}

function ofUnread(unread: UnreadInput): readonly Annotation[] {
  const { file } = unread;
  return unreadProblems(unread).map((problem) => {
    const behind = problem.startsWith(file) ? problem.slice(file.length) : '';
    const [place, line, column] = PLACE.exec(behind) ?? [];
    if (place === undefined) return { message: problem, file };
    const message = behind.slice(place.length);
    return { message, file, line: Number(line), column: Number(column) };
  });
}

function ofInconclusive({ gate }: CheckReport): readonly Annotation[] {
  return (gate?.inconclusive ?? []).map(({ reason }) => ({ message: reason }));
}

function ofFindings({ gate, scenarios }: CheckReport): readonly Annotation[] {
  const byName = new Map(scenarios.map((scenario) => [scenario.name, scenario]));
  return (gate?.findings ?? []).map((finding) => {
    const scenario = finding.scenario === undefined ? undefined : byName.get(finding.scenario);
    return { message: describeFinding(finding), ...placeOf(scenario, finding.run) };
  });
}

/** Where a run stands; without a line in reports of releases that did not tell. */
function placeOf(
  scenario: CheckedScenario | undefined,
  run: string | undefined,
): Pick<Annotation, 'file' | 'line' | 'column'> {
  if (scenario === undefined) return {};
  const { file, runs } = scenario;
  return { file, ...runs.find(({ name }) => name === run)?.at };
}

function render({ message, file, line, column }: Annotation): string {
  const places = [
    ...(file === undefined ? [] : [`file=${property(file)}`]),
    ...(line === undefined ? [] : [`line=${line}`]),
    ...(column === undefined ? [] : [`col=${column}`]),
    'title=compaction-bench',
  ];
  return `::error ${places.join(',')}::${data(message)}`;
}

/** One line, in which nothing is obeyed but what this program writes. */
function data(text: string): string {
  return shownText(text).replaceAll('%', '%25');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
