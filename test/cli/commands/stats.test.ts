import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../src/cli/process/io.ts';
import type { CapturedIoOptions } from '../../support/captured-io.ts';
import { callMain } from '../../support/command.ts';
import { chatOf, createFolder, fixture, writeFile } from '../../support/session-files.ts';

const folder = createFolder();
const pi = writeFile(folder, 'pi.jsonl', fixture('pi.jsonl'));
const claude = writeFile(folder, 'claude.jsonl', fixture('claude-code.jsonl'));
const chat = writeFile(folder, 'chat.json', chatOf(3));
const noSession = writeFile(folder, 'none.json', '{"name": 1}');
const stats = (argv: readonly string[], options?: CapturedIoOptions) =>
  callMain(['sessions', 'stats', ...argv], options);

async function statsJson(argv: readonly string[], options: CapturedIoOptions = {}) {
  const { stdout, ...rest } = await stats([...argv, '--format', 'json'], options);
  return { ...rest, report: JSON.parse(stdout) };
}

describe('stats', () => {
  it('tells of files together and by format', async () => {
    const { code, report } = await statsJson([pi, chat]);
    expect(code).toBe(EXIT.done);
    expect(report.estimator).toEqual({ name: 'chars4', evidence: 'estimated' });
    expect(report.overall.sessions).toBe(2);
    expect(Object.keys(report.byFormat)).toEqual(['openai-chat', 'pi']);
    expect(report.sessions[0]).toMatchObject({
      session: chat,
      turns: 3,
      steps: 3,
      toolOutputs: 0,
      recordedMaxContextTokens: null,
    });
  });

  it('titles what it tells of tools, with units', async () => {
    const { stdout } = await stats([pi], { isTTY: true, columns: 300, env: { NO_COLOR: '1' } });
    const titles = stdout.split('\n').find((line) => line.startsWith('Tool'));
    expect(titles?.split(/ {2,}/)).toEqual([
      'Tool',
      'Calls',
      'Of all calls',
      'Tokens p50',
      'p90',
      'p99',
      'Max',
      'Of all output',
      'Failed',
      'Repeated',
      'Input tokens p50',
      'p90',
    ]);
    const page = readFileSync(join(import.meta.dirname, '../../../docs/sessions.md'), 'utf8');
    for (const title of ['Of all output', 'Failed', 'Repeated', 'Input tokens']) {
      expect(page).toContain(`- **${title}**: `);
    }
  });

  it('tells automatic compactions as some of the others', async () => {
    const { stdout } = await stats([claude]);
    expect(stdout).toMatch(
      /^Compactions: 1 full and 1 output clearing, 2 of them automatic, in 1 of 1 sessions\./m,
    );
  });

  it.each([
    ['a name', ['-']],
    ['no name', []],
  ])('reads what is piped in with %s', async (_, argv) => {
    const { code, report } = await statsJson(argv, { stdin: fixture('canonical.jsonl') });
    expect([code, report.sessions[0].format]).toEqual([EXIT.done, 'canonical']);
    expect(report.sessions[0].session).toMatch(/^standard input/);
  });

  it('says what of it was left out', async () => {
    const torn = `${fixture('canonical.jsonl')}{"type":"mess`;
    const { stderr } = await stats(['-', '--format', 'json'], { stdin: torn });
    expect(stderr).toContain('Left out on import, in 1 session: ');
  });

  it('does not read standard input beside a file', async () => {
    const { report } = await statsJson([chat], { stdin: fixture('canonical.jsonl') });
    expect(report.overall.sessions).toBe(1);
  });

  it('stops reading when the user wants to', async () => {
    const signal = AbortSignal.abort();
    const { code } = await stats(['-'], { stdin: fixture('canonical.jsonl'), signal });
    expect(code).toBe(EXIT.interrupted);
  });

  it('weighs with a tokenizer and says which', async () => {
    const { stdout } = await stats([chat, '--tokens', 'o200k_base', '--details']);
    expect(stdout).toContain('o200k_base, estimated');
    expect(stdout).toContain('Content tokens are estimated: the tokenizer o200k_base.');
  });

  it('calls a count measured only where it is the model’s own', async () => {
    const gpt = fixture('pi.jsonl').replaceAll(/"(claude-[^"]*)"/g, '"gpt-5"');
    const path = writeFile(createFolder(), 'gpt.jsonl', gpt);
    const own = await statsJson([path, '--tokens', 'o200k_base']);
    const other = await statsJson([pi, '--tokens', 'o200k_base']);
    const evidence = [own, other].map(({ report }) => report.estimator.evidence);
    expect(evidence).toEqual(['measured', 'estimated']);
  });

  it.each([
    ['tool', /^Tool +Calls/m],
    ['format', /^Format +Sessions/m],
    ['session', /^Session +Turns/m],
  ])('divides the table by %s', async (by, title) => {
    const { code, stdout } = await stats([pi, '--by', by]);
    expect(code).toBe(EXIT.done);
    expect(stdout).toMatch(title);
  });

  it('names sessions by the end of their paths', async () => {
    const file = writeFile(folder, `${'project-'.repeat(8)}/chat.json`, chatOf(1));
    const { stdout } = await stats([file, '--by', 'session']);
    expect(stdout).toMatch(/^…\/chat\.json +1 /m);
  });

  it('counts a session once that was recorded twice', async () => {
    const copies = createFolder();
    const files = ['a.jsonl', 'b.jsonl'].map((name) =>
      writeFile(copies, name, fixture('pi.jsonl')),
    );
    const { report } = await statsJson(files);
    expect(report.overall.sessions).toBe(1);
    expect(report.copies).toEqual([{ session: files[1], copyOf: files[0] }]);
  });

  it('goes on beside a file that is no session', async () => {
    const { code, report } = await statsJson([pi, noSession]);
    expect([code, report.overall.sessions]).toEqual([EXIT.failed, 1]);
    expect(report.unread[0].file).toBe(noSession);
  });

  it('goes on beside links below a folder that lead in a ring', async () => {
    const ringed = createFolder();
    writeFile(ringed, 'pi.jsonl', fixture('pi.jsonl'));
    symlinkSync('ring', join(ringed, 'ring'));
    const { code, report } = await statsJson([ringed]);
    expect([code, report.overall.sessions]).toEqual([EXIT.failed, 1]);
    expect(report.unread).toEqual([
      { file: join(ringed, 'ring'), reason: expect.stringContaining('links that form a loop') },
    ]);
  });

  it('writes the format of the file that is named', async () => {
    const path = join(folder, 'workload.json');
    expect((await stats([pi, '--out', path])).code).toBe(EXIT.done);
    const { statisticsVersion, origin } = JSON.parse(readFileSync(path, 'utf8'));
    expect(statisticsVersion).toBe(1);
    expect(origin).toEqual({ version: expect.any(String), settings: {} });
  });

  it('shows what a tool is called without obeying it', async () => {
    const call = { id: 'c1', function: { name: '\u001b[31mred', arguments: '{}' } };
    const hostile = [
      { role: 'user', content: 'go' },
      { role: 'assistant', content: '', tool_calls: [{ ...call, type: 'function' }] },
      { role: 'tool', tool_call_id: 'c1', content: 'out' },
    ];
    const path = writeFile(folder, 'hostile.json', JSON.stringify(hostile));
    for (const argv of [[path], [path, '--format', 'json']]) {
      expect((await stats(argv)).stdout).not.toContain('\u001b');
    }
  });
});
