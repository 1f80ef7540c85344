import { badOption } from '../../simulator/lib/errors.ts';
import {
  commandCompactor,
  type OpenCompactor,
} from '../../simulator/sweep/adapter/command-compactor.ts';
import { option } from '../command.ts';
import { parseWhole } from './options.ts';

/** Starts somebody's own compaction; the signal fires when nobody waits for it any more. */
export type OpenAdapter = (signal?: AbortSignal) => OpenCompactor;

interface AdapterChoice {
  readonly adapter?: string | undefined;
  readonly answerTimeout?: string | undefined;
}

const MS_PER_SECOND = 1_000;

/** The options of a command that can run somebody's own compaction. */
export const adapterOptions = {
  adapter: option(
    '--adapter <command>',
    'run your own compaction in place of the policies; see docs/adapter.md',
  ),
  answerTimeout: option(
    '--answer-timeout <seconds>',
    'how long the adapter may take for one answer (default: 60)',
  ),
};

/** The adapter that was named, if any. Throws where it is no command, or the time is none. */
export function planAdapter({ adapter, answerTimeout }: AdapterChoice): OpenAdapter | undefined {
  if (adapter === undefined && answerTimeout === undefined) return undefined;
  if (adapter === undefined) {
    throw badOption("Expected '--answer-timeout' to come with '--adapter', got it alone.");
  }
  if (adapter.trim() === '') throw badOption("Expected '--adapter' to be a command, got nothing.");
  const timeoutMs =
    answerTimeout === undefined
      ? undefined
      : parseWhole('--answer-timeout', answerTimeout) * MS_PER_SECOND;
  return (signal) =>
    commandCompactor(adapter, { signal, ...(timeoutMs !== undefined && { timeoutMs }) });
}
