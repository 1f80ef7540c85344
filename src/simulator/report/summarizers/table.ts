import { tableSections } from '../fit-columns.ts';
import type { Terminal } from '../report.ts';
import { joinSections, listSection } from '../sections.ts';
import { shownLines, shownText } from '../shown-text.ts';
import type { Column, TextTable } from '../text-table.ts';
import { describeUnread } from '../unread.ts';
import { fitProse } from '../wrap-prose.ts';
import { kindsChart } from './kinds-chart.ts';
import {
  ARM_COLUMNS,
  armRows,
  baseOf,
  DIFFERENCE_COLUMNS,
  differenceRows,
  failureLines,
  provenanceLines,
} from './lines.ts';
import { DECAY_NOTE, decayRows, decayColumns } from './decay-report.ts';
import {
  LOSS_COLUMNS,
  lossRows,
  panelLines,
  PROBE_KIND_COLUMNS,
  PROBE_COLUMNS,
  probeKindRows,
  probeRows,
} from './probes-report.ts';
import type { SummarizersReport } from './summarizers-report.ts';

/** The comparison for a terminal. */
export function renderSummarizersTable(report: SummarizersReport, terminal: Terminal): string {
  const below = [
    linesSection('Not scored:', failureLines(report)),
    listSection('Unread:', report.unread.map(describeUnread)),
    provenanceLines(report).map(shownText).join('\n'),
  ];
  return joinSections([
    ...renderTable(ARM_COLUMNS, armRows(report), terminal),
    ...renderDifferences(report, terminal),
    ...renderDecay(report, terminal),
    ...renderProbes(report, terminal),
    kindsChart(report, shownText),
    ...below.map((text) => fitProse(text, terminal)),
  ]);
}

function renderDifferences(report: SummarizersReport, terminal: Terminal): readonly string[] {
  const base = baseOf(report);
  if (base === undefined) return [];
  const [text, note] = renderTable(DIFFERENCE_COLUMNS, differenceRows(report), terminal);
  return [`Base: ${shownText(base)}\n${text}`, note];
}

function renderDecay(report: SummarizersReport, terminal: Terminal): readonly string[] {
  const rows = decayRows(report);
  if (rows.length === 0) return [];
  const [text, note] = renderTable(decayColumns(report), rows, terminal);
  return [`${text}\n${fitProse(DECAY_NOTE, terminal)}`, note];
}

function renderProbes({ probes }: SummarizersReport, terminal: Terminal): readonly string[] {
  if (probes === undefined) return [];
  const { arms } = probes;
  return [
    ...renderTable(PROBE_COLUMNS, probeRows(arms), terminal),
    ...renderTable(LOSS_COLUMNS, lossRows(arms), terminal),
    ...renderTable(PROBE_KIND_COLUMNS, probeKindRows(arms), terminal),
    fitProse(panelLines(probes).map(shownText).join('\n'), terminal),
  ];
}

/** Cells are from outside. */
function renderTable(columns: readonly Column[], rows: TextTable['rows'], terminal: Terminal) {
  const shown = rows.map((cells) => cells.map(shownText));
  return tableSections({ columns, rows: shown }, terminal, 'markdown');
}

/** The same as a list of texts that have lines of their own. */
function linesSection(title: string, items: readonly string[]): string {
  if (items.length === 0) return '';
  return [title, ...items.map((item) => `- ${shownLines(item).replaceAll('\n', '\n  ')}`)].join(
    '\n',
  );
}
