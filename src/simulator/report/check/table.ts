import pico from 'picocolors';
import { describeEnding } from '../describe-ending.ts';
import { countOf } from '../numbers.ts';
import { describeMakers } from '../origin.ts';
import type { Terminal } from '../report.ts';
import { shownLines, shownText } from '../shown-text.ts';
import { describeUnread } from '../unread.ts';
import { fitProse } from '../wrap-prose.ts';
import type { CheckedRun, CheckedScenario, CheckFormat, CheckReport } from './check-report.ts';
import { gateLines, headline } from './gate-text.ts';
import { describeVerdict } from './verdict.ts';

type Colors = ReturnType<typeof pico.createColors>;

/** What the report is written with. */
interface Pen {
  readonly paint: Colors;
  /** Breaks lines between words where the terminal would break them. */
  readonly prose: (text: string) => string;
}

/** A line for each scenario that passed and each expectation that is not met, for a terminal. */
export const table: CheckFormat = {
  extension: '.txt',
  describes: 'One line per scenario; what is not as expected, and where.',
  render: renderTable,
};

function renderTable(report: CheckReport, terminal: Terminal): string {
  const paint = pico.createColors(terminal.colors);
  const pen: Pen = { paint, prose: (text) => fitProse(text, terminal) };
  const lines = [
    ...report.scenarios.flatMap((scenario) => toLines(scenario, pen)),
    ...report.unread.map((unread) =>
      toItem(paint.red('✗'), `not read: ${shownLines(describeUnread(unread))}`, pen),
    ),
    ...toGate(report, pen),
    '',
    pen.prose(summarise(report, paint)),
    ...toMakers(report, pen),
  ];
  return `${lines.join('\n')}\n`;
}

function toMakers({ origin }: CheckReport, { paint, prose }: Pen): readonly string[] {
  const makers = describeMakers(origin);
  return makers === '' ? [] : [paint.dim(prose(shownText(makers)))];
}

function toGate({ gate }: CheckReport, { paint, prose }: Pen): readonly string[] {
  if (gate === undefined) return [];
  const lines = gateLines(gate).map((line) => paint.red(prose(line)));
  return ['', paint.bold(prose(headline(gate))), ...lines];
}

function toLines(scenario: CheckedScenario, pen: Pen): readonly string[] {
  const { name, runs, passed } = scenario;
  const { paint } = pen;
  const count = paint.dim(`(${countOf(runs.length, 'run')})`);
  return [
    ...(passed ? [toItem(paint.green('✓'), `${shownText(name)} ${count}`, pen)] : []),
    ...runs.flatMap((run) => toFailures(scenario, run, pen)),
    ...runs.flatMap((run) => toChart(run, pen)),
  ];
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

/** A text behind a mark, below which it does not stand. */
function toItem(mark: string, text: string, { prose }: Pen): string {
  return `${mark}${prose(`- ${text}`).slice(1)}`;
}

function toChart(run: CheckedRun, { paint, prose }: Pen): readonly string[] {
  const { name, policy, chart } = run;
  if (chart === undefined) return [];
  const title = shownText(`${name}, ${policy}, ${describeEnding(run)}`);
  return ['', paint.bold(prose(title)), chart.trimEnd()];
}

function summarise(report: CheckReport, paint: Colors): string {
  const counted = describeVerdict(report, ({ text, isGood }) =>
    isGood ? paint.green(text) : paint.red(text),
  );
  return `${counted}.`;
}
