import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scaleLimits } from '../../../src/cli/commands/whatif.ts';
import { EXIT } from '../../../src/cli/process/io.ts';
import type { TimelineRun } from '../../../src/simulator/report/plots.ts';
import { callMain } from '../../support/command.ts';
import { chatOf, createFolder, reportedSession, writeFile } from '../../support/session-files.ts';

const folder = createFolder();
const scenarios = join(import.meta.dirname, '../../../scenarios/recorded');
const recorded = join(scenarios, 'csv-format.json');
const unions = join(scenarios, 'discriminated-unions.json');
const chat = writeFile(folder, 'chat.json', chatOf(6, 400));
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
  it('puts windows side by side, with a chart for each', async () => {
    const { code, stdout, stderr } = await whatIf(recorded, '--window', '32k,64k,200k');
    expect({ code, stderr }).toEqual({
      code: EXIT.done,
      stderr: "Note: As recorded: policy 'opencode-1.2.16'; '--policy' names another.\n",
    });
    expect(stdout).toMatch(/^Window +32,000 +64,000 +200,000$/m);
    const rows = [...stdout.matchAll(/^\d+,000 +\$\S+ +(?:≈ )?[\d.]+ +(\d+)/gm)];
    const compactions = rows.map(([, count]) => Number(count));
    expect(compactions[0]).toBeGreaterThan(compactions[1]!);
    expect(compactions[2]).toBe(0);
    expect(stdout.match(/┄ usable \d/g)).toHaveLength(3);
    expect(stdout).toMatch(/^Window +Cost +Losses +Compactions/m);
  });

  it('has the session as recorded beside the windows, on the page and in JSON too', async () => {
    const file = writeFile(folder, 'reported.json', reportedSession());
    const { stdout } = await whatIf(file, '--window', '32k,64k');
    expect(stdout).toMatch(/^Window +32,000 +64,000 +recorded$/m);
    expect(stdout).toContain('against the run as recorded (1 session)');
    const json = JSON.parse((await whatIf(file, '--window', '32k', '--format', 'json')).stdout);
    expect(json.variants).toHaveLength(1);
    expect(json.recorded).toMatchObject([{ state: 'completed', metrics: { tokensSaved: 0 } }]);
    const page = (await whatIf(file, '--window', '32k', '--format', 'html')).stdout;
    expect(drawnIn(page).map(({ name }) => name)).toEqual(['32,000', 'recorded']);
  });

  it('draws charts on a screen where somebody asks for them', async () => {
    const screen = await callMain(['whatif', chat, '--window', '32k']);
    expect(screen.stdout).not.toContain('usable');
    const { stdout } = await callMain(['whatif', chat, '--window', '32k', '--chart']);
    expect(stdout).toContain('usable');
  });

  it('shows misses against the protect window', async () => {
    const { stdout } = await whatIf(recorded, '--window', '64k', '--curve');
    expect(stdout).toMatch(/^Protect +window 64,000: of \d+\n0 +\d+ %/m);
  });

  it.each([
    ['with pivots after steps', recorded, ['--window', '64k']],
    ['with a prompt that is sent again', recorded, ['--window', '32k']],
    [
      'with pivots before requests',
      unions,
      [
        ['--policy', 'document-000', '--window', '58k', '--set', 'outputTokens=8000'],
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
      expect(metrics.misses).toBeGreaterThanOrEqual(today.fewest);
      expect(metrics.misses).toBeLessThanOrEqual(today.most);
    },
  );

  it.each([
    ['for a policy that prunes by overflow', ['--policy', 'document-001']],
    ['of a closed loop', ['--closed-loop']],
    ['of a run that did not get to its end', ['--window', '1k']],
    ['for a rolling window', ['--policy', 'rolling-window', '--set', 'prune=true']],
    ['for an external memory', ['--policy', 'external-memory', '--set', 'prune=true']],
  ])('has no such curve %s', async (_, options) => {
    const { stdout } = await whatIf(chat, '--curve', ...options);
    expect(stdout).toMatch(/^Protect +window [\d,]+: no such curve$/m);
  });

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

  it('gives everything as JSON, with the size of each step', async () => {
    const out = join(folder, 'what-if.json');
    const models = 'anthropic/claude-sonnet-4-5,openai/gpt-5.2';
    const { code } = await whatIf(chat, '--model', models, '--window', '64k', '--out', out);
    expect(code).toBe(EXIT.done);
    const { variants, whatIfVersion, origin } = JSON.parse(readFileSync(out, 'utf8'));
    expect(whatIfVersion).toBe(3);
    expect(origin.tokenizers).toEqual({
      'anthropic/claude-sonnet-4-5': { name: 'o200k_base', evidence: 'estimated' },
      'openai/gpt-5.2': { name: 'o200k_base', evidence: 'measured' },
    });
    expect(variants.map(({ model }: { model: string }) => model)).toEqual(models.split(','));
    for (const { limits, sawtooth, metrics } of variants) {
      expect(limits.contextTokens).toBe(64_000);
      expect(sawtooth.contextTokens).toHaveLength(metrics.steps);
    }
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
