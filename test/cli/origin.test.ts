import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readVersion } from '../../src/cli/package.ts';
import { callMain } from '../support/command.ts';
import { createFolder, fixture, writeFile } from '../support/session-files.ts';

const folder = createFolder();
const session = writeFile(folder, 'pi.jsonl', fixture('pi.jsonl'));
const limits = writeFile(folder, 'limits.json', '[{"context": 1, "input": null, "output": 1}]');
const scenario = resolve(import.meta.dirname, '../../scenarios/auto-off-ignored.yaml');
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
});
