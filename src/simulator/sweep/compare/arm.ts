import { canonicalJson, policies } from '../../../engine/index.ts';
import type { RunState } from '../../events.ts';
import type { RunRecord } from '../../metrics/record.ts';
import type { SettingValue } from '../../scenario/setting.ts';
import { groupBy } from '../../group-by.ts';

/** A row that can be compared: of a report, or of the results of a sweep. */
export type ComparableRow = Pick<
  RunRecord,
  'session' | 'family' | 'policy' | 'model' | 'summarizer' | 'state' | 'reason'
> & {
  readonly metrics: NamedValues;
  readonly settings?: Readonly<Record<string, SettingValue>>;
  /** Hash of the session's content; absent where nobody noted it. */
  readonly sessionHash?: string;
};

/** Values of metrics by name; `null` where unknown. */
export type NamedValues = Readonly<Record<string, number | null>>;

/** One policy with its settings and whom it met, and what each session came to under it. */
export interface Arm {
  /** The policy, with its settings where it has some. */
  readonly policy: string;
  /** The model and the summarizer. */
  readonly met: string;
  readonly sessions: ReadonlyMap<string, ArmResult>;
}

/** What a session came to under an arm: over all its trials. */
export interface ArmResult {
  readonly state: RunState;
  readonly reason?: string | undefined;
  readonly sessionHash?: string | undefined;
  /** Means over the trials; unknown where it is unknown for any. */
  readonly metrics: NamedValues;
}

/**
 * Rows by policy, settings, model and summarizer, in the order of first appearance. The control is left out where
 * there is another.
 */
export function toArms(rows: readonly ComparableRow[]): readonly Arm[] {
  const byArm = groupBy(rows, (row) => canonicalJson([policyOf(row), metBy(row)]));
  const arms = [...byArm.values()].flatMap(toArm);
  const others = arms.filter(({ isControl }) => !isControl);
  return others.length === 0 ? arms : others;
}

function toArm(rows: readonly ComparableRow[]) {
  const [first] = rows;
  if (first === undefined) return [];
  const bySession = groupBy(rows, ({ session }) => session);
  return [
    {
      policy: policyOf(first),
      met: metBy(first),
      isControl: first.policy === policies.none.name,
      sessions: new Map([...bySession].map(([session, trials]) => [session, joinTrials(trials)])),
    },
  ];
}

function policyOf({ policy, settings = {} }: ComparableRow): string {
  return Object.keys(settings).length === 0 ? policy : `${policy} ${canonicalJson(settings)}`;
}

function metBy({ model, summarizer }: ComparableRow): string {
  return `${model}, ${summarizer}`;
}

/** Trials are repeats of one observation: one that did not complete leaves the session without any. */
function joinTrials(trials: readonly ComparableRow[]): ArmResult {
  const broken = trials.find(({ state }) => state !== 'completed');
  const names = new Set(trials.flatMap(({ metrics }) => Object.keys(metrics)));
  const metrics = [...names].map((name) => [name, meanOf(trials, name)] as const);
  return {
    state: broken?.state ?? 'completed',
    reason: broken?.reason,
    sessionHash: trials[0]?.sessionHash,
    metrics: Object.fromEntries(metrics),
  };
}

/** Added up from the first, so that the mean of equal numbers is that number to the last digit. */
function meanOf(trials: readonly ComparableRow[], name: string): number | null {
  let first: number | undefined;
  let more = 0;
  for (const { metrics } of trials) {
    const value = Object.hasOwn(metrics, name) ? metrics[name] : null;
    if (value === null || value === undefined) return null;
    first ??= value;
    more += value - first;
  }
  return first === undefined ? null : first + more / trials.length;
}
