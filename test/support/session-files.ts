import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A folder of its own; it goes when all tests are done. */
export function createFolder(): string {
  return mkdtempSync(join(tmpdir(), 'compaction-bench-'));
}

/** Writes a file below a folder and gives its path. */
export function writeFile(folder: string, name: string, text: string): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

/** The text of a session among the fixtures. */
export function fixture(name: string): string {
  return readFileSync(join(import.meta.dirname, '../fixtures/sessions', name), 'utf8');
}

/** The text of a small recording of another agent. */
export function recording(name: string): string {
  return readFileSync(join(import.meta.dirname, '../fixtures/recordings', name), 'utf8');
}

/** A chat of this many turns, each with one answer of this many words. */
export function chatOf(turns: number, words = 200): string {
  const messages = Array.from({ length: turns }, (_, index) => [
    { role: 'user', content: `Question ${index}` },
    { role: 'assistant', content: `Answer ${index} ${'word '.repeat(words)}` },
  ]);
  return JSON.stringify(messages.flat());
}

/** A shipped session as if a provider had reported its usage, which was computed. */
export function reportedSession(name = 'csv-format.json'): string {
  const shipped = join(import.meta.dirname, '../../scenarios/recorded', name);
  const text = readFileSync(shipped, 'utf8');
  return text.replaceAll(/("providerID": *)"compaction-bench"/g, '$1"anthropic"');
}
