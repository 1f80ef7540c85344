import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readVersion } from '../../src/cli/package.ts';
import { callMain, words } from '../support/command.ts';
import { createFolder, fixture, writeFile } from '../support/session-files.ts';

const folder = createFolder();
const session = writeFile(folder, 'pi.jsonl', fixture('pi.jsonl'));
const limits = writeFile(folder, 'limits.json', '[{"context": 1, "input": null, "output": 1}]');
const scenario = resolve(import.meta.dirname, '../../scenarios/auto-off-ignored.yaml');
const MODEL = 'anthropic/claude-kettle-1';
const POLICY = ['--policy', 'opencode-1.2.16'];
const TWO = [...POLICY, '--policy', 'document-001'];
const SEARCH = ['--objective', 'inputTokens', '--vary', 'reserved=1000,25000', '--jobs', '1'];
const SEARCHES: readonly [string, readonly string[]][] = [
  ['sweep', [session, ...TWO, '--details']],
  ['tune', [session, ...POLICY, ...SEARCH, '--details']],
];

describe('as JSON', () => {
  it.each<[string, readonly string[]]>([
    ['check', [scenario]],
    ['compare', ['opencode-1.2.16', 'document-001', session]],
    ['doctor', POLICY],
    ['doctor', ['--limits', limits]],
    ['explain', [session, ...POLICY]],
    ['sessions generate', ['pi', '--sessions', '1', '--out', join(folder, 'generated')]],
    ['sessions import', [session, '--out', join(folder, 'imported')]],
    ['list', ['laws']],
    ['run', [session, ...POLICY]],
    ['sessions stats', [session]],
    ['summarizers', [session, '--summarizers', 'extractive,tail']],
    ...SEARCHES,
    ['sessions validate', [session]],
    ['whatif', [session, ...POLICY, '--window', '64k']],
  ])('%s tells which release it was made by', async (command, argv) => {
    const { stdout } = await callMain([...command.split(' '), ...argv, '--format', 'json']);
    const { origin, provenance, origins } = JSON.parse(stdout);
    const made = origin ?? provenance?.origin ?? origins?.a ?? provenance;
    expect(made?.version).toBe(readVersion());
  });

  it.each<[string, readonly string[]]>([
    ['compare', ['opencode-1.2.16', 'document-001', session, '--details']],
    ['explain', [session, ...POLICY, '--details']],
    ...SEARCHES,
    ['whatif', [session, ...POLICY, '--window', '64k', '--details']],
  ])('%s tells what the sessions were recorded with', async (command, argv) => {
    const { stdout } = await callMain([command, ...argv, '--format', 'json']);
    const { origin, provenance, origins } = JSON.parse(stdout);
    const { recorded } = origin ?? origins?.a ?? provenance;
    expect(recorded).toEqual({ sessions: 1, models: { [MODEL]: 1 }, isOwn: true });
    const { stdout: text } = await callMain([command, ...argv, '--model', 'openai/gpt-5.1']);
    expect(text.replaceAll(/\s+/g, ' ')).toContain(`The session was recorded with ${MODEL}`);
  });

  it('sessions generate names the catalog where its workload was published with costs', async () => {
    const argv = words(`sessions generate tracelab --sessions 1 --out ${join(folder, 'priced')}`);
    const { stdout } = await callMain([...argv, '--format', 'json']);
    expect(JSON.parse(stdout).origin.catalog.source).toBe('shipped');
  });
});
