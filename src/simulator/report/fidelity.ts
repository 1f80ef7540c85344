import { groupBy, sum } from '../lib/collections.ts';
import { NANO_USD_PER_USD } from '../lib/units.ts';
import {
  addCosts,
  type FidelityErrors,
  type FidelityMeasure,
  poolErrors,
  type SessionFidelity,
  summariseErrors,
} from '../metrics/fidelity.ts';
import type { Decision, MissCause } from '../replay/decisions.ts';
import type { Surprise } from '../replay/predict.ts';
import { type Block, renderTerminal, type Text, untrusted } from './document.ts';
import { unreadList } from './run-notes.ts';
import { jsonText } from './markup.ts';
import { countOf, formatCount, formatSigned, formatUsd, percentOf, UNKNOWN } from './numbers.ts';
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

/** A decision with the session that it is of. */
interface Decided {
  readonly session: SessionFidelity;
  readonly decision: Decision;
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

/** Reasons why a step could not be predicted, in the order in which they are told, and whether it counts in the errors. */
const EXPLANATIONS: Readonly<Record<Surprise, string>> = {
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
};

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

const RELEASE_COLUMNS: readonly Column[] = [
  { title: 'Format' },
  { title: 'Release', holds: 'names' },
  { title: 'Preset', holds: 'names', rank: 3 },
  { title: 'Compactions' },
  { title: 'Within 1' },
  { title: 'Exact' },
  { title: 'Recorded at', rank: 2 },
  { title: 'Predicted at', rank: 1 },
  { title: 'Edge' },
];

const DECISION_CAPTION =
  'Automatic compactions by the step after which they came, and by tokens: as the agent noted, as the preset of its release counted, and at which it compacts. Each stretch between two of them is replayed from its first recorded context.';

const CAUSES = {
  'no-steps': 'nothing before it is recorded',
  'missing-content': 'the recording holds less than the agent counted',
  'unknown-output': 'the output of the newest step is not known',
  unexplained: 'unexplained',
} as const satisfies Record<MissCause, string>;

/** How a comparison of predictions with recordings is written down, by name; the default first. */
export const fidelityFormats = {
  table: (report, terminal) =>
    renderTerminal(fidelityDocument(report), { ...terminal, details: true }, 'json'),
  json: renderFidelityJson,
} satisfies Record<string, (report: FidelityReport, terminal: Terminal) => string>;

/** Median absolute errors of each session and of all together, and what all cost in nano-dollars if that is known, for programs. */
function renderFidelityJson({ origin, sessions, unread }: FidelityReport): string {
  const document = {
    origin,
    sessions: sessions.map(toRow),
    overall: toFigures(poolErrors(sessions.map(({ errors }) => errors))),
    costs: addCosts(sessions.map(({ costs }) => costs)),
    compactions: countDecided(decidedIn(sessions)),
    unread: unread.map(({ file, reason }) => ({ file, reason })),
  };
  return jsonText(document);
}

/** The errors by format and model, and what stands behind them. */
function fidelityDocument({ origin, sessions, unread }: FidelityReport): readonly Block[] {
  const compared = sessions.filter(({ steps }) => steps > 0);
  return [
    ...decisionBlocks(sessions),
    ...errorBlocks(compared),
    { type: 'lines', lines: [renderCosts(compared)] },
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
  const decided = decidedIn(sessions);
  if (decided.length === 0) return [];
  const groups = groupBy(decided.filter(isJudged), ({ session: { format, release, preset } }) =>
    JSON.stringify([format, release, preset]),
  );
  const rows = [...groups]
    .toSorted(([one], [other]) => one.localeCompare(other, 'en', { numeric: true }))
    .map(([, group]) => releaseCells(group));
  return [
    { type: 'lines', lines: renderDecided(decided), isWrapped: true },
    ...(rows.length === 0
      ? []
      : [
          { type: 'table', columns: RELEASE_COLUMNS, rows } as const,
          { type: 'lines', lines: [DECISION_CAPTION], isWrapped: true } as const,
        ]),
    {
      type: 'list',
      title: 'More than one step off',
      items: decided.filter(isMissed).map(describeMiss).map(untrusted),
    },
  ];
}

function decidedIn(sessions: readonly SessionFidelity[]): readonly Decided[] {
  return sessions.flatMap((session) =>
    session.decisions.map((decision) => ({ session, decision })),
  );
}

function isJudged({ decision: { kind, recordedAfterStep } }: Decided): boolean {
  return kind === 'compaction' && recordedAfterStep !== null && recordedAfterStep > 0;
}

function isMissed({ decision: { cause } }: Decided): boolean {
  return cause !== undefined && cause !== 'no-steps';
}

function countDecided(decided: readonly Decided[]) {
  const judged = decided.filter(isJudged);
  const compacted = decided.filter(({ decision }) => decision.kind === 'compaction');
  return {
    automatic: judged.length,
    withinOneStep: judged.filter((one) => !isMissed(one)).length,
    exact: judged.filter(
      ({ decision }) => decision.predictedAfterStep === decision.recordedAfterStep,
    ).length,
    notRecorded: compacted.filter(({ decision }) => decision.recordedAfterStep === null).length,
    notPredictable:
      compacted.filter(({ decision }) => decision.cause === 'no-steps').length +
      decided.filter(({ decision }) => decision.kind === 'manual-compaction').length,
  };
}

function renderDecided(decided: readonly Decided[]): readonly string[] {
  const { automatic, withinOneStep, exact, notRecorded, notPredictable } = countDecided(decided);
  const clearings = decided.filter(({ decision }) => decision.kind === 'clearing');
  const [recorded, predicted] = (['recordedAfterStep', 'predictedAfterStep'] as const).map((key) =>
    formatCount(clearings.filter(({ decision }) => decision[key] !== null).length),
  );
  const conclusion = `${formatCount(withinOneStep)} of ${countOf(automatic, 'automatic compaction')} within one step, ${formatCount(exact)} at the very step; ${formatCount(notRecorded)} predicted that were not recorded.`;
  const others = `${countOf(notPredictable, 'other compaction')}: by hand, or before the first step, which no preset decides.`;
  const cleared = `Clearings of outputs: ${recorded} recorded, ${predicted} predicted.`;
  return [
    ...(automatic + notRecorded > 0 ? [conclusion] : ['No automatic compaction to predict.']),
    ...(notPredictable > 0 ? [others] : []),
    ...(clearings.length > 0 ? [cleared] : []),
  ];
}

function releaseCells(group: readonly Decided[]): readonly Text[] {
  const { format, release = UNKNOWN, preset = UNKNOWN } = (group[0] as Decided).session;
  const { automatic, withinOneStep, exact } = countDecided(group);
  const rangeOf = (key: 'recordedTokens' | 'predictedTokens' | 'edgeTokens') => {
    const tokens = group.flatMap(({ decision }) => decision[key] ?? []);
    const [least, most] = [Math.min(...tokens), Math.max(...tokens)];
    if (tokens.length === 0) return UNKNOWN;
    return least === most ? formatCount(least) : `${formatCount(least)} to ${formatCount(most)}`;
  };
  return [
    format,
    untrusted(release),
    preset,
    ...[automatic, withinOneStep, exact].map((count) => formatCount(count)),
    rangeOf('recordedTokens'),
    rangeOf('predictedTokens'),
    rangeOf('edgeTokens'),
  ];
}

function describeMiss({ session: { session }, decision }: Decided): string {
  const { recordedAfterStep, predictedAfterStep, cause = 'unexplained' } = decision;
  const { recordedTokens, predictedTokens, edgeTokens } = decision;
  const recorded = placeText(recordedAfterStep, recordedTokens);
  const predicted = placeText(predictedAfterStep, predictedTokens);
  const edge = edgeTokens === undefined ? '' : ` (edge ${formatCount(edgeTokens)})`;
  return `${session}: recorded ${recorded}, predicted ${predicted}${edge}: ${CAUSES[cause]}`;
}

function placeText(step: number | null, tokens: number | undefined): string {
  if (step === null) return 'not at all';
  const at = tokens === undefined ? '' : ` at ${formatCount(tokens)}`;
  return `after step ${formatCount(step)}${at}`;
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
    ...(fidelity.release !== undefined && { release: fidelity.release }),
    decisions,
    ...(reason !== '' && { reason }),
  };
}

/** One sentence for each kind of step that could not be foretold. */
function describeSurprises(sessions: readonly SessionFidelity[]): readonly string[] {
  return Object.entries(EXPLANATIONS).flatMap(([surprise, explanation]) => {
    const steps = sum(sessions.map(({ surprises }) => surprises[surprise as Surprise] ?? 0));
    return steps === 0 ? [] : [`${countOf(steps, 'step')} ${explanation}`];
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

/** Totals weigh the few dear steps most, above all those whose cache was lost. */
function renderCosts(sessions: readonly SessionFidelity[]): string {
  const costs = addCosts(sessions.map((session) => session.costs));
  if (costs === null || costs.recordedNanoUsd === 0) return '';
  const { predictedNanoUsd, recordedNanoUsd, lostPredictedNanoUsd, lostRecordedNanoUsd } = costs;
  const known = sessions.filter((session) => session.costs !== null).length;
  const where = ` in the ${formatCount(known)} of ${formatCount(sessions.length)} sessions whose cost was recorded and whose prices are known`;
  const title = `Input cost in total${known === sessions.length ? '' : where}`;
  const all = compareCosts(predictedNanoUsd, recordedNanoUsd);
  if (lostRecordedNanoUsd === 0) return `${title}: ${all}.`;
  const rest = compareCosts(
    predictedNanoUsd - lostPredictedNanoUsd,
    recordedNanoUsd - lostRecordedNanoUsd,
  );
  return `${title}: ${all}; without the steps whose cache was lost: ${rest}.`;
}

function compareCosts(predictedNanoUsd: number, recordedNanoUsd: number): string {
  const [predicted, recorded] = [predictedNanoUsd, recordedNanoUsd].map((nanoUsd) =>
    formatUsd(nanoUsd / NANO_USD_PER_USD),
  );
  const compared = `${predicted} predicted, ${recorded} recorded`;
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
