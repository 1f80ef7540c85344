import { expect, it } from 'vitest';
import { widthOf } from '../../src/simulator/report/prose.ts';
import { callMain } from '../support/command.ts';
import { makeHome } from '../support/home.ts';
import { chatOf, createFolder, writeFile } from '../support/session-files.ts';

/** A screen. */
const MOST_LINES = 20;
const MOST_COLUMNS = 100;

const folder = createFolder();
for (let turns = 3; turns < 9; turns++) writeFile(folder, `chat-${turns}.json`, chatOf(turns, 400));

/** Sessions that are compacted if the trigger is lower. */
const ENV = { env: { HOME: makeHome() } };
const window = ['--set', 'contextTokens=6000', '--set', 'outputTokens=1000'];
const policies = 'opencode-1.18,opencode-1.2.16,claude-code,codex-local,gemini-cli,goose,none';
const axes = ['--vary', 'triggerFraction=0.5,0.6,0.7,0.8', '--vary', 'keepTokens=500,1k,2k'];
const tuned = ['--vary', 'reserved=1k,2k,4k', '--vary', 'tailTokens=500,1k,2k,4k'];

it.each<[string, readonly string[]]>([
  ['answer', [folder]],
  ['answer', []],
  ['tune', [folder, '--policy', 'opencode-1.18', ...window]],
  ['tune', [folder, '--policy', 'opencode-1.18', ...window, ...tuned]],
  [
    'tune',
    [
      folder,
      '--policy',
      'opencode-1.18',
      ...window,
      ...tuned.slice(0, 2),
      '--objective',
      'cost,compactions',
    ],
  ],
  ['sweep', [folder, '--policy', policies, ...window]],
  ['sweep', [folder, '--policy', 'pi', ...window, ...axes]],
])('the first screen of %s has at most 20 lines of 100 columns', async (command, argv) => {
  const { stdout } = await callMain([...command.split(' '), ...argv], ENV);
  const lines = stdout.trimEnd().split('\n');
  expect(lines.length).toBeLessThanOrEqual(MOST_LINES);
  expect(lines.filter((line) => widthOf(line) > MOST_COLUMNS)).toEqual([]);
  const whole = await callMain([...command.split(' '), ...argv, '--details'], ENV);
  expect(whole.stdout.length).toBeGreaterThanOrEqual(stdout.length);
});
