import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { growingTranscript } from './growing-sessions.ts';
import { createFolder, writeFile } from './session-files.ts';

const FIXTURES = resolve(import.meta.dirname, '../fixtures/sessions');
const NAMES = ['api', 'app', 'docs', 'shop'];

/** A home with what pages name in one: sessions of Claude Code, and OpenCode's snapshots. */
export function makeHome(): string {
  const home = createFolder();
  for (const name of NAMES)
    writeFile(join(home, '.claude/projects/-work-app'), `${name}.jsonl`, growing(name));
  const snapshots = join(home, '.local/share/opencode/snapshot/PROJECT');
  mkdirSync(snapshots, { recursive: true });
  execFileSync('git', ['init', '--quiet', '--bare', snapshots]);
  return home;
}

/** Puts into a folder the files of one's own that pages name; texts of pages are by the names of their files. */
export function writeOwnFiles(folder: string, texts: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(texts)) writeFile(folder, name, text);
  writeFile(
    folder,
    'before.md',
    'The upload limit is 52428800 bytes. The log format is plain text.',
  );
  writeFile(folder, 'after.md', 'The log format is ndjson.');
  cpSync(join(FIXTURES, 'opencode-export.json'), join(folder, 'session.json'));
  writeFile(join(folder, 'sessions'), 'app.jsonl', growing('app'));
}

/** A session of Claude Code, until its window is nearly full. */
function growing(name: string): string {
  return growingTranscript({
    name,
    // Each has times of its own, or it would count as a copy of another.
    startMs: Date.UTC(2026, 0, 5 + NAMES.indexOf(name), 9),
    steps: 30,
    growthTokens: 6_000,
    model: 'claude-sonnet-4-5',
    version: '2.1.300',
  });
}
