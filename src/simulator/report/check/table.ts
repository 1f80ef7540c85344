import pico from 'picocolors';
import { describeEnding } from '../describe-ending.ts';
import { countOf, formatCount } from '../numbers.ts';
import { shownLines, shownText } from '../shown-text.ts';
import { describeUnread } from '../unread.ts';
import type {
  CheckedRun,
  CheckedScenario,
  CheckFormat,
  CheckRenderOptions,
  CheckReport,
} from './check-report.ts';
import { gateLines, headline } from './gate-text.ts';

type Colors = ReturnType<typeof pico.createColors>;

/** A line for each scenario that passed and each expectation that is not met, for a terminal. */
export const table: CheckFormat = {
  extension: '.txt',
  describes: 'One line per scenario; what is not as expected, and where.',
  render: renderTable,
};

function renderTable(report: CheckReport, { colors }: CheckRenderOptions): string {
  const paint = pico.createColors(colors);
  const lines = [
    ...report.scenarios.flatMap((scenario) => toLines(scenario, paint)),
    ...report.unread.map(
      (unread) => `${paint.red('✗')} not read: ${shownLines(describeUnread(unread))}`,
    ),
    ...toGate(report, paint),
    '',
    summarise(report, paint),
  ];
  return `${lines.join('\n')}\n`;
}

function toGate({ gate }: CheckReport, paint: Colors): readonly string[] {
  if (gate === undefined) return [];
  return ['', paint.bold(headline(gate)), ...gateLines(gate).map((line) => paint.red(line))];
}

function toLines(scenario: CheckedScenario, paint: Colors): readonly string[] {
  const { name, runs, passed } = scenario;
  const count = `(${countOf(runs.length, 'run')})`;
  return [
    ...(passed ? [`${paint.green('✓')} ${shownText(name)} ${paint.dim(count)}`] : []),
    ...runs.flatMap((run) => toFailures(scenario, run, paint)),
    ...runs.flatMap((run) => toChart(run, paint)),
  ];
}

function toFailures(
  { file, name }: CheckedScenario,
  { name: run, failures }: CheckedRun,
  paint: Colors,
): readonly string[] {
  return failures.map(({ line, column, expected, got }) => {
    const place = paint.dim(`at ${shownText(file)}:${line}:${column}`);
    const what = shownText(`${name}: ${run}: expected ${expected}`);
    return `${paint.red('✗')} ${what} ${place}, got ${shownText(got)}`;
  });
}

function toChart(run: CheckedRun, paint: Colors) {
  const { name, policy, chart } = run;
  if (chart === undefined) return [];
  const title = paint.bold(shownText(`${name}, ${policy}, ${describeEnding(run)}`));
  return ['', title, chart.trimEnd()];
}

function summarise({ passed, failed, scenarios, unread }: CheckReport, paint: Colors): string {
  const runs = scenarios.reduce((total, scenario) => total + scenario.runs.length, 0);
  const counts = [
    paint.green(`${formatCount(passed)} passed`),
    ...(failed > 0 ? [paint.red(`${formatCount(failed)} failed`)] : []),
    ...(unread.length > 0 ? [paint.red(`${formatCount(unread.length)} not read`)] : []),
  ];
  return `${countOf(scenarios.length, 'scenario')}, ${countOf(runs, 'run')}: ${counts.join(', ')}.`;
}
