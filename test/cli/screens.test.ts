import { expect, it } from 'vitest';
import { makeHome } from '../support/home.ts';
import { FITS, measureScreen } from '../support/screens.ts';
import { chatOf, createFolder, reportedSession, writeFile } from '../support/session-files.ts';

const folder = createFolder();
for (let turns = 3; turns < 9; turns++) writeFile(folder, `chat-${turns}.json`, chatOf(turns, 400));

const reported = writeFile(createFolder(), 'reported.json', reportedSession());
const TWO = 'opencode-1.18,claude-code';
const SEVEN = `${TWO},none,gemini-cli,codex-remote,opencode-1.2.16,document-001`;
const TWELVE = `${SEVEN},document-002,document-003,pi,cline,crush`;
const small = ['--set', 'contextTokens=16k', '--set', 'outputTokens=2k'];
const windows = ['--window', '8k,16k,24k,32k,48k,64k,96k,128k,200k'];
const cut = writeFile(
  createFolder(),
  'cut.mjs',
  `import { createInterface } from 'node:readline';
for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify({ messages: JSON.parse(line).messages.slice(-4) }));
}`,
);
const adapter = ['--adapter', `node ${cut}`];
/** Sessions that are compacted if the trigger is lower. */
const ENV = { env: { HOME: makeHome() } };
const policies = 'opencode-1.18,opencode-1.2.16,claude-code,codex-local,gemini-cli,goose,none';
const axes = ['--vary', 'triggerFraction=0.5,0.6,0.7,0.8', '--vary', 'keepTokens=500,1k,2k'];
const tuned = ['--vary', 'triggerFraction=0.5,0.6,0.7,0.8', '--vary', 'summaryCap=1k,2k,4k'];

it.each<[string, readonly string[]]>([
  ['answer', [folder]],
  ['answer', []],
  ['tune', []],
  ['tune', tuned],
  ['tune', [...tuned.slice(0, 2), '--objective', 'cost,compactions']],
  ['sweep', [folder, '--policy', policies, ...small]],
  ['sweep', [folder, '--policy', 'pi', ...small, ...axes]],
  ['run', [folder, '--policy', TWO]],
  ['run', [folder, '--policy', TWO, ...small]],
  ['run', [folder, '--policy', SEVEN]],
  ['run', [folder, '--policy', SEVEN, ...small]],
  ['run', [folder, '--policy', TWELVE, ...small]],
  ['run', [reported, '--policy', `recorded,${SEVEN}`, ...small]],
  ['compare', ['opencode-1.18', 'claude-code', folder, ...small]],
  ['compare', ['opencode-1.18', 'opencode-1.18 triggerFraction=0.7', folder, ...small]],
  ['compare', [...adapter, 'opencode-1.18', 'claude-code', folder, ...small]],
  ['compare', ['claude-code', reported]],
  ['whatif', [reported, ...windows]],
])('the first screen of %s has at most 20 lines of 100 columns', async (command, argv) => {
  expect(await measureScreen(command, argv, ENV)).toEqual(FITS);
});
