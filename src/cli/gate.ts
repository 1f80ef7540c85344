import { HarnessError } from '../simulator/errors.ts';
import { quoted } from '../simulator/names.ts';
import type { CheckReport } from '../simulator/report/check/check-report.ts';
import type { ScenarioResult } from '../simulator/report/check/result.ts';
import type { BenchConfig } from '../simulator/scenario/gate/config.ts';
import {
  type Baseline,
  createHeader,
  readBaseline,
  type ScenarioRecord,
  writeBaseline,
} from '../simulator/sweep/gate/baseline.ts';
import { createHold, toScenarioRecord } from '../simulator/sweep/gate/hold.ts';
import { readVersion } from './package-files.ts';

/** What a check is to be held against, or what it is to become. */
export interface GateOptions {
  /** The folder of the baseline. */
  readonly baseline: string;
  readonly config: BenchConfig;
  /** Why the baseline is written anew; absent where it is held against. */
  readonly blessReason?: string | undefined;
  /** Whether all scenarios are to be checked. */
  readonly isWhole: boolean;
  readonly catalogHash: string;
}

/** Sees one scenario after another, and ends with what that means for the baseline. */
export interface GateRun {
  add(result: ScenarioResult, source: string): void;
  /** The report with what the gate says; a baseline that was asked for is written. */
  end(report: CheckReport): CheckReport;
}

/** A gate for one check; throws where the baseline cannot be used. */
export function createGateRun(options: GateOptions): GateRun {
  return options.blessReason === undefined
    ? holding(options)
    : blessing(options, options.blessReason);
}

function holding({ baseline: folder, config, isWhole, catalogHash }: GateOptions): GateRun {
  const baseline = readBaseline(folder);
  const header = headerOf(catalogHash, '');
  if (baseline === undefined) {
    const reason = `Expected a baseline in ${quoted(folder)}, got none; '--bless --reason TEXT' writes one.`;
    const inconclusive = [{ reason }];
    const counts = { comparedRuns: 0, unscoredRuns: 0, findings: [] };
    const gate = { baseline: folder, reason: '', ...counts, inconclusive };
    return { add: () => {}, end: (report) => ({ ...report, gate }) };
  }
  const hold = createHold({ baseline, header, config, isWhole });
  return {
    add: (result, source) => hold.add(result, toScenarioRecord(result, source)),
    end: (report) => ({ ...report, gate: hold.end() }),
  };
}

/** Scenarios that were not checked keep what they had, unless all were. */
function blessing(
  { baseline: folder, isWhole, catalogHash }: GateOptions,
  reason: string,
): GateRun {
  const before = isWhole ? undefined : readBaseline(folder);
  const scenarios = new Map<string, ScenarioRecord>(before?.scenarios);
  const fresh = new Set<string>();
  return {
    add: (result, source) => {
      if (fresh.has(result.name)) throw sameName(result.name);
      fresh.add(result.name);
      scenarios.set(result.name, toScenarioRecord(result, source));
    },
    end: (report) => {
      if (report.failed > 0 || report.unread.length > 0) return report;
      writeBaseline({ folder, header: headerOf(catalogHash, reason), scenarios });
      return report;
    },
  };
}

function headerOf(catalog: string, reason: string): Baseline['header'] {
  return createHeader({ version: readVersion(), catalog, reason });
}

function sameName(name: string): HarnessError {
  const message = `Expected each scenario of a baseline to have a name of its own, got ${quoted(name)} twice.`;
  return new HarnessError('BAD_SCENARIO', message);
}
