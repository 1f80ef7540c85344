import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { EXIT } from '../../../src/cli/process/io.ts';
import { metrics } from '../../../src/simulator/metrics/metrics.ts';
import { call, createChatSweeps, SMALL, sweep } from '../../support/chat-sweeps.ts';
import { chatOf } from '../../support/session-files.ts';

const { folder, sessions, dead: DEAD, live: LIVE, newFolder } = createChatSweeps();
const RECORDED = resolve(import.meta.dirname, '../../../../shared/sessions/claude-code');

async function sweepJson(argv: readonly string[]) {
  const { code, stdout, stderr } = await sweep([...argv, '--format', 'json']);
  return { code, stderr, report: JSON.parse(stdout) };
}

const rowsIn = (path: string) => readFileSync(join(path, 'results.jsonl'), 'utf8');
const modesIn = (path: string) =>
  new Set(
    rowsIn(path)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).mode),
  );

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('sweep', () => {
  it('runs every session in every cell and sums up what each cell came to', async () => {
    const { code, report } = await sweepJson([...LIVE, '--vary', 'protect=20k,40k']);
    expect(code).toBe(EXIT.done);
    expect(report.cells.map((cell: { settings: unknown }) => cell.settings)).toEqual(
      [1_000, 3_000].flatMap((reserved) =>
        [20_000, 40_000].map((protect) => ({
          contextTokens: 16_000,
          outputTokens: 2_000,
          reserved,
          protect,
        })),
      ),
    );
    const [first] = report.cells;
    expect(Object.keys(first.metrics)).toEqual(Object.keys(metrics));
    const own = report.sessions.filter((row: { cell: string }) => row.cell === first.id);
    const steps = own.map((row: { metrics: { steps: number } }) => row.metrics.steps);
    expect(own).toHaveLength(4);
    expect(first).toMatchObject({ runs: 4, completedRuns: 4, failedRuns: 0 });
    expect(first.metrics.steps).toBe(steps.reduce((sum: number, each: number) => sum + each, 0));
    expect(first.metrics.compactions).toBeGreaterThan(0);
  });

  it('has rows of their own in a closed loop, which no open one goes on with or is compared to', async () => {
    const [open, closed] = [newFolder(), newFolder()];
    await sweep([...LIVE, '--out', open]);
    const { stdout } = await sweep([...LIVE, '--out', closed, '--closed-loop']);
    expect(stdout).toContain('Closed loop: a scripted agent re-reads what was lost.');
    expect(modesIn(closed)).toEqual(new Set(['closed-loop']));
    expect(modesIn(open)).toEqual(new Set([undefined]));
    const mixed = await sweep([...LIVE, '--out', open, '--closed-loop']);
    expect(mixed.code).toBe(EXIT.wrongUse);
    expect(mixed.stderr).toContain('which has another mode (open-loop)');
    const files = [open, closed].map((path) => join(path, 'results.jsonl'));
    const compared = await call(['compare', ...files]);
    expect(compared.code).toBe(EXIT.inconclusive);
    expect(compared.stderr).toContain('differ in their mode: open-loop against closed-loop');
  });

  it('names a setting that no run reads, and runs its cells once', async () => {
    const { report } = await sweepJson(DEAD);
    expect(report.deadKnobs).toEqual(['reserved']);
    expect(report.knobs).toEqual([{ key: 'reserved', values: [1_000, 3_000], effect: 'unread' }]);
    expect(report.cells[1].sameAs).toBe(0);
    expect(report.cells[1].metrics).toEqual(report.cells[0].metrics);
  });

  it('names a setting that might matter, but did not here', async () => {
    const roomy = [sessions, '--vary', 'reserved=1k,3k', '--policy', 'document-001'];
    const { report } = await sweepJson([...roomy, '--jobs', '1']);
    expect(report.deadKnobs).toEqual(['reserved']);
    expect(report.knobs[0].effect).toBe('none');
  });

  it('does not name a setting that changes runs', async () => {
    const { report } = await sweepJson(LIVE);
    expect(report.deadKnobs).toEqual([]);
    expect(report.knobs[0].effect).toBe('some');
    expect(report.cells[1].sameAs).toBeUndefined();
  });

  it('says in words what a dead knob is', async () => {
    const { stdout } = await sweep(DEAD);
    expect(stdout).toContain(
      'reserved is a dead knob: 1000 and 3000 gave the same runs: under these policies and models nothing reads it',
    );
  });

  it('varies policies, models and summarizers too, and takes several seeds', async () => {
    const { report } = await sweepJson([
      sessions,
      ...SMALL,
      '--jobs=1',
      '--trials=2',
      '--seed=5',
      '--policy=none,document-001',
      '--vary=summarizer=scripted:empty,extractive',
    ]);
    expect(report.knobs.map(({ key }: { key: string }) => key)).toEqual(['policy', 'summarizer']);
    expect(report.provenance.seeds).toEqual([5, 6]);
    expect(report.cells.map(({ values }: { values: unknown }) => values)).toEqual([
      ['none', 'scripted:empty'],
      ['none', 'extractive'],
      ['document-001', 'scripted:empty'],
      ['document-001', 'extractive'],
    ]);
    expect(report.cells[0]).toMatchObject({ runs: 8, completedRuns: 8 });
  });

  it('writes CSV with a line for each row', async () => {
    const { code, stdout } = await sweep([...LIVE, '--format', 'csv']);
    const lines = stdout.trim().split('\n');
    expect({ code, lines: lines.length }).toEqual({ code: EXIT.done, lines: 1 + 8 });
    expect(lines[0]).toContain('set_reserved,');
  });

  it('writes Markdown with the tables of the terminal, a row for each cell', async () => {
    const { code, stdout } = await sweep([...LIVE, '--format', 'markdown']);
    expect(code).toBe(EXIT.done);
    expect(stdout).toContain('| `3000` | 4 of 4 |');
    const { stdout: table } = await sweep(LIVE);
    const isLost = table.includes('What was lost:');
    expect(stdout.includes('## What was lost')).toBe(isLost);
    const rows = stdout.split('\n').filter((line) => line.startsWith('| `'));
    expect(rows).toHaveLength(isLost ? 6 : 3);
    expect(Math.max(...rows.map((row) => row.split('|').length))).toBeLessThan(20);
  });

  it.each([
    ['an unknown setting', ['--vary', 'reservd=1'], "Unknown setting 'reservd'. Nearest: reserved"],
    ['a bad value', ['--vary', 'protect=20x'], "Expected 'protect' to be"],
    [
      'a setting that is varied and set',
      ['--vary', 'auto=true', '--set', 'auto=false'],
      'got both',
    ],
    ['a policy both ways', ['--vary', 'policy=none', '--policy', 'document-001'], 'got both'],
    [
      'one summarizer by two names',
      ['--summarizer', 'cassette:x=lead,lead'],
      "Expected each summarizer once, got 'cassette:x=lead' and 'lead'",
    ],
    ['no trial', ['--trials', '0'], "'--trials' to be a whole number from 1"],
    ['no job', ['--jobs', '0'], "'--jobs' to be a whole number from 1"],
    ['a shard too many', ['--shard', '4/3'], "'--shard' to be like 1/4"],
    ['a format', ['--format', 'pdf'], "Unknown sweep format 'pdf'"],
    ['a file for a folder', ['--out', join(sessions, 'chat-0.json')], 'which is not one'],
    ['a folder below a file', ['--out', join(sessions, 'chat-0.json/out')], 'inside a file'],
    ['no folder', ['--out', ''], "Expected '--out' to be a writable folder, got nothing"],
  ])('refuses %s in one sentence', async (_, argv, message) => {
    const { code, stderr } = await sweep([sessions, ...argv]);
    expect(code).toBe(EXIT.wrongUse);
    expect(stderr).toContain(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  it('makes a row of a copy, and fails for what cannot be read', async () => {
    const mixed = join(folder, 'mixed');
    mkdirSync(mixed);
    writeFileSync(join(mixed, 'chat.json'), chatOf(3));
    writeFileSync(join(mixed, 'none.json'), '{"name": 1}');
    const { code, report } = await sweepJson([mixed, '--jobs', '1']);
    expect(code).toBe(EXIT.failed);
    expect(report.unread.map(({ file }: { file: string }) => file)).toEqual([
      join(mixed, 'none.json'),
    ]);
    expect(report.sessions).toHaveLength(1);
    const { stdout } = await sweep([mixed, '--jobs', '1', '--format', 'csv']);
    const lines = stdout
      .trim()
      .replaceAll(/"(?:[^"]|"")*"/g, 'quoted')
      .split('\n');
    expect(lines[2]).toContain(`${join(mixed, 'none.json')},,,,,,,unread,quoted,`);
    expect(new Set(lines.map((line) => line.split(',').length)).size).toBe(1);
  });

  it('leaves nothing behind without a folder of its own', async () => {
    const passing = newFolder();
    mkdirSync(passing);
    vi.stubEnv('TMPDIR', passing);
    await sweep(LIVE);
    expect(readdirSync(passing)).toEqual([]);
    expect(readdirSync(sessions)).toHaveLength(4);
  });

  it.runIf(existsSync(RECORDED)).each([
    ['names reserved a dead knob', 'opencode-1.2.16', ['reserved']],
    ['names none', 'document-001', []],
  ])('%s on recorded sessions under %s (if ../shared is there)', async (_, policy, deadKnobs) => {
    const file = join(RECORDED, 'entire-21a2e002-checkpointA-v2.1.5.jsonl');
    const argv = [file, '--vary', 'reserved=10000,20000,80000', '--policy', policy];
    const model = ['--model', 'anthropic/claude-sonnet-4-5', '--jobs', '1'];
    const { report } = await sweepJson([...argv, ...model]);
    expect(report.deadKnobs).toEqual(deadKnobs);
  });
});

describe('a sweep that was interrupted', () => {
  const whole = newFolder();
  let expected: Awaited<ReturnType<typeof call>>;
  beforeAll(async () => {
    expected = await sweep([...LIVE, '--out', whole]);
  });
  const copied = () => {
    const out = newFolder();
    cpSync(whole, out, { recursive: true });
    return out;
  };

  it('says so, keeps what is finished, and comes to the same in the end', async () => {
    const broken = newFolder();
    const controller = new AbortController();
    let calls = 0;
    // The clock is read for each row.
    const now = () => {
      calls += 1;
      if (calls === 5) controller.abort();
      return 0;
    };
    const stopped = await sweep([...LIVE, '--out', broken], { signal: controller.signal, now });
    const kept = rowsIn(broken).trim().split('\n').length;
    expect(stopped).toEqual({
      code: 130,
      stdout: '',
      stderr: 'What is finished is kept: the same command goes on from there.\nInterrupted.\n',
    });
    expect(kept).toBeGreaterThan(0);
    expect(kept).toBeLessThan(8);
    const resumed = await sweep([...LIVE, '--out', broken]);
    expect(resumed.stdout).toBe(expected.stdout);
    expect(rowsIn(broken)).toBe(rowsIn(whole));
  });

  it.each<[string, (file: string, text: string) => void]>([
    ['a torn last line', (file, text) => truncateSync(file, text.length - 20)],
    ['half of a torn line', (file, text) => truncateSync(file, text.indexOf('\n') + 30)],
    ['lines that are no rows', (file) => appendFileSync(file, 'torn\n{"session":"x"}\n')],
    ['rows twice', (file, text) => appendFileSync(file, text)],
    ['no rows', (file) => truncateSync(file, 0)],
    [
      'rows in another order',
      (file, text) => writeFileSync(file, `${text.trim().split('\n').toReversed().join('\n')}\n`),
    ],
  ])('mends %s', async (_, spoil) => {
    const out = copied();
    const text = rowsIn(out);
    spoil(join(out, 'results.jsonl'), text);
    expect(await sweep([...LIVE, '--out', out])).toEqual(expected);
    expect(rowsIn(out)).toBe(text);
  });

  it('runs nothing again that is there', async () => {
    const out = copied();
    const marked = rowsIn(out).replace('"state":"completed"', '"state":"refused"');
    writeFileSync(join(out, 'results.jsonl'), marked);
    await sweep([...LIVE, '--out', out]);
    expect(rowsIn(out)).toBe(marked);
  });

  it('does not mix with another sweep', async () => {
    const other = await sweep([...DEAD, '--out', copied()]);
    expect(other.code).toBe(EXIT.wrongUse);
    expect(other.stderr).toContain('which has other cells.');
  });
});

describe('the report of a shard', () => {
  it('tells of each shard no more sessions than it has', async () => {
    const reports = await Promise.all(
      ['1/3', '2/3', '3/3'].map((shard) => sweepJson([...LIVE, '--shard', shard])),
    );
    const told = reports.map(({ report }) => report.provenance.sessions);
    expect(told).toEqual(reports.map(({ report }) => report.cells[0].runs));
    expect(told.reduce((sum, each) => sum + each, 0)).toBe(4);
  });
});
