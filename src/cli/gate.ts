import { HarnessError } from '../simulator/errors.ts';
import { quoted } from '../simulator/names.ts';
import type { CheckReport } from '../simulator/report/check/check-report.ts';
import type { GatePart } from '../simulator/report/check/gate-report.ts';
import type { ScenarioResult } from '../simulator/report/check/result.ts';
import type { BenchConfig } from '../simulator/scenario/gate/config.ts';
import {
  type Baseline,
  checkBaselineFolder,
  createHeader,
  readBaseline,
  type ScenarioRecord,
  writeBaseline,
} from '../simulator/sweep/gate/baseline.ts';
import { baselineMismatches } from '../simulator/sweep/gate/comparable.ts';
import { withEarlierRuns } from '../simulator/sweep/gate/earlier-runs.ts';
import { createHold, toScenarioRecord } from '../simulator/sweep/gate/hold.ts';
import { checkOutFolder } from './out-folder.ts';
import { readVersion } from './package-files.ts';

/** What a check is to be held against, or what it is to become. */
export interface GateOptions {
  /** The folder of the baseline. */
  readonly baseline: string;
  readonly config: BenchConfig;
  /** Why the baseline is written anew; absent where it is held against. */
  readonly blessReason?: string | undefined;
  /** Whether all scenarios are to be checked, if not here then in another shard. */
  readonly isWhole: boolean;
  /** Whether a scenario is to be checked here; absent where there is one shard. */
  readonly isHere?: ((scenario: string) => boolean) | undefined;
  readonly catalogHash: string;
}

/** Sees one scenario after another, and ends with what that means for the baseline. */
export interface GateRun {
  /** The folder of the baseline that is written; absent where one is held against. */
  readonly folder?: string;
  /** Whether the scenario is as the baseline has it; also true where nothing is compared. */
  add(result: ScenarioResult, source: string): boolean;
  /** What came of it; nothing where a baseline was asked for, which is written then. */
  end(report: CheckReport): GatePart | undefined;
}

/** A gate for one check; throws where the baseline cannot be used. */
export function createGateRun(options: GateOptions): GateRun {
  return options.blessReason === undefined
    ? holding(options)
    : blessing(options, options.blessReason);
}

function holding({ baseline: folder, catalogHash, ...options }: GateOptions): GateRun {
  const header = headerOf(catalogHash, '');
  const baseline = readBaseline(folder);
  if (baseline === undefined) return refusing(folder, options.config);
  const hold = createHold({ ...options, baseline, header });
  return {
    add: (result, source) => hold.add(result, toScenarioRecord(result, source)),
    end: () => hold.end(),
  };
}

/** Nothing can be said without a baseline. */
function refusing(baseline: string, { gates = [] }: BenchConfig): GateRun {
  const reason = `Expected a baseline in ${quoted(baseline)}, got none; '--bless --reason TEXT' writes one.`;
  const nothing = { missing: [], unasked: [], scenarios: [] };
  const part = { baseline, reason: '', mismatches: [reason], gates, ...nothing };
  return { add: () => true, end: () => part };
}

/** What was not checked keeps what it had, scenarios and runs of one, unless all was. */
function blessing(
  { baseline: folder, isWhole, isHere, catalogHash }: GateOptions,
  reason: string,
): GateRun {
  checkBaselineFolder(folder);
  checkOutFolder(folder, 'the baseline');
  const header = headerOf(catalogHash, reason);
  const before = isWhole && isHere === undefined ? undefined : readBaseline(folder);
  checkOneHeader(before, header);
  const scenarios = new Map<string, ScenarioRecord>(before?.scenarios);
  const fresh = new Set<string>();
  return {
    folder,
    add: (result, source) => {
      if (fresh.has(result.name)) throw sameName(result.name);
      fresh.add(result.name);
      const record = toScenarioRecord(result, source);
      scenarios.set(result.name, withEarlierRuns(record, before?.scenarios.get(result.name)));
      return true;
    },
    end: ({ failed, unread }) => {
      if (failed === 0 && unread.length === 0) writeBaseline({ folder, header, scenarios });
      return undefined;
    },
  };
}

/** One baseline has one header: what stays in it has to be comparable with what comes. */
function checkOneHeader(before: Baseline | undefined, header: Baseline['header']): void {
  const [mismatch] = before === undefined ? [] : baselineMismatches(before, header);
  if (mismatch === undefined) return;
  throw new HarnessError('BAD_OPTION', `Expected all scenarios to be blessed at once. ${mismatch}`);
}

function headerOf(catalog: string, reason: string): Baseline['header'] {
  return createHeader({ version: readVersion(), catalog, reason });
}

function sameName(name: string): HarnessError {
  const message = `Expected each scenario of a baseline to have a name of its own, got ${quoted(name)} twice.`;
  return new HarnessError('BAD_SCENARIO', message);
}
