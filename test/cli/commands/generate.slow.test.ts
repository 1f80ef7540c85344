import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { main } from '../../../src/cli/main.ts';
import { EXIT } from '../../../src/cli/process/io.ts';
import { readSessions } from '../../../src/simulator/session/load.ts';
import { type CapturedIoOptions, captureIo } from '../../support/captured-io.ts';
import { callMain } from '../../support/command.ts';
import { createFolder, writeFile } from '../../support/session-files.ts';

const folder = createFolder();
let made = 0;
const newPath = (name: string) => join(folder, `${(made += 1)}`, name);
const generate = (argv: readonly string[], options?: CapturedIoOptions) =>
  callMain(['sessions', 'generate', ...argv], options);
const parts = [{ type: 'text', text: 'Something else.' }];
const OTHER_PROMPT = { type: 'message', role: 'user', id: 'other', createdAt: 1, parts };

/** Of each session the beginning under another id, and then something else. */
function forksOf(sessions: string): string {
  const forks = sessions.split(/^(?=\{"compaction-bench")/mu).map((session) => {
    const [header = '', ...messages] = session.trim().split('\n');
    const id = header.replace('"sessionId":"', '"sessionId":"fork-');
    return [id, ...messages.slice(0, -3), JSON.stringify(OTHER_PROMPT), ''].join('\n');
  });
  return forks.join('');
}

describe('generate', () => {
  it('writes sessions one after another to standard output, and nothing else', async () => {
    const { code, stdout, stderr } = await generate(['codex', '--sessions', '3', '--seed', '4']);
    expect([code, stderr]).toEqual([EXIT.done, '']);
    expect(readSessions('x', stdout).map(({ sessionId }) => sessionId)).toEqual([
      'codex-4-1',
      'codex-4-2',
      'codex-4-3',
    ]);
  });

  it('notes that a format is that of a report, where none is written', async () => {
    const argv = ['codex', '--sessions', '1', '--format', 'json'];
    const note =
      "Note: '--format' is of the report, which is written with '--out' or '--report' only.\n";
    expect(await generate(argv)).toMatchObject({ code: EXIT.done, stderr: note });
    const reported = await generate([...argv, '--report', newPath('near.json')]);
    expect(reported.stderr).not.toContain('Note:');
    const kept = await generate([...argv, '--out', newPath('sessions')]);
    expect(kept.stderr).not.toContain('Note:');
  });

  it('writes the same bytes for the same seed, and the first sessions of many where few are asked for', async () => {
    const few = await generate(['codex', '--sessions', '2']);
    const many = await generate(['codex', '--sessions', '3', '--seed', '1']);
    expect(many.stdout.startsWith(few.stdout)).toBe(true);
    expect((await generate(['codex', '--sessions', '2', '--seed', '2'])).stdout).not.toBe(
      few.stdout,
    );
  });

  it('writes a file each, and tells how near they come', async () => {
    const out = newPath('sessions');
    const { code, stdout, stderr } = await generate(['codex', '--sessions', '2', '--out', out]);
    expect([code, stderr]).toEqual([EXIT.done, `Sessions: ${out}\n`]);
    expect(readdirSync(out).toSorted()).toEqual(['codex-1-1.jsonl', 'codex-1-2.jsonl']);
    expect(stdout).toMatch(
      /^Figure +n +Distance +Chance +p50 +workload p50 +p90 +workload p90\ntoolOutputTokens/,
    );
    expect(stdout).toMatch(/\n2 sessions, seed 1, drawn from the workload codex \(Codex: /);
    expect(stdout).toMatch(/\nFarther than chance \(one in twenty\), of \d+ figures: /);
  });

  it('writes the report to a file beside sessions on standard output', async () => {
    const report = newPath('near.json');
    const argv = ['codex', '--sessions', '2', '--report', report];
    const { code, stdout } = await generate(argv);
    expect([code, readSessions('x', stdout).length]).toEqual([EXIT.done, 2]);
    const { workload, sessions, seed, figures, hits } = JSON.parse(readFileSync(report, 'utf8'));
    expect([workload.name, sessions, seed]).toEqual(['codex', 2, 1]);
    expect(hits[0]).toMatchObject({
      thresholdTokens: null,
      generated: { perSession: { interval: null } },
      workload: { perSession: { value: 0.1 } },
      isWithinNoise: null,
    });
    expect(
      figures.find(({ figure }: { figure: string }) => figure === 'callsPerTurn'),
    ).toMatchObject({ workloadN: 86, p50: { workload: 1 } });
  });

  it('fits files, whatever they are named after', async () => {
    const { stdout } = await generate(['pi', '--sessions', '1']);
    const file = writeFile(folder, 'own.jsonl', stdout);
    const report = newPath('near.json');
    const argv = ['--sessions', '2', '--report', report, '--fit', file];
    const fitted = await generate(argv);
    expect(fitted.code).toBe(EXIT.done);
    expect(readSessions('x', fitted.stdout)[0]).toMatchObject({ sessionId: 'fitted-1-1' });
    expect(JSON.parse(readFileSync(report, 'utf8')).workload.source).toMatch(
      /^sizes and times of 1 sessions.* as pi$/,
    );
  });

  it('fits what can be read, and fails where something cannot', async () => {
    const { stdout } = await generate(['codex', '--sessions', '2']);
    const read = writeFile(folder, 'some.jsonl', stdout);
    const unread = writeFile(folder, 'unread.json', '');
    const fitted = await generate(['--sessions', '1', '--fit', read, unread]);
    expect(fitted.code).toBe(EXIT.failed);
    expect(fitted.stderr).toContain('unread.json');
    expect(readSessions('x', fitted.stdout)).toHaveLength(1);
  });

  it('tells how often fitted sessions hit thresholds, with intervals', async () => {
    const { stdout } = await generate(['opencode', '--sessions', '12']);
    const file = writeFile(folder, 'twelve.jsonl', stdout);
    const report = newPath('near.txt');
    await generate(['--sessions', '12', '--report', report, '--fit', file]);
    const text = readFileSync(report, 'utf8');
    expect(text).toMatch(/\nThreshold hits +per session +workload per session +per 1,000 steps\n/);
    const rate = String.raw`\d+\.\d\d \(\d+\.\d\d … \d+\.\d\d\)`;
    expect(text).toMatch(new RegExp(String.raw`\nat 60,000 tokens(?: +${rate}){3}\n`));
    expect(text).toMatch(/\nas the agent compacts +0\.00 \(0\.00 … 0\.25\) /);
    expect(text).toContain('Farther than noise, of 5: none.\n');
  });

  it('judges every single figure that a source gives, where there are enough sessions', async () => {
    const report = newPath('near.txt');
    await generate(['tracelab', '--sessions', '10', '--report', report]);
    const text = readFileSync(report, 'utf8');
    expect(text).toMatch(/\nPublished figure +published +generated +interval +verdict\n/);
    expect(text).toMatch(
      /\ncacheRead % +95\.7 ± 2 +\d+\.\d +\d+\.\d … \d+\.\d +(?:within|outside)\n/,
    );
    expect(text).toMatch(
      /\nprefixTokens p50 +119,000 +[\d,]+ +[\d,]+ … [\d,]+ +(?:within|outside)\n/,
    );
    expect(text).toMatch(/ Outside, of 47: /);
    await generate(['codex', '--sessions', '1', '--report', report]);
    expect(readFileSync(report, 'utf8')).not.toContain('Published');
  });

  it('takes sessions with their forks for no more evidence than those sessions', async () => {
    const { stdout } = await generate(['codex', '--sessions', '6']);
    const report = newPath('near.json');
    const fit = ['--fit', writeFile(folder, 'forked.jsonl', stdout + forksOf(stdout))];
    await generate(['--sessions', '12', '--report', report, ...fit]);
    const { hits, workload } = JSON.parse(readFileSync(report, 'utf8'));
    expect(workload.source).toContain('of 12 sessions');
    expect(hits[0].generated.perSession.interval).not.toBeNull();
    expect(hits[0].workload.perSession.interval).toBeNull();
  });

  it('stops also while nobody reads', async () => {
    const controller = new AbortController();
    const io = captureIo({ signal: controller.signal });
    const stuck = new Writable({ highWaterMark: 1, write: () => controller.abort() });
    expect(await main(['sessions', 'generate', 'pi'], { ...io, stdout: stuck })).toBe(
      EXIT.interrupted,
    );
  });

  it('goes on when somebody reads again', async () => {
    const io = captureIo();
    let text = '';
    const slow = new Writable({
      highWaterMark: 1,
      write: (chunk, _encoding, done) => {
        text += String(chunk);
        setImmediate(done);
      },
    });
    expect(
      await main(['sessions', 'generate', 'codex', '--sessions', '2'], { ...io, stdout: slow }),
    ).toBe(EXIT.done);
    expect(readSessions('x', text).length).toBe(2);
  });
});
