import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scaleLimits } from '../../../src/cli/commands/whatif.ts';
import { EXIT } from '../../../src/cli/process/io.ts';
import type { TimelineRun } from '../../../src/simulator/report/plots.ts';
import { callMain } from '../../support/command.ts';
import { createFolder, reportedSession, writeFile } from '../../support/session-files.ts';

const folder = createFolder();
const scenarios = join(import.meta.dirname, '../../../scenarios/recorded');
const recorded = join(scenarios, 'csv-format.json');
const unions = join(scenarios, 'discriminated-unions.json');
const whatIf = (file: string, ...argv: readonly string[]) =>
  callMain(['whatif', file, ...argv, '--details']);

/** The runs that a page draws step by step. */
function drawnIn(page: string): readonly TimelineRun[] {
  const [, json = ''] =
    /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(page) ?? [];
  const charts: readonly { readonly runs?: readonly TimelineRun[] }[] = JSON.parse(json);
  return charts.flatMap(({ runs = [] }) => runs);
}

describe('whatif', () => {
  it('has the session as recorded beside the windows on the page', async () => {
    const file = writeFile(folder, 'reported.json', reportedSession());
    const page = (await whatIf(file, '--window', '32k', '--format', 'html')).stdout;
    expect(drawnIn(page).map(({ name }) => name)).toEqual(['32,000', 'recorded']);
  });

  it.each([
    ['with pivots after steps', recorded, ['--window', '64k']],
    ['with a prompt that is sent again', recorded, ['--window', '32k']],
    [
      'with pivots before requests',
      unions,
      [
        ['--policy', 'document-000', '--window', '57k', '--set', 'outputTokens=8000'],
        ['--summarizer', 'extractive'],
      ].flat(),
    ],
  ])(
    'holds the misses of the run between the bounds of its window: %s',
    async (_, file, options) => {
      const json = await whatIf(file, ...options, '--curve', '--format', 'json');
      const [{ missCurve, metrics }] = JSON.parse(json.stdout).variants;
      const today = missCurve.points.find(
        ({ protectTokens }: { protectTokens: number }) => protectTokens === 40_000,
      );
      expect(missCurve.references).toBe(metrics.references);
      // A metric has hundredths.
      expect(metrics.misses + 0.005).toBeGreaterThanOrEqual(today.fewest);
      expect(metrics.misses - 0.005).toBeLessThanOrEqual(today.most);
    },
  );

  it('draws each window step by step on a page', async () => {
    const out = join(folder, 'windows.html');
    const { code } = await whatIf(recorded, '--window', '32k,64k', '--out', out);
    expect(code).toBe(EXIT.done);
    const page = readFileSync(out, 'utf8');
    const runs = drawnIn(page);
    expect(runs.map(({ name }) => name)).toEqual(['32,000', '64,000']);
    for (const { view } of runs) expect(view).toEqual(expect.anything());
  });

  it('names models and windows where both differ, and why a run ended early', async () => {
    const models = ['--model', 'openai/gpt-5.2,anthropic/claude-sonnet-4-5', '--window', '1k,64k'];
    const { stdout } = await whatIf(recorded, ...models, '--format', 'html');
    expect(drawnIn(stdout).map(({ name }) => name)).toContain('openai/gpt-5.2, window 64,000');
    expect(stdout).toMatch(/<p>anthropic\/claude-sonnet-4-5, window 64,000 costs \$/);
    expect(stdout).toMatch(/<li>openai\/gpt-5\.2, window 1,000 refused: /);
  });
});

describe('scaleLimits', () => {
  it('shrinks the caps with the window, and lets them be in a larger one', () => {
    const limits = { contextTokens: 400_000, inputTokens: 272_000, outputTokens: 128_000 };
    expect(scaleLimits(limits, 40_000)).toEqual({
      contextTokens: 40_000,
      inputTokens: 27_200,
      outputTokens: 12_800,
    });
    expect(scaleLimits(limits, 800_000)).toEqual({ ...limits, contextTokens: 800_000 });
    // A limit of 0 would be none.
    expect(scaleLimits(limits, 1)).toEqual({ contextTokens: 1, inputTokens: 1, outputTokens: 1 });
    expect(scaleLimits({ contextTokens: 0 }, 16_000)).toEqual({ contextTokens: 16_000 });
  });
});
