import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type {
  BenchConditions,
  SummaryRow,
} from '../../../../src/simulator/report/summarizers-report.ts';
import { withPrompt } from '../../../../src/simulator/sweep/summarizers/inputs.ts';
import {
  countRepeats,
  openRowsFile,
  orderRows,
  whyIncomparable,
} from '../../../../src/simulator/sweep/summarizers/rows-file.ts';
import { createFolder, writeFile } from '../../../support/session-files.ts';
import { probe, row } from './summary-rows.ts';

describe('whyIncomparable', () => {
  it.each([
    ['another scorer', { scorerVersion: 2 }, 'scorer'],
    [
      'another bench',
      { bench: 'other' },
      'policy, model, number or places of compactions, tokenizer',
    ],
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

  it.each([
    ['another summarizer', { summarizer: 'tail', model: 'tail' }],
    ['another prompt', { promptHash: 'other' }],
    ['a failure that no model answered', { repeat: 2, model: 'dated', pivots: [] }],
  ])('compares %s', (_, more) => {
    expect(whyIncomparable([row(), row(more)])).toBeUndefined();
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

describe('orderRows', () => {
  const rows = ['b', 'a'].flatMap((scenario) =>
    [2, 1].flatMap((repeat) =>
      ['tail', 'extractive'].map((summarizer) => row({ summarizer, scenario, repeat })),
    ),
  );
  const order = {
    arms: ['extractive', 'tail'].map((name) => JSON.stringify([name, 'prompt'])),
    scenarios: ['a', 'b'],
  };
  const shown = (some: typeof rows) =>
    some.map(({ summarizer, scenario, repeat }) => `${summarizer} ${scenario} ${repeat}`);

  it('is that of the plan, whatever came first', () => {
    const expected = ['extractive', 'tail'].flatMap((name) =>
      ['a 1', 'a 2', 'b 1', 'b 2'].map((rest) => `${name} ${rest}`),
    );
    expect(shown([...orderRows(rows, order)])).toEqual(expected);
    expect(shown([...orderRows(rows.toReversed(), order)])).toEqual(expected);
  });

  it('has what was there before in front', () => {
    const earlier = row({ summarizer: 'lead', scenario: 'z' });
    const ordered = orderRows([...rows, earlier], order);
    expect(ordered[0]).toBe(earlier);
  });
});
