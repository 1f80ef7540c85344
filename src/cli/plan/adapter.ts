import { badOption } from '../../simulator/lib/errors.ts';
import {
  commandCompactor,
  type OpenCompactor,
} from '../../simulator/sweep/adapter/command-compactor.ts';
import { adapterPlace } from '../../simulator/replay/foreign/compactor.ts';
import type { AdapterArm } from '../../simulator/sweep/run/row.ts';
import { MS_PER_SECOND } from '../../simulator/lib/units.ts';
import { parseWholeIfGiven } from './options.ts';

/** The signal fires when nobody waits any more. */
export type OpenAdapter = (signal?: AbortSignal) => OpenCompactor;

export interface AdapterChoice {
  readonly adapter?: string | undefined;
  readonly answerTimeout?: string | undefined;
}

export const ADAPTER_SPENDS =
  'What the adapter spends by itself, as on summaries of its own, is in no number.';

export function toAdapterArm(
  open: OpenAdapter | undefined,
  { signal }: { signal: AbortSignal },
): AdapterArm | undefined {
  return open && { ...adapterPlace, open: () => open(signal) };
}

export function planAdapter({ adapter, answerTimeout }: AdapterChoice): OpenAdapter | undefined {
  if (adapter === undefined && answerTimeout === undefined) return undefined;
  if (adapter === undefined)
    throw badOption("Expected '--answer-timeout' to come with '--adapter', got it alone.");
  if (adapter.trim() === '') throw badOption("Expected '--adapter' to be a command, got nothing.");
  const seconds = parseWholeIfGiven('--answer-timeout', answerTimeout);
  const timeout = seconds === undefined ? {} : { timeoutMs: seconds * MS_PER_SECOND };
  return (signal) => commandCompactor(adapter, { signal, ...timeout });
}

/** Throws at an adapter in a closed loop, whose added steps it could not tell. */
export function checkOpenLoop({
  adapter,
  closedLoop,
}: AdapterChoice & { closedLoop?: boolean | undefined }): void {
  if (adapter === undefined || !closedLoop) return;
  throw badOption(
    "Expected '--adapter' without '--closed-loop', because an adapter is replayed in an open loop alone.",
  );
}

export function checkInPlaceOfPolicy(given: readonly string[]): void {
  if (!given.includes('--adapter') || !given.includes('--policy')) return;
  throw badOption("Expected '--policy' or '--adapter', got both.");
}
