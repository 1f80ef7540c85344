import { join } from 'node:path';
import type { CapturedIoOptions } from './captured-io.ts';
import { callMain } from './command.ts';
import { chatOf, createFolder, writeFile } from './session-files.ts';

/** Settings of a window so small that chats compact in it. */
export const SMALL = ['--set', 'contextTokens=16k', '--set', 'outputTokens=2k'];

/** Runs a command line that keeps no counts. */
export const call = (argv: readonly string[], options?: CapturedIoOptions) =>
  callMain(['--no-cache', ...argv], options);

/** Runs a sweep that keeps no counts. */
export const sweep = (argv: readonly string[], options?: CapturedIoOptions) =>
  call(['sweep', ...argv], options);

/** Four chats for the tests of one file, with arguments of sweeps over them whose knob is dead, and is not. */
export function createChatSweeps() {
  const folder = createFolder();
  const sessions = join(folder, 'sessions');
  for (const [index, words] of [200, 300, 400, 500].entries())
    writeFile(sessions, `chat-${index}.json`, chatOf(20, words));
  const dead = [sessions, ...SMALL, '--vary', 'reserved=1k,3k', '--jobs', '1'];
  let made = 0;
  return {
    folder,
    sessions,
    dead,
    live: [...dead, '--policy', 'document-001'],
    newFolder: () => join(folder, `out-${made++}`),
  };
}
