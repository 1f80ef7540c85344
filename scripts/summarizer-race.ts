import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { loadSessions } from '../src/simulator/session/load.ts';
import { FACT_KINDS } from '../src/simulator/session/facts.ts';
import {
  type Course,
  generateCourse,
  race,
  shareHeld,
  type Result,
} from './reproductions/summarizer-race.ts';

const RUNNERS = ['extractive', 'lead', 'tail', 'random', 'textrank'];
const SESSIONS = resolve(import.meta.dirname, '../../shared/sessions');
const RECORDED = [
  'claude-code/entire-3799-glued-line-v2.1.jsonl',
  'claude-code/entire-1755-orphan-tool-result.jsonl',
  'codex/rollout-2026-05-11T11-26-55-019e1625-789d-76c0-80ab-3724b5ddb799.jsonl',
  'pi/before-compaction.jsonl',
  'claude-code/kimi-cli-7719-no-compaction.jsonl',
  'claude-code/codemie-incremental-subagents/turn-2.jsonl',
];
const planting = { factsPerKilotoken: 0.6 };
const GENERATED = (['claude-code', 'opencode'] as const).flatMap((workload) =>
  (['english', 'chinese', 'japanese'] as const).map((language, index) =>
    generateCourse({ workload, language, index: index + 1, planting }),
  ),
);
const CAPS = process.argv.slice(2).map(Number);

function recordedCourses(): readonly Course[] {
  const files = RECORDED.map((name) => join(SESSIONS, name)).filter((path) => existsSync(path));
  return files.flatMap((path) => {
    const [first] = [...loadSessions([path])];
    return first?.state === 'read' ? [{ name: path, messages: first.session.messages }] : [];
  });
}

function print(title: string, courses: readonly Course[], cap: number | undefined): void {
  const results: Result[] = RUNNERS.map((name) => {
    const start = performance.now();
    const result = race(name, courses, cap);
    process.stderr.write(`${name} ${Math.round(performance.now() - start)} ms\n`);
    return result;
  });
  for (const pivot of [0, 1] as const) {
    process.stdout.write(`\n${title}, ${cap ?? 'usual'} tokens, pivot ${pivot + 1}\n`);
    process.stdout.write(`${['', ...RUNNERS].map((name) => name.padEnd(11)).join('')}\n`);
    for (const kind of ['all', 'must', ...FACT_KINDS] as const) {
      const shares = results.map(({ pivots }) => shareHeld(pivots[pivot][kind]));
      if (shares[0] === null) continue;
      const [own = 0, ...others] = shares.map((share) => share ?? 0);
      const isAhead = others.every((other) => other < own);
      const cells = [own, ...others].map((share) => `${(share * 100).toFixed(1)} %`.padEnd(11));
      process.stdout.write(`${kind.padEnd(11)}${cells.join('')}${isAhead ? '' : 'behind'}\n`);
    }
  }
  process.stdout.write(
    `tokens     ${results.map(({ mostTokens }) => String(mostTokens).padEnd(11)).join('')}\n`,
  );
}

for (const cap of CAPS.length === 0 ? [undefined] : CAPS) {
  print('generated', GENERATED, cap);
  print('recorded', recordedCourses(), cap);
}
