import { groupBy } from '../lib/collections.ts';
import { NANO_USD_PER_USD } from '../lib/units.ts';
import {
  addCosts,
  type FidelityErrors,
  type FidelityMeasure,
  poolErrors,
  type SessionFidelity,
  summariseErrors,
} from '../metrics/fidelity.ts';
import type { Decision } from '../replay/decisions.ts';
import type { Surprise } from '../replay/predict.ts';
import { type Block, renderTerminal, type Text, untrusted } from './document.ts';
import { unreadList } from './kept.ts';
import { jsonText } from './markup.ts';
import {
  countOf,
  formatCount,
  formatFixed,
  formatSigned,
  formatUsd,
  percentOf,
  UNKNOWN,
} from './numbers.ts';
import { describeOrigin, type Origin } from './origin.ts';
import type { Terminal, UnreadInput } from './report.ts';
import type { Column } from './text-table.ts';

/** How predictions compare with recordings, ready to be rendered. */
export interface FidelityReport {
  readonly origin: Origin;
  readonly sessions: readonly SessionFidelity[];
  readonly unread: readonly UnreadInput[];
}

/** A measure as it is shown. */
interface ErrorColumn extends Column {
  readonly measure: FidelityMeasure;
  readonly unit: string;
}

/** The measures in the order in which they are shown. */
const errorColumns: readonly ErrorColumn[] = [
  { measure: 'contextOneStep', title: 'Context, one step', unit: '%' },
  { measure: 'contextFreeRunning', title: 'Context, free-running', unit: '%', rank: 2 },
  { measure: 'fitOneStep', title: 'Fit, one step', unit: '%', rank: 1 },
  { measure: 'fitFreeRunning', title: 'Fit, free-running', unit: '%', rank: 4 },
  { measure: 'cacheShare', title: 'Cache reads', unit: 'points', rank: 5 },
  { measure: 'cost', title: 'Input cost', unit: '%', rank: 3 },
];

const DECIMALS = 2;

const SURPRISES: readonly Surprise[] = [
  'after-compaction',
  'after-clearing',
  'after-restart',
  'other-model',
  'context-shrank',
  'cache-lost',
];

/** Reasons why a step could not be predicted, and whether it counts in the errors. */
const EXPLANATIONS = {
  'after-compaction':
    'right after a compaction: what came with the summary, such as files re-attached in memory, is not recorded (left out)',
  'after-clearing':
    'right after old outputs were cleared: what replaced them is not recorded (left out)',
  'after-restart':
    'right after the agent was started anew: what it had in memory is not the same (left out of the fit)',
  'other-model':
    'right after a change of model: another one counts otherwise, and has a cache of its own (left out)',
  'context-shrank':
    'with less context than before and no compaction recorded: something was removed in memory (counted)',
  'cache-lost':
    'with a cached prefix lost within its lifetime: a restart, a changed prompt or the provider itself (counted)',
} as const satisfies Record<Surprise, string>;

const COLUMNS: readonly Column[] = [
  { title: 'Format' },
  { title: 'Model', holds: 'names' },
  { title: 'Sessions', rank: 7 },
  { title: 'Steps', rank: 6 },
  ...errorColumns.map((column) => ({ ...column, title: `${column.title} (${column.unit})` })),
];

const CAPTION = `Signed errors, predicted minus recorded: median / 90th percentile by size.
Context: as a replay weighs it, by recorded growth; from the previous recorded step, and from the beginning until the agent compacted or cleared.
Fit: as without recorded usage, by counted tokens; from the previous recorded step, and since the last recorded compaction, calibrated on the first half of a session's steps and measured on the second.`;

const DECISION_COLUMNS: readonly Column[] = [
  { title: 'Session', holds: 'names' },
  { title: 'Preset', holds: 'names', rank: 1 },
  { title: 'Decision', holds: 'words' },
  { title: 'Recorded after step' },
  { title: 'Predicted after step' },
  { title: 'Difference' },
];

const DECISION_NAMES = {
  compaction: 'compaction',
  'manual-compaction': 'compaction by hand',
  clearing: 'clearing',
} as const satisfies Record<Decision['kind'], string>;

const DECISION_CAPTION = `Where the recording agent compacted or cleared, and where the preset of its release would have. Each stretch between two of them is replayed from its first recorded context. A compaction by hand is no decision of a preset.`;

/** How a comparison of predictions with recordings is written down, by name; the default first. */
export const fidelityFormats = {
  table: (report, terminal) => renderTerminal(fidelityDocument(report), terminal, 'json'),
  json: renderFidelityJson,
} satisfies Record<string, (report: FidelityReport, terminal: Terminal) => string>;

/** Median absolute errors of each session and of all together, and what all cost in nano-dollars if that is known, for programs. */
function renderFidelityJson({ origin, sessions, unread }: FidelityReport): string {
  const document = {
    origin,
    sessions: sessions.map(toRow),
    overall: toFigures(poolErrors(sessions.map(({ errors }) => errors))),
    costs: addCosts(sessions.map(({ costs }) => costs)),
    unread: unread.map(({ file, reason }) => ({ file, reason })),
  };
  return jsonText(document);
}

/** The errors by format and model, and what stands behind them. */
function fidelityDocument({ origin, sessions, unread }: FidelityReport): readonly Block[] {
  const compared = sessions.filter(({ steps }) => steps > 0);
  return [
    ...errorBlocks(compared),
    { type: 'lines', lines: [renderOverall(compared)] },
    { type: 'lines', lines: [renderCosts(compared)] },
    ...decisionBlocks(compared),
    { type: 'list', title: 'Cannot be predicted', items: describeSurprises(compared) },
    {
      type: 'list',
      title: 'Not compared',
      items: describeUncompared(sessions).map(untrusted),
    },
    unreadList(unread),
    { type: 'lines', lines: [untrusted(describeOrigin(origin))], isWrapped: true },
  ];
}

function errorBlocks(sessions: readonly SessionFidelity[]): readonly Block[] {
  if (sessions.length === 0) {
    return [{ type: 'lines', lines: ['No session has usage to compare with.'] }];
  }
  const groups = [
    ...groupBy(sessions, ({ format, model }) => JSON.stringify([format, model])).values(),
  ];
  return [
    { type: 'table', columns: COLUMNS, rows: groups.map(toCells) },
    { type: 'lines', lines: CAPTION.split('\n'), isWrapped: true },
  ];
}

function decisionBlocks(sessions: readonly SessionFidelity[]): readonly Block[] {
  const rows = sessions.flatMap((session) =>
    session.decisions.map((decision) => decisionCells(session, decision)),
  );
  if (rows.length === 0) return [];
  return [
    { type: 'table', columns: DECISION_COLUMNS, rows },
    { type: 'lines', lines: [DECISION_CAPTION], isWrapped: true },
  ];
}

function decisionCells(
  { session, preset = UNKNOWN }: SessionFidelity,
  { kind, recordedAfterStep: recorded, predictedAfterStep: predicted }: Decision,
): readonly Text[] {
  const hasBoth = recorded !== null && predicted !== null;
  return [
    untrusted(session),
    preset,
    DECISION_NAMES[kind],
    stepCell(recorded),
    stepCell(predicted),
    hasBoth ? formatSigned(predicted - recorded, 0) : UNKNOWN,
  ];
}

function stepCell(step: number | null): string {
  return step === null ? UNKNOWN : formatCount(step);
}

function toRow(fidelity: SessionFidelity) {
  const { session: file, format, steps, errors, decisions } = fidelity;
  const reason = fidelity.reason ?? describeSurprises([fidelity]).join('; ');
  return {
    file,
    format,
    steps,
    ...toFigures(errors),
    ...(fidelity.preset !== undefined && { preset: fidelity.preset }),
    decisions,
    ...(reason !== '' && { reason }),
  };
}

/** One sentence for each kind of step that could not be foretold. */
function describeSurprises(sessions: readonly SessionFidelity[]): readonly string[] {
  return SURPRISES.flatMap((surprise) => {
    const steps = sessions.reduce((total, { surprises }) => total + (surprises[surprise] ?? 0), 0);
    if (steps === 0) return [];
    return [`${countOf(steps, 'step')} ${EXPLANATIONS[surprise]}`];
  });
}

/** Ratios; `null` where nothing was compared. */
function toFigures(errors: FidelityErrors) {
  const of = (measure: FidelityMeasure) => summariseErrors(errors[measure])?.medianAbsolute ?? null;
  return {
    contextErrorOneStep: of('contextOneStep'),
    contextErrorFreeRunning: of('contextFreeRunning'),
    fitErrorOneStep: of('fitOneStep'),
    fitErrorFreeRunning: of('fitFreeRunning'),
    cacheShareError: of('cacheShare'),
    costError: of('cost'),
  };
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

/** Of which sessions costs can be compared; empty where of all or of none. */
function costedOf(sessions: readonly SessionFidelity[]): string {
  const known = sessions.filter(({ costs }) => costs !== null).length;
  if (known === 0 || known === sessions.length) return '';
  return ` in the ${formatCount(known)} of ${formatCount(sessions.length)} sessions whose cost was recorded and whose prices are known`;
}

/** The median of a measure without its sign, with its unit. */
function absoluteCell(errors: FidelityErrors, { measure, unit }: ErrorColumn): string {
  const summary = summariseErrors(errors[measure]);
  return summary === undefined
    ? UNKNOWN
    : `${formatFixed(percentOf(summary.medianAbsolute), DECIMALS)} ${unit}`;
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

function compareCosts(predictedNanoUsd: number, recordedNanoUsd: number): string {
  const dollars = [predictedNanoUsd, recordedNanoUsd].map((nanoUsd) =>
    formatUsd(nanoUsd / NANO_USD_PER_USD),
  );
  const compared = `${dollars[0]} predicted, ${dollars[1]} recorded`;
  if (recordedNanoUsd === 0) return compared;
  return `${compared} (${signedHundredths(predictedNanoUsd / recordedNanoUsd - 1)} %)`;
}

/** A ratio in hundredths with its sign; what rounds to zero has none. */
function signedHundredths(ratio: number): string {
  return formatSigned(percentOf(ratio), DECIMALS);
}

/** One line for each reason, however many sessions have it. */
function describeUncompared(sessions: readonly SessionFidelity[]): readonly string[] {
  const groups = groupBy(
    sessions.filter(({ reason }) => reason !== undefined),
    ({ reason }) => reason,
  );
  return [...groups].map(([reason, [first, ...others]]) => {
    const more = others.length === 0 ? '' : ` and ${countOf(others.length, 'other session')}`;
    return `${first?.session}${more}: ${reason}`;
  });
}

function toCells(group: readonly SessionFidelity[]): readonly Text[] {
  const [first] = group;
  const errors = poolErrors(group.map((session) => session.errors));
  const steps = group.reduce((total, session) => total + session.steps, 0);
  return [
    untrusted(first?.format ?? UNKNOWN),
    untrusted(first?.model ?? UNKNOWN),
    formatCount(group.length),
    formatCount(steps),
    ...errorColumns.map((column) => signedCell(errors, column)),
  ];
}

/** The signed median of a measure and its 90th percentile by size, both in hundredths. */
function signedCell(errors: FidelityErrors, { measure }: ErrorColumn): string {
  const summary = summariseErrors(errors[measure]);
  if (summary === undefined) return UNKNOWN;
  return `${signedHundredths(summary.medianSigned)} / ${signedHundredths(summary.p90Signed)}`;
}
