/** Reads standard input. */

import { fstatSync } from 'node:fs';
import { HarnessError } from '../../simulator/errors.ts';
import { decodeText } from '../../simulator/text-file.ts';
import { checkSize, TOO_LONG } from '../../simulator/session/files/join-chunks.ts';
import { describeFault, faultCode } from '../../simulator/system-fault.ts';
import type { CliIo } from './io.ts';

/** The name on the command line that stands for standard input. */
export const STDIN = '-';

/** Everything that is piped in, as text; absent if the user wanted to stop. */
export async function readStdin({ stdin, signal }: CliIo): Promise<string | undefined> {
  const stop = () => stdin.destroy();
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    const bytes = await readBytes(stdin);
    return signal.aborted ? undefined : decodeText(bytes);
  } catch (error) {
    // A stream that was destroyed while it was read ends with an error.
    if (signal.aborted) return undefined;
    if (faultCode(error) !== TOO_LONG) throw error;
    const message = `Expected to read standard input, got ${describeFault(error)}.`;
    throw new HarnessError('UNREADABLE', message, { cause: error });
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Whether sessions are to be read from standard input: named so, or nothing named and something piped. */
export function readsStdin(inputs: readonly string[], { stdin }: CliIo): boolean {
  if (inputs.length === 0) return stdin.isTTY !== true && !isDevice(stdin);
  return inputs.length === 1 && inputs[0] === STDIN;
}

/** Whether nothing is piped in: where nobody types, as in CI jobs, it is a device that holds nothing. */
function isDevice({ fd }: CliIo['stdin']): boolean {
  return fd !== undefined && fstatSync(fd).isCharacterDevice();
}

async function readBytes(stdin: CliIo['stdin']): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stdin) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    chunks.push(bytes);
    size += bytes.length;
    checkSize(size);
  }
  return Buffer.concat(chunks);
}
