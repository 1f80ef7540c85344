import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { compilerFlags } from '../../../src/cli/process/cores.ts';
import { EXIT } from '../../../src/cli/process/io.ts';
import { buildPackage, type BuiltPackage } from '../../support/built-package.ts';
import type { CapturedIoOptions } from '../../support/captured-io.ts';
import { call, createChatSweeps, sweep } from '../../support/chat-sweeps.ts';
import { callMain } from '../../support/command.ts';
import { inTurn, type Received, says, serverError } from '../../support/model-server/script.ts';
import { type ModelServer, startModelServer } from '../../support/model-server/server.ts';
import { chatOf, createFolder, writeFile } from '../../support/session-files.ts';

describe('sweep models', () => {
  const folder = createFolder();
  const sessions = join(folder, 'sessions');
  for (const [index, words] of [300, 320].entries())
    writeFile(sessions, `chat-${index}.json`, chatOf(20, words));
  const SMALL = ['--set', 'contextTokens=16k', '--set', 'outputTokens=2k'];
  const MODEL = ['--summarizer', 'ai:local/m'];
  const BOTH = ['--summarizer', 'extractive,ai:local/m'];

  let server: ModelServer;
  beforeAll(async () => {
    server = await startModelServer(inTurn(says('## Goal\nAll of it.')));
  });
  afterAll(async () => {
    await server.close();
  });

  let made = 0;
  const newFolder = () => join(folder, `out-${made++}`);
  const rowsIn = (path: string) =>
    readFileSync(join(path, 'results.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));

  async function call(argv: readonly string[], options?: CapturedIoOptions) {
    const before = server.received.length;
    const ended = await callMain(['--no-cache', ...argv], options);
    return { ...ended, asked: server.received.length - before };
  }

  const sweep = (argv: readonly string[], options?: CapturedIoOptions) =>
    call(['sweep', sessions, ...SMALL, '--format', 'json', ...argv], options);
  const isDown = (body: Received['body']) => body['model'] === 'down';
  const at = () => ['--base-url', server.url];

  describe('a sweep that asks real models', () => {
    it('has their rows beside the others, and replays them to the same bytes without a network', async () => {
      const [first, second] = [newFolder(), newFolder()];
      const cassette = ['--cassette', newFolder()];
      const recorded = await sweep([...BOTH, ...at(), ...cassette, '--out', first]);
      expect(recorded).toMatchObject({
        code: EXIT.done,
        stderr: expect.not.stringContaining('Spent'),
      });
      expect(recorded.asked).toBeGreaterThan(2);
      expect(rowsIn(first).map(({ summarizer }) => summarizer)).toEqual([
        'extractive',
        'ai:local/m',
        'extractive',
        'ai:local/m',
      ]);
      const replayed = await sweep([...BOTH, ...cassette, '--out', second], { env: { CI: '1' } });
      expect(replayed.asked).toBe(0);
      expect(replayed.stdout).toBe(recorded.stdout);
      expect(rowsIn(second)).toEqual(rowsIn(first));
      const named = await sweep(['--summarizer', `cassette:${cassette[1]}`]);
      expect(JSON.parse(named.stdout).cells[0].metrics).toEqual(
        JSON.parse(recorded.stdout).cells[1].metrics,
      );
    });

    it('runs cells that are alike once, and every trial anew', async () => {
      const cassette = newFolder();
      const once = await sweep([...MODEL, ...at(), '--vary', 'reserved=1k,3k']);
      const twice = await sweep([...MODEL, ...at(), '--trials', '2', '--cassette', cassette]);
      expect(twice.asked).toBe(2 * once.asked);
      expect(readdirSync(cassette).filter((name) => name.endsWith('.json'))).toHaveLength(
        twice.asked,
      );
    });

    it('keeps what is finished where the budget ends, and goes on there', async () => {
      const out = newFolder();
      const asking = ['--summarizer', 'extractive,ai:openai/gpt-5-mini', '--api', 'chat', ...at()];
      const env = { env: { OPENAI_KEY: 'a-key-of-nobody-0123456789' } };
      const key = ['--api-key-env', 'OPENAI_KEY', '--out', out];
      const over = await sweep([...asking, ...key, '--budget-usd', '0.00001'], env);
      expect(over).toMatchObject({ code: EXIT.wrongUse, stdout: '', asked: 0 });
      expect(over.stderr).toMatch(
        /^What is finished is kept.*\n.*would pass the budget of \$0\.0000/,
      );
      expect(rowsIn(out).map(({ summarizer }) => summarizer)).toEqual(['extractive', 'extractive']);
      const rest = await sweep([...asking, ...key], env);
      expect(rest).toMatchObject({
        code: EXIT.done,
        stderr: expect.stringContaining('Spent on summaries: $0.00'),
      });
      expect(rowsIn(out)).toHaveLength(4);
      expect(await sweep([...asking, ...key], env)).toMatchObject({ code: EXIT.done, asked: 0 });
      expect(readFileSync(join(out, 'sweep.json'), 'utf8')).not.toContain(env.env.OPENAI_KEY);
    });

    it('has no row where nobody answered, and one where the request was refused', async () => {
      const out = newFolder();
      const asking = [...BOTH, ...at(), '--retries', '0', '--out', out];
      server.play(inTurn(serverError));
      const away = await sweep(asking);
      expect(away.code).toBe(EXIT.wrongUse);
      expect(away.stderr).toContain(
        "Expected an answer from 'ai:local/m', got 'The server had an error",
      );
      expect(rowsIn(out)).toHaveLength(2);
      server.play(inTurn({ type: 'refuse', status: 400, body: { error: { message: 'No.' } } }));
      await sweep(asking);
      expect(rowsIn(out)).toHaveLength(4);
      server.play(inTurn(says('## Goal\nAll of it.')));
    });

    it('keeps what was answered before something else of the same session was not', async () => {
      const out = newFolder();
      const asking = ['--summarizer', 'ai:local/down,ai:local/up', ...at(), '--out', out];
      server.play(({ body }) => (isDown(body) ? { type: 'hang' } : says('## Goal\nAll of it.')));
      const slow = ['--timeout', '10', '--concurrency', '8'];
      const away = await sweep([...asking, ...slow]);
      server.play(inTurn(says('## Goal\nAll of it.')));
      expect(away.code).toBe(EXIT.wrongUse);
      expect(rowsIn(out).map(({ summarizer }) => summarizer)).toEqual([
        'ai:local/up',
        'ai:local/up',
      ]);
    });

    it('leaves no folder where it breaks before its first row', async () => {
      const out = newFolder();
      expect((await sweep(['--summarizer', 'ai:openai/m', '--out', out])).code).toBe(EXIT.wrongUse);
      expect(existsSync(out)).toBe(false);
    });

    it.each<[string, readonly string[]]>([
      ['sweep', [sessions, '--vary', 'protect=20k,40k', '--out', join(folder, 'never')]],
      ['tune', [sessions, '--vary', 'protect=20k,40k']],
      ['compare', ['opencode-1.2.16', 'opencode-1.18', sessions]],
      ['whatif', [join(sessions, 'chat-0.json')]],
    ])('tells with %s --dry-run what it might cost, and asks nobody', async (command, inputs) => {
      const argv = [command, ...inputs, ...SMALL, '--summarizer', 'ai:openai/gpt-5-mini'];
      const { code, stdout, asked } = await call([...argv, '--dry-run']);
      expect({ code, asked }).toEqual({ code: EXIT.done, asked: 0 });
      expect(stdout).toMatch(/^Dry run: .*\nai:openai\/gpt-5-mini: [1-9]\d* requests, .*\n$/);
      expect(existsSync(join(folder, 'never'))).toBe(false);
    });

    it.each<[string, readonly string[]]>([
      ['tune', [sessions, '--vary', 'reserved=1k,3k', '--objective', 'compactions']],
      ['compare', ['opencode-1.2.16', 'opencode-1.18', sessions]],
      ['whatif', [join(sessions, 'chat-0.json')]],
    ])('lets %s ask as well', async (command, inputs) => {
      const found = await call([
        command,
        ...inputs,
        ...SMALL,
        ...MODEL,
        ...at(),
        '--format',
        'json',
      ]);
      expect(found.code).toBe(EXIT.done);
      expect(found.asked).toBeGreaterThan(0);
      expect(JSON.parse(found.stdout).summarizer).toBe('ai:local/m');
    });
  });
});

const folder = createFolder();
const sessions = join(folder, 'sessions');
for (const [index, words] of [100, 200, 300, 400, 500].entries())
  writeFile(sessions, `chat-${index}.json`, chatOf(20, words));
const SWEEP = `npx compaction-bench --no-cache sweep '${sessions}' --set contextTokens=16k --vary reserved=1k,3k --policy document-001 --format json`;
const read = (out: string, name: string) => readFileSync(join(folder, out, name), 'utf8');

/** Workers run only what is built. */
describe('workers', () => {
  const bench: { built?: BuiltPackage } = {};
  const shell = (line: string) => bench.built!.runShell(line);
  beforeAll(() => {
    bench.built = buildPackage();
  });
  afterAll(() => bench.built?.remove());

  it('come to the same bytes, however many there are', async () => {
    const one = await shell(`${SWEEP} --jobs 1 --out '${join(folder, 'one')}'`);
    const three = await shell(`${SWEEP} --jobs 3 --out '${join(folder, 'three')}'`);
    expect(one.code).toBe(0);
    // What is written beside it tells how far a slow machine came.
    expect([three.code, three.stdout]).toEqual([one.code, one.stdout]);
    for (const name of ['sweep.json', 'results.jsonl'])
      expect(read('three', name)).toBe(read('one', name));
  });

  it('are told nothing that V8 does not know', async () => {
    const flags = compilerFlags({ jobs: 2, cores: 2 }).join(' ');
    expect(await shell(`node ${flags} --eval ''`)).toMatchObject({ code: 0, stderr: '' });
  });

  it('leave nothing behind where nobody reads what they found', async () => {
    const passing = join(folder, 'passing');
    await shell(`mkdir '${passing}' && TMPDIR='${passing}' ${SWEEP} --jobs 2 | true`);
    expect(readdirSync(passing).filter((name) => name.startsWith('compaction-bench'))).toEqual([]);
  });

  it('lose nothing that was finished when all is killed', async () => {
    const out = join(folder, 'killed');
    const file = join(out, 'results.jsonl');
    const waits = `while kill -0 $pid && ! [ -s '${file}' ]; do sleep 0.01; done`;
    await shell(`${SWEEP} --jobs 2 --out '${out}' & pid=$!; ${waits}; kill -9 $pid; wait $pid`);
    expect(read('killed', 'results.jsonl')).not.toBe('');
    const resumed = await shell(`${SWEEP} --jobs 2 --out '${out}'`);
    expect(resumed.code).toBe(0);
    expect(read('killed', 'results.jsonl')).toBe(read('one', 'results.jsonl'));
  });
});

describe('sweep', () => {
  const { folder, sessions, dead: DEAD, live: LIVE, newFolder } = createChatSweeps();

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
    it('has rows of their own in a closed loop, which no open one goes on with or is compared to', async () => {
      const [open, closed] = [newFolder(), newFolder()];
      await sweep([...LIVE, '--out', open]);
      const { stdout } = await sweep([...LIVE, '--out', closed, '--closed-loop', '--details']);
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

    it('runs nothing again that is there', async () => {
      const out = copied();
      const marked = rowsIn(out).replace('"state":"completed"', '"state":"refused"');
      writeFileSync(join(out, 'results.jsonl'), marked);
      await sweep([...LIVE, '--out', out]);
      expect(rowsIn(out)).toBe(marked);
    });
  });
});
