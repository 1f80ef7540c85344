import { badOption, type HarnessError, messageOf } from '../../simulator/errors.ts';
import { quoted } from '../../simulator/names.ts';
import type { CheckReport } from '../../simulator/report/check/check-report.ts';
import { shownText } from '../../simulator/report/shown-text.ts';
import type { BenchConfig, Gate } from '../../simulator/scenario/gate/config.ts';
import { badConfig, type FoundConfig } from '../../simulator/scenario/gate/read-config.ts';
import type { Path } from '../../simulator/scenario/file/places.ts';
import { checkGates } from '../../simulator/sweep/gate/gates.ts';
import { createGateRun, type GateOptions, type GateRun } from './gate.ts';
import type { CliIo } from '../process/io.ts';
import { printDone, printNote } from '../process/output.ts';

/** What the command line says of the gate, and of what is left out. */
export interface GateChoice {
  readonly baseline?: string | undefined;
  readonly bless?: true | undefined;
  readonly reason?: string | undefined;
  readonly only?: string | undefined;
  readonly onlyFailed?: string | undefined;
  readonly maxFailures?: string | undefined;
  readonly tier?: string | undefined;
}

/** A gate of a configuration, and where it stands. */
interface PlacedGate {
  readonly gate: Gate;
  readonly path: Path;
}

/** What a gate takes from the check around it. */
export interface GateSurroundings extends Pick<GateOptions, 'catalogHash' | 'isHere' | 'files'> {
  /** Whether somebody named the files one by one, which are a part of all. */
  readonly hasNamedFiles: boolean;
}

/** The gate at the baseline of the command line, else at that of the configuration; without either there is none. */
export function openGate(
  choice: GateChoice,
  found: FoundConfig | undefined,
  { hasNamedFiles, ...around }: GateSurroundings,
): GateRun | undefined {
  const blessReason = reasonOf(choice);
  const config = found?.config ?? {};
  const baseline = choice.baseline ?? config.baseline;
  if (found !== undefined) checkConfig(found);
  if (baseline !== undefined) {
    const isAll = isWhole(choice) && !hasNamedFiles;
    return createGateRun({ ...around, baseline, config, blessReason, isWhole: isAll });
  }
  if (blessReason !== undefined) {
    throw badOption("Expected '--bless' to come with '--baseline FOLDER', got no folder.");
  }
  if (found !== undefined && gatesIn(config).length > 0) throw gatesOnNothing(found.file);
  return undefined;
}

/** Tells whether the baseline that was asked for was written, and what it had to give up. */
export function noteBlessing(gate: GateRun, { failed, unread }: CheckReport, io: CliIo): void {
  if (gate.folder === undefined) return;
  if (failed > 0 || unread.length > 0) {
    printNote(io, 'No baseline was written, for what fails its own expectations is none.');
    return;
  }
  printDone(io, `Baseline written: ${shownText(gate.folder)}`);
  const lost = gate.loss?.();
  if (lost !== undefined) printNote(io, lost);
}

function reasonOf({ bless, reason }: GateChoice): string | undefined {
  if (!bless) {
    if (reason === undefined) return undefined;
    throw badOption("Expected '--reason' to come with '--bless', got it alone.");
  }
  if (reason !== undefined && reason.trim() !== '') return reason;
  throw badOption("Expected '--bless' to come with '--reason TEXT', got no reason.");
}

function isWhole({ only, onlyFailed, maxFailures, tier }: GateChoice): boolean {
  return [only, onlyFailed, maxFailures, tier].every((option) => option === undefined);
}

function gatesIn({ gates = [], cases = {} }: BenchConfig): readonly PlacedGate[] {
  const ofCases = Object.entries(cases).flatMap(([name, list]) => placed(list, ['cases', name]));
  return [...placed(gates, ['gates']), ...ofCases];
}

function placed(list: readonly Gate[], path: Path): readonly PlacedGate[] {
  return list.map((gate, index) => ({ gate, path: [...path, index] }));
}

/** Metrics have names that a schema of files does not know; a gate that asks nothing would always pass. */
function checkConfig({ file, config, describeAt }: FoundConfig): void {
  const gates = gatesIn(config);
  for (const { gate, path } of gates) {
    try {
      checkGates([gate]);
    } catch (error) {
      throw badConfig(file, `: ${describeAt([...path, 'metric'], messageOf(error))}`, error);
    }
  }
  if (config.events === 'ignored' && gates.length === 0) {
    throw badConfig(file, ' with gates where events are ignored, got none.');
  }
}

/** Gates that nobody asks would pass. */
function gatesOnNothing(file: string): HarnessError {
  const name = quoted(file);
  return badOption(
    `Expected a baseline for the gates of ${name}, got none; '--baseline' names one.`,
  );
}
