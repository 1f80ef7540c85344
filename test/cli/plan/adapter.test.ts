import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../src/cli/process/io.ts';
import { createCommand } from '../../support/command.ts';
import { chatOf, createFolder, writeFile } from '../../support/session-files.ts';

const folder = createFolder();
const chat = writeFile(folder, 'chat.json', chatOf(6, 2_000));
const log = join(folder, 'started.log');

/**
 * Cuts a word off the second message before every request, so that nothing behind it is cached. That is the first
 * answer, which the second request caches: the cache is broken from the third of six steps on.
 */
const nibble = writeFile(
  folder,
  'nibble.cjs',
  `require('node:fs').appendFileSync(${JSON.stringify(log)}, 'x');
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { messages } = JSON.parse(line);
    const [content] = messages[1]?.content ?? [];
    if (content?.text && messages.length > 2) content.text = content.text.replace(/word $/, '');
    console.log(JSON.stringify({ messages }));
  });`,
);
const command = `${JSON.stringify(process.execPath)} ${JSON.stringify(nibble)}`;
const ADAPTER = ['--adapter', command];
const [run, compare, sweep, explain, whatif, check] = [
  'run',
  'compare',
  'sweep',
  'explain',
  'whatif',
  'check',
].map(createCommand);

const started = () => (existsSync(log) ? readFileSync(log, 'utf8').length : 0);

describe('an adapter beside policies', () => {
  it('is a row of `run`, started anew each time', async () => {
    const before = started();
    const argv = [chat, ...ADAPTER, '--policy', 'none,opencode-1.18', '--format', 'json'];
    const first = await run?.(argv);
    expect(first).toMatchObject({ code: EXIT.done });
    expect(first?.stderr).toContain('What the adapter spends by itself');
    const { runs } = JSON.parse(first?.stdout ?? '');
    const told = runs.map(({ policy, summarizer, state, metrics }: Record<string, never>) => [
      policy,
      summarizer,
      state,
      metrics?.['compactions'],
    ]);
    expect(told).toEqual([
      ['none', 'scripted:usual', 'completed', 0],
      ['opencode-1.18', 'scripted:usual', 'completed', 0],
      ['adapter', 'own', 'completed', 5],
    ]);
    expect((await run?.(argv))?.stdout).toBe(first?.stdout);
    expect(started() - before).toBe(2);
  });

  it('is held against the first policy, in one table with all others, and says why it is dear', async () => {
    const policies = ['opencode-1.18', 'claude-code'];
    const { code, stdout } = (await compare?.([...ADAPTER, ...policies, chat])) ?? {
      code: -1,
      stdout: '',
    };
    expect(code).toBe(EXIT.done);
    const [, own, first, change] =
      /^The adapter costs \$(\S+) where opencode-1\.18 costs \$(\S+) \(\+(\d+) %\)/.exec(stdout) ??
      [];
    expect(Number(change)).toBe(Math.round(100 * (Number(own) / Number(first) - 1)));
    expect(stdout).toMatch(
      /^It made 5 compactions, 5 ineffective; the cache was broken 4 times, first at step 3\.$/m,
    );
    const rows = ['opencode-1.18', 'none', 'claude-code', 'adapter'];
    for (const name of rows) expect(stdout).toMatch(new RegExp(`^${name} +\\$\\d`, 'm'));
  });

  it('has its bill and a verdict of all arms in JSON', async () => {
    const argv = [...ADAPTER, 'opencode-1.18', chat, '--format', 'json'];
    const { verdict, bill } = JSON.parse((await compare?.(argv))?.stdout ?? '');
    expect(
      verdict.map(({ change, baseline }: Record<string, never>) => [change, baseline]),
    ).toEqual([
      ['adapter', 'opencode-1.18'],
      ['none', 'opencode-1.18'],
    ]);
    expect(bill).toMatchObject({
      sessions: 1,
      cacheBreaks: 4,
      firstCacheBreak: { step: 3 },
      against: [{ policy: 'none' }, { policy: 'opencode-1.18' }],
    });
    expect(bill.costUsd).toBeGreaterThan(bill.against[0].costUsd);
  });

  it('has a cell of a sweep for each model, the same with any number of jobs', async () => {
    const argv = [chat, ...ADAPTER, '--vary', 'protect=10k,20k', '--format', 'json'];
    const [alone, together] = [
      await sweep?.([...argv, '--jobs', '1']),
      await sweep?.([...argv, '--jobs', '2']),
    ];
    expect(together?.stdout).toBe(alone?.stdout);
    const { cells, sessions } = JSON.parse(alone?.stdout ?? '');
    expect(cells.map(({ policy }: Record<string, never>) => policy)).toEqual([
      'opencode-1.2.16',
      'opencode-1.2.16',
      // Today's, against which varied settings are held.
      'opencode-1.2.16',
      'adapter',
    ]);
    expect(sessions.at(-1)).toMatchObject({ policy: 'adapter', state: 'completed' });
  });

  it('gives no row that an earlier sweep kept', async () => {
    const out = join(folder, 'kept');
    const argv = [chat, ...ADAPTER, '--out', out];
    expect(await sweep?.(argv)).toMatchObject({ code: EXIT.done });
    expect(await sweep?.(argv)).toMatchObject({
      code: EXIT.wrongUse,
      stderr: expect.stringContaining('the adapter may be another program by now'),
    });
  });

  it('is explained by what it did before each step', async () => {
    const { stdout } = (await explain?.([chat, ...ADAPTER])) ?? { stdout: '' };
    expect(stdout).toMatch(
      /^step 3 {2}compaction [\d,]+ → [\d,]+; cache broken: [\d,]+ cached tokens/m,
    );
    const step = (await explain?.([chat, ...ADAPTER, '--step', '2'])) ?? { stdout: '' };
    expect(step.stdout).toMatch(/^Before the step\n {2}compaction/m);
  });

  it('meets the windows of `whatif` in place of a policy', async () => {
    const argv = [chat, ...ADAPTER, '--window', '8k,64k', '--format', 'json'];
    const { stdout } = (await whatif?.(argv)) ?? { stdout: '' };
    const { policy, variants } = JSON.parse(stdout);
    expect(policy).toBe('adapter');
    expect(variants.map(({ state }: Record<string, never>) => state)).toEqual([
      'refused',
      'completed',
    ]);
  });

  it('checks a recorded session, and prints its bill', async () => {
    const argv = [chat, ...ADAPTER, '--details'];
    const { code, stdout } = (await check?.(argv)) ?? { code: -1, stdout: '' };
    expect(code).toBe(EXIT.done);
    expect(stdout).toMatch(
      /^✓ chat \(1 run\)\n {2}5 compactions, 5 ineffective · \$\S+; never compacting \$\S+, opencode-2\.0 \$\S+ ⚠ dearer than not compacting\n {2}the cache was broken 4 times, first at step 3$/m,
    );
  });
});

describe('where no adapter can stand', () => {
  it.each([
    ['against nothing', compare, [...ADAPTER, chat], "hold '--adapter' against, got none"],
    [
      'a queue',
      sweep,
      [chat, ...ADAPTER, '--queue', 'redis://127.0.0.1:1', '--out', join(folder, 'queued')],
      "without '--queue'",
    ],
    ['a session without it', check, [chat], "Expected '--adapter' to check a recorded session"],
  ])('is told in a sentence: %s', async (_, call, argv, words) => {
    const ended = await call?.(argv);
    const text = `${ended?.stdout}${ended?.stderr}`;
    expect(ended?.code).not.toBe(EXIT.done);
    expect(text).toContain(words);
  });
});
