import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { main } from '../../src/cli/main.ts';
import type { RunRecord } from '../../src/simulator/metrics/record.ts';
import { netUsdOf } from '../../src/simulator/report/arms.ts';
import { chartFile } from '../../src/simulator/report/html/render-html.ts';
import { timelineOf } from '../../src/simulator/report/html/timelines.ts';
import { countOf, formatUsd } from '../../src/simulator/report/numbers.ts';
import { readSaved } from '../../src/simulator/report/saved/documents.ts';

/** The folder and the session that the README generates. */
const FOLDER = 'generated';
const SESSION = `${FOLDER}/claude-code-1-4.jsonl`;
const GENERATE = ['sessions', 'generate', 'claude-code', '--sessions', '12', '--out'];
const MODEL = 'anthropic/claude-opus-4-5';
const POLICIES = 'none,opencode-1.18,opencode-1.18 triggerFraction=0.7';

/** The picture of the README: one generated session under three policies. */
export async function drawSession(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'compaction-bench-picture-'));
  try {
    const events = join(folder, 'events.jsonl');
    await run([...GENERATE, join(folder, FOLDER)]);
    const options = ['--policy', POLICIES, '--model', MODEL, '--events', events];
    await run(['run', join(folder, SESSION), ...options]);
    return drawSaved(events);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function run(argv: readonly string[]): Promise<void> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const code = await main(['--no-cache', ...argv], {
    stdin: process.stdin,
    stdout: nowhere,
    stderr: nowhere,
    env: {},
    signal: new AbortController().signal,
    now: () => 0,
  });
  if (code !== 0) throw new Error(`Expected exit code 0 of '${argv.join(' ')}', got ${code}.`);
}

function drawSaved(file: string): string {
  const saved = readSaved(file, readFileSync(file, 'utf8'));
  if (saved.kind !== 'runs') throw new Error(`Expected runs, got ${saved.kind}.`);
  const drawn = saved.report.runs.map((one) => ({
    name: `${one.policy}: ${describe(one)}`,
    isHollow: one.impossible !== undefined,
    events: saved.events.get(one) ?? [],
  }));
  const plot = timelineOf('The context of one session under three policies, step by step', drawn);
  if (plot === undefined) throw new Error('Expected runs with steps, got none.');
  return chartFile(plot);
}

function describe(one: RunRecord): string {
  const { impossible, metrics } = one;
  if (impossible !== undefined) return `from ${/^step \d+/.exec(impossible)?.[0]}`;
  const lost = (metrics.misses ?? 0) + (metrics.unrecoverableMisses ?? 0);
  const about = metrics.expectedMisses ? '≈ ' : '';
  return `${formatUsd(netUsdOf(one))}, ${about}${countOf(lost, 'thing')} lost`;
}
