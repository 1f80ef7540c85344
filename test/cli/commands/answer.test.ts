import { existsSync, readdirSync, rmSync, readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../src/cli/process/io.ts';
import { type Answer, AnswerSchema } from '../../../src/simulator/report/answer-schema.ts';
import { callMain } from '../../support/command.ts';
import { growingTranscript } from '../../support/growing-sessions.ts';
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
});
