import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../src/cli/process/io.ts';
import type { CapturedIoOptions } from '../../support/captured-io.ts';
import { callMain, words } from '../../support/command.ts';
import { chatOf, createFolder, fixture, writeFile } from '../../support/session-files.ts';

const folder = createFolder();
const pi = writeFile(folder, 'pi.jsonl', fixture('pi.jsonl'));
const chat = writeFile(folder, 'chat.json', chatOf(3));
const noSession = writeFile(folder, 'none.json', '{"name": 1}');

const validate = (argv: readonly string[], options?: CapturedIoOptions) =>
  callMain(['sessions', 'validate', ...argv], options);

async function validateJson(argv: readonly string[]) {
  const { stdout, ...rest } = await validate([...argv, '--format', 'json']);
  return { ...rest, report: JSON.parse(stdout) };
}

describe('validate', () => {
  it('compares each session with its recorded usage', async () => {
    const { code, stderr, report } = await validateJson([pi, chat]);
    expect({ code, stderr }).toEqual({ code: EXIT.done, stderr: '' });
    expect(report.sessions).toEqual([
      {
        file: chat,
        format: 'openai-chat',
        steps: 0,
        contextErrorOneStep: null,
        contextErrorFreeRunning: null,
        fitErrorOneStep: null,
        fitErrorFreeRunning: null,
        cacheShareError: null,
        costError: null,
        decisions: [],
        reason: 'no usage is recorded',
      },
      {
        file: pi,
        format: 'pi',
        steps: 2,
        contextErrorOneStep: 0,
        contextErrorFreeRunning: 0,
        fitErrorOneStep: expect.closeTo(0.0287, 4),
        fitErrorFreeRunning: null,
        cacheShareError: expect.any(Number),
        costError: null,
        preset: 'pi-1.6',
        decisions: [expect.objectContaining({ recordedAfterStep: 2, predictedAfterStep: null })],
        rereads: [20, 40].map((calls) => ({ calls, after: [], elsewhere: null, lacked: [] })),
        carried: expect.objectContaining({ file: { hits: 0, of: 0 } }),
        reason: expect.stringMatching(/^1 step right after a compaction/),
      },
    ]);
    expect(report.unread).toEqual([]);
  });

  it('compares where the agent compacted with where the preset of its release would have', async () => {
    const recorder = { format: 'claude-code', release: [2, 1, 17], isOutputFinal: true };
    const model = 'anthropic/claude-opus-4-5';
    const stepOf = (cacheRead: number) => ({
      type: 'message',
      role: 'assistant',
      usage: { input: 0, output: 9, reasoning: 0, cacheRead, cacheWrite: 0 },
      parts: [{ type: 'text', text: `It holds ${cacheRead}.` }],
    });
    const lines = [
      { 'compaction-bench': 'session', version: 1, ...recorder, model },
      { type: 'message', role: 'user', parts: [{ type: 'text', text: 'Fill it up.' }] },
      ...[90_000, 154_000, 156_000, 157_000].map(stepOf),
      { type: 'compaction', kind: 'full', trigger: 'auto', messageIndex: 5, tokensBefore: 157_010 },
      ...[30_000, 31_000].map(stepOf),
    ].map((line) => `${JSON.stringify(line)}\n`);
    const { report } = await validateJson([writeFile(folder, 'claude.jsonl', lines.join(''))]);
    expect(report.sessions[0]).toMatchObject({
      contextErrorOneStep: 0,
      preset: 'claude-code-2.1.14',
      release: '2.1.17',
      decisions: [
        {
          recordedAfterStep: 4,
          predictedAfterStep: 3,
          recordedTokens: 157_010,
          edgeTokens: 155_000,
        },
      ],
    });
    expect(report.compactions).toEqual({
      automatic: 1,
      withinOneStep: 1,
      exact: 0,
      notRecorded: 0,
      notPredictable: 0,
    });
  });

  it('ends with 3 where nothing can be compared, and knows no costs then', async () => {
    for (const inputs of [[chat], [chat, noSession]]) {
      const { code, report } = await validateJson(inputs);
      expect({ code, costs: report.costs }).toEqual({ code: EXIT.inconclusive, costs: null });
    }
    expect((await validate([chat])).stdout).toContain('No session has usage to compare with.');
  });

  it('prints a table unless told otherwise, or by the name of the file', async () => {
    const { stdout } = await validate([pi], { isTTY: true, columns: 300, env: { NO_COLOR: '1' } });
    expect(stdout).toMatch(/^0 of 1 automatic .*^Format +Release .*^Format +Model +Sessions/ms);
    const out = join(folder, 'fidelity.JSON');
    const { code, stderr } = await validate([pi, '--out', out]);
    expect({ code, stderr }).toEqual({ code: EXIT.done, stderr: `Report: ${out}\n` });
    expect(Object.keys(JSON.parse(readFileSync(out, 'utf8')))).toEqual(
      words('origin sessions overall costs compactions rereads carried unread'),
    );
  });

  it('says of a copy whose it is, and compares the longer one only', async () => {
    const shorter = writeFile(folder, 'older.jsonl', fixture('pi.jsonl').split('\n', 6).join('\n'));
    const { code, report } = await validateJson([shorter, pi]);
    expect(code).toBe(EXIT.done);
    expect(report.sessions).toMatchObject([
      { file: shorter, steps: 0, reason: `a shorter copy of ${pi}` },
      { file: pi, steps: 2 },
    ]);
    const twin = writeFile(folder, 'twin.jsonl', fixture('pi.jsonl'));
    const { report: both } = await validateJson([pi, twin]);
    expect(both.sessions[1]).toMatchObject({ steps: 0, reason: `a copy of ${pi}` });
  });

  it('takes the sessions that are shipped where none are named', async () => {
    const { code, report } = await validateJson([]);
    expect(code).toBe(EXIT.done);
    expect(report.sessions.length).toBeGreaterThan(0);
    expect(
      report.sessions.every(({ file }: { file: string }) => file.startsWith('scenarios/')),
    ).toBe(true);
  });

  it('takes prices from the catalog that is named', async () => {
    const prices = { input: 5, output: 25, cache_read: 0.5, cache_write: 6.25 };
    const catalogOf = (id: string) =>
      writeFile(
        folder,
        `${id}.json`,
        JSON.stringify({ anthropic: { models: { [id]: { cost: prices } } } }),
      );
    const known = await validateJson([pi, '--catalog', catalogOf('claude-kettle-1')]);
    expect(known.report.overall.costError).not.toBeNull();
    const unknown = await validateJson([pi, '--catalog', catalogOf('other')]);
    expect(unknown.report.overall.costError).toBeNull();
  });

  it.each([noSession, join(folder, 'lost')])(
    'fails beside what is no session: %s',
    async (file) => {
      expect(await validate([pi, file])).toMatchObject({ code: EXIT.failed, stderr: '' });
    },
  );
});
