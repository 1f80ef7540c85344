import { contentHash, shortHash } from '../../simulator/content-hash.ts';
import type { CheckReport, CheckShard } from '../../simulator/report/check/check-report.ts';
import type { GatePart } from '../../simulator/report/check/gate-report.ts';
import { concludeGate, concludePart } from '../../simulator/sweep/gate/conclude.ts';
import { parseShard, isInShard } from '../../simulator/sweep/store/shard.ts';
import { readVersion } from '../inputs/package-files.ts';
import { type CheckInputs, scenarioNameOf } from './inputs.ts';

/** A part of the scenarios, with what tells that it is one. */
export interface CheckPart {
  readonly inputs: CheckInputs;
  /** Absent where all are in it. */
  readonly shard?: CheckShard;
  /** Whether a scenario of that name is in it; absent where all are. */
  readonly isHere?: (scenario: string) => boolean;
}

/** The part of some scenarios that `2/5` names, all where it is absent; `options` is what the whole is made with besides. */
export function takeShard(
  inputs: CheckInputs,
  text: string | undefined,
  options: Readonly<Record<string, unknown>>,
): CheckPart {
  if (text === undefined) return { inputs };
  const shard = parseShard(text);
  // By name, so that a scenario stays in its shard when others come or go.
  const isHere = (scenario: string) => isInShard(contentHash(scenario), shard);
  const files = inputs.files.filter((file) => isHere(scenarioNameOf(file)));
  const suite = { ...options, files: inputs.files.map((file) => inputs.nameOf(file)) };
  const check = shortHash(JSON.parse(JSON.stringify(suite)));
  return {
    inputs: { ...inputs, files },
    shard: { ...shard, check, version: readVersion() },
    isHere,
  };
}

/** A report with what its baseline says; of a shard only what can be said without the others. */
export function concludeCheck(
  report: CheckReport,
  part: GatePart | undefined,
  shard: CheckShard | undefined,
): CheckReport {
  if (shard === undefined) return { ...report, ...(part && { gate: concludeGate(part) }) };
  return {
    ...report,
    ...(part && { gate: concludePart(part) }),
    shard: { ...shard, ...(part && { gate: part }) },
  };
}
