import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../src/cli/process/io.ts';
import { callMain } from '../../support/command.ts';
import { chatOf, createFolder, writeFile } from '../../support/session-files.ts';

const folder = createFolder();
const chat = writeFile(folder, 'chat.json', chatOf(6, 400));
const recorded = join(import.meta.dirname, '../../../scenarios/recorded/csv-format.json');
/** A window in which the recorded session overflows and prunes within its first turns. */
const SMALL = ['--set', 'contextTokens=50000', '--set', 'protect=3000', '--set', 'minimum=1000'];
/** With details, so that nothing is cut. */
const explain = (file: string, ...argv: readonly string[]) =>
  callMain(['explain', file, '--details', ...argv]);

async function explainJson(file: string, ...argv: readonly string[]) {
  const { stdout } = await explain(file, ...argv, '--format', 'json');
  return JSON.parse(stdout);
}

/** What `explain` prints below the lines that name the run. */
function body(stdout: string): string {
  return stdout.replace(/^(?:.+\n)+\n/, '');
}

const opencode = ['--policy', 'opencode-1.2.16'];

/** The turn of a step that ended, and after which step, as the text has it. */
async function turnEndAt(step: number) {
  const { stdout } = await explain(recorded, ...opencode, '--step', String(step));
  const [, at, turn] = /^Step (\d+) of turn (\d+),/m.exec(stdout) ?? [];
  expect(at).toBe(String(step));
  return /^End of turn (\d+)(?:, after step (\d+))?$/m
    .exec(stdout)
    ?.slice(1)
    .map((one) => (one === turn ? 'this turn' : one));
}

describe('explain', () => {
  it('lists what no message, call or summary in view names any more at the end', async () => {
    const said = JSON.parse(chatOf(12, 4_000)) as { readonly content: string }[];
    const rule = 'You must never touch the file legacy/core.ts while you work.';
    const messages = said.map((message, index) =>
      index === 0 ? { ...message, content: `${rule} ${message.content}` } : message,
    );
    const file = writeFile(folder, 'rule.json', JSON.stringify(messages));
    const settings = ['--set', 'contextTokens=30000', '--set', 'outputTokens=1000'];
    const { stdout } = await explain(
      file,
      ...opencode,
      ...settings,
      '--summarizer',
      'scripted:tokens=50',
    );
    expect(stdout).toMatch(
      /No longer named at the end, outputs aside:\n- constraint  You must never touch/,
    );
    expect((await explain(file, ...opencode)).stdout).not.toContain('No longer named');
  });

  it('lists the steps at which something happened', async () => {
    const { code, stdout, stderr } = await explain(recorded, ...opencode, ...SMALL);
    expect({ code, stderr }).toEqual({ code: EXIT.done, stderr: '' });
    const lines = body(stdout).split('\n');
    expect(lines[0]).toMatch(
      /^step \d+ {2}overflow [\d,]+ \(usable 18,000\); compaction [\d,]+ → [\d,]+$/,
    );
    expect(stdout).toMatch(
      /^step \d+ {2}prune [\d,]+ > minimum 1,000 → fired; nothing left the view: /m,
    );
  });

  it('says so where nothing happened at all', async () => {
    const { stdout } = await explain(chat, ...opencode);
    expect(stdout).toMatch(
      /^\S+ under opencode-1\.2\.16, .*: 6 steps replayed; completed\nNothing was compacted: the largest count is [\d,]+ tokens, of 168,000 usable\.\n\n/,
    );
    expect(body(stdout)).toMatch(
      /^preset of OpenCode: 1\.2\.16 to \S+, \S.*\n.* in a window of 200,000 tokens, .*\nMade by: [^\n]*\n$/,
    );
  });

  it('tells which numbers fired, how usable came about, and what was worked off', async () => {
    const { stdout } = await explain(recorded, ...opencode, ...SMALL, '--step', '5');
    const after = stdout.split('After the step\n')[1]?.split('\n\n')[0] ?? '';
    expect(after.replaceAll(/\d+(?:,\d+)*/g, 'N').split('\n')).toEqual([
      '  count N = the stored total N ≥ usable N → compact',
      '    usable N = context N − output N (min of declared output N and cap N)',
      '    after the step, rule vN.N.N, usage of msg_N',
      '  queued: marker policy-message-N',
      '  summary of N messages: N tokens in, N out',
      '  compaction policy-message-N: context N → N',
      '  law newest-request-visible violated, as its source does',
      '  added: continue text policy-message-N',
    ]);
    expect(after).toContain('usable 18,000 = context 50,000 − output 32,000 (min of');
  });

  it('tells the same where nothing fired', async () => {
    const { stdout } = await explain(chat, ...opencode, '--step', '1');
    expect(stdout).toMatch(
      /^ {2}count ([\d,]+) = the stored total [\d,]+ < usable 168,000 → go on$/m,
    );
    expect(stdout).toContain('usable 168,000 = context 200,000 − output 32,000 (min of');
    expect(stdout).toContain('prune: nothing to clear → not fired');
  });

  it('tells after which step a turn ended that went on', async () => {
    const [turn, last] = (await turnEndAt(1)) ?? [];
    expect({ turn, isLater: Number(last) > 1 }).toEqual({ turn: 'this turn', isLater: true });
    expect(await turnEndAt(Number(last))).toEqual(['this turn', undefined]);
    expect(await turnEndAt(Number(last) - 1)).toEqual(['this turn', last]);
  });

  it('says so where no check is made', async () => {
    const { stdout } = await explain(chat, '--policy', 'none', '--step', '1');
    expect(stdout).toMatch(
      /After the step\n {2}no check: auto is off\n[^]* {2}prune: off\n\n\S+ under none, [^]*\nMade by: /,
    );
  });

  it('tells of each tool output why the prune cleared or kept it, newest first', async () => {
    const { stdout } = await explain(recorded, ...opencode, ...SMALL, '--step', '6');
    expect(stdout).toMatch(
      /^ {4}\w+ \w+ {2}[\d,]+ tokens, sum [\d,]+ {2}kept: within PROTECT 3,000$/m,
    );
    expect(stdout).toMatch(
      /^ {4}\w+ \w+ {2}[\d,]+ tokens, sum [\d,]+ {2}cleared: beyond PROTECT 3,000$/m,
    );
    expect(stdout).toMatch(/^ {2}prune: [\d,]+ > minimum 1,000 → fired; nothing left the view: /m);
    expect(stdout).toMatch(/^ {4}total: \d+ outputs, [\d,]+ tokens weighed, \d+ chosen with /m);
  });

  it('tells what clean-ups cleared, and why', async () => {
    const file = join(import.meta.dirname, '../../../scenarios/recorded/repeated-setup.json');
    const argv = ['--policy', 'dcp', '--set', 'prune=true'];
    const { stdout } = await explain(file, ...argv, '--step', '38');
    expect(stdout).toMatch(/^ {2}clean-up duplicates: 1 cleared, 219 tokens \(as the policy/m);
    expect(stdout).toMatch(/^ {4}bash prt_\d+ {2}cleared: the same call was made again$/m);
    const { after } = await explainJson(file, ...argv, '--step', '38');
    expect(after[0].cleanups).toEqual([
      {
        pass: 'duplicates',
        estimatedTokens: 219,
        parts: [{ partId: expect.stringMatching(/^prt_/), type: 'tool' }],
      },
    ]);
    expect(after[0].prune).toBeUndefined();
    const { stdout: overview } = await explain(file, ...argv);
    expect(overview).toMatch(/^step 38 {2}.*clean-up duplicates 219/m);
  });

  it('tells by how much a prune missed its minimum', async () => {
    const argv = [...opencode, ...SMALL, '--set', 'minimum=9000'].filter(
      (_, index, all) => all[index] !== 'minimum=1000' && all[index + 1] !== 'minimum=1000',
    );
    const { stdout } = await explain(recorded, ...argv, '--step', '6');
    const { prune } = (await explainJson(recorded, ...argv, '--step', '6')).turnEnd[0];
    const short = 9_001 - prune.plan.estimatedTokens;
    expect(prune.plan.state).toBe('below-minimum');
    expect(stdout).toContain(`≤ minimum 9,000 → not fired, short by ${short}`);
  });

  it('lists the outputs of the prune at the end of the turn at its last step only', async () => {
    const [first, last] = await Promise.all(
      ['1', '6'].map((step) => explain(recorded, ...opencode, ...SMALL, '--step', step)),
    );
    const end = /^End of turn 1\b[^]*?\n\n/m;
    const [before, after] = [first, last].map((one) =>
      end.exec(one?.stdout ?? '')?.[0].split('\n'),
    );
    expect(before?.slice(1, -2)).toEqual(
      after?.slice(1, -2).filter((line) => /^ {2}\S/.test(line)),
    );
    expect(after?.filter((line) => /^ {4}\w+ prt_\d+ /.test(line)).length).toBeGreaterThan(5);
  });

  it.each<[string, readonly string[], string, boolean]>([
    ['all was behind a summary', SMALL, '6', true],
    ['a request showed it', SMALL.slice(2), '17', false],
  ])('tells why a prune that fired saved nothing: %s', async (_, settings, step, isBehind) => {
    const argv = [recorded, ...opencode, ...settings] as const;
    const [{ prune, events }] = (await explainJson(...argv, '--step', step)).turnEnd;
    expect(prune.isBehindSummary).toBe(isBehind || undefined);
    expect(events[0].prunedTokens === 0).toBe(isBehind);
    const words = isBehind ? '; nothing left the view: all was behind a summary already\n' : '\n';
    const [{ stdout: overview }, { stdout: told }] = await Promise.all([
      explain(...argv),
      explain(...argv, '--step', step),
    ]);
    expect(overview).toMatch(
      new RegExp(`^step ${step}  prune [\\d,]+ > minimum 1,000 → fired${words}`, 'm'),
    );
    expect(told).toMatch(new RegExp(`^  prune: [\\d,]+ > minimum 1,000 → fired${words}`, 'm'));
  });

  it('tells of a refusal', async () => {
    const argv = [...opencode, '--set', 'contextTokens=16000', '--set', 'inputTokens=14000'];
    const { stdout: overview } = await explain(recorded, ...argv, '--set', 'reserved=0');
    const [, step = ''] = /^step (\d+) {2}refused [\d,]+ > window 14,000/m.exec(overview) ?? [];
    const { stdout } = await explain(recorded, ...argv, '--set', 'reserved=0', '--step', step);
    expect(stdout).toMatch(
      /Before the step\n {2}refused [\d,]+ > window 14,000\n {2}queued: marker policy-message-\d+\n {2}refused by the provider/,
    );
  });

  it('gives numbers that add up, and no text of the session', async () => {
    const story = await explainJson(recorded, ...opencode, ...SMALL, '--step', '5');
    const [{ checks }] = story.after;
    const sum = checks[0].counted.reduce(
      (total: number, { tokens }: { tokens: number }) => total + tokens,
      checks[0].newerTokens,
    );
    expect(sum).toBe(checks[0].check.countTokens);
    expect(checks[0].check.isOverflow).toBe(true);
    const outputs = [...readFileSync(recorded, 'utf8').matchAll(/"output":"((?:[^"\\]|\\.)+)"/g)];
    expect(outputs.length).toBeGreaterThan(5);
    const written = JSON.stringify(story);
    const long = outputs
      .map(([, output = '']) => output.slice(0, 40))
      .filter((one) => one.length === 40);
    expect(long.filter((one) => written.includes(one))).toEqual([]);
  });
});
