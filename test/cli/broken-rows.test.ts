import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../src/cli/process/io.ts';
import { call, createChatSweeps, sweep } from '../support/chat-sweeps.ts';

const { live: LIVE, newFolder } = createChatSweeps();
const whole = newFolder();

/** A copy of the sweep with another second row. */
function withRow(change: (row: object) => object): string {
  const folder = newFolder();
  cpSync(whole, folder, { recursive: true });
  const file = join(folder, 'results.jsonl');
  const [first = '', second = '', ...others] = readFileSync(file, 'utf8').split('\n');
  const broken = JSON.stringify(change(JSON.parse(second)));
  writeFileSync(file, [first, broken.replace('"INFINITE"', '1e999'), ...others].join('\n'));
  return folder;
}

/** A copy of the sweep whose second row has other metrics. */
function withMetrics(change: (metrics: object) => unknown): string {
  return withRow((row) => ({
    ...row,
    metrics: change('metrics' in row ? Object(row.metrics) : {}),
  }));
}

/** What every reader of rows is called with. */
const READERS: Readonly<Record<string, (folder: string) => readonly string[]>> = {
  report: (folder) => ['report', folder],
  'report of CSV': (folder) => ['report', folder, '--format', 'csv'],
  merge: (folder) => ['sweep', 'merge', folder],
  'export of CSV': (folder) => ['sweep', 'export', folder, '--out', join(newFolder(), 'out.csv')],
  'export of Parquet': (folder) => [
    'sweep',
    'export',
    folder,
    '--out',
    join(newFolder(), 'out.parquet'),
  ],
  'export of a file': (folder) => [
    'sweep',
    'export',
    join(folder, 'results.jsonl'),
    '--out',
    join(newFolder(), 'out.csv'),
  ],
  compare: (folder) => ['compare', whole, folder],
  'sweep that goes on': (folder) => ['sweep', ...LIVE, '--out', folder],
};

/** Fields that a row of a sweep does not have, with what is told of them. */
const WRONG_FIELDS: readonly (readonly [expected: string, fields: object])[] = [
  ["'policy': expected string, received number", { policy: 5 }],
  ["'settings': expected object, received undefined", { settings: undefined }],
  [
    "'settings.protect': expected number, boolean or string, received object",
    { settings: { protect: {} } },
  ],
  [
    '\'state\': expected one of "completed"|"refused"|"irreducible"|"breaker"|"loop"|"failed"|"skipped", received string',
    { state: 'done' },
  ],
  ["'metrics': expected object, received array", { metrics: [] }],
  ["'metrics.steps': expected number, received Infinity", { metrics: { steps: 'INFINITE' } }],
];

interface Header {
  readonly cells: readonly object[];
}

/** A copy of the sweep whose header has something else. */
function withHeader(change: (header: Header) => object): string {
  const folder = newFolder();
  cpSync(whole, folder, { recursive: true });
  const file = join(folder, 'sweep.json');
  const header: Header = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify(change(header)));
  return folder;
}

beforeAll(async () => {
  await sweep([...LIVE, '--out', whole]);
});

describe('a header that has something else than a sweep writes', () => {
  it.each<[place: string, change: (header: Header) => object]>([
    ['catalog', (header) => ({ ...header, catalog: null })],
    ['catalog.hash', (header) => ({ ...header, catalog: { source: 'shipped' } })],
    ['cells.0', ({ cells: [, ...others], ...rest }) => ({ ...rest, cells: [null, ...others] })],
    ...(['policy', 'model', 'settings', 'summarizer'] as const).map(
      (name): [place: string, change: (header: Header) => object] => [
        'cells.1',
        ({ cells: [first, second, ...others], ...rest }) => ({
          ...rest,
          cells: [first, { ...second, [name]: null }, ...others],
        }),
      ],
    ),
  ])('is refused at %s', async (place, change) => {
    const folder = withHeader(change);
    const { compare: _, ...readers } = READERS;
    for (const argv of Object.values(readers)) {
      const { code, stdout, stderr } = await call(argv(folder));
      expect({ code, stdout }).toEqual({ code: EXIT.wrongUse, stdout: '' });
      expect(stderr).toContain(`its sweep.json is none of this version, at '${place}'.`);
    }
  });
});

describe('rows that the system does not let be read', () => {
  it.each(Object.entries(READERS).filter(([name]) => !name.startsWith('export')))(
    'are told in a sentence by %s',
    async (_, argv) => {
      const folder = newFolder();
      cpSync(whole, folder, { recursive: true });
      const file = join(folder, 'results.jsonl');
      rmSync(file);
      mkdirSync(join(file, 'something'), { recursive: true });
      const { code, stdout, stderr } = await call(argv(folder));
      expect({ code, stdout }).toEqual({ code: EXIT.wrongUse, stdout: '' });
      expect(stderr).toContain(`Expected '${file}' to be a readable file, got a folder.`);
    },
  );
});

describe('a row that has something else than a sweep writes', () => {
  it.each(Object.keys(READERS))(
    'is no row of anything to %s, whichever of its fields it is',
    async (name) => {
      for (const [expected, fields] of WRONG_FIELDS) {
        const folder = withRow((row) => ({ ...row, ...fields }));
        const { code, stdout, stderr } = await call(READERS[name]!(folder));
        expect({ code, stdout }).toEqual({ code: EXIT.wrongUse, stdout: '' });
        expect(stderr).toContain(`line 2 is not a result, at ${expected}.`);
      }
    },
  );

  it('is made again without its line', async () => {
    const folder = withMetrics((metrics) => ({ ...metrics, costUsd: 'x' }));
    const file = join(folder, 'results.jsonl');
    const [first, , ...others] = readFileSync(file, 'utf8').split('\n');
    writeFileSync(file, [first, ...others].join('\n'));
    expect((await sweep([...LIVE, '--out', folder])).code).toBe(EXIT.done);
    expect(readFileSync(file, 'utf8')).toBe(readFileSync(join(whole, 'results.jsonl'), 'utf8'));
  });
});
