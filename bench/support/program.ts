import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** The built package, which lies beside what is compiled of `src`. */
const PACKAGE = new URL('../../', import.meta.resolve('../../src/cli/main.ts'));
/** A file of the built package. */
export const packageFile = (path: string): string => fileURLToPath(new URL(path, PACKAGE));
/** The bundled program. */
export const PROGRAM = packageFile('dist/cli/main.js');

/** The resources that a process took, those of its threads included. */
export interface Usage {
  readonly processorSeconds: number;
  readonly seconds: number;
  readonly peakMegabytes: number;
}

interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Exit codes that are no failure; 0 by default. */
  readonly codes?: readonly number[];
}

const MS_PER_SECOND = 1_000;
const US_PER_SECOND = 1_000_000;
const KB_PER_MEGABYTE = 1_024;

/** Has a process print in its last line of errors what it took. */
const TELL_USAGE = `data:text/javascript,${encodeURIComponent(`
  import { isMainThread } from 'node:worker_threads';
  const tell = () => process.stderr.write('\\n' + JSON.stringify(process.resourceUsage()));
  if (isMainThread) process.on('exit', tell);
`)}`;

/** Runs Node with some arguments. Throws where it fails. */
export async function measureNode(
  argv: readonly string[],
  { env, codes = [0] }: RunOptions = {},
): Promise<Usage> {
  const startMs = performance.now();
  const child = spawn(process.execPath, ['--import', TELL_USAGE, ...argv], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...env },
  });
  const [[code], stderr] = await Promise.all([once(child, 'exit'), text(child.stderr)]);
  const seconds = (performance.now() - startMs) / MS_PER_SECOND;
  if (!codes.includes(code))
    throw new Error(`Expected figures of ${argv.join(' ')}, got exit code ${code}: ${stderr}`);
  const used: NodeJS.ResourceUsage = JSON.parse(stderr.trim().split('\n').at(-1) ?? '');
  return {
    seconds,
    processorSeconds: (used.userCPUTime + used.systemCPUTime) / US_PER_SECOND,
    peakMegabytes: used.maxRSS / KB_PER_MEGABYTE,
  };
}
