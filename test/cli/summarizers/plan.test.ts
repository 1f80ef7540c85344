import { describe, expect, it } from 'vitest';
import { planArms } from '../../../src/cli/summarizers/arms.ts';
import { parsePivots } from '../../../src/cli/summarizers/options.ts';
import { planPanel } from '../../../src/cli/summarizers/panel.ts';
import { policies } from '../../../src/engine/index.ts';
import type { SummarizerRegistry } from '../../../src/simulator/summarizer/open.ts';
import { findSummarizer } from '../../../src/simulator/summarizer/summarizers.ts';
import { createFolder, writeFile } from '../../support/session-files.ts';

const folder = createFolder();
const registry = {
  find: findSummarizer,
  profileOf: () => undefined,
} as unknown as SummarizerRegistry;

function planned(...prompts: readonly string[]) {
  return planArms({ summarizers: ['lead'], prompts }, policies['opencode-1.2.16'], registry);
}

describe('parsePivots', () => {
  it.each<[string | undefined, string | undefined, object]>([
    [undefined, undefined, { pivots: 2, compactAt: [0.5, 1] }],
    ['1', undefined, { pivots: 1, compactAt: [1] }],
    ['4', undefined, { pivots: 4, compactAt: [0.25, 0.5, 0.75, 1] }],
    [undefined, '0.2,0.6,1', { pivots: 3, compactAt: [0.2, 0.6, 1] }],
    ['2', ' .5, 1. ', { pivots: 2, compactAt: [0.5, 1] }],
    ['3', 'policy', { pivots: 3 }],
    [undefined, 'policy', { pivots: 2 }],
  ])('takes %s pivots at %s', (pivots, compactAt, plan) => {
    expect(parsePivots(pivots, compactAt)).toEqual(plan);
  });

  it.each<[string | undefined, string | undefined]>([
    ['0', undefined],
    ['51', undefined],
    ['1.5', undefined],
    ['3', '0.5,1'],
    [undefined, '1,0.5'],
    [undefined, '0.5,0.5'],
    [undefined, '0,1'],
    [undefined, '0.5,1.1'],
    [undefined, ''],
  ])('refuses %s pivots at %s', (pivots, compactAt) => {
    expect(() => parsePivots(pivots, compactAt)).toThrow(/^Expected '--(?:pivots|compact-at)'/);
  });
});

describe('planArms', () => {
  const [one, other] = ['a-short.md', 'b-short.md'].map((name) =>
    writeFile(folder, name, `Say ${name}.`),
  ) as [string, string];
  const twin = writeFile(folder, 'policy.md', 'Say what the policy would not.');

  it('names prompts by their files, and tells them apart by what they say', () => {
    const prompts = planned('policy', one, other).map(({ prompt }) => prompt);
    expect(prompts.map(({ name }) => name)).toEqual(['policy', 'a-short', 'b-short']);
    expect(new Set(prompts.map(({ hash }) => hash)).size).toBe(3);
  });

  it('names files of one name by their paths', () => {
    const same = `${folder}/../${folder.split('/').at(-1)}/a-short.md`;
    expect(planned(one, same).map(({ prompt }) => prompt.name)).toEqual([one, same]);
    expect(planned('policy', twin).map(({ prompt }) => prompt.name)).toEqual(['policy', twin]);
  });

  it.each([
    ['an empty file', () => writeFile(folder, 'empty.md', ' \n')],
    ['a folder', () => folder],
    ['nothing', () => `${folder}/nothing.md`],
  ])('refuses %s', (_, fileOf) => {
    expect(() => planned(fileOf())).toThrow(/^Expected a prompt in '/);
  });
});

describe('planPanel', () => {
  it('has one reader and any number of judges, by their own names', () => {
    const judge = ['scripted:refuse', 'scripted:empty', 'scripted:echo'];
    const panel = planPanel({ probes: true, reader: 'scripted:answer', judge }, registry);
    expect(panel?.name).toBe(
      'scripted:answer, judged by scripted:refuse and scripted:empty and scripted:echo',
    );
    expect(panel?.judges).toHaveLength(3);
  });

  it('takes nobody who cannot answer a question', () => {
    for (const reader of ['Grep', 'lead']) {
      expect(() => planPanel({ probes: true, reader }, registry)).toThrow(
        /'--reader' to be 'grep' or a real model as in .*, got '(?:Grep|lead)'\.$/,
      );
    }
    expect(() => planPanel({ probes: true, reader: 'grep', judge: ['tail'] }, registry)).toThrow(
      "Expected '--judge' to be a real model as in",
    );
  });

  it('is nobody where nothing is asked', () => {
    expect(planPanel({ reader: 'grep' }, registry)).toBeUndefined();
    expect(() => planPanel({ reader: 'scripted:answer' }, registry)).toThrow("'--probes'");
  });
});
