import { describe, expect, it } from 'vitest';
import { policies } from '../../../../src/engine/index.ts';
import type { RunEvent } from '../../../../src/simulator/events.ts';
import { UNKNOWN_METRICS } from '../../../../src/simulator/metrics/metrics.ts';
import { parseArm } from '../../../../src/simulator/scenario/arms.ts';
import { readCatalog } from '../../../../src/simulator/provider/catalog.ts';
import type { SettingValues } from '../../../../src/simulator/scenario/settings.ts';
import { readSessions } from '../../../../src/simulator/session/load.ts';
import { findSummarizer } from '../../../../src/simulator/summarizer/summarizers.ts';
import { resolveCell, toCell } from '../../../../src/simulator/sweep/grid.ts';
import {
  createOutcomes,
  type KeptRun,
  outcomeKey,
  readCell,
} from '../../../../src/simulator/sweep/run/outcomes.ts';
import { prepareSession } from '../../../../src/simulator/sweep/run/prepare.ts';
import { runTask, type TaskContext } from '../../../../src/simulator/sweep/run/run-task.ts';
import { byId } from '../../../../src/simulator/sweep/run/task.ts';
import { chatOf } from '../../../support/session-files.ts';
import { watchRuns } from '../../../../src/simulator/sweep/run/row.ts';

const catalog = readCatalog();
const [session] = readSessions('chat.json', chatOf(40, 400));

function cellOf(
  policy: keyof typeof policies,
  settings: SettingValues,
  model = 'anthropic/claude-sonnet-4-5',
) {
  const base = { arm: parseArm(policy), model, summarizer: 'extractive' };
  return resolveCell({ ...base, settings }, { catalog });
}

/** Tokens are counted roughly, for only what differs matters. */
function contextOf(cell: ReturnType<typeof cellOf>): TaskContext {
  return {
    cells: byId([cell]),
    load: async () => {},
    prepare: () => prepareSession(session!, () => (text) => Math.ceil(text.length / 4)),
    findSummarizer,
  };
}

async function digestOf(cell: ReturnType<typeof cellOf>): Promise<string> {
  const ref = { name: 'chat.json', file: 'chat.json', index: 0, hash: 'h' };
  const runs = [{ cell: cell.id, seed: 1, place: 0 }];
  for await (const [row] of runTask({ id: 't', session: ref, runs }, contextOf(cell)))
    return JSON.parse(row!.line).eventDigest;
  return 'none';
}

const keyOf = (settings: SettingValues) => outcomeKey(cellOf('dcp', settings));

type Pair = readonly [
  what: string,
  one: readonly [keyof typeof policies, SettingValues],
  other: readonly [keyof typeof policies, SettingValues],
];

/** Small enough that the chat compacts. */
const SMALL = { contextTokens: 30_000, outputTokens: 4_000 };

describe('outcomeKey', () => {
  it.each<Pair>([
    [
      'a reserve where the model has no input cap',
      ['opencode-1.2.16', { ...SMALL, reserved: 1_000 }],
      ['opencode-1.2.16', { ...SMALL, reserved: 9_000 }],
    ],
    [
      'an output cap above what the model declares',
      ['opencode-1.2.16', { ...SMALL, outputCap: 5_000 }],
      ['opencode-1.2.16', { ...SMALL, outputCap: 50_000 }],
    ],
    [
      'what a prune protects where it is off',
      ['opencode-1.2.16', { ...SMALL, prune: false, protect: 1 }],
      ['opencode-1.2.16', { ...SMALL, prune: false, protect: 2 }],
    ],
    [
      'what a prune protects that keeps a number of outputs',
      ['last-n-observations', { ...SMALL, keepOutputs: 1, protect: 1, minimum: 1, guardTurns: 1 }],
      ['last-n-observations', { ...SMALL, keepOutputs: 1, protect: 2, minimum: 9, guardTurns: 3 }],
    ],
    [
      'anything of the control',
      ['none', { ...SMALL, auto: true }],
      ['none', { ...SMALL, protect: 1 }],
    ],
    [
      'a reserve where a share of the window holds',
      ['document-001', { ...SMALL, triggerFraction: 0.5, reserved: 1_000 }],
      ['document-001', { ...SMALL, triggerFraction: 0.5, reserved: 9_000 }],
    ],
  ])('is the same whatever the value, and so are the runs: %s', async (_, one, other) => {
    const [first, second] = [cellOf(...one), cellOf(...other)];
    expect(outcomeKey(first)).toBe(outcomeKey(second));
    expect(first.id).not.toBe(second.id);
    expect(await digestOf(first)).toBe(await digestOf(second));
  });

  it.each<Pair>([
    [
      'a reserve that the rule knows',
      ['document-001', { ...SMALL, reserved: 1_000 }],
      ['document-001', { ...SMALL, reserved: 9_000 }],
    ],
    [
      'a share of the window',
      ['document-001', { ...SMALL, triggerFraction: 0.5 }],
      ['document-001', { ...SMALL, triggerFraction: 0.9 }],
    ],
    [
      'a window',
      ['opencode-1.2.16', SMALL],
      ['opencode-1.2.16', { ...SMALL, contextTokens: 25_000 }],
    ],
  ])('tells apart what runs tell apart: %s', async (_, one, other) => {
    const [first, second] = [cellOf(...one), cellOf(...other)];
    expect(outcomeKey(first)).not.toBe(outcomeKey(second));
    expect(await digestOf(first)).not.toBe(await digestOf(second));
  });

  it('tells apart what an order of its own guards only where the pass guards it', () => {
    const ranked = { ...SMALL, evicts: 'random' };
    const keys = (policy: keyof typeof policies) =>
      new Set([1, 2].map((guardTurns) => outcomeKey(cellOf(policy, { ...ranked, guardTurns }))));
    expect(keys('opencode-1.2.16').size).toBe(2);
    expect(keys('last-n-observations').size).toBe(1);
    expect(keys('selective-pruning').size).toBe(1);
  });

  it('knows clean-ups where the pass is off, and moves no number of a pass beside them', () => {
    expect(keyOf({ protect: 1 })).toBe(keyOf({ protect: 2 }));
    expect(keyOf({})).not.toBe(keyOf({ clearDuplicates: false }));
    const families = [1, 2].map((protect) => readCell(cellOf('dcp', { prune: true, protect })).key);
    expect(new Set(families).size).toBe(2);
  });

  it('promises nothing where limits may be learnt on the way', () => {
    const settings = { learnWindow: true, outputTokens: 4_000 };
    const [one, other] = [1_000, 9_000].map((reserved) =>
      cellOf('opencode-1.2.16', { ...settings, reserved }),
    );
    expect(outcomeKey(one!)).not.toBe(outcomeKey(other!));
  });

  it('is the same for a policy under another name, but not for the control', () => {
    const cell = cellOf('opencode-1.2.16', {});
    const renamed = toCell({ ...cell, policy: { ...cell.policy, name: 'mine' } });
    const asControl = toCell({ ...cell, policy: { ...cell.policy, name: 'none' } });
    expect(outcomeKey(renamed)).toBe(outcomeKey(cell));
    expect(outcomeKey(asControl)).not.toBe(outcomeKey(cell));
  });
});

describe('createOutcomes', () => {
  const run = (key: string) => ({ cell: { key, calmKey: key, limits: [10] }, seed: 1 });
  const made = (state: 'completed' | 'failed') => {
    const outcome = { state, metrics: UNKNOWN_METRICS, eventDigest: '' };
    return { outcome, isQuiet: false };
  };

  it('keeps what was made beside what others kept in the meantime, and nothing that failed', () => {
    let kept: readonly KeptRun[] = [];
    const shelf = { read: () => kept, write: (runs: readonly KeptRun[]) => void (kept = runs) };
    const [one, other] = [createOutcomes(shelf), createOutcomes(shelf)];
    one.add(run('a'), made('completed'));
    other.add(run('b'), made('completed'));
    other.add(run('c'), made('failed'));
    one.save();
    other.save();
    const later = createOutcomes(shelf);
    const found = ['a', 'b', 'c'].map((key) => later.find(run(key))?.state);
    expect(found).toEqual(['completed', 'completed', undefined]);
  });
});

describe('watchRuns', () => {
  it('finds breakers that no run comes near to be no difference', async () => {
    const cells = [2, 6].map((maxFailures) => cellOf('claude-code', { ...SMALL, maxFailures }));
    const [one, other] = cells.map((cell) => readCell(cell));
    expect(one!.key).not.toBe(other!.key);
    expect(one!.calmKey).toBe(other!.calmKey);
    expect(await digestOf(cells[0]!)).toBe(await digestOf(cells[1]!));
  });

  const event = (type: RunEvent['type'], fields = {}) => ({ type, ...fields }) as RunEvent;
  const [step, overflow] = [event('step-end'), event('overflow')];
  const pivot = [overflow, event('summary-end', { state: 'answered' }), event('pivot')];
  it.each<[string, readonly RunEvent[], { isQuiet: boolean; isCalm: boolean }]>([
    ['nothing but steps', [step], { isQuiet: true, isCalm: true }],
    ['a pivot long after another', [...pivot, step, step, step, ...pivot], calm(true)],
    ['one soon after another', [...pivot, step, step, overflow], calm(false)],
    ['one of the next run', [...pivot, event('run-start'), step, ...pivot], calm(true)],
    ['a summary that failed', [event('summary-end', { state: 'failed' })], calm(false)],
    ['one that was not taken', [event('summary-rejected')], calm(false)],
    ['a run that was ended', [event('run-end', { state: 'breaker' })], calm(false)],
  ])('says what a run depends on: %s', (_, events, expected) => {
    const { see, told } = watchRuns();
    for (const one of events) see(one);
    expect(told()).toEqual(expected);
  });
});

function calm(isCalm: boolean) {
  return { isQuiet: false, isCalm };
}
