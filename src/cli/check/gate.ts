import { quoted } from '../../simulator/names.ts';
import type { CheckReport } from '../../simulator/report/check/check-report.ts';
import type { GatePart } from '../../simulator/report/check/gate-report.ts';
import type { ScenarioResult } from '../../simulator/report/check/result.ts';
import type { BenchConfig } from '../../simulator/scenario/gate/config.ts';
import { type Baseline, createHeader, readBaseline } from '../../simulator/sweep/gate/baseline.ts';
import { takesEvidence } from '../../simulator/sweep/gate/gates.ts';
import { createHold, toScenarioRecord } from '../../simulator/sweep/gate/hold.ts';
import { createBlessing } from './blessing.ts';
import { familiesOfScenarios } from './families.ts';
import { readVersion } from '../inputs/package-files.ts';

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
  /** The files of all scenarios, also of those that are checked in another shard. */
  readonly files: readonly string[];
}

/** Sees one scenario after another, and ends with what that means for the baseline. */
export interface GateRun {
  /** The folder of the baseline that is written; absent where one is held against. */
  readonly folder?: string;
  /** Whether the scenario is as the baseline has it; also true where nothing is compared. */
  add(result: ScenarioResult, source: string): boolean;
  /** What came of it; nothing where a baseline was asked for, which is written then. */
  end(report: CheckReport): GatePart | undefined;
  /** What a written baseline had to give up, a sentence; absent where there is nothing. */
  loss?(): string | undefined;
}

/** A gate for one check; throws where the baseline cannot be used. */
export function createGateRun(options: GateOptions): GateRun {
  return options.blessReason === undefined
    ? holding(options)
    : createBlessing({ ...options, header: headerOf(options.catalogHash, options.blessReason) });
}

function holding({ baseline: folder, catalogHash, files, ...options }: GateOptions): GateRun {
  const header = headerOf(catalogHash, '');
  const baseline = readBaseline(folder);
  if (baseline === undefined) return refusing(folder, options.config);
  const { gates = [] } = options.config;
  const families = gates.some(takesEvidence) ? familiesOfScenarios(files) : undefined;
  const hold = createHold({ ...options, baseline, header, families });
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

function headerOf(catalog: string, reason: string): Baseline['header'] {
  return createHeader({ version: readVersion(), catalog, reason });
}
