import { join } from 'node:path';
import { expect, it } from 'vitest';
import { callMain } from '../support/command.ts';
import { homes } from '../support/homes.ts';
import { countPerCents, unfoundedPerCents } from '../support/per-cents.ts';
import { chatOf, createFolder, writeFile } from '../support/session-files.ts';

const folder = createFolder();
for (let turns = 4; turns < 16; turns++)
  writeFile(folder, `chat-${turns}.json`, chatOf(turns, 400));
const small = ['--set', 'contextTokens=16k', '--set', 'outputTokens=2k'];
const POLICIES = 'opencode-1.18,opencode-1.2.16,claude-code,codex-local,gemini-cli,none';
const HOME = homes['two agents']?.() ?? '';
const CACHE = createFolder();
const rollouts = join(HOME, '.codex/sessions');

/** Commands that compare. */
const COMMANDS: readonly (readonly [command: string, argv: readonly string[]])[] = [
  ['answer', []],
  ['run', [folder, '--policy', POLICIES, ...small]],
  ['run', [rollouts, '--policy', 'codex-remote,codex-remote triggerFraction=0.6']],
  ['compare', ['opencode-1.18', 'claude-code', folder, ...small]],
  ['compare', ['codex-remote', 'codex-remote triggerFraction=0.6', rollouts]],
  ['tune', [rollouts]],
  ['sweep', [folder, '--policy', POLICIES, ...small]],
  ['whatif', [join(rollouts, '2026/01/rollout-gpt-5.2-codex-2.jsonl'), '--window', '160k,200k']],
];

it.each(COMMANDS)(
  'each per cent of %s is the ratio of two amounts in its block',
  async (command, argv) => {
    const env = { HOME, COMPACTION_BENCH_CACHE: CACHE };
    for (const more of [[], ['--details']]) {
      const { stdout } = await callMain([command, ...argv, '-q', ...more], { env });
      expect(unfoundedPerCents(stdout)).toEqual([]);
      expect(countPerCents(stdout)).toBeGreaterThan(0);
    }
  },
);

it('finds a per cent without its amounts', () => {
  const stated = 'costs $2.00 where the other costs $1.00 (+100 %)';
  expect(unfoundedPerCents(stated)).toEqual([]);
  expect(unfoundedPerCents(stated.replace('100 %', '90 %'))).toHaveLength(1);
  expect(unfoundedPerCents(stated.replace(' (+', '\n\n(+'))).toHaveLength(1);
});
