import { expect, it } from 'vitest';
import { widthOf } from '../../src/simulator/report/prose.ts';
import { callMain } from '../support/command.ts';
import { chatOf, createFolder, writeFile } from '../support/session-files.ts';

/** A screen. */
const MOST_LINES = 20;
const MOST_COLUMNS = 100;

const folder = createFolder();
for (let turns = 3; turns < 9; turns++) writeFile(folder, `chat-${turns}.json`, chatOf(turns, 400));

it.each<[string, readonly string[]]>([['answer', [folder]]])(
  'the first screen of %s has at most 20 lines of 100 columns',
  async (command, argv) => {
    const { stdout } = await callMain([...command.split(' '), ...argv]);
    const lines = stdout.trimEnd().split('\n');
    expect(lines.length, stdout).toBeLessThanOrEqual(MOST_LINES);
    expect(lines.filter((line) => widthOf(line) > MOST_COLUMNS)).toEqual([]);
    const whole = await callMain([...command.split(' '), ...argv, '--details']);
    expect(whole.stdout.length).toBeGreaterThanOrEqual(stdout.length);
  },
);
