import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FormatName } from '../../../src/simulator/session/formats.ts';
import { readSessions } from '../../../src/simulator/session/load.ts';
import { toolsOf, usagesOf } from './tools-of.ts';

const FOLDER = resolve(import.meta.dirname, '../../../../shared/inputs');
const note = existsSync(FOLDER) ? '' : ' (skipped: ../shared/inputs is not there)';

/** Counts of calls, outputs and steps with a usage. */
interface Counts {
  readonly calls: number;
  readonly outputs: number;
  readonly usages: number;
}

const ONE = { calls: 1, outputs: 1 };

describe.skipIf(note !== '')(`a small input${note}`, () => {
  it.each<[string, FormatName, Counts]>([
    [
      'cline-native-text-results.api_conversation_history.json',
      'cline',
      { calls: 5, outputs: 4, usages: 3 },
    ],
    ['cursor-cli.stream.jsonl', 'cursor-cli', { ...ONE, usages: 0 }],
    ['copilot-cli.events.jsonl', 'copilot-cli', { ...ONE, usages: 2 }],
    ['anthropic-request.json', 'anthropic-messages', { ...ONE, usages: 0 }],
    ['codex-exec.jsonl', 'codex-exec', { ...ONE, usages: 2 }],
    ['kimi-context.jsonl', 'kimi-cli', { ...ONE, usages: 2 }],
    ['gemini-contents.json', 'gemini-contents', { ...ONE, usages: 0 }],
    ['pi-without-header.jsonl', 'pi', { calls: 3, outputs: 3, usages: 4 }],
    ['otel-ai-sdk.json', 'otel-spans', { ...ONE, usages: 2 }],
    ['specstory-claude.md', 'specstory', { ...ONE, usages: 0 }],
  ])('%s is one session with the right counts', (file, format, counts) => {
    const sessions = readSessions(file, readFileSync(join(FOLDER, file), 'utf8'));
    expect(sessions.map((session) => session.format)).toEqual([format]);
    const [session] = sessions;
    const tools = toolsOf(session!);
    expect({
      calls: tools.length,
      outputs: tools.filter(({ state }) => state.status === 'completed').length,
      usages: usagesOf(session!).filter((usage) => usage !== undefined).length,
    }).toEqual(counts);
  });
});
