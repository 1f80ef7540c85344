import { describeCopy } from '../../session/repeats.ts';
import { tableSections } from '../fit-columns.ts';
import { countOf } from '../numbers.ts';
import { describeOrigin } from '../origin.ts';
import type { Terminal } from '../report.ts';
import { joinSections, listSection } from '../sections.ts';
import type { TextTable } from '../text-table.ts';
import { describeUnread } from '../unread.ts';
import { fitProse } from '../wrap-prose.ts';
import { renderCharts } from './charts.ts';
import {
  renderCompactions,
  renderContent,
  tabulateCharacters,
  tabulateDivision,
  tabulateFigures,
} from './sections.ts';
import type { StatisticsReport, StatisticsView } from './statistics-report.ts';

const ESTIMATORS = {
  chars4: 'characters divided by four',
  o200k_base: 'the tokenizer o200k_base',
  cl100k_base: 'the tokenizer cl100k_base',
} as const satisfies Record<StatisticsReport['estimator']['name'], string>;

/** The statistics for a terminal. */
export function renderStatisticsTable(
  report: StatisticsReport,
  view: StatisticsView,
  terminal: Terminal,
): string {
  const { overall } = report;
  const prose = (text: string) => fitProse(text, terminal);
  const characters = tabulateCharacters(overall);
  const tables = (table: TextTable) => tableSections(table, terminal, 'json');
  return joinSections([
    ...tables(tabulateDivision(report, view.by)),
    ...tables(tabulateFigures(report)),
    prose(renderContent(overall)),
    ...(characters.rows.length === 0 ? [] : tables(characters)),
    prose(renderCompactions(overall)),
    ...(view.charts ? renderCharts(overall, terminal) : []),
    prose(describeBasis(report)),
    ...listRepeats(report).map(prose),
  ]);
}

/** What is not counted, or not twice. */
function listRepeats({ copies, shared, sessions, unread }: StatisticsReport): readonly string[] {
  const lengths = new Map(sessions.map(({ session, messages }) => [session, messages]));
  return [
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
}

function describeBasis({ origin, estimator }: StatisticsReport): string {
  const { name, evidence } = estimator;
  return [
    `Content tokens are ${evidence}: ${ESTIMATORS[name]}.`,
    'Contexts, their growth, step outputs and cleared tokens are measured, as reported by providers.',
    'Characters per token are measured on the growth of contexts or estimated by the tokenizer.',
    describeOrigin(origin),
  ].join('\n');
}
