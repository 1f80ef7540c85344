import { existsSync, readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../src/cli/process/io.ts';
import { type Answer, AnswerSchema } from '../../../src/simulator/report/answer.ts';
import { callMain } from '../../support/command.ts';
import { createFolder, fixture, writeFile } from '../../support/session-files.ts';

const CACHE = createFolder();
const DAY_S = 86_400;
/** So much is added by each step of a generated session. */
const GROWTH_TOKENS = 12_000;
const STEPS = 18;
const MINUTE_MS = 60_000;

const inHome = (home: string, ...argv: readonly string[]) =>
  callMain(argv, { env: { HOME: home, COMPACTION_BENCH_CACHE: CACHE } });

async function answerOf(home: string, ...argv: readonly string[]): Promise<Answer> {
  const { code, stdout } = await inHome(home, '--format', 'json', ...argv);
  expect(code).toBe(EXIT.done);
  return AnswerSchema.parse(JSON.parse(stdout));
}

/** Each session has times of its own, or it would be taken for a copy of another. */
let starts = 0;
const nextStart = () => Date.UTC(2026, 0, 2, 3) + starts++ * 7 * MINUTE_MS;

/** A session of Claude Code that grows step by step past the size at which it compacts. */
function growing(name: string, model = 'claude-sonnet-4-5'): string {
  const common = { sessionId: name, version: '2.1.40', cwd: `/work/${name}`, isSidechain: false };
  const startMs = nextStart();
  const at = (index: number) => ({
    ...common,
    uuid: `${name}-${index}`,
    parentUuid: index === 0 ? null : `${name}-${index - 1}`,
    timestamp: new Date(startMs + index * MINUTE_MS).toISOString(),
  });
  const user = (index: number, content: unknown) => ({
    ...at(index),
    type: 'user',
    message: { role: 'user', content },
  });
  const lines: unknown[] = [user(0, `Work on ${name}.`)];
  for (let step = 0; step < STEPS; step++) {
    const id = `${name}-call-${step}`;
    const file_path = `/work/${name}/file-${step % 4}.ts`;
    lines.push({
      ...at(2 * step + 1),
      type: 'assistant',
      message: {
        id: `${name}-message-${step}`,
        role: 'assistant',
        model,
        content: [{ type: 'tool_use', id, name: 'Read', input: { file_path } }],
        stop_reason: 'tool_use',
        usage: {
          input_tokens: 0,
          cache_read_input_tokens: step * GROWTH_TOKENS,
          cache_creation_input_tokens: GROWTH_TOKENS,
          output_tokens: 50,
        },
      },
    });
    const output = `${name} ${step} ${'line of code '.repeat(40)}`;
    lines.push(user(2 * step + 2, [{ type: 'tool_result', tool_use_id: id, content: output }]));
  }
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** A home with sessions of Claude Code where it keeps them. */
function homeOf(sessions: Readonly<Record<string, string>>): string {
  const home = createFolder();
  for (const [name, text] of Object.entries(sessions)) {
    writeFile(join(home, '.claude/projects/-work-app'), `${name}.jsonl`, text);
  }
  return home;
}

const names = Array.from({ length: 12 }, (_, index) => `app-${index}`);
const home = homeOf(Object.fromEntries(names.map((name) => [name, growing(name)])));

describe('answer', () => {
  it('finds sessions by itself and judges changes of the agent that recorded them', async () => {
    const before = readdirSync(home, { recursive: true });
    const answer = await answerOf(home);
    expect(answer.found).toEqual([{ agent: 'Claude Code', sessions: 12 }]);
    expect(answer.recorded).toMatchObject({ sessions: 12, sessionsWithCost: 12, compactions: 0 });
    const savings = answer.verdict.map(({ costUsd }) => costUsd.from - costUsd.to);
    expect(savings).toEqual(savings.toSorted((a, b) => b - a));
    expect(savings.some((saving) => saving !== 0)).toBe(true);
    const triggers = answer.verdict.filter(({ setting }) => setting === 'triggerFraction');
    expect(new Set(triggers.map(({ value }) => value))).toEqual(new Set([0.6, 0.7, 0.8, 0.9]));
    expect(new Set(answer.verdict.map(({ policy }) => policy))).toEqual(new Set(['claude-code']));
    expect(answer.mostExpensive).toMatchObject({
      project: expect.stringMatching(/^app-\d+$/),
      date: '2026-01-02',
    });
    expect(readdirSync(home, { recursive: true })).toEqual(before);
  });

  it('says it in sentences, the conclusion before the table', async () => {
    const { stdout, stderr } = await inHome(home, '-q');
    expect(stderr).toBe('');
    expect(stdout).toMatch(
      /^Found 12 sessions of the last 30 days: Claude Code 12\.\nAs recorded \$\d+\.\d\d · 0 compactions in 0 sessions\.\n\n/,
    );
    expect(stdout).toMatch(/\nChange +Cost +Share +Losses +Verdict\nCompact at/);
    expect(stdout).toMatch(/Most expensive: app-\d+, “Work on app-\d+\.”, 2026-01-02: \$/);
    const lines = stdout
      .split('\n')
      .filter((line) => !line.startsWith('compaction-bench explain '));
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
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
    expect(kept.filter((name) => name.endsWith('.kept'))).toHaveLength(4);
    expect(await sayWith(cache)).toBe(first);
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
  });

  it('refuses an age that is no number of days', async () => {
    const { code, stderr } = await inHome(home, '--since', 'May');
    expect(code).toBe(EXIT.wrongUse);
    expect(stderr).toBe("Expected '--since' to be a number of days such as '30d', got 'May'.\n");
  });

  it('counts sessions of models that the catalog lacks', async () => {
    const unknown = homeOf({ kettle: fixture('claude-code.jsonl'), app: growing('app') });
    const { leftOut, recorded } = await answerOf(unknown);
    expect(leftOut.unknownModels).toEqual({ 'anthropic/claude-kettle-1': expect.any(Number) });
    expect(recorded.sessions).toBe(1);
  });

  it('says where it looked and replays the shipped sessions where there is none', async () => {
    const empty = createFolder();
    const { code, stdout } = await inHome(empty, '-q');
    expect(code).toBe(EXIT.done);
    expect(stdout).toContain(
      `Found no sessions of the last 30 days. Looked in:\n- Claude Code: ${empty}/.claude/projects`,
    );
    expect(stdout).toMatch(/csv-format\.json +opencode-1\.2\.16 +50/);
    const { found, lookedIn } = await answerOf(empty);
    expect(found).toEqual([]);
    expect(lookedIn?.[1]?.paths).toEqual([
      `${empty}/.codex/sessions`,
      `${empty}/.codex/archived_sessions`,
    ]);
  });
});
