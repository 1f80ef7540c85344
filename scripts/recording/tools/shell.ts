import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Workspace } from '../workspace.ts';
import type { ToolOutcome } from './outcome.ts';

const TIMEOUT_MS = 120_000;
const OUTPUT_LINES = 2000;
const OUTPUT_BYTES = 51_200;

/** What a command printed on both streams in one order, scrubbed, and cut as at write time. */
export function bashTool(input: { readonly command: string }, workspace: Workspace): ToolOutcome {
  const { printed, exit } = runCommand(input.command, workspace);
  const { text, truncated } = cutOutput(workspace.scrub.times(workspace.scrub.paths(printed)));
  const output = text === '' ? '(no output)' : text;
  return { state: 'completed', title: input.command, output, metadata: { exit, truncated } };
}

function runCommand(command: string, workspace: Workspace): { printed: string; exit: number } {
  // One file for both streams keeps their lines in the order in which they were written.
  const folder = mkdtempSync(join(tmpdir(), 'recording-output-'));
  const path = join(folder, 'output');
  const file = openSync(path, 'w');
  const result = spawnSync('bash', ['-c', command], {
    cwd: workspace.root,
    env: environmentOf(workspace),
    stdio: ['ignore', file, file],
    timeout: TIMEOUT_MS,
  });
  closeSync(file);
  const printed = readFileSync(path, 'utf8').trimEnd();
  rmSync(folder, { recursive: true });
  if (result.error) throw new Error(`Could not run '${command}'.`, { cause: result.error });
  if (result.status === null) throw new Error(`'${command}' was ended by ${result.signal}.`);
  return { printed, exit: result.status };
}

// Nothing of the caller's environment: no colours, no locale, no CI, no proxy.
function environmentOf(workspace: Workspace): NodeJS.ProcessEnv {
  const folders = [
    join(workspace.root, 'node_modules/.bin'),
    dirname(process.execPath),
    '/usr/bin',
    '/bin',
  ];
  return {
    PATH: folders.join(':'),
    HOME: workspace.root,
    LC_ALL: 'C.UTF-8',
    TZ: 'UTC',
    TERM: 'dumb',
    NO_COLOR: '1',
  };
}

function cutOutput(text: string): { text: string; truncated: boolean } {
  const lines = text.split('\n').slice(0, OUTPUT_LINES);
  const kept = cutBytes(lines);
  if (kept === text) return { text, truncated: false };
  const note = `(Output cut at ${OUTPUT_LINES} lines or ${OUTPUT_BYTES} bytes.)`;
  return { text: `${kept}\n\n${note}`, truncated: true };
}

function cutBytes(lines: readonly string[]): string {
  let bytes = 0;
  const end = lines.findIndex((line) => {
    bytes += Buffer.byteLength(line) + 1;
    return bytes > OUTPUT_BYTES;
  });
  return (end === -1 ? lines : lines.slice(0, end)).join('\n');
}
