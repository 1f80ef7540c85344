import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { UNKNOWN_METRICS } from '../../../../src/simulator/metrics/metrics.ts';
import {
  checkBaselineFolder,
  createHeader,
  readBaseline,
  type ScenarioRecord,
  writeBaseline,
} from '../../../../src/simulator/sweep/gate/baseline.ts';
import { createFolder, writeFile } from '../../../support/session-files.ts';

const header = createHeader({ version: '1.0.0', catalog: 'abc', reason: 'first' });
const made = {
  policy: 'none',
  model: 'local/test',
  summarizer: 'extractive',
  seed: 1,
  tokenizer: 'o200k_base',
  estimator: '',
  prompts: {},
};

function recordOf(scenario: string): ScenarioRecord {
  const metrics = { ...UNKNOWN_METRICS, steps: 3, refusals: 0 };
  const run = { run: 'main', made, state: 'completed', digest: 'd', metrics, log: ['a', 'b'] };
  return { scenario, source: 'hash', runs: [run as ScenarioRecord['runs'][number]] };
}

function written(...names: readonly string[]) {
  const folder = join(createFolder(), 'baseline');
  const scenarios = new Map(names.map((name) => [name, recordOf(name)]));
  writeBaseline({ folder, header, scenarios });
  return { folder, scenarios };
}

describe('a baseline in its folder', () => {
  it.each([
    'one',
    'with space',
    'baseline',
    'Baseline',
    '../out',
    '__proto__',
    'ä=%',
    'an 🙂',
    'half \ud83d',
    '修剪'.repeat(20),
  ])('keeps the scenario %j', (name) => {
    const { folder, scenarios } = written(name, `${name}, another`);
    expect(readBaseline(folder)).toEqual({ folder, header, scenarios });
  });

  it('has a line for each event and each number that is known', () => {
    const { folder } = written('one');
    const text = readFileSync(join(folder, 'one.json'), 'utf8');
    expect(text.split('\n')).toEqual(expect.arrayContaining(['    "a",', '    "steps": 3,']));
    expect(text).toContain('"refusals": 0');
    expect(text).not.toContain('costUsd');
  });

  it('loses the files of scenarios that are no more, and nothing else', () => {
    const { folder } = written('one', 'two');
    writeFileSync(join(folder, 'README.md'), 'mine');
    writeBaseline({ folder, header, scenarios: new Map([['one', recordOf('one')]]) });
    expect(readdirSync(folder).toSorted()).toEqual(['README.md', 'baseline.json', 'one.json']);
  });

  it('tells its version where its shape is another', () => {
    const { folder } = written('one');
    writeFileSync(join(folder, 'baseline.json'), '{ "schemaVersion": 1, "other": true }');
    writeFileSync(join(folder, 'one.json'), '{ "of another shape": true }');
    expect(readBaseline(folder)).toMatchObject({ header: { schemaVersion: 1 } });
    expect(readBaseline(folder)?.scenarios.size).toBe(0);
  });

  it('says in one sentence which file is broken', () => {
    const { folder } = written('one');
    writeFileSync(join(folder, 'one.json'), '<<<<<<< ours');
    expect(() => readBaseline(folder)).toThrow(/one\.json' to be part of a baseline, got/);
  });
});

describe('a folder that is to become a baseline', () => {
  it('may be new, empty, or a baseline', () => {
    const folder = createFolder();
    expect(() => checkBaselineFolder(join(folder, 'new'))).not.toThrow();
    expect(() => checkBaselineFolder(folder)).not.toThrow();
    expect(() => checkBaselineFolder(written('one').folder)).not.toThrow();
  });

  it('may hold a part that was merged badly, but no file of others, which would be removed', () => {
    const { folder } = written('one');
    writeFileSync(join(folder, 'one.json'), '<<<<<<< ours');
    expect(() => checkBaselineFolder(folder)).not.toThrow();
    writeFile(folder, 'thresholds.json', '{"cost": 1}');
    expect(() => checkBaselineFolder(folder)).toThrow(
      /to be a baseline alone, got one that also contains 'thresholds\.json'/,
    );
  });

  it("may not hold somebody else's files, which would be taken for old scenarios", () => {
    const folder = createFolder();
    const file = writeFile(folder, 'package.json', '{}');
    expect(() => checkBaselineFolder(folder)).toThrow(
      /without baseline\.json that contains 'package/,
    );
    expect(() => checkBaselineFolder(file)).toThrow(/to be a folder, got the file/);
    expect(readBaseline(join(file, 'below'))).toBeUndefined();
  });
});
