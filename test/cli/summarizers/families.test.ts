import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { findRepeats } from '../../../src/simulator/session/repeats/repeats.ts';
import { toCopyCandidate } from '../../../src/simulator/session/repeats/copies.ts';
import { shippedScenarios } from '../../../src/simulator/sweep/summarizers/shipped.ts';
import {
  call,
  type Line,
  prompt,
  result,
  say,
  step,
  transcript,
} from '../../simulator/session/claude-lines.ts';
import { callMain, createCommand } from '../../support/command.ts';
import { createFolder, writeFile } from '../../support/session-files.ts';

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
