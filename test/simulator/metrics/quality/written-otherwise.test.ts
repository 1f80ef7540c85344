import { describe, expect, it } from 'vitest';
import { indexSource } from '../../../../src/simulator/metrics/quality/inventions.ts';
import { qualityValues } from '../../../../src/simulator/metrics/quality/quality-metrics.ts';
import { scoreText } from '../../../../src/simulator/metrics/quality/score-text.ts';
import type { PlantedFact } from '../../../../src/simulator/session/facts.ts';
import { planted } from '../../../support/facts.ts';

const factOf = (value: string) => planted({ kind: 'state', subject: 'the pump', value });
const ban = planted({
  kind: 'constraint',
  subject: 'the release branch',
  value: 'git push --force',
  polarity: 'dont',
});
const factIn = (text: string, fact: PlantedFact) => scoreText({ text, facts: [fact] }).facts[0]!;
const inventedIn = (text: string, source: string) => {
  const { inventions } = scoreText({ text, facts: [], source: indexSource(source) });
  return [inventions!.entities, inventions!.invented.length, inventions!.corrupted.length];
};
const chainOf = (...values: readonly string[]) =>
  values.map((value, index) => ({
    ...planted({ kind: 'command', subject: 'the pump', value, serial: index + 1 }),
    id: `fact-${index}`,
    ...(index > 0 && { supersedes: `fact-${index - 1}` }),
  }));

describe('a value', () => {
  it.each<[value: string, text: string, level: number]>([
    ['OPS-48213', 'The pump: OPS-\u200B48213', 3],
    ['OPS-48213', 'The pump: OPS-482\u00AD13', 3],
    ['OPS-48213', 'The pump: OPS\u201148213', 3],
    ['src/billing/zr7k_ledger.ts', String.raw`The pump: src/billing/zr7k\_ledger.ts`, 3],
    ['src/__tests__/pump.ts', String.raw`The pump: src\__tests__\pump.ts`, 3],
    ['npm run test:qx71 -- --grep ledger', 'The pump:\n`npm run test:qx71 --\n  --grep ledger`', 3],
    ['4821 ms', 'The pump: 4821ms', 2],
    ['4821ms', 'The pump: 4,821 ms', 2],
    ['48,217', 'The pump: 48217', 2],
    ['4821 s', 'The pump: 4821 seconds', 2],
    ['3.14.1', 'The pump: v3.14.1', 2],
    ['v3.14.1', 'The pump: 3.14.1', 2],
    ['30 s', 'The pump: 30 secs', 2],
    ['30 s', 'The pump: a 30-second limit', 2],
    ['30 s', 'The pump: 30秒', 2],
    ['20 minutes', 'The pump: 20分钟', 2],
    ['75199', 'The pump: 75199B', 3],
    ['75199', 'The pump: 75,199B', 2],
    ['75199', 'The pump: 75199bytes', 3],
    ['75199', 'The pump: 75199-byte pages', 3],
    ['cfg-99cc11dd', 'The pump: cfg-99cc11dd입니다', 3],
    ['cfg-99cc11dd', 'The pump: ตั๋วcfg-99cc11ddครับ', 3],
    ['PumpDriver', 'The pump: a PumpDriver-specific fix', 3],
    ['E_QX4471', 'The pump: the E_QX4471-type error', 3],
    ['E_QX4471', 'The pump: E_QX4471/E_QX4472', 3],
    ['E_QX4472', 'The pump: E_QX4471/E_QX4472', 3],
    ['LidError', 'The pump: a raw LidError/TapError.', 3],
    ['cfg-9f3a77', 'The pump: cfg-9f3a77/cfg-11aa22', 3],
  ])('%s is kept in %j', (value, text, level) => {
    expect(factIn(text, factOf(value)).level).toBe(level);
  });

  it.each([
    ['OPS-48213', 'The pump: OPS-48213.7'],
    ['3.14.1', 'The pump: 3.14.1.2'],
    ['3.14.1', 'The pump: 2.3.14.1'],
    ['3.14', 'The pump: 3.14.1'],
    ['4821 ms', 'The pump: 4821 s'],
    ['75199', 'The pump: 75199k'],
    ['75199', 'The pump: 75199byteswap'],
    ['75199', 'The pump: 75199-byte-old'],
    ['cfg-99cc11dd', 'The pump: cfg-99cc11dd-blue'],
    ['cfg-99cc11dd', 'The pump: 입cfg-99cc11ddx'],
    ['cfg-9f3a77', 'The pump: runs/cfg-9f3a77/cfg-11aa22'],
    ['cfg-9f3a77', 'The pump: cfg-9f3a77/cfg-11aa22.ts'],
    ['cfg-11aa22', 'The pump: runs/cfg-9f3a77/cfg-11aa22'],
    ['cfg-9f3a77', 'The pump: cfg-9f3a77/readme'],
  ])('%s is another one in %j', (value, text) => {
    expect(factIn(text, factOf(value)).isKept).toBe(false);
  });
});

describe('a ban', () => {
  it.each([
    'You can’t git push --force on the release branch.',
    "The release branch won't take git push --force.",
    'git push --force on the release branch: prohibited',
    'git push --force on the release branch was abandoned',
    'For the release branch we chose merges over git push --force.',
    'On the release branch we considered git push --force and dropped it.',
    'On the release branch do not use\ngit push --force at all.',
    '- On the release branch do not use\n  git push --force at all.',
    'On the release branch git push --force\nis forbidden.',
  ])('is kept in %j', (text) => {
    expect(factIn(text, ban)).toMatchObject({ isKept: true, isFlipped: false });
  });

  it.each([
    '- do not run lint\n- release branch: git push --force',
    'Do not run lint.\nrelease branch: git push --force',
    'do not run lint\n\nrelease branch: git push --force',
  ])('is not kept by a word against something else: %j', (text) => {
    expect(factIn(text, ban).isFlipped).toBe(true);
  });
});

describe('a change', () => {
  it.each([
    [['4821', '7733', '4821'], 'The pump: 4821', 'current'],
    [['4821', '7733', '4821'], 'The pump: 7733', 'old'],
    [['4821', '7733', '4821'], 'The pump was changed from 7733 to 4821', 'marked'],
    [['npm test', 'npm test -- --grep qx'], 'The pump: npm test -- --grep qx', 'current'],
    [['npm test', 'npm test -- --grep qx'], 'The pump: npm test', 'old'],
    [['npm test -- --grep qx', 'npm test'], 'The pump: npm test -- --grep qx', 'old'],
    [['v2.4', 'v2.4.1'], 'The pump: v2.4.1', 'current'],
    [['4821', '7733'], 'The pump: ~~4821~~ 7733', 'marked'],
    [['4821', '7733'], 'The pump: ~~7733~~ 4821', 'old'],
    [['4821', '7733'], 'The pump of 4821 was raised to 7733.', 'marked'],
  ])('of %j is told by %j: %s', (values, text, outcome) => {
    expect(scoreText({ text, facts: chainOf(...values) }).chains).toMatchObject([{ outcome }]);
  });
});

describe('a name', () => {
  it.each<[text: string, source: string, counts: readonly number[]]>([
    ['修复了src/a/zr7k.ts里的E_QX4471', 'src/a/zr7k.ts failed with E_QX4471', [2, 0, 0]],
    ['src/a/zr7k.tsのE_QX4471を修正', 'src/a/zr7k.ts failed with E_QX4471', [2, 0, 0]],
    ['修复了src/a/zr8k.ts里的E_QX4471', 'src/a/zr7k.ts failed with E_QX4471', [2, 1, 1]],
    ['4821 s', 'took 4821 ms', [1, 1, 1]],
    ['4821 seconds', 'took 4821s', [1, 0, 0]],
    ['4821 ms', '"timeoutMs": 4821', [1, 0, 0]],
    ['5.4 GB', 'took 4.5 GB', [1, 1, 0]],
    ['v22.4.1', 'node 22.4.1', [1, 0, 0]],
    ['9f3ab21', 'commit 9f3ab21c77de', [1, 0, 0]],
    ['ab21c77d', 'commit 9f3ab21c77de', [1, 1, 0]],
    ['OPS\u201148213', 'OPS-48213', [1, 0, 0]],
    [String.raw`src/a/zr7k\_x.ts`, 'src/a/zr7k_x.ts', [1, 0, 0]],
  ])('of %j, from %j, is made up as often as it is', (text, source, counts) => {
    expect(inventedIn(text, source)).toEqual(counts);
  });
});

describe('a file that was not touched', () => {
  it('is not told as touched', () => {
    const artifacts = [{ path: 'src/kettle.ts', operation: 'edit' }] as const;
    const text = 'src/kettle.ts was not edited.';
    const values = qualityValues(scoreText({ text, facts: [], artifacts }));
    expect(values).toMatchObject({ artifactPrecision: null, artifactRecall: 0 });
  });
});

describe('a task', () => {
  it('that one still has to do is pending', () => {
    const task = planted({
      kind: 'todo',
      subject: '',
      value: 'write qxa docs',
      todoState: 'pending',
    });
    const text = 'We still have to write qxa docs.';
    expect(scoreText({ text, facts: [task] }).todos.macroF1).toBe(1);
  });
});

describe('a text of one endless name', () => {
  it.each(['1', 'a/', '/a'])('of %j is scored in time', (piece) => {
    const artifacts = [{ path: 'src/kettle.ts', operation: 'edit' }] as const;
    const text = `Edited ${piece.repeat(50_000)}b.ts and ${piece.repeat(50_000)}`;
    const source = indexSource('src/kettle.ts');
    const { artifacts: score } = scoreText({ text, facts: [], artifacts, source });
    expect(score.recall).toBe(0);
  });
});
