/** The arms of a report as rows: sums over the same runs, and a point of a chart each. */

import { type Arm, type ArmRun, findCompared, totalOf } from './arms.ts';
import { countOf, formatCount, formatUsd } from './numbers.ts';
import type { Plot } from './plots.ts';
import { RECORDED } from '../replay/recorded.ts';
import type { Conclusion } from './verdict.ts';
import { describeChange, describeFailures } from './verdict-lines.ts';

/** The arms over the runs that they are summed over, in words. */
interface ArmRows {
  readonly over: string;
  /** In the order of the arms. */
  readonly rows: readonly ArmRow[];
}

/** The cost and losses of an arm; `null` is unknown. */
export interface ArmRow {
  readonly name: string;
  readonly costUsd: number | null;
  /** Those that it processes, where no arm has a price. */
  readonly tokens?: number | null;
  readonly losses: number | null;
  readonly compactions: number | null;
  /** How it stands against the others, in a few words. */
  readonly says: string;
  /** It costs at least that: some requests are not recorded. */
  readonly isLeast?: true;
  /** Nobody can choose it, for some requests exceed the window. */
  readonly isImpossible?: true;
  /** Its sums cannot be held against others'. */
  readonly isNoPeer?: true;
}

/** The runs over which arms are summed; none where no run is one of all arms. */
type Keys = ReadonlySet<string>;

/** The arms in their order, each by the same sums as the verdict. */
export function toArmRows(arms: readonly Arm[], conclusion: Conclusion): ArmRows {
  const keys = new Set(findCompared(arms, conclusion.baseline?.name).keys);
  const isPriced = arms.some(({ runs }) => runs.some(({ costUsd }) => costUsd !== null));
  const rereads = isPriced && conclusion.withoutRereads === undefined ? ', re-reads included' : '';
  const rows = arms.map((arm) => toRow(arm, keys, conclusion));
  return {
    over: `${describeSums(keys, conclusion)}${rereads}`,
    rows: isPriced ? rows.map(({ tokens: _tokens, ...row }) => row) : rows,
  };
}

/** Cost against losses, a point for each arm; `undefined` where there are no two to be held against each other. */
export function armPlot(rows: readonly ArmRow[]): Plot | undefined {
  const hasPrice = rows.every(({ tokens }) => tokens === undefined);
  const spentOf = ({ costUsd, tokens = null }: ArmRow) => (hasPrice ? costUsd : tokens);
  const points = rows.filter((row) => spentOf(row) !== null && row.losses !== null);
  const lines = rows.flatMap((row) => {
    const at = spentOf(row);
    return row.losses === null && at !== null ? [{ name: nameOf(row.name), at }] : [];
  });
  if (rows.length < 2 || points.length === 0) return undefined;
  const missing = rows.filter((row) => spentOf(row) === null);
  return {
    kind: 'scatter',
    title: `${hasPrice ? 'Cost' : 'Tokens'} against losses: better is down and to the left`,
    axes: [
      hasPrice
        ? { label: 'Cost, re-reads included', unit: 'usd' }
        : { label: 'Processed', unit: 'tokens' },
      { label: 'Losses', unit: 'count' },
    ],
    points: points.map((row) => ({
      name: nameOf(row.name),
      values: [spentOf(row), row.losses],
      says:
        row.isNoPeer && !row.isImpossible ? `${row.says} (over fewer sessions)`.trim() : row.says,
      isHollow: row.isImpossible === true || row.isNoPeer === true,
    })),
    lines,
    note: [
      ...(points.some((row) => row.isImpossible || row.isNoPeer)
        ? ['Hollow: not completed everywhere, so nobody can choose it.']
        : []),
      ...(missing.length > 0
        ? [
            `Not drawn, for it completed nothing: ${missing.map(({ name }) => nameOf(name)).join(', ')}.`,
          ]
        : []),
    ].join(' '),
  };
}

function nameOf(name: string): string {
  return name === RECORDED ? 'as recorded' : name;
}

function describeSums({ size }: Keys, { sessions, allSessions }: Conclusion): string {
  if (size === 0) {
    return 'Sums over the runs that each completed, which are not those of the others';
  }
  const which =
    sessions === allSessions
      ? countOf(sessions, 'session')
      : `${formatCount(sessions)} of ${countOf(allSessions, 'session')}, which the baseline completed`;
  return `Sums over ${which}`;
}

function toRow({ name, runs }: Arm, keys: Keys, conclusion: Conclusion) {
  const asked = runs.filter(({ state }) => state !== 'skipped');
  const isImpossible = asked.some(({ state }) => state === 'impossible');
  const counted = asked.filter(
    ({ key, state }) => state === 'completed' && (keys.size === 0 || keys.has(key)),
  );
  const total = (valueOf: (run: ArmRun) => number | null) => totalOf(counted, valueOf);
  return {
    name,
    costUsd: total(({ costUsd }) => costUsd),
    tokens: total(({ tokens = null }) => tokens),
    losses: total(({ losses }) => losses),
    compactions: total(({ compactions }) => compactions),
    says: describeArm(name, conclusion),
    ...(counted.some(({ isLeast }) => isLeast) && { isLeast: true as const }),
    ...(isImpossible && { isImpossible: true as const }),
    ...((keys.size === 0 || counted.length < keys.size) && { isNoPeer: true as const }),
  };
}

/** How an arm stands against the baseline, in a few words; of a failing one also what the baseline costs where it did not fail. */
function describeArm(name: string, { baseline, verdict, idle }: Conclusion): string {
  if (idle !== undefined) return '';
  if (baseline?.name === name) return verdict.length === 0 ? '' : 'what others are held against';
  const judged = verdict.find(
    (one) => one.change === name && one.baseline === (baseline?.name ?? ''),
  );
  if (judged === undefined) return '';
  const { state, costUsd, tokens = costUsd } = judged;
  const failures = describeFailures(judged);
  if (failures !== '') {
    return costUsd.from === null ? failures : `against ${formatUsd(costUsd.from)}; ${failures}`;
  }
  const more = judged.losesMore ? ', loses more for good' : '';
  return [describeChange(tokens), `${state}${more}`].filter((words) => words !== '').join(': ');
}
