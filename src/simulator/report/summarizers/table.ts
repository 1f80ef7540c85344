import { alignRows } from '../align-rows.ts';
import { joinSections, listSection } from '../sections.ts';
import { shownLines, shownText } from '../shown-text.ts';
import { describeUnread } from '../unread.ts';
import { kindsChart } from './kinds-chart.ts';
import {
  ARM_TITLES,
  armRows,
  baseOf,
  DIFFERENCE_TITLES,
  differenceRows,
  failureLines,
  provenanceLines,
} from './lines.ts';
import { DECAY_NOTE, decayRows, decayTitles } from './decay-report.ts';
import {
  LOSS_TITLES,
  lossRows,
  panelLines,
  PROBE_KIND_TITLES,
  PROBE_TITLES,
  probeKindRows,
  probeRows,
} from './probes-report.ts';
import type { SummarizersReport } from './summarizers-report.ts';

/** The comparison for a terminal. */
export function renderSummarizersTable(report: SummarizersReport): string {
  const base = baseOf(report);
  const differences = [DIFFERENCE_TITLES, ...differenceRows(report)].map(shownCells);
  const sections = [
    alignRows([ARM_TITLES, ...armRows(report)].map(shownCells)),
    base === undefined ? '' : `Base: ${shownText(base)}\n${alignRows(differences)}`,
    decaySection(report),
    probesSection(report),
    kindsChart(report, shownText),
    linesSection('Not scored:', failureLines(report)),
    listSection('Unread:', report.unread.map(describeUnread)),
    provenanceLines(report).map(shownText).join('\n'),
  ];
  return joinSections(sections);
}

function probesSection({ probes }: SummarizersReport): string {
  if (probes === undefined) return '';
  const { arms } = probes;
  return [
    alignRows([PROBE_TITLES, ...probeRows(arms)].map(shownCells)),
    alignRows([LOSS_TITLES, ...lossRows(arms)].map(shownCells)),
    alignRows([PROBE_KIND_TITLES, ...probeKindRows(arms)].map(shownCells)),
    panelLines(probes).map(shownText).join('\n'),
  ].join('\n\n');
}

function decaySection(report: SummarizersReport): string {
  const rows = decayRows(report);
  if (rows.length === 0) return '';
  return `${alignRows([decayTitles(report), ...rows].map(shownCells))}\n${DECAY_NOTE}`;
}

function shownCells(cells: readonly string[]): readonly string[] {
  return cells.map(shownText);
}

/** The same as a list of texts that have lines of their own. */
function linesSection(title: string, items: readonly string[]): string {
  if (items.length === 0) return '';
  return [title, ...items.map((item) => `- ${shownLines(item).replaceAll('\n', '\n  ')}`)].join(
    '\n',
  );
}
