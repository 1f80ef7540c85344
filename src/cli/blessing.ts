import { HarnessError } from '../simulator/errors.ts';
import { quoted } from '../simulator/names.ts';
import {
  type Baseline,
  checkBaselineFolder,
  readBaseline,
  type ScenarioRecord,
  writeBaseline,
} from '../simulator/sweep/gate/baseline.ts';
import { baselineMismatches } from '../simulator/sweep/gate/comparable.ts';
import { withEarlierRuns } from '../simulator/sweep/gate/earlier-runs.ts';
import { toScenarioRecord } from '../simulator/sweep/gate/hold.ts';
import type { GateOptions, GateRun } from './gate.ts';
import { checkOutFolder } from './out-folder.ts';

/** What a baseline is written of, and where. */
type BlessingOptions = Pick<GateOptions, 'baseline' | 'isWhole' | 'isHere'> &
  Pick<Baseline, 'header'>;

/** Writes a baseline anew. What was not run keeps what it had; of a whole, scenarios that are no more go. */
export function createBlessing(options: BlessingOptions): GateRun {
  const { baseline: folder, header } = options;
  checkBaselineFolder(folder);
  checkOutFolder(folder, 'the baseline');
  const earlier = openEarlier(options);
  const scenarios = new Map<string, ScenarioRecord>(earlier.scenarios);
  const fresh = new Set<string>();
  return {
    folder,
    add: (result, source) => {
      const { name, leftOut = [] } = result;
      if (fresh.has(name)) throw sameName(name);
      fresh.add(name);
      const known = leftOut.length === 0 ? undefined : earlier.recordOf(name, leftOut);
      const record = withEarlierRuns(toScenarioRecord(result, source), known, leftOut);
      if (record.runs.length > 0) scenarios.set(name, record);
      return true;
    },
    end: ({ failed, unread }) => {
      if (failed === 0 && unread.length === 0) writeBaseline({ folder, header, scenarios });
      return undefined;
    },
    loss: () => earlier.loss(),
  };
}

/** The baseline that is written over. */
interface Earlier {
  /** Those that stay whatever is checked. */
  readonly scenarios: Baseline['scenarios'];
  /** Asked only for scenarios of which something was left out, so that a broken baseline can be blessed over. */
  recordOf(scenario: string, leftOut: readonly string[]): ScenarioRecord | undefined;
  loss(): string | undefined;
}

function openEarlier({ baseline: folder, isWhole, isHere, header }: BlessingOptions): Earlier {
  if (isWhole && isHere === undefined) return openWhole(folder, header);
  const before = readBaseline(folder);
  checkOneHeader(before, header);
  const scenarios = before?.scenarios ?? new Map<string, ScenarioRecord>();
  return { scenarios, recordOf: (name) => scenarios.get(name), loss: () => undefined };
}

/** Of a baseline that rests on something else nothing can stay beside what comes. */
function openWhole(folder: string, header: Baseline['header']): Earlier {
  let before: Baseline | undefined;
  let loss: string | undefined;
  return {
    scenarios: new Map(),
    recordOf: (name, leftOut) => {
      before ??= readBaseline(folder);
      const record = before?.scenarios.get(name);
      if (before === undefined || record === undefined) return undefined;
      const [mismatch] = baselineMismatches(before, header);
      if (mismatch === undefined) return record;
      const isLost = record.runs.some(({ run }) => leftOut.includes(run));
      if (isLost) loss = `${mismatch} Runs that were left out now are gone from it.`;
      return undefined;
    },
    loss: () => loss,
  };
}

/** One baseline has one header: what stays in it has to be comparable with what comes. */
function checkOneHeader(before: Baseline | undefined, header: Baseline['header']): void {
  const [mismatch] = before === undefined ? [] : baselineMismatches(before, header);
  if (mismatch === undefined) return;
  throw new HarnessError('BAD_OPTION', `Expected all scenarios to be blessed at once. ${mismatch}`);
}

function sameName(name: string): HarnessError {
  const message = `Expected each scenario of a baseline to have a name of its own, got ${quoted(name)} twice.`;
  return new HarnessError('BAD_SCENARIO', message);
}
