import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { transcriptLines } from './transcripts.ts';

/** How many sessions a home has, and about how large each is. */
interface HomeSize {
  readonly sessions: number;
  readonly bytes: number;
}

const SHARED = resolve(import.meta.dirname, '../../../shared');
const MAKE_HOME = join(SHARED, 'tools/big-home.mjs');
/** As many copies with words and ids of their own make about 150 MB. */
const COPIES = '12';
/** Where Claude Code keeps its sessions. */
export const PROJECTS = '.claude/projects';
const PROJECT = join(PROJECTS, '-work-app');
const GROWTH_TOKENS = 1_500;
/** Where a generated session begins anew. */
const LARGEST_TOKENS = 170_000;

/** Fills a home with the recorded sessions of Claude Code where they are shared, else with generated ones; returns of which kind they are. */
export function makeHome(home: string, size: HomeSize): string {
  if (existsSync(MAKE_HOME)) {
    execFileSync(process.execPath, [MAKE_HOME, join(SHARED, 'sessions'), home, COPIES]);
    return 'recorded';
  }
  makeGeneratedHome(home, size);
  return 'generated';
}

/** Fills a home with generated sessions of Claude Code. */
export function makeGeneratedHome(home: string, { sessions, bytes }: HomeSize): void {
  mkdirSync(join(home, PROJECT), { recursive: true });
  for (let index = 0; index < sessions; index++)
    writeFileSync(join(home, PROJECT, `${index}.jsonl`), generatedSession(index, bytes));
}

/** A session of a model that has a price, whose contexts grow; each index has times of its own. */
export function generatedSession(index: number, bytes: number): string {
  let tokens = 0;
  let atMs = Date.UTC(2026, 0, 2) + index;
  const lines = Array.from(transcriptLines({ index, bytes }), (line) => {
    tokens = (tokens + GROWTH_TOKENS) % LARGEST_TOKENS;
    atMs += 1_000;
    return line
      .replace('claude-kettle-1', 'claude-sonnet-4-5')
      .replace(/("cache_read_input_tokens":)\d+/, `$1${tokens}`)
      .replace(/("timestamp":)"[^"]+"/, `$1"${new Date(atMs).toISOString()}"`);
  });
  return lines.join('');
}
