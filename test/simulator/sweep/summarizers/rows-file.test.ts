import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  armMetrics,
  type BenchConditions,
  type SummaryRow,
} from '../../../../src/simulator/report/arm-metrics.ts';
import {
  countRepeats,
  whyIncomparable,
} from '../../../../src/simulator/sweep/summarizers/comparable.ts';
import { withPrompt } from '../../../../src/simulator/sweep/summarizers/inputs.ts';
import { openRowsFile } from '../../../../src/simulator/sweep/summarizers/rows-file.ts';
import {
  compareArms,
  groupArms,
  summariseArm,
} from '../../../../src/simulator/sweep/summarizers/summarise-arms.ts';
import { createFolder, writeFile } from '../../../support/session-files.ts';
import { pivot, probe, row } from './summary-rows.ts';

const SAMPLING = { seed: 1, families: new Map<string, string>() };
const summarise = (rows: readonly SummaryRow[]) => summariseArm(groupArms(rows)[0]!, SAMPLING);

describe('whyIncomparable', () => {
  it.each([
    ['another scorer', { scorerVersion: 2 }, 'scorer'],
    ['another bench', { bench: 'other' }, 'policy'],
    ['another reader', { reader: 'ai:lab/other' }, 'reader'],
    ['other words of the reader', { questions: 'other' }, 'wording'],
    ['another cap of the model', { settings: { outputCapTokens: 500 } }, 'more than one setting'],
    [
      'another model behind the reader',
      { repeat: 2, readerModel: 'dated' },
      "answered as 'ai:lab/reader'",
    ],
    ['another session of that name', { scenarioHash: 'other' }, "'one'"],
    ['another model behind the same name', { repeat: 2, model: 'dated' }, 'more than one model'],
    ['another outcome of the same run', { pivots: [] }, "repetition 1 of 'extractive' on 'one'"],
  ])('refuses %s', (_, more, told) => {
    const asked = { reader: 'ai:lab/reader', readerModel: 'earlier' };
    const first = row(asked);
    expect(whyIncomparable([first, row({ ...asked, ...more })])).toContain(told);
  });

  it.each<[change: Partial<BenchConditions>, told: string]>([
    [{ policy: 'p2' }, 'policy'],
    [{ model: 'm2' }, 'model or its limits'],
    [{ pivots: '3' }, 'number of compactions'],
    [{ places: '0.3,1' }, 'places of compactions'],
    [{ tokenizer: 'other' }, 'tokenizer'],
    [{ seed: '2' }, 'seed'],
    [{ seed: '2', places: '0.3,1', model: undefined }, 'places of compactions and seed'],
    [{}, 'policy, model, number or places of compactions, tokenizer or seed'],
  ])('names of the conditions those that differ: %j', (change, told) => {
    const conditions: BenchConditions = {
      policy: 'p1',
      model: 'm1',
      pivots: '2',
      places: 'policy',
      tokenizer: 'o200k_base',
      seed: '1',
    };
    const first = row({ conditions });
    const other = row({ bench: 'other', conditions: { ...conditions, ...change } });
    const why = `the rows differ in their ${told}`;
    expect(whyIncomparable([first, other])).toBe(why);
    expect(whyIncomparable([other, first])).toBe(why);
  });

  it('names all conditions where rows do not tell theirs', () => {
    expect(whyIncomparable([row(), row({ bench: 'other' })])).toBe(
      'the rows differ in their policy, model, number or places of compactions, tokenizer or seed',
    );
  });

  it.each([
    ['another summarizer', { summarizer: 'tail', model: 'tail' }],
    ['another prompt', { promptHash: 'other' }],
    ['a failure that no model answered', { repeat: 2, model: 'dated', pivots: [] }],
  ])('compares %s', (_, more) => {
    expect(whyIncomparable([row(), row(more)])).toBeUndefined();
  });
});

describe('summariseArm', () => {
  it('averages repetitions within a session before sessions', () => {
    const rows = [
      row({ pivots: [pivot(0)] }),
      row({ repeat: 2, pivots: [pivot(1)] }),
      row({ scenario: 'two', pivots: [pivot(1)] }),
    ];
    expect(summarise(rows).metrics.factsKept).toMatchObject({ mean: 0.75, sessions: 2 });
  });

  it('bounds what was never dropped by the rule of three, without copies', () => {
    const copies = [row(), row({ repeat: 2 }), row({ repeat: 3 })];
    expect(summarise(copies).mustFacts).toEqual({ of: 10, dropped: 0, highestRate: 0.3 });
    const drawn = copies.map((one) => ({ ...one, isRandom: true }));
    expect(summarise(drawn).mustFacts).toEqual({ of: 30, dropped: 0, highestRate: 0.1 });
  });

  it('counts what went wrong', () => {
    const missing = { pivot: 2, state: 'failed', reason: 'refused' } as const;
    const rows = [
      row({ pivots: [pivot(1, { isCut: true })], missing }),
      row({ repeat: 2, pivots: [pivot(1, { summaryTokens: 1_000 })] }),
    ];
    expect(summarise(rows).failures).toMatchObject({
      trials: 2,
      pivots: 2,
      failed: 1,
      cut: 1,
      nonCompressing: 1,
      reasons: [{ reason: 'refused', state: 'failed', times: 1 }],
    });
  });

  it('knows no price where one of two is unknown', () => {
    const priced = pivot(1, { costNanoUsd: 2_000_000_000 });
    expect(armMetrics.costUsd.of(row({ pivots: [priced, priced] }))).toBe(2);
    expect(armMetrics.costUsd.of(row({ pivots: [priced, pivot(1)] }))).toBeNull();
  });
});

const pricedAt = (dollars: number) => [pivot(1, { costNanoUsd: dollars * 1e9 })];

describe('compareArms', () => {
  it('pairs by session, and says "within noise" of a difference that goes both ways', () => {
    const sessions = ['a', 'b', 'c', 'd'];
    const rows = sessions.flatMap((scenario, index) => [
      row({ scenario }),
      row({ scenario, summarizer: 'tail', pivots: [pivot(index % 2 === 0 ? 0.3 : 0.8)] }),
    ]);
    const [base, other] = groupArms(rows);
    const found = compareArms(base!, [other!], SAMPLING).find(
      ({ metric }) => metric === 'factsKept',
    );
    expect(found).toMatchObject({ sessions: 4, verdict: 'within noise' });
    expect(found?.difference.mean).toBeCloseTo(0.05, 10);
  });

  it.each<[told: string, base: readonly number[], other: readonly number[], verdict: string]>([
    [
      'what one dear session does not decide',
      [1, 1, 1, 1, 900],
      [0.5, 0.5, 0.6, 0.5, 950],
      'lower',
    ],
    ['a few percent as the same', [1, 2, 3, 4, 5], [1.02, 2.05, 3.09, 4.1, 5.12], 'equivalent'],
    ['twice as much', [1, 2, 3, 4, 5], [2.1, 4, 6.2, 8, 10], 'higher'],
  ])('judges cost by its ratio: %s', (_, base, other, verdict) => {
    const rows = base.flatMap((dollars, index) => [
      row({ scenario: `${index}`, pivots: pricedAt(dollars) }),
      row({ scenario: `${index}`, summarizer: 'tail', pivots: pricedAt(other[index]!) }),
    ]);
    const [first, second] = groupArms(rows);
    const cost = compareArms(first!, [second!], SAMPLING).find(
      ({ metric }) => metric === 'costUsd',
    );
    const logs = base.map((dollars, index) => Math.log(other[index]! / dollars));
    const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
    expect(cost?.ratio?.mean).toBeCloseTo(Math.exp(mean), 4);
    expect(cost?.verdict).toBe(verdict);
  });
});

describe('countRepeats', () => {
  it.each<[told: string, rows: readonly SummaryRow[], count: object]>([
    ['as planned where nothing was run', [], { repeats: 2 }],
    ['what stands in rows', [row(), row({ repeat: 2 }), row({ repeat: 3 })], { repeats: 3 }],
    [
      'the fewest besides',
      [row(), row({ repeat: 2 }), row({ summarizer: 'tail' })],
      { repeats: 2, leastRepeats: 1 },
    ],
  ])('counts %s', (_, rows, count) => {
    expect(countRepeats(rows, 2)).toEqual(count);
  });
});

describe('withPrompt', () => {
  const previous = 'Bring it up to date.\n<previous-summary>\nold\n</previous-summary>';
  const request = { system: 's', messages: [], prompt: `${previous}\n\nSummarise.` };

  it('keeps the summary that is to be brought up to date', () => {
    expect(withPrompt(request, { instruction: 'Mine.' }).prompt).toBe(`${previous}\n\nMine.`);
  });

  it('adds what a plugin says after the instruction', () => {
    const { prompt } = withPrompt(request, { instruction: 'Mine.', context: 'Plugin.' });
    expect(prompt).toBe(`${previous}\n\nMine.\n\nPlugin.`);
  });

  it('leaves a request alone that nothing is said about', () => {
    expect(withPrompt(request, {})).toBe(request);
  });
});

describe('openRowsFile', () => {
  const folder = createFolder();
  const full = row({
    settings: { streams: true },
    reader: 'ai:lab/reader',
    questions: 'hash',
    probes: [probe(false)],
    unanswered: ['429'],
    readerModel: 'dated',
    survival: [{ atRisk: 3, lost: 1 }],
    missing: { pivot: 2, state: 'failed', reason: 'refused' },
    pivots: [],
  });

  it('gives back every row as it was, in a folder that it makes', () => {
    const file = join(folder, 'new', 'rows.jsonl');
    const kept = openRowsFile(file);
    expect(kept.rows).toEqual([]);
    kept.append(full);
    kept.append({ ...full, repeat: 2 });
    expect(openRowsFile(file).rows).toEqual([full, { ...full, repeat: 2 }]);
  });

  it('has a row once that stands there twice', () => {
    const line = `${JSON.stringify(full)}\n`;
    const file = writeFile(folder, 'twice.jsonl', line + line);
    const kept = openRowsFile(file);
    kept.append({ ...full, repeat: 2 });
    expect(openRowsFile(file).rows.map(({ repeat }) => repeat)).toEqual([1, 2]);
  });

  it('leaves out what a torn write left behind, and writes over it', () => {
    const file = writeFile(folder, 'torn.jsonl', `${JSON.stringify(full)}\n`);
    appendFileSync(file, JSON.stringify(full).slice(0, 40));
    const kept = openRowsFile(file);
    expect(kept.rows).toEqual([full]);
    kept.append({ ...full, repeat: 2 });
    kept.append({ ...full, repeat: 3 });
    expect(openRowsFile(file).rows.map(({ repeat }) => repeat)).toEqual([1, 2, 3]);
    expect(readFileSync(file, 'utf8').endsWith('}\n')).toBe(true);
  });

  it.each([
    ['at a file that is not there', ''],
    ['behind a torn write', '{"rowVersion": 9'],
  ])('keeps the rows of two processes that begin %s', (_, left) => {
    const file = writeFile(folder, 'shared.jsonl', left);
    const both = [openRowsFile(file), openRowsFile(file)];
    for (const repeat of [1, 2, 3, 4]) both[repeat % 2]!.append({ ...full, repeat });
    expect(openRowsFile(file).rows.map(({ repeat }) => repeat)).toEqual([1, 2, 3, 4]);
  });

  it('keeps a last row that only lacks its line break', () => {
    const file = writeFile(folder, 'open.jsonl', JSON.stringify(full));
    const kept = openRowsFile(file);
    expect(kept.rows).toEqual([full]);
    kept.append({ ...full, repeat: 2 });
    kept.append({ ...full, repeat: 3 });
    expect(openRowsFile(file).rows.map(({ repeat }) => repeat)).toEqual([1, 2, 3]);
  });

  it('knows nothing of rows of another version', () => {
    const older = { ...full, rowVersion: 1, pivots: 'in another shape' };
    const file = writeFile(folder, 'older.jsonl', `${JSON.stringify(older)}\n`);
    expect(openRowsFile(file)).toMatchObject({ rows: [], hasOtherVersion: true });
  });

  it.each([
    ['no JSON', 'once upon a time'],
    ['no row', '{"a": 1}'],
    ['a row of another shape', JSON.stringify({ ...full, repeat: 0 })],
  ])('refuses %s', (_, line) => {
    for (const ending of ['\n', '']) {
      const file = writeFile(folder, 'bad.jsonl', line + ending);
      expect(() => openRowsFile(file)).toThrow(
        /Expected rows of 'summarizers' in .*bad\.jsonl', got something else on line \d: [^'].*asked again\.$/,
      );
    }
  });
});
