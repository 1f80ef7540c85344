import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../../src/cli/process/io.ts';
import { call, createChatSweeps, sweep } from '../../support/chat-sweeps.ts';
import { createFolder } from '../../support/session-files.ts';
import { DEFAULT_MODEL } from '../../../src/cli/plan/options.ts';

/** A comparison whose second side has another name. */
function withSide(stdout: string, b: string): object {
  const document = JSON.parse(stdout);
  const verdict = document.verdict.map((one: object) => ({ ...one, change: b }));
  return { ...document, b, verdict };
}

const { live: LIVE, newFolder } = createChatSweeps();
const whole = newFolder();
const rowsIn = (folder: string) => readFileSync(join(folder, 'results.jsonl'), 'utf8');

/** A copy of the sweep with other rows. */
function copyWith(change: (rows: string) => string): string {
  const folder = newFolder();
  cpSync(whole, folder, { recursive: true });
  writeFileSync(join(folder, 'results.jsonl'), change(rowsIn(folder)));
  return folder;
}

const withoutLast = (rows: string) => rows.slice(0, rows.trimEnd().lastIndexOf('\n') + 1);

describe('compare of folders of sweeps', () => {
  beforeAll(async () => {
    await sweep([...LIVE, '--out', whole]);
  });

  it('says what counted their tokens and what their sessions were recorded with, as a report does', async () => {
    const folder = copyWith((rows) => rows);
    const file = join(folder, 'sweep.json');
    const header = JSON.parse(readFileSync(file, 'utf8'));
    const sessions = header.sessions.map((session: object) => ({
      ...session,
      recordedModel: 'lab/old',
    }));
    writeFileSync(file, JSON.stringify({ ...header, sessions }));
    const { provenance } = JSON.parse((await call(['report', folder, '--format', 'json'])).stdout);
    const { stdout } = await call(['compare', whole, folder, '--format', 'json']);
    const { a, b } = JSON.parse(stdout).origins;
    const tokenizers = { [DEFAULT_MODEL]: { name: 'o200k_base', evidence: 'estimated' } };
    for (const origin of [a, b, provenance]) expect(origin.tokenizers).toEqual(tokenizers);
    expect(b.recorded).toEqual({ sessions: 4, models: { 'lab/old': 4 }, isOwn: true });
    expect(provenance.recorded).toEqual(b.recorded);
    const { stdout: text } = await call(['compare', whole, folder, '--details']);
    expect(text.replaceAll(/\s+/g, ' ')).toContain(`tokens of ${DEFAULT_MODEL} by o200k_base`);
    expect(text.replaceAll(/\s+/g, ' ')).toContain(
      'Each session is replayed and billed with its own model: lab/old',
    );
  });

  it.each<[what: string, change: (rows: string) => string]>([
    ['without its last row', withoutLast],
    ['with half a row at its end', (rows) => rows.slice(0, -20)],
  ])('says in the words of export that a sweep is not finished, %s', async (_, change) => {
    const half = copyWith(change);
    const { code, stderr, stdout } = await call(['compare', whole, half]);
    expect({ code, stderr }).toEqual({
      code: EXIT.done,
      stderr: `Note: '${half}' has 11 of 12 rows; its sweep is not finished.\n`,
    });
    expect(stdout).not.toBe('');
    const exported = await call(['sweep', 'export', half, '--out', join(newFolder(), 'out.csv')]);
    expect(exported.stderr).toContain(' has 11 of 12 rows; its sweep is not finished.\n');
  });

  it('takes the rows that a report is made of: each once, and none of another sweep', async () => {
    const [first = ''] = rowsIn(whole).split('\n');
    const dearer = first.replace(/"inputTokens":\d+/, '"inputTokens":999999999');
    const stray = dearer.replace(/"cell":"\w+"/, '"cell":"other"');
    const folder = copyWith((rows) => `${stray}\n${rows}${dearer}\n`);
    const [expected, got] = await Promise.all(
      [copyWith((rows) => rows), folder].map((side) =>
        call(['compare', whole, side, '--format', 'json']),
      ),
    );
    const named = withSide(expected!.stdout, folder);
    expect({ ...got, stdout: JSON.parse(got!.stdout) }).toEqual({ ...expected, stdout: named });
    const lacking = copyWith((rows) => `${withoutLast(rows)}${first}\n`);
    expect((await call(['compare', whole, lacking])).stderr).toContain('has 11 of 12 rows');
  });

  it('refuses sessions of several sweeps that are called alike', async () => {
    const both = join(createFolder(), 'both.jsonl');
    const others = rowsIn(whole).replaceAll(/"sessionHash":"\w/g, '"sessionHash":"x');
    writeFileSync(both, rowsIn(whole) + others);
    const { code, stderr } = await call(['compare', whole, both]);
    expect(code).toBe(EXIT.wrongUse);
    expect(stderr).toContain('but it has two sessions of the name ');
  });

  it('takes a sweep by its folder as by its results, and compares none of two catalogs', async () => {
    const folder = copyWith((rows) => rows);
    const [byFile, byFolder] = await Promise.all(
      [join(folder, 'results.jsonl'), folder].map((side) =>
        call(['compare', whole, side, '--format', 'json']),
      ),
    );
    expect(byFolder).toMatchObject({ code: EXIT.done, stderr: '' });
    expect(JSON.parse(byFolder!.stdout)).toEqual(withSide(byFile!.stdout, folder));
    const file = join(folder, 'sweep.json');
    const header = JSON.parse(readFileSync(file, 'utf8'));
    const catalog = { ...header.catalog, hash: 'fedcba' };
    writeFileSync(file, JSON.stringify({ ...header, catalog }));
    const { code, stderr } = await call(['compare', whole, folder]);
    expect(code).toBe(EXIT.inconclusive);
    expect(stderr).toContain(`differ in their catalog: ${header.catalog.hash} against fedcba`);
  });

  it('refuses half a row amid others, and one of a file of no sweep', async () => {
    const amid = copyWith((rows) => `${rows.slice(0, -20)}\n${rows}`);
    const loose = join(newFolder(), 'loose.jsonl');
    cpSync(
      join(
        copyWith((rows) => rows.slice(0, -20)),
        'results.jsonl',
      ),
      loose,
    );
    for (const [side, told] of [
      [amid, 'got something else on line 12'],
      [loose, 'line 12 is not JSON'],
    ] as const) {
      const { code, stderr } = await call(['compare', whole, side]);
      expect(code).toBe(EXIT.wrongUse);
      expect(stderr).toContain(told);
    }
  });
});
