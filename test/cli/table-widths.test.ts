import { join } from 'node:path';
import { expect, it } from 'vitest';
import { widthOf } from '../../src/simulator/report/layout.ts';
import { callMain } from '../support/command.ts';
import { chatOf, createFolder, reportedSession, writeFile } from '../support/session-files.ts';

const TABLE_WIDTH = 100;
/** A row of three columns or more; prose has no gaps. */
const ROW = /\S {2,}\S.* {2,}\S/;
const folder = createFolder();
for (let turns = 3; turns < 9; turns++) {
  const name = `${'a-long-name-of-a-session-'.repeat(3)}${turns}.json`;
  writeFile(folder, name, chatOf(turns, 400));
}
const reported = writeFile(createFolder(), 'reported.json', reportedSession());
const policies = 'none,claude-code,opencode-1.2.16,opencode-1.18,document-001,document-002';
const small = ['--set', 'contextTokens=16k', '--set', 'outputTokens=2k'];
const summaries = join(import.meta.dirname, '../../scenarios/recorded/csv-format.json');

it.each<[string, readonly string[]]>([
  ['run', [folder, '--policy', policies, ...small, '--details']],
  ['compare', ['opencode-1.18', 'document-002', folder, ...small, '--details']],
  ['sweep', [folder, '--policy', policies, '--vary', 'reserved=1k,2k,3k', ...small]],
  ['whatif', [reported, '--window', '16k,24k,32k,48k,64k,96k,128k,160k,200k', '--details']],
  ['tune', [folder, '--policy', 'opencode-1.18', ...small]],
  ['summarizers', [summaries]],
  ['sessions stats', [folder, '--details']],
])('the tables of %s are at most 100 columns wide in a pipe', async (command, argv) => {
  const { stdout } = await callMain([...command.split(' '), ...argv]);
  const rows = stdout.split('\n').filter((line) => ROW.test(line));
  expect(rows.length).toBeGreaterThan(1);
  expect(rows.filter((line) => widthOf(line) > TABLE_WIDTH)).toEqual([]);
});
