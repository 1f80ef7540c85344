import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { policies } from '../../../../src/engine/index.ts';
import { parseArm } from '../../../../src/simulator/scenario/arms.ts';
import { readCatalog } from '../../../../src/simulator/provider/catalog.ts';
import type { SettingValues } from '../../../../src/simulator/scenario/settings.ts';
import { generateSession } from '../../../../src/simulator/scenario/workload/generate-session.ts';
import { findWorkload } from '../../../../src/simulator/scenario/workload/workload.ts';
import { findSummarizer } from '../../../../src/simulator/summarizer/summarizers.ts';
import { type Cell, resolveCell } from '../../../../src/simulator/sweep/grid.ts';
import { createOutcomes } from '../../../../src/simulator/sweep/run/outcomes.ts';
import {
  type PreparedSession,
  prepareSession,
} from '../../../../src/simulator/sweep/run/prepare.ts';
import { runTask } from '../../../../src/simulator/sweep/run/run-task.ts';
import { byId } from '../../../../src/simulator/sweep/run/task.ts';

type PolicyName = keyof typeof policies;

const catalog = readCatalog();
const ref = { name: 'generated', file: 'generated', index: 0, hash: 'h' };
/** About 70,000 tokens in 11 turns; counted roughly, for only what differs matters. */
const generated = generateSession(findWorkload('opencode'), { seed: 1, index: 8 });
const prepared = prepareSession(generated, () => (text) => Math.ceil(text.length / 4));

function cellOf(policy: PolicyName, settings: SettingValues): Cell {
  const base = { arm: parseArm(policy), model: 'anthropic/claude-sonnet-4-5' };
  return resolveCell({ ...base, summarizer: 'scripted:tokens', settings }, { catalog });
}

/** The rows of a task of these cells, how many runs were made for them, and how many rows came at once. */
async function runAll(cells: readonly Cell[]) {
  const session: PreparedSession = { ...prepared, outcomes: createOutcomes() };
  let made = 0;
  const context = {
    cells: byId(cells),
    load: async () => {},
    prepare: () => session,
    findSummarizer: (name: string) => {
      made += 1;
      return findSummarizer(name);
    },
  };
  const runs = cells.map(({ id }, place) => ({ cell: id, seed: 1, place }));
  const rows: string[] = [];
  const pieces: string[] = [];
  for await (const settled of runTask({ id: 't', session: ref, runs }, context)) {
    pieces.push(`${settled.length} of ${made}`);
    for (const { place, line } of settled) {
      expect(place).toBe(rows.length);
      rows.push(line);
    }
  }
  return { rows, made, pieces };
}

async function runAlone(cells: readonly Cell[]): Promise<readonly string[]> {
  const rows: string[] = [];
  for (const cell of cells) rows.push(...(await runAll([cell])).rows);
  return rows;
}

/** Values around those at which something happens in this session. */
const someSettings = fc.record(
  {
    contextTokens: fc.constantFrom(0, 30_000, 40_000, 60_000, 66_000, 90_000, 200_000),
    inputTokens: fc.constantFrom(0, 50_000, 100_000),
    trueContextTokens: fc.constantFrom(30_000, 60_000, 90_000),
    reserved: fc.constantFrom(1_000, 20_000),
    protect: fc.constantFrom(0, 500, 3_000, 20_000, 60_000),
    minimum: fc.constantFrom(0, 200, 2_000, 9_000, 30_000),
    learnWindow: fc.constant(true),
  },
  { requiredKeys: ['contextTokens', 'protect', 'minimum'] },
);

/** Passes that wait for a pause find one. */
const SMALL = { contextTokens: 60_000, outputTokens: 4_000, pause: 30 };
/** What a pass by age reads, and no other. */
const OF_AGE: readonly SettingValues[] = [
  {},
  { guardTurns: 99 },
  { protect: 90_000, minimum: 5, guardTurns: 0 },
];

describe('runTask', () => {
  it('comes to the rows that each cell comes to by itself', async () => {
    const names = fc.constantFrom(...(Object.keys(policies) as PolicyName[]));
    const grids = fc.array(someSettings, { minLength: 6, maxLength: 6 });
    const property = fc.asyncProperty(names, grids, async (policy, settings) => {
      const cells = settings.map((one) => cellOf(policy, { ...one, outputTokens: 4_000 }));
      expect((await runAll(cells)).rows).toEqual(await runAlone(cells));
    });
    await fc.assert(property, { numRuns: 4 });
  });

  it.each(Object.keys(policies) as PolicyName[])(
    'has no row of a cell whose bound is another one: %s',
    async (policy) => {
      const cells = OF_AGE.map((one) => cellOf(policy, { ...SMALL, ...one }));
      const { rows } = await runAll(cells);
      expect(rows).toEqual(await runAlone(cells));
      expect((await runAll(cells.slice(1))).rows).toEqual(rows.slice(1));
    },
  );

  it('gives the rows that a run settles before the next one is made', async () => {
    const windows = [50_000, 50_000, 60_000, 50_000, 400_000, 300_000];
    const cells = windows.map((contextTokens) => cellOf('opencode-1.2.16', { contextTokens }));
    expect((await runAll(cells)).pieces).toEqual(['2 of 1', '2 of 2', '2 of 3']);
  });

  it.each<[string, PolicyName, readonly SettingValues[], number]>([
    [
      'where no window is filled',
      'opencode-1.2.16',
      [{ contextTokens: 400_000 }, { contextTokens: 300_000 }, { contextTokens: 200_000 }],
      1,
    ],
    [
      'where windows are filled',
      'opencode-1.2.16',
      [{ contextTokens: 60_000 }, { contextTokens: 50_000 }, { contextTokens: 50_000 }],
      2,
    ],
    [
      'where a saving lies between two minima',
      'opencode-1.2.16',
      [
        { protect: 10_000, minimum: 100 },
        { protect: 10_000, minimum: 2_000 },
      ],
      2,
    ],
  ])('makes as many runs as differ %s', async (_, policy, settings, expected) => {
    const cells = settings.map((one) => cellOf(policy, { ...one, outputTokens: 4_000 }));
    const { rows, made } = await runAll(cells);
    expect(made).toBe(expected);
    expect(rows).toEqual(await runAlone(cells));
  });
});
