import { countOf, formatCount, formatUsd } from '../numbers.ts';
import { type Arm, type ArmRun, findCompared, totalOf } from '../arms.ts';
import type { Conclusion } from '../verdict.ts';
import { describeChange, describeFailures } from '../verdict-lines.ts';
import type { PageArms } from './page-data.ts';

/** The runs over which arms are summed; none where no run is one of all arms. */
type Keys = ReadonlySet<string>;

/** The arms of a page in their order, each by the same sums as the verdict. */
export function toPageArms(arms: readonly Arm[], conclusion: Conclusion): PageArms {
  const keys = new Set(findCompared(arms, conclusion.baseline?.name).keys);
  const isPriced = arms.some(({ runs }) => runs.some(({ costUsd }) => costUsd !== null));
  const rereads = isPriced && conclusion.withoutRereads === undefined ? ', re-reads included' : '';
  const rows = arms.map((arm) => toRow(arm, keys, conclusion));
  return {
    over: `${describeSums(keys, conclusion)}${rereads}`,
    rows: isPriced ? rows.map(({ tokens: _tokens, ...row }) => row) : rows,
  };
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
