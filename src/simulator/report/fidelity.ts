import { groupBy, known, sum } from '../lib/collections.ts';
import { NANO_USD_PER_USD } from '../lib/units.ts';
import {
  addCarried,
  addCosts,
  type FidelityErrors,
  type FidelityMeasure,
  poolErrors,
  poolRereads,
  type SessionFidelity,
  summariseErrors,
} from '../metrics/fidelity.ts';
import type { Decision, MissCause } from '../replay/decisions.ts';
import type { Surprise } from '../replay/predict.ts';
import { type Block, linesOf, listOf, prose, renderTerminal, untrusted } from './document.ts';
import { jsonText } from './markup.ts';
import {
  countOf,
  formatCount,
  formatFixed,
  formatSigned,
  formatUsd,
  percentOf,
  UNKNOWN,
  withEnds,
} from './numbers.ts';
import { describeOrigin, type Origin, unreadList } from './origin.ts';
import type { UnreadInput } from './report.ts';
import type { Column, Terminal } from './layout.ts';

export interface FidelityReport {
  readonly origin: Origin;
  readonly sessions: readonly SessionFidelity[];
  readonly unread: readonly UnreadInput[];
}

type Decided = Decision & Pick<SessionFidelity, 'session' | 'format' | 'release' | 'preset'>;

/** With their keys in JSON. */
const MEASURES: readonly (readonly [FidelityMeasure, key: string, title: string, rank?: number])[] =
  [
    ['contextOneStep', 'contextErrorOneStep', 'Context, one step (%)'],
    ['contextFreeRunning', 'contextErrorFreeRunning', 'Context, free-running (%)', 2],
    ['fitOneStep', 'fitErrorOneStep', 'Fit, one step (%)', 1],
    ['fitFreeRunning', 'fitErrorFreeRunning', 'Fit, free-running (%)', 4],
    ['cacheShare', 'cacheShareError', 'Cache reads (points)', 5],
    ['cost', 'costError', 'Input cost (%)', 3],
  ];

const DECIMALS = 2;

/** Why a step could not be predicted, and whether it counts in the errors. */
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
  ...MEASURES.map(([, , title, rank]) => ({ title, ...known({ rank }) })),
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

const REREAD_COLUMNS: readonly Column[] = [
  { title: 'Next calls' },
  ...['After', 'Elsewhere'].map((title) => ({ title, rank: 1 })),
  ...['Observed', 'Compactions', 'Predicted', 'Simulated'].map((title, at) => ({
    title,
    rank: 2 * (at % 2),
  })),
];

const REREAD_CAPTION = `Files read before and again in the next calls, for each compaction, elsewhere in its session, and the difference (95 % over sessions).
Predicted with the preset at half the window, away from recorded compactions: files that the recording goes on from, less those that summaries carry.`;

const CONTENTS = { file: 'files', output: 'other outputs', said: 'what was said' };

const CAUSES = {
  'no-steps': 'nothing before it is recorded',
  'missing-content': 'the recording holds less than the agent counted',
  'unknown-output': 'the output of the newest step is not known',
  unexplained: 'unexplained',
} as const satisfies Record<MissCause, string>;

export const fidelityFormats = {
  table: (report, terminal) =>
    renderTerminal(fidelityDocument(report), { ...terminal, details: true }, 'json'),
  json: renderFidelityJson,
} satisfies Record<string, (report: FidelityReport, terminal: Terminal) => string>;

/** Steps between a recorded compaction and the predicted one; infinite where one of them is not. */
export function stepsApart({ recordedAfterStep, predictedAfterStep }: Decision): number {
  if (recordedAfterStep === null || predictedAfterStep === null) return Infinity;
  return Math.abs(predictedAfterStep - recordedAfterStep);
}

function renderFidelityJson({ origin, sessions, unread }: FidelityReport) {
  return jsonText({
    origin,
    sessions: sessions.map((fidelity) => {
      const { session: file, format, steps, decisions, preset, release } = fidelity;
      const { rereads, carried, reason = describeSurprises([fidelity]).join('; ') } = fidelity;
      const judged = { preset, release, decisions, rereads, carried };
      return {
        file,
        format,
        steps,
        ...toFigures(fidelity.errors),
        ...judged,
        reason: reason || undefined,
      };
    }),
    overall: toFigures(poolErrors(sessions.map(({ errors }) => errors))),
    costs: addCosts(sessions.map(({ costs }) => costs)),
    compactions: countDecided(sessions.flatMap(decidedIn)),
    rereads: poolRereads(sessions),
    carried: addCarried(sessions.flatMap(({ carried }) => carried ?? [])),
    unread: unread.map(({ file, reason }) => ({ file, reason })),
  });
}

function fidelityDocument({ origin, sessions, unread }: FidelityReport): readonly Block[] {
  const compared = sessions.filter(({ steps }) => steps > 0);
  const groups = groupBy(compared, ({ format, model }) => JSON.stringify([format, model]));
  return [
    ...rereadBlocks(sessions),
    ...decisionBlocks(sessions.flatMap(decidedIn)),
    { type: 'table', columns: COLUMNS, rows: [...groups.values()].map(toCells) },
    prose(compared.length === 0 ? ['No session has usage to compare with.'] : CAPTION.split('\n')),
    linesOf([renderCosts(compared)]),
    listOf('Cannot be predicted', describeSurprises(compared)),
    listOf('Not compared', describeUncompared(sessions).map(untrusted)),
    unreadList(unread),
    prose([untrusted(describeOrigin(origin))]),
  ];
}

function decisionBlocks(decided: readonly Decided[]): readonly Block[] {
  if (decided.length === 0) return [];
  const groups = groupBy(decided.filter(isJudged), ({ format, release, preset }) =>
    JSON.stringify([format, release, preset]),
  );
  const rows = [...groups]
    .toSorted(([one], [other]) => one.localeCompare(other, 'en', { numeric: true }))
    .map(([, group]) => releaseCells(group));
  return [
    prose(renderDecided(decided)),
    { type: 'table', columns: RELEASE_COLUMNS, rows },
    prose(rows.length === 0 ? [] : [DECISION_CAPTION]),
    listOf('More than one step off', decided.filter(isMissed).map(describeMiss).map(untrusted)),
  ];
}

function rereadBlocks(sessions: readonly SessionFidelity[]): readonly Block[] {
  const pooled = poolRereads(sessions);
  if (pooled.every(({ observed }) => observed.compactions === 0)) return [];
  const rows = pooled.map(({ calls, after, elsewhere, observed, predicted }) => [
    formatCount(calls),
    ...[after, elsewhere].map(formatTwo),
    ...[observed, predicted].flatMap(({ value, interval, compactions, sessions: of }) => [
      interval === null ? 'not enough data' : withEnds(formatTwo(value), interval, formatTwo),
      `${formatCount(compactions)} in ${countOf(of, 'session')}`,
    ]),
  ]);
  const counts = rows.map(
    ([calls, , , seen, , expected]) =>
      `Files read again in the ${calls} calls after a compaction, above elsewhere: ${seen === expected ? seen : `observed ${seen}, predicted ${expected}`}.`,
  );
  const carried = addCarried(sessions.flatMap((session) => session.carried ?? []));
  const shares = (['file', 'output', 'said'] as const).map(
    (of) => `${CONTENTS[of]} ${formatCount(carried[of].hits)} of ${formatCount(carried[of].of)}`,
  );
  const told = `Carried of what compactions had removed and the next 40 calls needed: ${shares.join(', ')}.`;
  return [
    prose(counts),
    { type: 'table', columns: REREAD_COLUMNS, rows },
    prose([...REREAD_CAPTION.split('\n'), told]),
  ];
}

function formatTwo(value: number | null) {
  return value === null ? UNKNOWN : formatFixed(value, DECIMALS);
}

function decidedIn({ session, format, release, preset, decisions }: SessionFidelity) {
  const of = { session, format, ...known({ release, preset }) };
  return decisions.map((decision): Decided => ({ ...decision, ...of }));
}

function isJudged({ kind, recordedAfterStep }: Decision) {
  return kind === 'compaction' && recordedAfterStep !== null && recordedAfterStep > 0;
}

/** Tests for one that is neither predicted within a step nor without steps to predict it from. */
function isMissed(decision: Decision) {
  const { cause } = decision;
  return cause !== undefined && cause !== 'no-steps' && stepsApart(decision) > 1;
}

function countDecided(decided: readonly Decision[]) {
  const judged = decided.filter(isJudged);
  const compacted = decided.filter(({ kind }) => kind === 'compaction');
  return {
    automatic: judged.length,
    withinOneStep: judged.filter((one) => !isMissed(one)).length,
    exact: judged.filter((one) => one.predictedAfterStep === one.recordedAfterStep).length,
    notRecorded: compacted.filter((one) => one.recordedAfterStep === null).length,
    notPredictable: decided.filter(
      ({ kind, cause }) =>
        kind === 'manual-compaction' || (kind === 'compaction' && cause === 'no-steps'),
    ).length,
  };
}

function renderDecided(decided: readonly Decision[]) {
  const { automatic, withinOneStep, exact, notRecorded, notPredictable } = countDecided(decided);
  const clearings = decided.filter(({ kind }) => kind === 'clearing');
  const count = (key: 'recordedAfterStep' | 'predictedAfterStep') =>
    formatCount(clearings.filter((one) => one[key] !== null).length);
  return [
    automatic + notRecorded > 0
      ? `${formatCount(withinOneStep)} of ${countOf(automatic, 'automatic compaction')} within one step, ${formatCount(exact)} at the very step; ${formatCount(notRecorded)} predicted that were not recorded.`
      : 'No automatic compaction to predict.',
    notPredictable > 0
      ? `${countOf(notPredictable, 'other compaction')}: by hand, or before the first step, which no preset decides.`
      : '',
    clearings.length > 0
      ? `Clearings of outputs: ${count('recordedAfterStep')} recorded, ${count('predictedAfterStep')} predicted.`
      : '',
  ];
}

function releaseCells(group: readonly Decided[]) {
  const [{ format, release = UNKNOWN, preset = UNKNOWN } = { format: UNKNOWN }] = group;
  const { automatic, withinOneStep, exact } = countDecided(group);
  const ranges = (['recordedTokens', 'predictedTokens', 'edgeTokens'] as const).map((key) => {
    const tokens = group.flatMap((one) => one[key] ?? []);
    const [least, most] = [Math.min(...tokens), Math.max(...tokens)];
    if (tokens.length === 0) return UNKNOWN;
    return least === most ? formatCount(least) : `${formatCount(least)} to ${formatCount(most)}`;
  });
  const counts = [automatic, withinOneStep, exact].map(formatCount);
  return [format, untrusted(release), preset, ...counts, ...ranges];
}

function describeMiss(decided: Decided) {
  const { recordedAfterStep, predictedAfterStep, cause = 'unexplained' } = decided;
  const { session, recordedTokens, predictedTokens, edgeTokens } = decided;
  const recorded = placeOf(recordedAfterStep, recordedTokens);
  const predicted = placeOf(predictedAfterStep, predictedTokens);
  const edge = edgeTokens === undefined ? '' : ` (edge ${formatCount(edgeTokens)})`;
  return `${session}: recorded ${recorded}, predicted ${predicted}${edge}: ${CAUSES[cause]}`;
}

function placeOf(step: number | null, tokens?: number) {
  const at = tokens === undefined ? '' : ` at ${formatCount(tokens)}`;
  return step === null ? 'not at all' : `after step ${formatCount(step)}${at}`;
}

function describeSurprises(sessions: readonly SessionFidelity[]) {
  return Object.entries(EXPLANATIONS).flatMap(([surprise, explanation]) => {
    const steps = sum(sessions.map(({ surprises }) => surprises[surprise as Surprise] ?? 0));
    return steps === 0 ? [] : [`${countOf(steps, 'step')} ${explanation}`];
  });
}

function toFigures(errors: FidelityErrors) {
  return Object.fromEntries(
    MEASURES.map(([measure, key]) => [
      key,
      summariseErrors(errors[measure])?.medianAbsolute ?? null,
    ]),
  );
}

/** The few dear steps weigh most, above all those whose cache was lost. */
function renderCosts(sessions: readonly SessionFidelity[]) {
  const costs = addCosts(sessions.map((session) => session.costs));
  if (costs === null || costs.recordedNanoUsd === 0) return '';
  const { predictedNanoUsd, recordedNanoUsd, lostPredictedNanoUsd, lostRecordedNanoUsd } = costs;
  const priced = sessions.filter((session) => session.costs !== null).length;
  const where = ` in the ${formatCount(priced)} of ${formatCount(sessions.length)} sessions whose cost was recorded and whose prices are known`;
  const title = `Input cost in total${priced === sessions.length ? '' : where}`;
  const all = compareCosts(predictedNanoUsd, recordedNanoUsd);
  if (lostRecordedNanoUsd === 0) return `${title}: ${all}.`;
  const rest = compareCosts(
    predictedNanoUsd - lostPredictedNanoUsd,
    recordedNanoUsd - lostRecordedNanoUsd,
  );
  return `${title}: ${all}; without the steps whose cache was lost: ${rest}.`;
}

function compareCosts(predictedNanoUsd: number, recordedNanoUsd: number) {
  const [predicted, recorded] = [predictedNanoUsd, recordedNanoUsd].map((nanoUsd) =>
    formatUsd(nanoUsd / NANO_USD_PER_USD),
  );
  const compared = `${predicted} predicted, ${recorded} recorded`;
  if (recordedNanoUsd === 0) return compared;
  return `${compared} (${signedHundredths(predictedNanoUsd / recordedNanoUsd - 1)} %)`;
}

function signedHundredths(ratio: number) {
  return formatSigned(percentOf(ratio), DECIMALS);
}

function describeUncompared(sessions: readonly SessionFidelity[]) {
  return [...groupBy(sessions, ({ reason }) => reason)].map(([reason, [first, ...others]]) => {
    const more = others.length === 0 ? '' : ` and ${countOf(others.length, 'other session')}`;
    return `${first?.session}${more}: ${reason}`;
  });
}

function toCells(group: readonly SessionFidelity[]) {
  const [{ format, model } = { format: UNKNOWN, model: undefined }] = group;
  const errors = poolErrors(group.map((session) => session.errors));
  return [
    untrusted(format),
    untrusted(model ?? UNKNOWN),
    formatCount(group.length),
    formatCount(sum(group.map(({ steps }) => steps))),
    ...MEASURES.map(([measure]) => {
      const summary = summariseErrors(errors[measure]);
      if (summary === undefined) return UNKNOWN;
      return `${signedHundredths(summary.medianSigned)} / ${signedHundredths(summary.p90Signed)}`;
    }),
  ];
}
