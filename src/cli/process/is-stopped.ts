import { setImmediate } from 'node:timers/promises';
import type { CliIo } from './io.ts';

/** Whether the user wants to stop. Work that blocks lets no signal be heard; here it can be. */
export async function isStopped({ signal }: Pick<CliIo, 'signal'>): Promise<boolean> {
  await setImmediate();
  return signal.aborted;
}
