import { HarnessError } from '../simulator/errors.ts';
import { quoted } from '../simulator/names.ts';
import type { CheckReport } from '../simulator/report/check/check-report.ts';
import { shownText } from '../simulator/report/shown-text.ts';
import type { BenchConfig } from '../simulator/scenario/gate/config.ts';
import type { FoundConfig } from '../simulator/scenario/gate/read-config.ts';
import { createGateRun, type GateOptions, type GateRun } from './gate.ts';
import type { CliIo } from './io.ts';
import { printNote } from './output.ts';

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

/** The gate at the baseline of the command line, else at that of the configuration; without either there is none. */
export function openGate(
  choice: GateChoice,
  found: FoundConfig | undefined,
  around: Pick<GateOptions, 'catalogHash' | 'isHere'>,
): GateRun | undefined {
  const blessReason = reasonOf(choice);
  const config = found?.config ?? {};
  const baseline = choice.baseline ?? config.baseline;
  if (baseline !== undefined) {
    return createGateRun({ ...around, baseline, config, blessReason, isWhole: isWhole(choice) });
  }
  if (blessReason !== undefined) {
    throw badOption("Expected '--bless' with '--baseline FOLDER', got no folder.");
  }
  if (found !== undefined && hasGates(config)) throw gatesOnNothing(found.file);
  return undefined;
}

/** Tells whether the baseline that was asked for was written. */
export function noteBlessing(folder: string, { failed, unread }: CheckReport, io: CliIo): void {
  const isWritten = failed === 0 && unread.length === 0;
  const told = isWritten
    ? `Baseline written: ${shownText(folder)}`
    : 'No baseline was written: what does not hold is none.';
  printNote(io, told);
}

function reasonOf({ bless, reason }: GateChoice): string | undefined {
  if (!bless) {
    if (reason === undefined) return undefined;
    throw badOption("Expected '--reason' with '--bless', got it alone.");
  }
  if (reason !== undefined && reason.trim() !== '') return reason;
  throw badOption("Expected '--bless' with '--reason TEXT', got no reason.");
}

function isWhole({ only, onlyFailed, maxFailures, tier }: GateChoice): boolean {
  return [only, onlyFailed, maxFailures, tier].every((option) => option === undefined);
}

function hasGates({ gates = [], cases = {} }: BenchConfig): boolean {
  return gates.length > 0 || Object.keys(cases).length > 0;
}

/** Gates that nobody asks would pass. */
function gatesOnNothing(file: string): HarnessError {
  const name = quoted(file);
  return badOption(
    `Expected a baseline for the gates of ${name}, got none; '--baseline' names one.`,
  );
}

function badOption(message: string): HarnessError {
  return new HarnessError('BAD_OPTION', message);
}
