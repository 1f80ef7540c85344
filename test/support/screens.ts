import { widthOf } from '../../src/simulator/report/layout.ts';
import type { CapturedIoOptions } from './captured-io.ts';
import { callMain } from './command.ts';

/** A screen. */
const MOST_LINES = 20;
const MOST_COLUMNS = 100;

/** What of the first screen of a command does not fit one, and whether it has anything and no more than with details. */
export async function measureScreen(
  command: string,
  argv: readonly string[],
  options?: CapturedIoOptions,
) {
  const words = [...command.split(' '), ...argv];
  const { stdout } = await callMain(words, options);
  const whole = await callMain([...words, '--details'], options);
  const lines = stdout.trimEnd().split('\n');
  return {
    below: lines.slice(MOST_LINES),
    wide: lines.filter((line) => widthOf(line) > MOST_COLUMNS),
    isEmpty: stdout === '',
    hasAll: whole.stdout.length >= stdout.length,
  };
}

/** The measures of a screen that fits. */
export const FITS = { below: [], wide: [], isEmpty: false, hasAll: true };
