import { describeCopy } from '../../session/repeats/copies.ts';
import { countOf } from '../numbers.ts';
import { joinSections, listSection } from '../sections.ts';
import { describeUnread } from '../unread.ts';
import { renderCharts } from './charts.ts';
import {
  renderCharacters,
  renderCompactions,
  renderContent,
  renderDivision,
  renderFigures,
} from './sections.ts';
import type { StatisticsReport, StatisticsView } from './statistics-report.ts';

const ESTIMATORS = {
  chars4: 'characters divided by four',
  o200k_base: 'the tokenizer o200k_base',
  cl100k_base: 'the tokenizer cl100k_base',
} as const satisfies Record<StatisticsReport['estimator']['name'], string>;

/** The statistics for a terminal. */
export function renderStatisticsTable(report: StatisticsReport, view: StatisticsView): string {
  const { overall, copies, shared, sessions, unread } = report;
  const lengths = new Map(sessions.map(({ session, messages }) => [session, messages]));
  const sections = [
    renderDivision(report, view.by),
    renderFigures(report),
    renderContent(overall),
    renderCharacters(overall),
    renderCompactions(overall),
    ...(view.charts ? renderCharts(overall) : []),
    describeBasis(report),
    listSection(
      'Left out:',
      copies.map((copy) => `${copy.name}: ${describeCopy(copy)}`),
    ),
    listSection(
      'Counted once, but for figures of whole sessions:',
      shared.map(({ name, sharedWith, messages }) => {
        const all = lengths.get(name) ?? messages;
        return `${name}: its first ${messages} of ${countOf(all, 'message')} stand in ${sharedWith} as well`;
      }),
    ),
    listSection('Unread:', unread.map(describeUnread)),
  ];
  return joinSections(sections);
}

function describeBasis({ estimator }: StatisticsReport): string {
  const { name, evidence } = estimator;
  return [
    `Content tokens are ${evidence}: ${ESTIMATORS[name]}.`,
    'Contexts, their growth, step outputs and cleared tokens are measured, as reported by providers.',
    'Characters per token are measured on the growth of contexts or estimated by the tokenizer.',
  ].join('\n');
}
