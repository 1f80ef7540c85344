import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parsePivots, planArms } from '../../../src/cli/commands/summarizers.ts';
import { planPanel } from '../../../src/cli/summarizer-rows.ts';
import { policies } from '../../../src/engine/index.ts';
import { findRepeats, toCopyCandidate } from '../../../src/simulator/session/repeats.ts';
import type { SummarizerRegistry } from '../../../src/simulator/summarizer/open.ts';
import { findSummarizer } from '../../../src/simulator/summarizer/summarizers.ts';
import { shippedScenarios } from '../../../src/simulator/sweep/summarizers/inputs.ts';
import {
  call,
  type Line,
  prompt,
  result,
  say,
  step,
  transcript,
} from '../../simulator/session/formats/claude-code-lines.ts';
import { callMain, createCommand } from '../../support/command.ts';
import { createFolder, writeFile } from '../../support/session-files.ts';

describe('families', () => {
  const folder = createFolder();
  const summarizers = createCommand('summarizers');

  /** A transcript of a session of its own, whatever its lines share with others. */
  const recorded = (name: string, ...lines: readonly Line[]) =>
    writeFile(
      folder,
      `${name}.jsonl`,
      transcript(...lines).replaceAll('"kettle"', JSON.stringify(name)),
    );

  const beginning = [
    prompt('The kettle in /srv/kitchen/kettle.ts rings too late.'),
    step('m1', call('c1')),
    result('c1', 'late '.repeat(80)),
    step('m2', say('Found it.')),
  ];
  const copy = recorded('copy', ...beginning);
  const fork = recorded('fork', ...beginning, prompt('Leave it.'), step('m3', say('As you wish.')));
  const resumed = recorded('resumed', ...beginning, prompt('Mend it.'), step('m4', say('Done.')));
  const alone = recorded(
    'alone',
    prompt('Is there any tea in /srv/larder/tea.ts?'),
    step('t1', call('t1')),
    result('t1', 'none '.repeat(60)),
    step('t2', say('No.')),
  );
  const FILES = [alone, copy, fork, resumed];
  const ARMS = ['--summarizers', 'extractive,tail', '--probes', '--format'];

  /** A family is called by the first of its sessions. */
  const FAMILIES = [
    [alone, undefined],
    [copy, copy],
    [fork, copy],
    [resumed, copy],
  ];

  const rows = join(folder, 'rows.jsonl');
  const linesIn = () => readFileSync(rows, 'utf8').trimEnd().split('\n');
  const keepLines = (lines: readonly string[]) => writeFileSync(rows, `${lines.join('\n')}\n`);
  const untold = (line: string) => {
    const { family: _, ...row } = JSON.parse(line);
    return JSON.stringify(row);
  };

  let whole = '';
  beforeAll(async () => {
    whole = (await summarizers([...FILES, ...ARMS, 'json', '--rows', rows])).stdout;
  });

  /** The report on some files, with rows that were there. */
  async function again(files: readonly string[], lines: readonly string[]): Promise<string> {
    const before = linesIn();
    keepLines(lines);
    const { stdout } = await summarizers([...files, ...ARMS, 'json', '--rows', rows]);
    keepLines(before);
    return stdout;
  }

  describe('summarizers on forks', () => {
    it('name their families in rows and in the report, where a copy is of the family, too', () => {
      const { provenance, arms, differences } = JSON.parse(whole);
      const { scenarios } = provenance as { scenarios: { name: string; family?: string }[] };
      expect(scenarios.map(({ name, family }) => [name, family])).toEqual(FAMILIES);
      const told = linesIn().map((line) => JSON.parse(line));
      expect(new Map(told.map(({ scenario, family }) => [scenario, family]))).toEqual(
        new Map(FAMILIES as [string, string | undefined][]),
      );
      expect(arms[0].metrics.summaryTokens).toMatchObject({ sessions: 4, families: 2 });
      expect(differences[0].difference).toMatchObject({ sessions: 4, families: 2 });
    });

    it.each(['table', 'markdown', 'html'])('say in %s what counts once', async (format) => {
      const { stdout } = await summarizers([...FILES, ...ARMS, format]);
      expect(stdout).toContain('4 in 2 families');
      expect(stdout).toContain('Sessions of a family share their beginning and count once');
      const saved = writeFile(folder, 'saved.json', whole);
      expect(await callMain(['report', saved, '--format', format])).toMatchObject({ stdout });
    });

    it('say nothing of families where all sessions stand alone', async () => {
      const { stdout } = await summarizers([alone, fork, ...ARMS, 'json']);
      expect(stdout).not.toContain('"family"');
      expect(stdout).not.toContain('"families":');
    });

    it('believe rows of sessions that are no inputs any more', async () => {
      expect(await again([resumed], linesIn())).toBe(whole);
      const others = JSON.parse(await again([resumed], linesIn().map(untold)));
      expect(others.arms[0].metrics.summaryTokens).not.toHaveProperty('families');
    });

    it('take the sessions of the package for what they are, independent', () => {
      const { copies, families } = findRepeats([...shippedScenarios()].map(toCopyCandidate));
      expect([copies.length, families.size]).toEqual([0, 0]);
    });
  });
});

const folder = createFolder();
const registry = {
  find: findSummarizer,
  profileOf: () => undefined,
} as unknown as SummarizerRegistry;

function planned(...prompts: readonly string[]) {
  return planArms(
    { summarizers: ['lead'], prompts, context: undefined },
    policies['opencode-1.2.16'],
    registry,
  );
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
