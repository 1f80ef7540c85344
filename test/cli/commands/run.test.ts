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
import { callMain } from '../../support/command.ts';
import { chatOf, createFolder, writeFile } from '../../support/session-files.ts';

const folder = createFolder();
const chat = writeFile(folder, 'chat.json', chatOf(3));
const run = (argv: readonly string[], options?: CapturedIoOptions) =>
  callMain(['run', ...argv], options);

async function runJson(argv: readonly string[], options?: CapturedIoOptions) {
  const { stdout, ...rest } = await run([...argv, '--format', 'json'], options);
  return { ...rest, report: JSON.parse(stdout) };
}

const shipped = join(import.meta.dirname, '../../../scenarios/recorded');
const hasShipped =
  existsSync(shipped) && readdirSync(shipped).some((name) => /\.jsonl?$/.test(name));

describe('run', () => {
  it('gives every metric of a run', async () => {
    const { report } = await runJson([chat]);
    expect(Object.keys(report.runs[0].metrics)).toEqual(Object.keys(metrics));
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

  it('names prompts by their hashes', async () => {
    const { report } = await runJson([chat]);
    const prompts: [string, string][] = Object.entries(report.provenance.prompts);
    expect(prompts.length).toBeGreaterThan(2);
    expect(prompts.every(([, hash]) => /^[\da-f]{12}$/.test(hash))).toBe(true);
  });

  it.runIf(hasShipped)('runs the shipped sessions when no input is named', async () => {
    const { code, report } = await runJson(['--policy', 'none']);
    expect(code).toBe(EXIT.done);
    for (const { session } of report.runs) expect(session).toMatch(/^scenarios\/recorded\/[^/]+$/);
  });
});

describe('run on a terminal', () => {
  it('shows colours, and a bar that it takes away', async () => {
    const { stdout, stderr } = await run([chat, '--policy', 'none'], { isTTY: true });
    expect(stdout).toContain('\u001b[');
    expect(stderr).toContain('0/1');
    expect(stderr).toContain('\u001b[?25h');
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
