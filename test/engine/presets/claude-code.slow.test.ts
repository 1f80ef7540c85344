import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Decision } from '../../../src/simulator/replay/decisions.ts';
import { callMain } from '../../support/command.ts';

const SHARED = resolve(import.meta.dirname, '../../../../shared');
const sessions = ['claude-code', 'claude-sdk-stream'].map((name) => join(SHARED, 'sessions', name));
const uneven = join(SHARED, 'inputs/recorded-usage-uneven.jsonl');
const hasShared = [...sessions, uneven].every((path) => existsSync(path));
const note = hasShared ? '' : ' (skipped: ../shared is not there)';

interface Compared {
  readonly preset: string;
  readonly decisions: readonly Decision[];
}

describe.skipIf(!hasShared)(`presets of Claude Code${note}`, () => {
  it('compact at the very step of each automatic compaction that was recorded of their releases', async () => {
    const { stdout } = await callMain(['sessions', 'validate', ...sessions, '--format', 'json']);
    const compared: readonly Compared[] = JSON.parse(stdout).sessions;
    const steps = compared.flatMap(({ preset, decisions }) =>
      decisions
        .filter(({ kind }) => kind === 'compaction')
        .map(
          ({ recordedAfterStep, predictedAfterStep }) =>
            `${preset}: ${recordedAfterStep} ${predictedAfterStep}`,
        ),
    );
    expect(steps.toSorted()).toEqual([
      'claude-code-2.0: 145 145',
      'claude-code-2.0: 264 264',
      'claude-code-2.1.14: 100 100',
      'claude-code-2.1: 108 108',
      'claude-code-2.1: 127 127',
      'claude-code-2.1: 220 220',
      'claude-code-2.1: 50 50',
      'claude-code-2.1: 61 61',
    ]);
  });

  it('count uneven growth as it was recorded: before step 7, at 33,000 tokens below the window', async () => {
    const argv = ['explain', uneven, '--policy', 'claude-code', '--set', 'contextTokens=100000'];
    const { stdout } = await callMain(argv);
    const [first] = stdout.split('\n').filter((line) => /^step \d/.test(line));
    expect(first).toMatch(/^step 6 {2}overflow [\d,]+ \(usable 67,000\); compaction/);
  });
});
