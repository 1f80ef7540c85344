import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createFolder, writeFile } from './session-files.ts';

const FIXTURES = resolve(import.meta.dirname, '../fixtures/sessions');
const STEPS = 30;
const GROWTH_TOKENS = 6_000;
const MINUTE_MS = 60_000;
const NAMES = ['api', 'app', 'docs', 'shop'];

/** A home with what pages name in one: sessions of Claude Code, and OpenCode's snapshots. */
export function makeHome(): string {
  const home = createFolder();
  for (const name of NAMES) {
    writeFile(join(home, '.claude/projects/-work-app'), `${name}.jsonl`, growing(name));
  }
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

/** A session of Claude Code that reads one file after another, until its window is nearly full. */
function growing(name: string): string {
  // Each has times of its own, or it would count as a copy of another.
  const startMs = Date.UTC(2026, 0, 5 + NAMES.indexOf(name), 9);
  const place = { cwd: '/work/app', sessionId: `session-${name}`, version: '2.1.300' };
  const line = (minute: number, type: string, message: object) =>
    JSON.stringify({
      ...place,
      type,
      uuid: `${name}-${minute}`,
      parentUuid: minute === 0 ? null : `${name}-${minute - 1}`,
      timestamp: new Date(startMs + minute * MINUTE_MS).toISOString(),
      message,
    });
  const steps = Array.from({ length: STEPS }, (_, step) => {
    const id = `${name}-call-${step}`;
    const output = `${name} ${step} ${'line of code '.repeat(40)}`;
    const usage = {
      input_tokens: 0,
      cache_read_input_tokens: step * GROWTH_TOKENS,
      cache_creation_input_tokens: GROWTH_TOKENS,
      output_tokens: 50,
    };
    const input = { file_path: `/work/app/${name}-${step % 7}.ts` };
    return [
      line(2 * step + 1, 'assistant', {
        id: `${name}-message-${step}`,
        role: 'assistant',
        model: 'claude-sonnet-4-5',
        content: [{ type: 'tool_use', id, name: 'Read', input }],
        stop_reason: 'tool_use',
        usage,
      }),
      line(2 * step + 2, 'user', {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: id, content: output }],
      }),
    ];
  });
  const first = line(0, 'user', { role: 'user', content: `Mend the ${name}.` });
  return [first, ...steps.flat(), ''].join('\n');
}
