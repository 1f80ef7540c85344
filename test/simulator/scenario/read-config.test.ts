import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findConfig } from '../../../src/simulator/scenario/read-config.ts';
import { createFolder, writeFile } from '../../support/session-files.ts';

describe('a configuration', () => {
  it.each<[text: string, message: RegExp]>([
    ['baseline: [a]', /: at 1:11: Expected baseline to be a folder, got a list\.$/m],
    ['cases: [a]', /: at 1:8: Expected cases to be a map, got a list\.$/m],
    ['cases: { "*": 5 }', /Expected cases\.\* to be a list of gates, got 5\.$/m],
    ['- a', /: at 1:1: Expected the file to be a map of settings, got a list\.$/m],
    ['a: [1', /: at 1:6: Expected YAML: Flow sequence in block collection must be .*\.$/m],
    ['<<: 5', /: at 1:1: Expected '<<' to be a map, an alias of one before it, or a list of/],
    ['events: some', /Expected events to be .*exact, ignored\), got 'some'\.$/m],
    ['scenarios: []', /Expected scenarios to be a list of one file.*, got an empty list\.$/m],
    [
      'gates: [{ type: ratio, metric: steps, limit: 0 }]',
      /Expected gates\[0\]\.limit to be a number above 0, got 0\.$/m,
    ],
  ])('%s is told with its place, what was expected and what came', async (text, message) => {
    const file = writeFile(createFolder(), 'wrong.yaml', text);
    await expect(findConfig('.', file)).rejects.toThrow(message);
  });

  it('may merge maps with <<', async () => {
    const gate = '{ type: max, metric: steps, limit: 9 }';
    const text = `cases: { a: [&g ${gate}], b: [{ <<: *g, limit: 5 }] }`;
    const found = await findConfig('.', writeFile(createFolder(), 'bench.yaml', text));
    expect(found?.config.cases?.['b']).toEqual([{ type: 'max', metric: 'steps', limit: 5 }]);
  });

  it('that is there but cannot be read is not passed over', async () => {
    const folder = createFolder();
    symlinkSync('absent.yaml', join(folder, 'compaction-bench.config.yaml'));
    await expect(findConfig(folder)).rejects.toThrow(/configuration, got nothing at that path\.$/);
  });

  it('is one alone in a folder: gates of another would not be asked', async () => {
    const folder = createFolder();
    writeFile(folder, 'compaction-bench.config.json', '{}');
    const yaml = writeFile(folder, 'compaction-bench.config.yaml', 'baseline: base');
    await expect(findConfig(folder)).rejects.toThrow(
      /^Expected one configuration, got '.*config\.json' and '.*config\.yaml'; '--config' names one\.$/,
    );
    expect((await findConfig(folder, yaml))?.config).toEqual({ baseline: 'base' });
  });

  it.each([
    ['5n', '5n'],
    ['() => 5', 'a function'],
    ["Symbol('a')", 'a symbol'],
    ['true', 'true'],
    ['Infinity', 'Infinity'],
    ['null', 'nothing'],
  ])('of a program may have no %s', async (value, got) => {
    const file = writeFile(createFolder(), 'wrong.mjs', `export default { events: ${value} };\n`);
    await expect(findConfig('.', file)).rejects.toThrow(
      new RegExp(`Expected events to be .*, got ${got}\\.$`),
    );
  });

  it('has no place in a program', async () => {
    const file = writeFile(createFolder(), 'wrong.mjs', 'export default { gate: [] };\n');
    await expect(findConfig('.', file)).rejects.toThrow(/configuration: Unknown key 'gate' in/);
  });
});
