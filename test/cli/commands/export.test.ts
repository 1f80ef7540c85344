import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parquetReadObjects } from 'hyparquet';
import { beforeAll, describe, expect, it } from 'vitest';
import { readVersion } from '../../../src/cli/package.ts';
import { EXIT } from '../../../src/cli/process/io.ts';
import { callMain, words } from '../../support/command.ts';
import { chatOf, createFolder, writeFile } from '../../support/session-files.ts';

const folder = createFolder();
const chat = writeFile(folder, '=cmd.json', chatOf(3));
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

  it('takes a seed of any size', async () => {
    const [many, out] = [join(folder, 'seeds'), join(folder, 'seeds.parquet')];
    await call(...words(`sweep ${chat} --seed 4294967294 --trials 2 --jobs 1 --out ${many}`));
    await call('sweep', 'export', many, '--out', out);
    const bytes = readFileSync(out);
    const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    const table = await parquetReadObjects({ file });
    expect(table.map(({ seed }) => seed)).toEqual([4_294_967_294n, 4_294_967_295n]);
  });
});
