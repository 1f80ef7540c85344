import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  mergeShards,
  openStore,
  type RowIndex,
  writeSorted,
} from '../../../../src/simulator/sweep/store/result-store.ts';
import type { SweepHeader } from '../../../../src/simulator/sweep/store/header.ts';
import { createFolder } from '../../../support/session-files.ts';
import { HEADER, PLACES, rowOf, SORTED } from './sample-rows.ts';

function open(folder = createFolder(), header = HEADER) {
  const file = join(folder, 'results.jsonl');
  return { folder, file, store: openStore(folder, header), text: () => readFileSync(file, 'utf8') };
}

describe('the folder of another sweep', () => {
  const [cell] = HEADER.cells;
  const others: readonly (readonly [what: string, other: Partial<SweepHeader>])[] = [
    ['another version (0.0.0)', { version: '0.0.1' }],
    ['another mode (open-loop)', { mode: 'closed-loop' }],
    ['other cells', { cells: [cell!, { ...cell!, id: 'other' }] }],
    ['other seeds', { seeds: [1, 2] }],
    ['other sessions', { sessions: [{ name: 'session', hash: 'b' }] }],
    ['other axes', { axes: [{ key: 'reserved', values: [1, 2] }] }],
    ['another catalog (shipped)', { catalog: { source: 'shipped', hash: 'x' } }],
    ['other unread files', { unread: [{ file: 'a.json', reason: 'none' }] }],
    ['shard 1/1', { shard: { index: 1, count: 2 } }],
  ];

  it.each(others)('is refused and left as it is, where it has %s', (what, other) => {
    const { folder, store } = open();
    for (const place of PLACES) store.add(rowOf(place));
    store.finish();
    const before = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
    expect(() => openStore(folder, { ...HEADER, ...other })).toThrow(
      `Expected '--out' to be a new folder or that of the same sweep, got '${folder}', which has ${what}.`,
    );
    const after = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
    expect(after).toEqual(before);
  });

  it('is refused where it holds results that nobody can tell of what', () => {
    const { folder, store } = open();
    store.add(rowOf(0));
    store.close();
    rmSync(join(folder, 'sweep.json'));
    expect(() => openStore(folder, HEADER)).toThrow('which has results.jsonl without sweep.json.');
    expect(readdirSync(folder)).toEqual(['results.jsonl']);
  });
});

describe('openStore', () => {
  it('leaves every row once and in order where two processes fill one folder', () => {
    const one = open();
    const other = open(one.folder);
    const stores = [one.store, other.store];
    for (const [turn, place] of [2, 0, 1, 1, 0, 2].entries()) stores[turn % 2]!.add(rowOf(place));
    one.store.finish();
    expect(one.text()).toBe(SORTED);
    other.store.finish();
    expect(other.text()).toBe(SORTED);
    expect(readdirSync(one.folder).toSorted()).toEqual(['results.jsonl', 'sweep.json']);
  });

  it('puts in order what stands in the file, where another process put it in order before', () => {
    const one = open();
    for (const place of PLACES.toReversed()) one.store.add(rowOf(place));
    const other = open(one.folder);
    one.store.finish();
    other.store.finish();
    expect(other.text()).toBe(SORTED);
  });

  it('puts rows in order that come in another one', () => {
    const { store, text } = open();
    for (const place of [2, 0, 1]) store.add(rowOf(place));
    store.finish();
    expect(text()).toBe(SORTED);
  });

  it('takes what somebody else wrote behind its last row for nothing of its own', () => {
    const { file, store, text } = open();
    for (const place of PLACES) store.add(rowOf(place));
    appendFileSync(file, `${rowOf(1).line}\n{"torn`);
    store.finish();
    expect(text()).toBe(SORTED);
  });

  it('takes the rows of another shard for none, and leaves them out in the end', () => {
    const folder = createFolder();
    const foreign = rowOf(0).line.replace(
      '"session","sessionHash":"a"',
      '"other","sessionHash":"b"',
    );
    const sessions = [...HEADER.sessions, { name: 'other', hash: 'b' }];
    const header = { ...HEADER, sessions, shard: { index: 1, count: 2 } };
    open(folder, header).store.close();
    writeFileSync(join(folder, 'results.jsonl'), `${foreign}\n${SORTED}`);
    const { store, text } = open(folder, header);
    expect(store.count).toBe(PLACES.length);
    store.finish();
    expect(text()).toBe(SORTED);
  });

  it('goes on with no results of which nothing says what they are', () => {
    const folder = createFolder();
    const file = join(folder, 'results.jsonl');
    writeFileSync(file, SORTED);
    expect(() => open(folder)).toThrow('which has results.jsonl without sweep.json.');
    expect(readFileSync(file, 'utf8')).toBe(SORTED);
    writeFileSync(file, '');
    expect(open(folder).store.count).toBe(0);
  });

  it('says that rows were taken away while it was open', () => {
    const { file, store } = open();
    for (const place of PLACES) store.add(rowOf(place));
    writeFileSync(file, `${rowOf(1).line}\n`);
    expect(() => store.finish()).toThrow('but 2 were removed during the sweep');
  });
});

describe('mergeShards', () => {
  it('takes the rows of a session from its own shard, whatever else lies in another', () => {
    const sessions = [...HEADER.sessions, { name: 'other', hash: 'b' }];
    const header = { ...HEADER, seeds: [1], sessions };
    const own = rowOf(0).line;
    const others = own.replace('"session","sessionHash":"a"', '"other","sessionHash":"b"');
    const [first, second, out] = [createFolder(), createFolder(), createFolder()];
    for (const [index, folder] of [first, second].entries())
      open(folder, { ...header, shard: { index: index + 1, count: 2 } }).store.close();
    const stale = others.replace('"steps":1', '"steps":9');
    writeFileSync(join(first, 'results.jsonl'), `${own}\n${stale}\n`);
    writeFileSync(join(second, 'results.jsonl'), `${others}\n`);
    expect(mergeShards([first, second], out).state).toBe('merged');
    expect(readFileSync(join(out, 'results.jsonl'), 'utf8')).toBe(`${own}\n${others}\n`);
  });
});

const folder = createFolder();
const [target, ...sources] = ['sorted', 'one', 'other'].map((name) => join(folder, name));
const KINDS = ['next', 'apart', 'elsewhere'] as const;
const LONG = 700_000;

/** A row, and where it lies, seen from the one before it in order. */
interface Placed {
  readonly row: string;
  readonly lies: (typeof KINDS)[number];
}

const placed = fc.record({
  row: fc.oneof(
    { weight: 30, arbitrary: fc.string({ unit: 'grapheme-ascii', maxLength: 8 }) },
    { weight: 1, arbitrary: fc.constant('x'.repeat(LONG)) },
  ),
  lies: fc.constantFrom(...KINDS),
});

/** Writes the sources and says where each row lies in them. */
function lay(rows: readonly Placed[]) {
  const index: RowIndex = new Map();
  const texts = ['', ''];
  let source = 0;
  for (const [place, { row, lies }] of rows.entries()) {
    if (lies === 'elsewhere') source = 1 - source;
    if (lies === 'apart') texts[source] += 'not a row\n';
    const offsetBytes = texts[source]!.length;
    index.set(place, { source, offsetBytes, lengthBytes: row.length });
    texts[source] += `${row}\n`;
  }
  for (const [at, text] of texts.entries()) writeFileSync(sources[at]!, text);
  return index;
}

describe('writeSorted', () => {
  it('writes all rows in order, wherever and however close together they lie', () => {
    fc.assert(
      fc.property(fc.array(placed, { maxLength: 30 }), (rows) => {
        writeSorted(target!, lay(rows), sources);
        const expected = rows.map(({ row }) => `${row}\n`).join('');
        expect(readFileSync(target!, 'utf8') === expected).toBe(true);
      }),
    );
  });
});
