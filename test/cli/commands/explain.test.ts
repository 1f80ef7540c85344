import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { callMain } from '../../support/command.ts';

const recorded = join(import.meta.dirname, '../../../scenarios/recorded/csv-format.json');
/** A window in which the recorded session overflows and prunes within its first turns. */
const SMALL = ['--set', 'contextTokens=50000', '--set', 'protect=3000', '--set', 'minimum=1000'];
/** With details, so that nothing is cut. */
const explain = (file: string, ...argv: readonly string[]) =>
  callMain(['explain', file, '--details', ...argv]);

async function explainJson(file: string, ...argv: readonly string[]) {
  const { stdout } = await explain(file, ...argv, '--format', 'json');
  return JSON.parse(stdout);
}

const opencode = ['--policy', 'opencode-1.2.16'];

describe('explain', () => {
  it('gives numbers that add up, and no text of the session', async () => {
    const story = await explainJson(recorded, ...opencode, ...SMALL, '--step', '5');
    const [{ checks }] = story.after;
    const sum = checks[0].counted.reduce(
      (total: number, { tokens }: { tokens: number }) => total + tokens,
      checks[0].newerTokens,
    );
    expect(sum).toBe(checks[0].check.countTokens);
    expect(checks[0].check.isOverflow).toBe(true);
    const outputs = [...readFileSync(recorded, 'utf8').matchAll(/"output":"((?:[^"\\]|\\.)+)"/g)];
    expect(outputs.length).toBeGreaterThan(5);
    const written = JSON.stringify(story);
    const long = outputs
      .map(([, output = '']) => output.slice(0, 40))
      .filter((one) => one.length === 40);
    expect(long.filter((one) => written.includes(one))).toEqual([]);
  });
});
