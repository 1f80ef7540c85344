import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readVectors, runVectors } from '../support/conformance/run-vectors.ts';

const FILES = ['opencode-vectors.json', 'opencode-random.json.gz'];
const pathOf = (file: string) =>
  fileURLToPath(new URL(`../fixtures/conformance/${file}`, import.meta.url));
const results = FILES.flatMap((file) => runVectors(readVectors(pathOf(file))));
const groups = [...new Set(results.map(({ kind, profile }) => `${kind} by ${profile}`))];

/** Every profile that the vectors of a kind name: none may get lost on the way. */
const profiles: Record<string, string> = {
  contextOverflowErrorDetection: 'v1.1.54 v1.1.57 v1.2.16 v1.3.0 v1.3.4 v1.17.15 v1.18.4',
  filterCompacted: 'v0.8.0 v1.0.40 v1.0.69 v1.2.16 v1.14.19 v1.14.40',
  flagParse: 'v1.15.1..',
  getUsage: 'v1.0.61 v1.0.62 v1.1.57 v1.3.4-bug v1.3.6 v1.3.16 v1.14.46',
  isOverflow: 'v0.7 v0.7.4 v0.7.6 v0.8.0 v1.1.23 v1.1.57 v1.1.60 v1.14.19',
  preserveBudget: 'v1.14.19..v1.18.14+',
  prune: 'v0.9.5 v0.9.9 v1.0.190 v1.14.19',
  selectTail: 'v1.14.21.. v1.14.19..v1.14.20',
  tokenEstimate: 'v0.7.4..',
  v2Required: 'core-2026-06-05 core-2026-07-10 core-2026-07-13 v2.0.x',
  v2SelectTail: 'v2.0.x @031a4a9',
};

describe('the conformance vectors', () => {
  it('are 996 facts with 4,852 expectations', () => {
    expect(new Set(results.map(({ id }) => id)).size).toBe(996);
    expect(results).toHaveLength(4_852);
  });

  it.each(Object.entries(profiles))('ask %s by %s', (kind, names) => {
    const asked = results.filter((result) => result.kind === kind).map(({ profile }) => profile);
    expect([...new Set(asked)].join(' ')).toBe(names);
  });

  it.each(groups)('%s hold', (group) => {
    const asked = results.filter(({ kind, profile }) => `${kind} by ${profile}` === group);
    expect(asked.filter(({ state }) => state !== 'passed')).toEqual([]);
  });
});
