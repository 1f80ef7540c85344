import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../src/cli/process/io.ts';
import { callMain } from '../../support/command.ts';
import { withOpenMakers } from '../../support/makers.ts';
import { createFolder, writeFile } from '../../support/session-files.ts';

const VECTORS = join(import.meta.dirname, '../../fixtures/conformance/opencode-vectors.json');
const right = {
  id: 'right',
  kind: 'tokenEstimate',
  version: 'v1',
  input: { text: 'a' },
  expected: 0,
};
const wrong = { ...right, id: 'wrong', expected: 1 };
const foreign = { id: 'foreign', kind: 'other' };

const conformance = (...argv: readonly string[]) => callMain(['check', 'conformance', ...argv]);

function file(content: unknown, name = 'vectors.json'): string {
  return writeFile(createFolder(), name, JSON.stringify(content));
}

describe('conformance', () => {
  it('finds the engine right in all that the shipped vectors say', async () => {
    const { code, stdout, stderr } = await conformance(VECTORS);
    expect({ code, stderr }).toEqual({ code: EXIT.done, stderr: '' });
    expect(stdout).toMatch(/^isOverflow +v1\.14\.19 +23 +0 +0$/m);
    expect(stdout).toMatch(/^Total +573 +0 +0$/m);
  });

  it('prints counts, failures and what does not apply', async () => {
    const { code, stdout } = await conformance(file([right, wrong, foreign, foreign]));
    expect(code).toBe(EXIT.failed);
    expect(withOpenMakers(stdout)).toMatchInlineSnapshot(`
      "Kind           Profile  Passed  Failed  Not applicable
      tokenEstimate  v1            1       1               0
      other          any           0       0               2
      Total                        1       1               2

      Failed:
      - wrong (tokenEstimate, v1): expected 1, got 0

      Not applicable:
      - 2 × other: Unknown kind 'other'. Expected one of: isOverflow, tokenEstimate, prune, filterCompacted, selectTail, preserveBudget, contextOverflowErrorDetection, getUsage, flagParse, v2Required, v2SelectTail. First: foreign.

      Made by: compaction-bench RELEASE.
      "
    `);
  });

  it('gives the same as JSON', async () => {
    const { code, stdout } = await conformance(file([right, wrong, foreign]), '--format', 'json');
    expect(code).toBe(EXIT.failed);
    const one = { kind: 'tokenEstimate', profile: 'v1', got: 0 };
    expect(JSON.parse(stdout)).toEqual({
      origin: { version: expect.stringMatching(/^\d/), settings: {} },
      passed: 1,
      failed: 1,
      skipped: 1,
      unread: [],
      results: [
        { ...one, id: 'right', state: 'passed', expected: 0 },
        { ...one, id: 'wrong', state: 'failed', expected: 1 },
        {
          id: 'foreign',
          kind: 'other',
          profile: 'any',
          state: 'skipped',
          expected: null,
          got: null,
          reason: expect.stringContaining("Unknown kind 'other'"),
        },
      ],
    });
  });

  it('is done where nothing failed, also if something does not apply', async () => {
    expect((await conformance(file([right, foreign]))).code).toBe(EXIT.done);
  });

  it('is inconclusive where nothing applies', async () => {
    const { code, stdout } = await conformance(file([foreign]));
    expect(code).toBe(EXIT.inconclusive);
    expect(stdout).toMatch(/^Total +0 +0 +1$/m);
  });

  it('runs what it can where one file of several cannot be read', async () => {
    const { code, stdout } = await conformance(file([right]), '/no/such/file.json');
    expect(code).toBe(EXIT.failed);
    expect(stdout).toMatch(/^Total +1 +0 +0$/m);
    expect(stdout).toMatch(/^Unread:\n- Expected '\/no\/such\/file\.json' to be a readable file/m);
  });

  it('spells out what a terminal might obey', async () => {
    const { stdout } = await conformance(file([{ ...wrong, id: '\u001b[2J', version: '\u0007' }]));
    expect(stdout).toContain(String.raw`- \u001b[2J (tokenEstimate, \u0007): expected 1`);
  });

  it.each<[string, unknown, RegExp]>([
    [
      'an object',
      { id: 'a' },
      /to be a JSON array of objects with "id" and "kind", got a JSON obj/,
    ],
    ['an empty list', [], /got an empty JSON array/],
    ['a list of numbers', [1], /to hold vectors, got at '0'.*expected object, received number/],
    ['an entry without an id', [right, { kind: 'a' }], /at '1\.id': .*expected string/],
  ])('refuses %s', async (_, content, message) => {
    const { code, stdout, stderr } = await conformance(file(content));
    expect({ code, stdout }).toEqual({ code: EXIT.wrongUse, stdout: '' });
    expect(stderr).toMatch(message);
  });

  it.each<[string, readonly string[], RegExp]>([
    ['no file', [], /missing required argument 'files'/],
    [
      'a file that is not there',
      ['/no/such/file.json'],
      /to be a readable file, got nothing at that path\.$/m,
    ],
    ['a folder', [import.meta.dirname], /to be a readable file, got a folder\.$/m],
    [
      'another format',
      [VECTORS, '--format', 'csv'],
      /Unknown conformance format 'csv'.*table, json/,
    ],
  ])('refuses %s', async (_, argv, message) => {
    const { code, stdout, stderr } = await conformance(...argv);
    expect({ code, stdout }).toEqual({ code: EXIT.wrongUse, stdout: '' });
    expect(stderr).toMatch(message);
  });

  it('refuses text that is no JSON', async () => {
    const { code, stderr } = await conformance(writeFile(createFolder(), 'a.json', 'hello'));
    expect(code).toBe(EXIT.wrongUse);
    expect(stderr).toMatch(/got text that is not JSON\.$/m);
  });
});
