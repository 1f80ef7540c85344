import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makePlan, type PlanOptions } from '../../../src/cli/plan/plan.ts';
import { planTuning, type TuneSearchOptions } from '../../../src/cli/run-search.ts';
import { EXIT } from '../../../src/cli/process/io.ts';
import { callMain } from '../../support/command.ts';
import { chatOf, createFolder, writeFile } from '../../support/session-files.ts';

const MODEL = 'anthropic/claude-sonnet-4-5';

type Options = PlanOptions & TuneSearchOptions;

const options: Options = {
  objective: ['cost'],
  vary: ['reserved=1000,15000'],
  within: [],
  holdOut: '0.3',
  policy: 'opencode-1.1.57',
  model: MODEL,
  summarizer: 'extractive',
  seed: '1',
  set: [],
};

function plan(overrides: Partial<Options>) {
  const asked = { ...options, ...overrides };
  return planTuning(makePlan({ ...asked, vary: [] }, {}), asked);
}

/** A plan of axes that are given. */
function gridOf(overrides: Partial<Options>) {
  const found = plan(overrides);
  if (!('search' in found)) throw new Error('a screen');
  return found;
}

/** The settings that a screen tries, those first that can change a run. */
function screenOf(overrides: Partial<Options>) {
  const found = plan({ ...overrides, vary: [] });
  if ('search' in found) throw new Error('no screen');
  return { tried: [...new Set(found.points.map(({ key }) => key))], idle: found.idle };
}

const settingsOf = ({ search }: ReturnType<typeof gridOf>) =>
  search.cells.map(({ settings }) => settings);

describe('planTuning', () => {
  it('has today beside the grid, or where it is set to one of its points, in its place', () => {
    expect(settingsOf(gridOf({}))).toEqual([{}, { reserved: 1_000 }, { reserved: 15_000 }]);
    expect(settingsOf(gridOf({ set: ['reserved=15000'] }))).toEqual([
      { reserved: 15_000 },
      { reserved: 1_000 },
    ]);
  });

  it('takes a point of the grid that the policy has by itself for today', () => {
    const found = gridOf({ policy: 'opencode-1.2.16', vary: ['protect=20k,40k', 'minimum=20k'] });
    expect(settingsOf(found)).toEqual([
      { protect: 40_000, minimum: 20_000 },
      { protect: 20_000, minimum: 20_000 },
    ]);
    expect(found.cells.map(({ id }) => id)).toEqual([
      found.today.id,
      found.control.id,
      found.search.cells[1]?.id,
    ]);
  });

  it('weighs what any of its options names', () => {
    const { objectives } = plan({ objective: ['cost , regret', 'compactions'] });
    expect(objectives.map(({ name }) => name)).toEqual(['cost', 'regret', 'compactions']);
  });

  it.each<[string, readonly string[]]>([
    ['opencode-1.2.16', ['reserved']],
    ['opencode-1.18', ['reserved', 'protect', 'minimum', 'guardTurns']],
    ['selective-pruning', ['reserved', 'outputCap', 'protect', 'minimum', 'guardTurns']],
  ])('tries the trigger of %s, and counts what can change no run as tried', (policy, idle) => {
    const screen = screenOf({ policy });
    expect(screen.tried).toContain('triggerFraction');
    expect(screen.idle).toEqual(idle);
  });
});

const folder = createFolder();
for (const turns of [4, 5, 6, 7, 8, 9])
  writeFile(folder, `sessions/${turns}.json`, chatOf(turns, 1_000 + 100 * turns));
const sessions = join(folder, 'sessions');
const config = writeFile(folder, 'opencode.json', '{"compaction":{"reserved":15000}}');
/** A window in which the largest reserve compacts all the time, and the smallest never. */
const SMALL = ['--policy', 'opencode-1.1.57', '--set', 'contextTokens=40000'];
const VARIED = [...SMALL, '--vary', 'reserved=1000,15000,25000', '--objective', 'cost,compactions'];
const tune = (...argv: readonly string[]) => callMain(['tune', sessions, ...argv]);

async function tuneJson(...argv: readonly string[]) {
  return JSON.parse((await tune(...argv, '--format', 'json')).stdout);
}

describe('tune', () => {
  it('tells what to do first, then with details the front and the knee', async () => {
    const { code, stdout, stderr } = await tune(...VARIED, '--details');
    expect({ code, stderr }).toEqual({ code: EXIT.done, stderr: '' });
    expect(stdout).toMatch(
      /^6 sessions, opencode-1\.1\.57 on .*\n\n(?:Better|Worth trying|Keep today's settings): /,
    );
    expect(stdout).toMatch(/^Front .*Cost, mean +Compactions, mean +Losses, mean/m);
    expect(stdout).toMatch(/^Today \(reserved=20000\) is /m);
    expect(stdout).toMatch(/^Knee: reserved=\d+\.$/m);
    expect(stdout).not.toMatch(/Hypervolume|resample/);
  });

  it('screens every number without --vary, and has what matters vary with the trigger among it', async () => {
    const { verdict, tried, today, cells } = await tuneJson(...SMALL);
    const varied = tried.filter(({ isVaried }: { isVaried: boolean }) => isVaried);
    expect(varied).toMatchObject([{ setting: 'triggerFraction', matters: true }]);
    expect(today.settings).toEqual({ triggerFraction: expect.any(Number) });
    expect(cells.all).toBeGreaterThan(4);
    expect(verdict.sentences.length).toBeLessThanOrEqual(5);
  });

  it('fails where a run does, and says why', async () => {
    const recorded = join(import.meta.dirname, '../../../scenarios/recorded');
    const varied = ['--vary', 'reserved=20k,30k', '--jobs', '1'];
    const policy = ['--policy', 'opencode-2.0', '--set', 'contextTokens=100000'];
    const summaries = ['--summarizer', 'extractive'];
    const { code, stdout } = await callMain([
      'tune',
      recorded,
      ...policy,
      ...varied,
      ...summaries,
      '--details',
    ]);
    expect(code).toBe(EXIT.failed);
    expect(stdout).toMatch(/table-widths\.json: malformed request/);
  });

  it('takes today from a configuration', async () => {
    const { today } = await tuneJson(...VARIED, '--config', config);
    expect(today.settings).toEqual({ reserved: 15_000 });
  });

  it('has the same bytes for the same seed', async () => {
    expect((await tune(...VARIED)).stdout).toBe((await tune(...VARIED)).stdout);
  });

  it('writes Markdown where the name of the file asks for it', async () => {
    const out = join(folder, 'tuned.md');
    expect((await tune(...VARIED, '--out', out)).code).toBe(EXIT.done);
    const markdown = readFileSync(out, 'utf8');
    expect(markdown).toMatch(/^## Settings tuned\n/);
    expect(markdown).toMatch(/^## Settings tuned\n\n6 sessions, `opencode-1\.1\.57` on .*\.\n\n/);
    expect(markdown).toMatch(/\n- cost: \$/);
  });

  it('keeps a setting and a metric within their ranges', async () => {
    const within = ['--within', 'reserved=..20000', '--within', 'compactions=..0'];
    const { constraints, cells } = await tuneJson(...VARIED, ...within);
    expect(constraints).toEqual(['reserved=..20000', 'compactions=..0']);
    expect(cells.all).toBe(3);
  });

  it.each(['table', 'markdown'])('names what breaks a constraint, as %s', async (format) => {
    const { stdout } = await tune(
      ...VARIED,
      '--within',
      'compactions=..0',
      '--format',
      format,
      '--details',
    );
    expect(stdout).toMatch(/- `?reserved=25000: outside compactions=\.\.0: \d+ over all sessions/);
  });

  it('cannot say anything about a model without a price', async () => {
    const { code, stderr } = await tune('--model', 'lab/none', ...VARIED);
    expect(code).toBe(EXIT.inconclusive);
    expect(stderr).toBe('Nothing can be tuned: costUsd is unknown.\n');
  });
});
