import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  RECORDED_AGAINST,
  recordSuite,
  SUITE_FILES,
  SUITE_MODEL,
  SUITE_OPTIONS,
} from '../../../scripts/cassettes/suite.ts';
import { EXIT } from '../../../src/cli/process/io.ts';
import { metrics } from '../../../src/simulator/metrics/metrics.ts';
import type { CapturedIoOptions } from '../../support/captured-io.ts';
import { callMain, words } from '../../support/command.ts';
import { chatOf, createFolder, reportedSession, writeFile } from '../../support/session-files.ts';

const folder = createFolder();
const chat = writeFile(folder, 'chat.json', chatOf(3));
const noSession = writeFile(folder, 'none.json', '{"name": 1}');
const run = (argv: readonly string[], options?: CapturedIoOptions) =>
  callMain(['run', ...argv], options);

async function runJson(argv: readonly string[], options?: CapturedIoOptions) {
  const { stdout, ...rest } = await run([...argv, '--format', 'json'], options);
  return { ...rest, report: JSON.parse(stdout) };
}

describe('run with bad input', () => {
  it('runs what it can read, and lists what it cannot', async () => {
    const absent = join(folder, 'absent.json');
    const { code, report } = await runJson([noSession, chat, absent, '--policy', 'none']);
    expect(code).toBe(EXIT.failed);
    expect(report.runs).toHaveLength(1);
    expect(report.unread).toEqual([
      { file: absent, reason: expect.stringContaining('absent.json') },
      { file: noSession, reason: expect.stringContaining('recorded session') },
    ]);
  });
});

const longChat = writeFile(folder, 'long.json', chatOf(40, 400));
const shipped = join(import.meta.dirname, '../../../scenarios/recorded');
const hasShipped =
  existsSync(shipped) && readdirSync(shipped).some((name) => /\.jsonl?$/.test(name));

describe('run', () => {
  it('replays a session under the default policies, model, summarizer and seed', async () => {
    const { code, stderr, report } = await runJson([chat]);
    expect({ code, stderr }).toEqual({ code: EXIT.done, stderr: '' });
    const key = {
      session: chat,
      model: 'anthropic/claude-sonnet-4-5',
      summarizer: 'scripted:usual',
      seed: 1,
    };
    const ended = {
      state: 'completed',
      baseline: 'none',
      metrics: expect.anything(),
      paybacks: [],
    };
    expect(report.runs).toEqual([
      { ...key, policy: 'none', ...ended },
      { ...key, policy: 'opencode-1.2.16', ...ended, edgeTokens: 168_000 },
    ]);
    expect(Object.keys(report.runs[0].metrics)).toEqual(Object.keys(metrics));
    expect(report.unread).toEqual([]);
  });

  it('has the run as recorded alone where that is asked for, and refuses to set anything of it', async () => {
    const file = writeFile(folder, 'reported.json', reportedSession());
    const { code, report } = await runJson([file, '--policy', 'recorded']);
    expect(code).toBe(EXIT.done);
    expect(report.runs).toMatchObject([
      { policy: 'recorded', summarizer: 'recorded', state: 'completed', baseline: 'recorded' },
    ]);
    expect(report.provenance.policies).toEqual([]);
    const set = await run([file, '--policy', 'recorded', '--set', 'protect=1k']);
    expect(set.code).toBe(EXIT.wrongUse);
    expect(set.stderr).toContain('no setting changes what really happened');
  });

  it('marks a control that exceeds the window, which is in no total', async () => {
    const argv = [longChat, '--set', 'contextTokens=20000', '--policy', 'none', '--details'];
    const { stdout } = await run(argv);
    expect(stdout).toMatch(/^"Question 0" +impossible$/m);
    expect(stdout).toContain('unknown, since never compacting exceeds the window (1 session)');
  });

  it('writes no path and no tool where that is wanted, in no format and no events', async () => {
    const events = join(createFolder(), 'events.jsonl');
    const argv = [join(shipped, 'csv-format.json'), '--anonymous', '--details'];
    for (const format of ['json', 'csv', 'markdown', 'html', 'table']) {
      const { stdout } = await run([...argv, '--format', format, '--events', events]);
      expect(stdout).toContain('session-1');
      expect(stdout).not.toMatch(/csv-format|tool (bash|read|edit)/);
    }
    const saved = readFileSync(events, 'utf8');
    expect(saved).toContain('"tool tool-1"');
    expect(saved).not.toMatch(/csv-format|tool (bash|read|edit)/);
    const both = await run([...argv, '--events', events, '--with-text', argv[0]!]);
    expect(both.stderr).toBe("Expected either '--anonymous' or '--with-text', got both.\n");
  });

  it('draws the context of each run below the table where it is asked to', async () => {
    const { stdout } = await run([longChat, '--set', 'contextTokens=40000', '--chart']);
    expect(stdout.match(/^.*long\.json, [\w.-]+, completed$/gm)).toHaveLength(2);
    expect(stdout.match(/^\d+ steps · .*usable .*/gm)).toHaveLength(2);
    expect((await run([longChat])).stdout).not.toContain('█');
    const { code, stderr } = await run([longChat, '--chart', '--format', 'json']);
    expect(code).toBe(EXIT.wrongUse);
    expect(stderr).toBe("Expected '--chart' to come with '--format table', got another format.\n");
  });

  it.runIf(hasShipped)('lists what each pivot cost and brought', async () => {
    const session = 'scenarios/recorded/csv-format.json';
    const { report } = await runJson(
      words(`${session} --set contextTokens=64000 --policy opencode-1.2.16`),
    );
    const [{ metrics: values, paybacks }] = report.runs;
    expect(paybacks).toHaveLength(values.compactions + values.prunes);
    expect(paybacks[0]).toEqual({
      kind: 'pivot',
      step: expect.any(Number),
      breakEvenSteps: expect.any(Number),
      realisedSteps: expect.any(Number),
      isWasted: expect.any(Boolean),
    });
  });

  it('takes a model that the catalog lacks where its window is given', async () => {
    const own = ['--model', 'ollama/own', '--set', 'contextTokens=32768'];
    const { code, report } = await runJson([chat, ...own]);
    expect(code).toBe(EXIT.done);
    expect(report.provenance).toMatchObject({
      model: 'ollama/own',
      provider: { dialect: 'ollama', refusal: 'ollama-silent', unknownPrices: ['all'] },
    });
    expect((await run([chat, '--model', 'ollama/own'])).code).toBe(EXIT.wrongUse);
  });

  it('tells what a report rests on, without clock or machine', async () => {
    const { report } = await runJson([chat, '--set', 'protect=1000', '--seed', '7']);
    const keys = 'version policies model limits provider summarizer seed mode catalog prompts';
    expect(Object.keys(report.provenance).join(' ')).toBe(`${keys} estimators settings onSetup`);
    expect(report.provenance).toMatchObject({
      seed: 7,
      limits: { contextTokens: 200_000 },
      settings: { protect: 1_000 },
      catalog: { source: 'shipped', hash: expect.stringMatching(/^[\da-f]+$/) },
      estimators: {
        tokenizer: { name: 'o200k_base', evidence: 'estimated' },
        sessions: [{ session: 'chat.json', basis: { calibration: 'estimated' } }],
      },
    });
    const [control, preset] = report.provenance.policies;
    expect(preset.prune.byAge.protectTokens).toBe(1_000);
    expect(control.prune.byAge.protectTokens).toBe(40_000);
    const prompts: [string, string][] = Object.entries(report.provenance.prompts);
    expect(prompts.length).toBeGreaterThan(2);
    expect(prompts.every(([, hash]) => /^[\da-f]{12}$/.test(hash))).toBe(true);
  });

  it('prints the same bytes twice', async () => {
    const argv = [chat, longChat, '--format', 'json'];
    expect(await run(argv)).toEqual(await run(argv));
  });

  it.runIf(hasShipped)('runs the shipped sessions when no input is named', async () => {
    const { code, report } = await runJson(['--policy', 'none']);
    expect(code).toBe(EXIT.done);
    for (const { session } of report.runs) expect(session).toMatch(/^scenarios\/recorded\/[^/]+$/);
  });

  it('takes a run that the model refuses for a result', async () => {
    const { code, report } = await runJson(
      words(`${chat} --policy document-002 --set contextTokens=100`),
    );
    expect(report.runs[0].state).not.toBe('completed');
    expect(report.runs[0].reason).toEqual(expect.any(String));
    expect(code).toBe(EXIT.done);
  });
});

describe('run --config', () => {
  const config = writeFile(
    folder,
    'opencode.json',
    '{"compaction": {"prune": true, "reserved": 9000, "tail_turns": 1}, "agent": {"compaction": {"model": "a/b"}}}',
  );

  it('lets the environment win over the file, and the command line over both', async () => {
    const env = { OPENCODE_DISABLE_PRUNE: '1', OPENCODE_DISABLE_AUTOCOMPACT: '1' };
    const { report } = await runJson([chat, '--config', config, '--set', 'auto=true'], { env });
    expect(report.provenance.settings).toEqual({
      prune: false,
      auto: true,
      reserved: 9_000,
      tailTurns: 1,
    });
    expect(report.provenance.config).toEqual({
      file: 'opencode.json',
      origins: {
        prune: 'OPENCODE_DISABLE_PRUNE',
        reserved: 'compaction.reserved',
        tailTurns: 'compaction.tail_turns',
      },
      summaryModel: 'a/b',
    });
  });

  it('says what it cannot follow', async () => {
    const { code, stderr } = await run([chat, '--config', config]);
    expect(code).toBe(EXIT.done);
    expect(stderr.replaceAll(config, 'CONFIG')).toMatchInlineSnapshot(`
      "Note: 'a/b' in 'CONFIG' lends its window and prices to summary requests; '--summarizer' names what answers them.
      Note: 'reserved=9000' changes nothing under opencode-1.2.16: nothing there reads it.
      Note: 'tailTurns=1' changes nothing under opencode-1.2.16: nothing there reads it.
      "
    `);
  });

  it('says where a file has nothing to say', async () => {
    const silent = writeFile(folder, 'silent.json', '{ "theme": "dark" }');
    const { stderr } = await run([chat, '--config', silent]);
    expect(stderr.replaceAll(silent, 'CONFIG')).toMatchInlineSnapshot(`
      "Note: 'CONFIG' says nothing of compaction, so that all settings are those of the policy.
      "
    `);
    const set = await run([chat, '--config', silent, '--set', 'reserved=1000']);
    expect(set.stderr).toContain('so that all other settings are those of the policy.');
  });
});

describe('run --out', () => {
  it.each([
    ['report.json', /^\{\n/],
    ['new/folder/report.csv', /^session,policy/],
    ['report.md', /^# /],
    ['report.txt', /^Nothing compacts when replayed/],
  ])('writes %s in the format of its extension', async (name, start) => {
    const out = join(folder, name);
    const { code, stdout, stderr } = await run([chat, '--out', out]);
    expect({ code, stdout, stderr }).toEqual({
      code: EXIT.done,
      stdout: expect.stringMatching(/^Nothing compacts when replayed/),
      stderr: `Report: ${out}\n`,
    });
    expect(readFileSync(out, 'utf8')).toMatch(start);
  });

  it('replaces what was there and leaves nothing beside it', async () => {
    const out = writeFile(folder, 'alone/report.json', 'x'.repeat(1_000_000));
    await run([chat, '--out', out]);
    expect(JSON.parse(readFileSync(out, 'utf8')).schemaVersion).toBe(1);
    expect(readdirSync(join(folder, 'alone'))).toEqual(['report.json']);
  });

  it('says nothing of what went well where nobody wants to know', async () => {
    const files = ['--out', join(folder, 'quiet.json'), '--events', join(folder, 'quiet.jsonl')];
    const ended = await run([chat, ...files, '--quiet']);
    expect(ended).toEqual({ code: EXIT.done, stdout: '', stderr: '' });
    expect(readdirSync(folder)).toEqual(expect.arrayContaining(['quiet.json', 'quiet.jsonl']));
  });
});

describe('run on a terminal', () => {
  it('shows colours, and a bar that it takes away', async () => {
    const { stdout, stderr } = await run([chat, '--policy', 'none'], { isTTY: true });
    expect(stdout).toContain('\u001b[');
    expect(stderr).toContain('0/1');
    expect(stderr).toContain('\u001b[?25h');
  });

  it('shows as many columns as there is room for, and names the others', async () => {
    const terminal = { isTTY: true, columns: 25, env: { NO_COLOR: '1' } };
    const { stdout } = await run([chat, '--policy', 'none'], terminal);
    const [verdict, table = '', note = ''] = stdout.split('\n\n');
    expect(verdict).toMatch(/^Never compacting costs\s/);
    expect(table.split('\n').every((line) => line.length <= 25)).toBe(true);
    expect(table).toMatch(/\nPolicy +Cost +Losses\n/);
    expect(note.replaceAll('\n', ' ')).toMatch(/^No room for Compactions: a wider terminal/);
  });
});

const cassettes = join(import.meta.dirname, '../../../cassettes/loopback');

describe('the shipped cassettes', () => {
  const files = readdirSync(cassettes);

  it('say what they were recorded against, and hold no key and no path', () => {
    expect(files.length).toBeGreaterThan(3);
    for (const file of files) {
      const text = readFileSync(join(cassettes, file), 'utf8');
      expect(JSON.parse(text)).toMatchObject({
        recordedAgainst: RECORDED_AGAINST,
        request: { summarizer: SUITE_MODEL },
      });
      expect(text).not.toMatch(/\/home\/|\/Users\/|\/tmp\/|127\.0\.0\.1|sk-|Bearer|authorization/i);
    }
  });

  it('are what the script records', async () => {
    const again = join(folder, 'again');
    await recordSuite(again);
    expect(contentsOf(again)).toEqual(contentsOf(cassettes));
  });

  it('replay strictly, by their folder alone', async () => {
    const { policy, set, model } = SUITE_OPTIONS;
    const { code, stdout } = await callMain([
      'run',
      ...SUITE_FILES,
      ...policy.flatMap((names) => ['--policy', names]),
      ...set.flatMap((setting) => ['--set', setting]),
      '--model',
      model,
      '--summarizer',
      `cassette:${cassettes}`,
      '--format',
      'json',
    ]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).runs.map((one: { summarizer: string }) => one.summarizer)).toEqual([
      SUITE_MODEL,
      SUITE_MODEL,
    ]);
  });
});

function contentsOf(place: string) {
  return readdirSync(place).map((file) => [file, readFileSync(join(place, file), 'utf8')]);
}

describe('run with one policy', () => {
  it('holds its settings against the policy as it is', async () => {
    const { report } = await runJson([chat, '--policy', 'opencode-1.18 triggerFraction=0.7']);
    const policies = report.runs.map(({ policy }: { policy: string }) => policy);
    expect(policies).toEqual(['opencode-1.18', 'opencode-1.18 triggerFraction=0.7']);
  });
});
