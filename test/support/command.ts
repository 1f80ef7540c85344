import { main } from '../../src/cli/main.ts';
import { type CapturedIoOptions, captureIo } from './captured-io.ts';
import { createFolder } from './session-files.ts';

/** How a command ended, and what it wrote. */
export interface EndedCommand {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs one command in this process. */
export type Command = (
  argv: readonly string[],
  options?: CapturedIoOptions,
) => Promise<EndedCommand>;

/** Runs a command line in this process. */
export async function callMain(
  argv: readonly string[],
  options: CapturedIoOptions = {},
): Promise<EndedCommand> {
  const io = captureIo(options);
  const code = await main(argv, io);
  return { code, ...io.written };
}

/** A command line as its words, none of which holds a space. */
export function words(line: string): string[] {
  return line.split(' ');
}

/** A command for the tests of one file, which keep what tokens they counted: a tokenizer takes long to load. */
export function createCommand(name: string): Command {
  const env = { COMPACTION_BENCH_CACHE: createFolder() };
  return (argv, options = {}) =>
    callMain([...name.split(' '), ...argv], { ...options, env: { ...env, ...options.env } });
}
