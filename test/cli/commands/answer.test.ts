import { existsSync, readdirSync, rmSync, readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../src/cli/process/io.ts';
import { type Answer, AnswerSchema } from '../../../src/simulator/report/answer-schema.ts';
import { bySupport } from '../../../src/simulator/report/verdict.ts';
import { callMain } from '../../support/command.ts';
import { growingTranscript } from '../../support/growing-sessions.ts';
import { growingRows, writeOpencodeDatabase } from '../../support/opencode-database.ts';
import { createFolder, writeFile } from '../../support/session-files.ts';

const CACHE = createFolder();
const DAY_S = 86_400;
/** So much is added by each step of a generated session. */
const GROWTH_TOKENS = 12_000;
/** They end before the size at which the agent compacts, and past lower ones. */
const STEPS = 13;
const FEW_STEPS = 3;
const MINUTE_MS = 60_000;
const inHome = (home: string, ...argv: readonly string[]) =>
  callMain(argv, { env: { HOME: home, COMPACTION_BENCH_CACHE: CACHE } });

async function answerOf(home: string, ...argv: readonly string[]): Promise<Answer> {
  const { code, stdout } = await inHome(home, '--format', 'json', ...argv);
  expect(code).toBe(EXIT.done);
  return AnswerSchema.parse(JSON.parse(stdout));
}

/** The secret beside it is never shown. */
const SETTINGS =
  '{ "env": { "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE": "78", "ANTHROPIC_API_KEY": "sk-secret" } }';
/** Each session has times of its own, or it would be taken for a copy of another. */
let starts = 0;
const nextStart = () => Date.UTC(2026, 0, 2, 3) + starts++ * 7 * MINUTE_MS;

/** A session of Claude Code that grows step by step. */
function growing(name: string, steps = FEW_STEPS): string {
  return growingTranscript({
    name,
    steps,
    startMs: nextStart(),
    growthTokens: GROWTH_TOKENS,
    model: 'claude-sonnet-4-5',
    version: '2.1.40',
    folder: `/work/${name}`,
    request: `Work on ${name}.`,
  });
}

/** A home with sessions of Claude Code where it keeps them. */
function homeOf(sessions: Readonly<Record<string, string>>): string {
  const home = createFolder();
  for (const [name, text] of Object.entries(sessions))
    writeFile(join(home, '.claude/projects/-work-app'), `${name}.jsonl`, text);
  return home;
}

const names = Array.from({ length: 12 }, (_, index) => `app-${index}`);
const home = homeOf(Object.fromEntries(names.map((name) => [name, growing(name, STEPS)])));
const told = inHome(home, '-q');

describe('answer', () => {
  it('finds sessions by itself and judges changes of the agent that recorded them', async () => {
    const before = readdirSync(home, { recursive: true });
    const answer = await answerOf(home);
    expect(answer.found).toEqual([{ agent: 'Claude Code', sessions: 12 }]);
    expect(answer.recorded).toMatchObject({ sessions: 12, sessionsWithCost: 12, compactions: 0 });
    expect(answer.verdict).toEqual(answer.verdict.toSorted(bySupport));
    expect(answer.verdict.some(({ costUsd: { from, to } }) => to !== from)).toBe(true);
    const triggers = answer.verdict.filter(({ setting }) => setting === 'triggerFraction');
    expect(new Set(triggers.map(({ value }) => value))).toEqual(new Set([0.6, 0.7, 0.8, 0.9]));
    // A reserve would set the same threshold, and Claude Code reads none.
    expect(answer.verdict.map(({ setting }) => setting)).not.toContain('reserved');
    expect(new Set(answer.verdict.map(({ policy }) => policy))).toEqual(
      new Set(['claude-code-2.1.31']),
    );
    expect(answer.mostExpensive).toMatchObject({
      project: expect.stringMatching(/^app-\d+$/),
      date: '2026-01-02',
    });
    expect(readdirSync(home, { recursive: true })).toEqual(before);
  });

  it('says it in sentences, the conclusion before the table', async () => {
    const { stdout, stderr } = await told;
    expect(stderr).toBe('');
    expect(stdout).toMatch(
      /^12 sessions of the last 30 days, Claude Code: \$\d+\.\d\d, 0 compactions\. {6}--details: from what\n\nKeep today's settings: /,
    );
    expect(stdout).toMatch(/\n {2}cost {4}\$\d+\.\d\d → /);
    expect(stdout).toMatch(/\nAlso tried {3}\d\d %/);
    expect(stdout).toMatch(/\nDearest {6}app-\d+, "Work on app-\d+\.", 2 Jan 2026: \$/);
    const lines = stdout.split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
  });

  it('names a session by an id that explain finds on this machine', async () => {
    const { stdout } = await told;
    const [, id = ''] = /→ compaction-bench explain ([\da-f]+) /.exec(stdout) ?? [];
    const explained = await inHome(home, 'explain', id);
    expect(explained.code).toBe(EXIT.done);
    expect(explained.stdout).toMatch(/\.claude\/projects\/-work-app\/app-\d+\.jsonl under /);
    const unknown = await inHome(home, 'explain', '0000ffff');
    expect([unknown.code, unknown.stderr]).toEqual([
      EXIT.wrongUse,
      "Expected '0000ffff' to be a file or the start of the id of a session on this machine, got neither among 12 files where agents keep them.\n",
    ]);
  });

  it('keeps the paths of files that were named, and leaves settings of this machine out', async () => {
    const own = homeOf({ app: growing('app') });
    writeFile(own, '.claude/settings.json', SETTINGS);
    const file = join(own, '.claude/projects/-work-app/app.jsonl');
    const { stdout } = await inHome(own, 'answer', file, '--format', 'json');
    const { mostExpensive, settings } = AnswerSchema.parse(JSON.parse(stdout));
    expect([mostExpensive?.session, mostExpensive?.id, settings]).toEqual([file, null, []]);
  });

  it("starts from the agent's own settings and says where they stand", async () => {
    const own = homeOf({ app: growing('app') });
    writeFile(own, '.claude/settings.json', SETTINGS);
    const { stdout } = await inHome(own, '-q', '--details');
    expect(stdout).toContain(
      'Settings of Claude Code: ~/.claude/settings.json (CLAUDE_AUTOCOMPACT_PCT_OVERRIDE=78)\n',
    );
    expect((await answerOf(own)).verdict[0]?.change).toContain('(now 70 %)');
    writeFile(own, '.claude/settings.json', '{ "env": ');
    const broken = await inHome(own, '-q', '--details');
    expect([broken.code, broken.stdout]).toEqual([
      EXIT.done,
      expect.stringContaining('settings that could not be read, in ~/.claude/settings.json.'),
    ]);
  });

  it('reads the databases of OpenCode and Kilo', async () => {
    const own = createFolder();
    const rows = (ids: readonly string[]) =>
      ids.flatMap((id) => growingRows({ id, startMs: nextStart() }));
    writeOpencodeDatabase(join(own, '.local/share/opencode/opencode.db'), rows(['shop', 'blog']));
    writeOpencodeDatabase(join(own, '.local/share/kilo/kilo.db'), rows(['farm', 'mill']));
    const { found, verdict, mostExpensive, leftOut } = await answerOf(own);
    expect(found).toEqual([
      { agent: 'Kilo', sessions: 2 },
      { agent: 'OpenCode', sessions: 2 },
    ]);
    expect(leftOut).toMatchObject({ failed: 0, withoutPreset: 0, unread: [] });
    expect(mostExpensive?.id).toMatch(/^[\da-f]{4,}#[01]$/);
    const of = (setting: string, value: number) =>
      verdict.find(
        (one) => one.agent === 'OpenCode' && one.setting === setting && one.value === value,
      );
    expect(of('triggerFraction', 0.7)).toMatchObject({ sessions: 2, isRead: true });
    expect(of('triggerFraction', 0.7)).not.toHaveProperty('failedSessions');
    expect(of('triggerFraction', 0.7)?.keys[0]).toMatchObject({ where: 'opencode.json:' });
    expect(of('triggerFraction', 0.9)).toMatchObject({ state: 'no effect' });
    expect(of('reserved', 30_000)).toMatchObject({ isRead: false, state: 'no effect' });
  });

  it('says the same from what it kept, and without keeping anything', async () => {
    const [cache, unused] = [createFolder(), join(createFolder(), 'cache')];
    const few = homeOf({ one: growing('one'), two: growing('two') });
    const sayWith = async (folder: string, ...argv: readonly string[]) => {
      const env = { HOME: few, COMPACTION_BENCH_CACHE: folder };
      const { code, stdout } = await callMain([...argv, '--format', 'json'], { env });
      expect(code).toBe(EXIT.done);
      return stdout;
    };
    const first = await sayWith(cache);
    const kept = readdirSync(cache, { recursive: true, encoding: 'utf8' });
    // What was found in two files, their traces, and their runs.
    expect(kept.filter((name) => name.endsWith('.kept'))).toHaveLength(6);
    const traces = join(cache, kept.find((name) => name.endsWith('traces'))!);
    rmSync(traces, { recursive: true });
    expect(await sayWith(cache)).toBe(first);
    // No run was made again.
    expect(existsSync(traces)).toBe(false);
    expect(await sayWith(unused, '--no-cache')).toBe(first);
    expect(existsSync(unused)).toBe(false);
  });

  it('leaves out old files unless asked for', async () => {
    const mixed = homeOf({ young: growing('young'), old: growing('old') });
    const old = join(mixed, '.claude/projects/-work-app/old.jsonl');
    const time = Date.now() / 1_000 - 45 * DAY_S;
    utimesSync(old, time, time);
    const found = async (...argv: readonly string[]) => (await answerOf(mixed, ...argv)).found;
    expect(await found()).toEqual([{ agent: 'Claude Code', sessions: 1 }]);
    expect(await found('--since', '60d')).toEqual([{ agent: 'Claude Code', sessions: 2 }]);
    expect(await found('--all')).toEqual([{ agent: 'Claude Code', sessions: 2 }]);
    const onlyOld = homeOf({ old: growing('old') });
    utimesSync(join(onlyOld, '.claude/projects/-work-app/old.jsonl'), time, time);
    expect((await answerOf(onlyOld)).olderFiles).toBe(1);
  });

  it('writes the same as a page by the name of its file', async () => {
    const out = join(createFolder(), 'answer.html');
    expect((await inHome(home, '--out', out)).code).toBe(EXIT.done);
    const page = readFileSync(out, 'utf8');
    const { verdict } = await answerOf(home);
    expect(page).toContain('<h1>What to change</h1>');
    expect(page.match(/<tr><th scope="row"/g)).toHaveLength(verdict.length);
    expect(page).toContain('against losses of today');
  });

  it('judges sessions of models without a price by the tokens that are processed', async () => {
    const unpriced = growing('kettle', STEPS).replaceAll('claude-sonnet-4-5', 'claude-kettle-1');
    const { verdict, recorded } = await answerOf(homeOf({ kettle: unpriced, app: growing('app') }));
    expect(recorded).toMatchObject({ sessions: 2, sessionsWithCost: 1 });
    const earlier = verdict.filter(({ value }) => value === 0.6);
    const [counted, priced] = ['tokens', 'usd'].map((unit) =>
      earlier.find(({ tokens }) => (tokens === undefined) === (unit === 'usd')),
    );
    expect(priced?.costUsd.from).toBeGreaterThan(0);
    expect(counted?.tokens?.from).toBeGreaterThan(STEPS * GROWTH_TOKENS);
    expect(counted?.tokens?.to).toBeGreaterThan(counted?.tokens?.from ?? Infinity);
  });

  it('advises nothing where the preset compacts and the recording did not', async () => {
    const { verdict, leftOut } = await answerOf(homeOf({ app: growing('app', STEPS + 3) }));
    expect(leftOut.unfit).toEqual({ sessions: 1, recorded: 0, simulated: 1 });
    expect(verdict).toEqual([]);
  });

  it('says where it looked also where all that lies there cannot be read', async () => {
    const broken = createFolder();
    writeFile(broken, '.codex/sessions', 'no folder');
    const { found, lookedIn, leftOut } = await answerOf(broken);
    expect([found, lookedIn?.length, leftOut.unread.map(({ file }) => file)]).toEqual([
      [],
      expect.any(Number),
      [`${broken}/.codex/sessions`],
    ]);
  });

  it('says where it looked and shows a demo with compactions where there is none', async () => {
    const empty = createFolder();
    const { code, stdout } = await inHome(empty, '-q');
    expect(code).toBe(EXIT.done);
    expect(stdout).toContain(
      `Found no sessions of the last 30 days. Looked in the places of 15 agents, first in`,
    );
    expect(stdout).toMatch(/\nopencode-1\.18 triggerFraction=0\.7 +\$[\d.]+ +≈ [\d.]+ +[1-9]/);
    const demo = await inHome(empty, '--demo');
    expect(demo.stdout).toMatch(/^A demo: /);
    expect(stdout.endsWith(demo.stdout)).toBe(true);
    const { found, lookedIn } = await answerOf(empty);
    expect(found).toEqual([]);
    expect(lookedIn?.[1]?.paths).toEqual([
      `${empty}/.codex/sessions`,
      `${empty}/.codex/archived_sessions`,
    ]);
  });
});
