import { groupBy } from '../../lib/collections.ts';
import { NANO_USD_PER_USD } from '../../lib/units.ts';
import { addCosts, poolErrors, type SessionFidelity } from '../../metrics/fidelity.ts';
import { tableSections } from '../fit-columns.ts';
import { formatCount, formatUsd, UNKNOWN } from '../numbers.ts';
import { describeOrigin } from '../origin.ts';
import type { Terminal } from '../report.ts';
import { joinSections, listSection } from '../sections.ts';
import { shownText } from '../shown-text.ts';
import type { Column } from '../text-table.ts';
import { describeUnread } from '../unread.ts';
import { fitProse, wrapProse } from '../wrap-prose.ts';
import { absoluteCell, errorColumns, signedCell, signedHundredths } from './error-cells.ts';
import type { FidelityReport } from './fidelity-report.ts';
import { describeSurprises } from './surprises.ts';

const CAPTION = `Signed errors, predicted minus recorded: median / 90th percentile by size.
One step: from the previous recorded step. Free-running: since the last recorded compaction, calibrated on the first half of a session's steps and measured on the second.`;
const COLUMNS: readonly Column[] = [
  { title: 'Format' },
  { title: 'Model', holds: 'names' },
  { title: 'Sessions', rank: 5 },
  { title: 'Steps', rank: 4 },
  ...errorColumns.map((column) => ({ ...column, title: `${column.title} (${column.unit})` })),
];

/** The errors by format and model, and what stands behind them, for a terminal. */
export function renderFidelityTable(
  { origin, sessions, unread }: FidelityReport,
  terminal: Terminal,
): string {
  const compared = sessions.filter(({ steps }) => steps > 0);
  const below = [
    renderOverall(compared),
    renderCosts(compared),
    listSection('Cannot be predicted:', describeSurprises(compared)),
    listSection('Not compared:', sessions.flatMap(describeUncompared)),
    listSection('Unread:', unread.map(describeUnread)),
    shownText(describeOrigin(origin)),
  ];
  return joinSections([
    ...renderErrors(compared, terminal),
    ...below.map((text) => fitProse(text, terminal)),
  ]);
}

function renderErrors(sessions: readonly SessionFidelity[], terminal: Terminal): readonly string[] {
  if (sessions.length === 0) return ['No session has usage to compare with.'];
  const groups = [
    ...groupBy(sessions, ({ format, model }) => JSON.stringify([format, model])).values(),
  ];
  const table = { columns: COLUMNS, rows: groups.map(toCells) };
  const caption = wrapProse(CAPTION, terminal.terminalColumns);
  return [...tableSections(table, terminal, 'json'), caption];
}

function toCells(group: readonly SessionFidelity[]): readonly string[] {
  const [first] = group;
  const errors = poolErrors(group.map((session) => session.errors));
  const steps = group.reduce((total, session) => total + session.steps, 0);
  return [
    shownText(first?.format ?? UNKNOWN),
    shownText(first?.model ?? UNKNOWN),
    formatCount(group.length),
    formatCount(steps),
    ...errorColumns.map((column) => signedCell(errors, column)),
  ];
}

function renderOverall(sessions: readonly SessionFidelity[]): string {
  if (sessions.length === 0) return '';
  const errors = poolErrors(sessions.map((session) => session.errors));
  const figures = errorColumns.map((column) => {
    const of = column.measure === 'cost' ? costedOf(sessions) : '';
    return `${column.title.toLowerCase()} ${absoluteCell(errors, column)}${of}`;
  });
  return `Median absolute error over all steps: ${figures.join('; ')}.`;
}

/** Totals weigh the few dear steps most, above all those whose cache was lost. */
function renderCosts(sessions: readonly SessionFidelity[]): string {
  const costs = addCosts(sessions.map((session) => session.costs));
  if (costs === null) return '';
  const { predictedNanoUsd, recordedNanoUsd, lostPredictedNanoUsd, lostRecordedNanoUsd } = costs;
  if (recordedNanoUsd === 0) return '';
  const all = compareCosts(predictedNanoUsd, recordedNanoUsd);
  const title = `Input cost in total${costedOf(sessions)}`;
  if (lostRecordedNanoUsd === 0) return `${title}: ${all}.`;
  const rest = compareCosts(
    predictedNanoUsd - lostPredictedNanoUsd,
    recordedNanoUsd - lostRecordedNanoUsd,
  );
  return `${title}: ${all}; without the steps whose cache was lost: ${rest}.`;
}

/** Of which sessions costs can be compared; empty where of all or of none. */
function costedOf(sessions: readonly SessionFidelity[]): string {
  const known = sessions.filter(({ costs }) => costs !== null).length;
  if (known === 0 || known === sessions.length) return '';
  return ` in the ${formatCount(known)} of ${formatCount(sessions.length)} sessions whose cost was recorded and whose prices are known`;
}

function compareCosts(predictedNanoUsd: number, recordedNanoUsd: number): string {
  const dollars = [predictedNanoUsd, recordedNanoUsd].map((nanoUsd) =>
    formatUsd(nanoUsd / NANO_USD_PER_USD),
  );
  const compared = `${dollars[0]} predicted, ${dollars[1]} recorded`;
  if (recordedNanoUsd === 0) return compared;
  return `${compared} (${signedHundredths(predictedNanoUsd / recordedNanoUsd - 1)} %)`;
}

function describeUncompared({ session, reason }: SessionFidelity): readonly string[] {
  return reason === undefined ? [] : [`${session}: ${reason}`];
}
