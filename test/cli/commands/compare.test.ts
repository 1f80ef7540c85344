import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../../src/cli/process/io.ts';
import { countRecordedModels } from '../../../src/simulator/report/origin.ts';
import { call, createChatSweeps, sweep } from '../../support/chat-sweeps.ts';
import { callMain } from '../../support/command.ts';
import { sampleMetrics, sampleReport, sampleRun } from '../../support/sample-report.ts';
import { chatOf, createFolder, writeFile } from '../../support/session-files.ts';
import { DEFAULT_MODEL } from '../../../src/cli/plan/options.ts';

const folder = createFolder();
const recorded = join(import.meta.dirname, '../../../scenarios/recorded');
const SMALL = ['--set', 'contextTokens=50000'];
const compare = (...argv: readonly string[]) => callMain(['compare', ...argv]);

/** A comparison whose second side has another name. */
function withSide(stdout: string, b: string): object {
  const document = JSON.parse(stdout);
  const verdict = document.verdict.map((one: object) => ({ ...one, change: b }));
  return { ...document, b, verdict };
}

const runsAt = (costUsd: number) =>
  ['x', 'y', 'z'].map((session, index) =>
    sampleRun({ session, metrics: { ...sampleMetrics, costUsd: costUsd * (1 + index) } }),
  );
const jsonl = (lines: readonly object[]) =>
  lines.map((line) => `${JSON.stringify(line)}\n`).join('');
const rowsFile = (name: string, lines: readonly object[]) =>
  writeFile(folder, `${name}.jsonl`, jsonl(lines));
const changed = (change: object) => runsAt(1).map((run) => ({ ...run, ...change }));
const chat = writeFile(folder, 'chat.json', chatOf(3));
const before = writeFile(folder, 'before.json', JSON.stringify(sampleReport({ runs: runsAt(2) })));
const after = rowsFile('after', runsAt(1));
const other = rowsFile('other', changed({ model: 'openai/gpt-5.2' }));
const closed = rowsFile('closed', changed({ mode: 'closed-loop' }));

describe('compare', () => {
  describe('two presets over sessions', () => {
    let json: string;
    beforeAll(async () => {
      const { stdout } = await compare(
        'opencode-1.2.16',
        'document-002',
        recorded,
        ...SMALL,
        '--format',
        'json',
      );
      json = stdout;
    });

    it('says of each side what counted its tokens, and how well that is known', () => {
      const { a, b } = JSON.parse(json).origins;
      const tokenizers = { [DEFAULT_MODEL]: { name: 'o200k_base', evidence: 'estimated' } };
      expect([a.tokenizers, b.tokenizers]).toEqual([tokenizers, tokenizers]);
    });

    it('pairs every session, and says where the runs part', () => {
      const { a, b, pairs, cost, mostDifferent } = JSON.parse(json);
      expect({ a, b, pairs }).toEqual({ a: 'opencode-1.2.16', b: 'document-002', pairs: 4 });
      expect(cost.geometricRatio.value).toBeGreaterThan(0.9);
      expect(cost.geometricRatio.value).toBeLessThan(1.1);
      expect(mostDifferent[0].measure.metric).toBe('costUsd');
      expect(mostDifferent[0].parting.step).toBeGreaterThan(1);
    });
  });

  it('compares two files of results', async () => {
    const { code, stdout, stderr } = await compare(before, after, '--details');
    expect({ code, stderr }).toEqual({ code: EXIT.done, stderr: '' });
    expect(stdout).toContain('Cost: geometric mean of B / A 0.589 (0.496 … 0.701)');
  });

  it('tells of a report of runs what counted its tokens, and what its sessions were recorded with', async () => {
    const { origins } = JSON.parse((await compare(before, after, '--format', 'json')).stdout);
    const { model, estimators } = sampleReport().provenance;
    expect(origins.a.tokenizers).toEqual({ [model]: estimators.tokenizer });
    expect(origins.a.recorded).toEqual(countRecordedModels(estimators.sessions));
    expect(origins.b).not.toHaveProperty('tokenizers');
  });

  it('compares a release with the same under settings of its own', async () => {
    const sides = ['opencode-1.18.14', 'opencode-1.18 triggerFraction=0.7'];
    const { code, stdout, stderr } = await compare(...sides, chat, '--format', 'json');
    const { a, b, pairs } = JSON.parse(stdout);
    expect({ code, a, b, pairs }).toEqual({ code: 0, a: 'opencode-1.18', b: sides[1], pairs: 1 });
    expect(stderr).toContain("Note: 'opencode-1.18.14' is 'opencode-1.18' here.");
  });

  it('leaves out a session that went on between two sweeps', async () => {
    const [early = '', late = ''] = ['h', 'i'].map((sessionHash) => {
      const rows = runsAt(1).map((run) => ({ ...run, sessionHash: run.session }));
      const grown = { ...sampleRun({ session: 'grown' }), sessionHash };
      return rowsFile(`grown-${sessionHash}`, [...rows, grown]);
    });
    const { code, stdout } = await compare(early, late, '--format', 'json');
    expect(code).toBe(EXIT.done);
    expect(JSON.parse(stdout)).toMatchObject({
      pairs: 3,
      leftOut: [{ session: 'grown', reason: 'another content in A and B' }],
    });
  });

  it('fails where a run of either side did, with the comparison of the others', async () => {
    const broken = sampleRun({ session: 'x', state: 'failed', reason: 'malformed request' });
    const some = rowsFile('some', [broken, ...runsAt(1).slice(1)]);
    for (const sides of [
      [before, some],
      [some, before],
    ]) {
      const { code, stdout } = await compare(...sides, '--format', 'json');
      expect(code).toBe(EXIT.failed);
      expect(JSON.parse(stdout)).toMatchObject({ pairs: 2, failedRuns: 1 });
    }
  });

  it('writes Markdown where the name of the file asks for it, by a seed if that is given', async () => {
    const out = join(folder, 'comparison.md');
    expect((await compare(before, after, '--seed', '2', '--out', out)).code).toBe(EXIT.done);
    expect(readFileSync(out, 'utf8')).toMatch(/^## Compaction compared\n/);
  });

  it('does not compare an open loop with a closed one', async () => {
    const { code, stderr } = await compare(before, closed);
    expect(code).toBe(EXIT.inconclusive);
    expect(stderr).toContain('differ in their mode: open-loop against closed-loop');
    expect((await compare(closed, closed)).code).toBe(EXIT.done);
  });

  it('does not compare what cannot be compared, and says why', async () => {
    const { code, stdout, stderr } = await compare(before, other);
    expect({ code, stdout }).toEqual({ code: EXIT.inconclusive, stdout: '' });
    expect(stderr).toBe(
      `Not comparable: ${before} and ${other} differ in their model: anthropic/claude-sonnet-4-5 against openai/gpt-5.2.\n`,
    );
  });
});

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

  it('takes each row once of a file of no sweep as well', async () => {
    const [first = ''] = rowsIn(whole).split('\n');
    const [once, twice] = [join(createFolder(), 'once.jsonl'), join(createFolder(), 'twice.jsonl')];
    writeFileSync(once, rowsIn(whole));
    const dearer = first.replace(/"inputTokens":\d+/, '"inputTokens":999999999');
    writeFileSync(twice, `${rowsIn(whole)}${dearer}\n`);
    const { stdout } = await call(['compare', once, twice, '--format', 'json']);
    const { stdout: expected } = await call(['compare', once, once, '--format', 'json']);
    expect(JSON.parse(stdout)).toEqual(withSide(expected, twice));
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
