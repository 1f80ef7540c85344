import { badOption, HarnessError } from '../../simulator/errors.ts';
import { quoted } from '../../simulator/names.ts';
import {
  type Baseline,
  checkBaselineFolder,
  readBaseline,
  type ScenarioRecord,
  writeBaseline,
} from '../../simulator/sweep/gate/baseline.ts';
import { baselineMismatches, sourceMismatch } from '../../simulator/sweep/gate/comparable.ts';
import { withEarlierRuns } from '../../simulator/sweep/gate/earlier-runs.ts';
import { toScenarioRecord } from '../../simulator/sweep/gate/hold.ts';
import type { GateOptions, GateRun } from './gate.ts';
import { checkOutFolder } from '../process/out-folder.ts';

/** What a baseline is written of, and where. */
type BlessingOptions = Pick<GateOptions, 'baseline' | 'isWhole' | 'isHere'> &
  Pick<Baseline, 'header'>;

/** What a baseline had of a scenario, and why it cannot stay beside what comes; absent where it can. */
interface EarlierRecord {
  readonly record: ScenarioRecord;
  readonly mismatch?: string | undefined;
}

/** The baseline that is written over. */
interface Earlier {
  /** Those that stay whatever is checked. */
  readonly scenarios: Baseline['scenarios'];
  /** Asked only for scenarios of which something was left out, so that a broken baseline can be blessed over. */
  find(made: ScenarioRecord): EarlierRecord | undefined;
}

/** Writes a baseline anew. What was not run keeps what it had; of a whole, scenarios that are no more go. */
export function createBlessing(options: BlessingOptions): GateRun {
  const { baseline: folder, header } = options;
  checkBaselineFolder(folder);
  checkOutFolder(folder, 'the baseline');
  const earlier = openEarlier(options);
  const scenarios = new Map<string, ScenarioRecord>(earlier.scenarios);
  const fresh = new Set<string>();
  const losses = new Set<string>();
  return {
    folder,
    add: (result, source) => {
      const { name, leftOut = [] } = result;
      if (fresh.has(name)) throw sameName(name);
      fresh.add(name);
      const made = toScenarioRecord(result, source);
      const known = leftOut.length === 0 ? undefined : earlier.find(made);
      if (known?.mismatch !== undefined && hasRun(known.record, leftOut))
        losses.add(known.mismatch);
      const kept = known?.mismatch === undefined ? known?.record : undefined;
      const record = withEarlierRuns(made, kept, leftOut);
      if (record.runs.length > 0) scenarios.set(name, record);
      else scenarios.delete(name);
      return true;
    },
    end: ({ failed, unread }) => {
      if (failed === 0 && unread.length === 0) writeBaseline({ folder, header, scenarios });
      return undefined;
    },
    loss: () =>
      losses.size === 0
        ? undefined
        : [...losses, 'Runs that were left out now are gone from it.'].join(' '),
  };
}

function hasRun({ runs }: ScenarioRecord, names: readonly string[]): boolean {
  return runs.some(({ run }) => names.includes(run));
}

function openEarlier({ baseline: folder, isWhole, isHere, header }: BlessingOptions): Earlier {
  if (isWhole && isHere === undefined) return openWhole(folder, header);
  const before = readBaseline(folder);
  checkOneHeader(before, header);
  const scenarios = before?.scenarios ?? new Map<string, ScenarioRecord>();
  return { scenarios, find: (made) => before && findIn(before, header, made) };
}

function openWhole(folder: string, header: Baseline['header']): Earlier {
  let before: Baseline | undefined;
  return {
    scenarios: new Map(),
    find: (made) => {
      before ??= readBaseline(folder);
      return before && findIn(before, header, made);
    },
  };
}

/** Of a baseline that rests on something else, and of another file, whose runs are others, nothing can stay. */
function findIn(
  before: Baseline,
  header: Baseline['header'],
  made: ScenarioRecord,
): EarlierRecord | undefined {
  const record = before.scenarios.get(made.scenario);
  if (record === undefined) return undefined;
  const [mismatch = sourceMismatch(record, made.source)] = baselineMismatches(before, header);
  return { record, mismatch };
}

/** One baseline has one header: what stays in it has to be comparable with what comes. */
function checkOneHeader(before: Baseline | undefined, header: Baseline['header']): void {
  const [mismatch] = before === undefined ? [] : baselineMismatches(before, header);
  if (mismatch === undefined) return;
  throw badOption(`Expected all scenarios to be blessed at once. ${mismatch}`);
}

function sameName(name: string): HarnessError {
  const message = `Expected each scenario of a baseline to have a name of its own, got ${quoted(name)} twice.`;
  return new HarnessError('BAD_SCENARIO', message);
}
