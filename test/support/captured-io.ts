import { Readable, Writable } from 'node:stream';
import type { CliIo, Output } from '../../src/cli/process/io.ts';

/** A process that a test looks at: what was written, and what the command may know. */
export interface CapturedIo extends CliIo {
  readonly written: { stdout: string; stderr: string };
}

/** What a test decides about the process. */
export interface CapturedIoOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly isTTY?: boolean;
  /** How wide the terminal is. */
  readonly columns?: number;
  /** What is piped in; absent where a person sits at the keyboard. */
  readonly stdin?: string;
  readonly signal?: AbortSignal;
  readonly now?: () => number;
}

/** A process of no terminal, no environment and no time, unless the test says otherwise. */
export function captureIo({
  env = {},
  isTTY = false,
  columns,
  stdin: piped,
  signal = new AbortController().signal,
  now = () => 0,
}: CapturedIoOptions = {}): CapturedIo {
  const written = { stdout: '', stderr: '' };
  const output = (name: keyof typeof written): Output => {
    const stream = new Writable({
      write: (chunk, _encoding, done) => {
        written[name] += String(chunk);
        done();
      },
    });
    return Object.assign(stream, { isTTY, ...(columns !== undefined && { columns }) });
  };
  const stdin = Object.assign(Readable.from(piped === undefined ? [] : [Buffer.from(piped)]), {
    isTTY: piped === undefined,
  });
  return { stdin, stdout: output('stdout'), stderr: output('stderr'), env, signal, now, written };
}
