import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parquetReadObjects } from 'hyparquet';
import { beforeAll, describe, expect, it } from 'vitest';
import { readVersion } from '../../../src/cli/package.ts';
import { EXIT } from '../../../src/cli/process/io.ts';
import { shardOf } from '../../../src/simulator/sweep/store/header.ts';
import { callMain, words } from '../../support/command.ts';
import { chatOf, createFolder, writeFile } from '../../support/session-files.ts';

const folder = createFolder();
const chat = writeFile(folder, '=cmd.json', chatOf(3));
const other = writeFile(folder, 'other.md', '# no rows\n');
const results = join(folder, 'results');
const call = (...argv: readonly string[]) => callMain(['--no-cache', ...argv]);

const rows = () =>
  readFileSync(join(results, 'results.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('export', () => {
  beforeAll(async () => {
    const vary = ['--vary', 'reserved=1k,2k', '--vary', 'prune=true,false'];
    const model = ['--vary', 'cache=none', '--set', 'inputTokens=60000', '--model', 'lab/unpriced'];
    await call(
      ...words(`sweep ${chat}`),
      ...vary,
      ...model,
      ...words(`--set contextTokens=64k --jobs 1 --out ${results}`),
    );
  });

  it('writes Parquet with settings and metrics as typed columns, unknown as null', async () => {
    const out = join(folder, 'rows.parquet');
    const { code, stderr } = await call(
      ...words(`sweep export ${results} --format parquet --out ${out}`),
    );
    expect({ code, stderr }).toEqual({ code: EXIT.done, stderr: `5 rows: ${out}\n` });
    const bytes = readFileSync(out);
    const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    const table = await parquetReadObjects({ file });
    expect(table).toHaveLength(5);
    for (const [index, row] of rows().entries()) {
      expect(table[index]).toMatchObject({
        session: row.session,
        cell: row.cell,
        seed: 1n,
        state: row.state,
        set_reserved: row.settings.reserved ?? null,
        set_prune: row.settings.prune ?? null,
        set_cache: row.settings.cache ?? null,
        version: readVersion(),
        set_inputTokens: 60_000,
        ...row.metrics,
      });
    }
    expect(table[0]!['costUsd']).toBeNull();
  });

  it('shows a setting as texts where rows have values of several kinds of it', async () => {
    const [first, second] = rows();
    const kinds = [
      { ...first, settings: { reserved: 1000 } },
      { ...second, settings: { reserved: 'auto' } },
    ];
    const lines = kinds.map((row) => `${JSON.stringify(row)}\n`).join('');
    const [mixed, out] = [writeFile(folder, 'mixed.jsonl', lines), join(folder, 'mixed.parquet')];
    expect((await call('sweep', 'export', mixed, '--out', out)).code).toBe(EXIT.done);
    const bytes = readFileSync(out);
    const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    const table = await parquetReadObjects({ file });
    expect(table.map((row) => row['set_reserved'])).toEqual(['1000', 'auto']);
  });

  it('writes CSV that a spreadsheet takes for no formula', async () => {
    const out = join(folder, 'rows.csv');
    await call('sweep', 'export', join(results, 'results.jsonl'), '--format', 'csv', '--out', out);
    const [titles, first, ...others] = readFileSync(out, 'utf8').trim().split('\n');
    expect(others).toHaveLength(4);
    expect(titles).toMatch(
      /^session,sessionHash,cell,.*,steps,.*,sessionId,version,.*set_reserved,set_prune,/,
    );
    expect(first!.split(',')).toHaveLength(titles!.split(',').length);
  });

  it('takes a seed of any size', async () => {
    const [many, out] = [join(folder, 'seeds'), join(folder, 'seeds.parquet')];
    await call(...words(`sweep ${chat} --seed 4294967294 --trials 2 --jobs 1 --out ${many}`));
    await call('sweep', 'export', many, '--out', out);
    const bytes = readFileSync(out);
    const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    const table = await parquetReadObjects({ file });
    expect(table.map(({ seed }) => seed)).toEqual([4_294_967_294n, 4_294_967_295n]);
  });

  it('gives a run once that was written twice, as a report does', async () => {
    const twice = join(folder, 'twice');
    cpSync(results, twice, { recursive: true });
    const file = join(twice, 'results.jsonl');
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, `${text}${text.split('\n')[1]}\n`);
    const loose = join(folder, 'loose.jsonl');
    writeFileSync(loose, readFileSync(file));
    for (const source of [twice, loose]) {
      const out = join(folder, 'once.csv');
      const { stderr } = await call('sweep', 'export', source, '--format', 'csv', '--out', out);
      expect(stderr).toBe(`5 rows: ${out}\n`);
    }
    const [once, again] = await Promise.all(
      [results, twice].map((source) => call('report', source, '--format', 'csv')),
    );
    expect(again?.stdout).toBe(once?.stdout);
  });

  it.each([
    ['table.csv', [], /^session,sessionHash,/],
    ['TABLE.JSONL', [], /^\{"session":/],
    ['table', [], /^PAR1/],
    ['table.bin', ['--format', 'parquet'], /^PAR1/],
    ['named.csv', ['--format', 'jsonl'], /^\{"session":/],
  ])('writes %s as its name says, else as Parquet, with %j', async (name, argv, start) => {
    const out = join(folder, name);
    await call('sweep', 'export', results, ...argv, '--out', out);
    expect(readFileSync(out, 'utf8')).toMatch(start);
  });

  it('says how much of a sweep there is that was interrupted', async () => {
    const [half, out] = [join(folder, 'half'), join(folder, 'half.csv')];
    cpSync(results, half, { recursive: true });
    const file = join(half, 'results.jsonl');
    const [first = '', second = '', third = ''] = readFileSync(file, 'utf8').split('\n');
    writeFileSync(file, `${first}\n${second}\n${third.slice(0, -1)}`);
    const { code, stderr } = await call('sweep', 'export', half, '--out', out);
    expect(code).toBe(EXIT.done);
    expect(stderr).toContain('has 2 of 5 rows; its sweep is not finished.\n2 rows: ');
    const note = `Note: '${half}' has 2 of 5 rows; its sweep is not finished.\n`;
    expect((await call('report', half, '--format', 'csv')).stderr).toBe(note);
    const json = await call('report', half, '--format', 'json');
    expect(json.stderr).toBe('');
    expect(JSON.parse(json.stdout)).toMatchObject({ missingRows: 3 });
    const saved = writeFile(folder, 'half.json', json.stdout);
    expect((await call('report', saved, '--format', 'json')).stdout).toBe(json.stdout);
    const whole = await call('report', results, '--format', 'json');
    expect(JSON.parse(whole.stdout)).not.toHaveProperty('missingRows');
    expect((await call('report', results, '--format', 'csv')).stderr).toBe('');
  });

  it('says that it is one shard of a sweep', async () => {
    const [shard, out] = [join(folder, 'shard'), join(folder, 'shard.csv')];
    cpSync(results, shard, { recursive: true });
    const file = join(shard, 'sweep.json');
    const header = JSON.parse(readFileSync(file, 'utf8'));
    const index = shardOf(header.sessions[0].hash, 2);
    writeFileSync(file, JSON.stringify({ ...header, shard: { index, count: 2 } }));
    const { stderr } = await call('sweep', 'export', shard, '--out', out);
    expect(stderr).toBe(
      `Note: '${join(shard, 'results.jsonl')}' is shard ${index}/2 of its sweep.\n5 rows: ${out}\n`,
    );
    expect(
      (await call('report', other, shard, '--out', join(folder, 'report.csv'))).stderr,
    ).toMatch(`Note: '${shard}' is shard ${index}/2 of its sweep.\n`);
  });

  it('says nothing of a sweep where some of its rows stand in a file of their own', async () => {
    const [some, out] = [join(folder, 'some'), join(folder, 'some.csv')];
    cpSync(results, some, { recursive: true });
    const [first = ''] = readFileSync(join(some, 'results.jsonl'), 'utf8').split('\n');
    const part = writeFile(some, 'part.jsonl', `${first}\n`);
    const { code, stderr } = await call('sweep', 'export', part, '--out', out);
    expect({ code, stderr }).toEqual({ code: EXIT.done, stderr: `1 row: ${out}\n` });
  });

  it('says where there is no row at all', async () => {
    const [none, out] = [writeFile(folder, 'none.jsonl', ''), join(folder, 'none.csv')];
    const { code, stderr } = await call('sweep', 'export', none, '--out', out);
    expect(code).toBe(EXIT.done);
    expect(stderr).toBe(`Note: '${none}' has no row.\n0 rows: ${out}\n`);
  });

  it('writes nothing of a folder of another version', async () => {
    const [older, out] = [join(folder, 'older'), join(folder, 'older.csv')];
    cpSync(results, older, { recursive: true });
    writeFileSync(join(older, 'sweep.json'), '{"schemaVersion": 0}');
    const { code, stderr } = await call('sweep', 'export', older, '--out', out);
    expect(code).toBe(EXIT.wrongUse);
    expect(stderr).toContain('sweep.json is none of this version');
    expect(existsSync(out)).toBe(false);
  });

  it('takes the last row also where no line break ends it', async () => {
    const text = readFileSync(join(results, 'results.jsonl'), 'utf8');
    const [file, out] = [writeFile(folder, 'cut.jsonl', text.trimEnd()), join(folder, 'cut.csv')];
    const { stderr } = await call('sweep', 'export', file, '--out', out);
    expect(stderr).toBe(`5 rows: ${out}\n`);
  });

  it('takes no report for rows, although some line of it may be one', async () => {
    const [first = ''] = readFileSync(join(results, 'results.jsonl'), 'utf8').split('\n');
    const report = writeFile(folder, 'report.json', `{\n"sessions": [\n${first}\n]}\n`);
    const { code, stderr } = await call('sweep', 'export', report, '--out', join(folder, 'x.csv'));
    expect(code).toBe(EXIT.wrongUse);
    expect(stderr).toContain('to have a sweep row on each line, got something else on line 1');
    expect(existsSync(join(folder, 'x.csv'))).toBe(false);
  });

  it('writes flat JSON lines', async () => {
    const out = join(folder, 'rows.jsonl');
    await call('sweep', 'export', results, '--format', 'jsonl', '--out', out);
    const [first] = readFileSync(out, 'utf8').split('\n');
    const flat = JSON.parse(first!);
    expect(flat).toMatchObject({ set_reserved: 1_000, set_prune: true, steps: 3, costUsd: null });
    expect(Object.values(flat).every((value) => typeof value !== 'object' || value === null)).toBe(
      true,
    );
  });
});
