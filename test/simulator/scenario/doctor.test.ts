import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Limits, policies, type PolicyName } from '../../../src/engine/index.ts';
import { type CheckupOptions, examine } from '../../../src/simulator/scenario/checkup.ts';
import {
  examineRows,
  lints,
  readLimitRows,
  runLints,
} from '../../../src/simulator/scenario/doctor.ts';
import { applySettings, type SettingValues } from '../../../src/simulator/scenario/settings.ts';
import { createFolder, writeFile } from '../../support/session-files.ts';

const SHARED = join(import.meta.dirname, '../../../../shared/catalog/limits.json');
const OPTIONS = { given: {}, floorTokens: 12_000 };
const row = (context: number | null, output: number | null, models = 1) => ({
  context,
  input: null,
  output,
  toolCall: true,
  models,
});
const file = (content: unknown) =>
  writeFile(createFolder(), 'limits.json', JSON.stringify(content));

describe('examineRows', () => {
  it('finds the triples on which a preset can never work, and counts unknown windows apart', () => {
    const rows = [
      row(200_000, 64_000, 5),
      row(32_000, null, 3),
      row(40_000, 30_000),
      row(0, 0),
      row(null, 8),
    ];
    expect(examineRows(policies['opencode-1.2.16'], rows, OPTIONS)).toEqual({
      policy: 'opencode-1.2.16',
      triples: 5,
      models: 11,
      unknownTriples: 2,
      hopeless: [
        { ...row(32_000, null, 3), lint: 'usable-not-positive', usableTokens: 0 },
        { ...row(40_000, 30_000), lint: 'usable-below-floor', usableTokens: 10_000 },
      ],
    });
  });

  it('takes an input cap of 0 as the rule does', () => {
    const rows = [{ ...row(200_000, 64_000), input: 0 }];
    const found = (name: 'document-002' | 'opencode-1.2.16') =>
      examineRows(policies[name], rows, OPTIONS).hopeless.length;
    expect([found('document-002'), found('opencode-1.2.16')]).toEqual([1, 0]);
  });

  it('puts settings in force', () => {
    const options = { ...OPTIONS, given: { outputCap: 1_000 } };
    expect(examineRows(policies['opencode-1.2.16'], [row(32_000, null)], options).hopeless).toEqual(
      [],
    );
  });

  it.skipIf(!existsSync(SHARED))(
    'reads every triple of the known models (skipped without ../shared)',
    () => {
      const rows = readLimitRows(SHARED);
      const { triples, hopeless } = examineRows(policies['opencode-1.2.16'], rows, OPTIONS);
      expect(triples).toBe(rows.length);
      expect(hopeless.length).toBeGreaterThan(50);
    },
  );
});

describe('readLimitRows', () => {
  it.each<[string, unknown, RegExp]>([
    [
      'a field of another type',
      [{ ...row(1, 1), context: 'x' }],
      /limits\.json' to be a list of objects.*, got at '0\.context': /,
    ],
    ['an empty list', [], /got at the top/],
  ])('tells of %s where it is', (_, content, message) => {
    expect(() => readLimitRows(file(content))).toThrow(message);
  });

  it('tells of a file that is none', () => {
    expect(() => readLimitRows('/nowhere/limits.json')).toThrow(/, got: nothing at that path\./);
  });
});

/** A policy on a model, the settings and sizes that were given, and all that is said of it: a line a case. */
interface Case {
  readonly policy: PolicyName;
  readonly limits: Limits;
  readonly given?: SettingValues;
  readonly floorTokens?: number;
  readonly summarizer?: CheckupOptions['summarizer'];
  readonly said: readonly string[];
}

const CASES = readFileSync(join(import.meta.dirname, '../../fixtures/lints.jsonl'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Case & { readonly case: string });

function complaints({ policy, limits, given = {}, ...rest }: Omit<Case, 'said'>) {
  const base = { policy: policies[policy], limits };
  const target = applySettings(base, given);
  return runLints(examine({ base, target, given, floorTokens: 12_000, ...rest }));
}

describe('runLints', () => {
  it.each(CASES)('$case: $policy', ({ said, ...given }) => {
    const sentences = complaints(given).map(
      ({ lint, severity, problem, advice }) => `${severity} ${lint}: ${problem}. ${advice}`,
    );
    expect(sentences).toEqual(said);
  });

  it.each(Object.keys(lints))('has a case for %s and one against it', (lint) => {
    const about = CASES.filter((row) => row.case.startsWith(lint));
    const isFound = ({ said }: Case) => said.some((one) => one.includes(` ${lint}: `));
    expect(new Set(about.map(isFound))).toEqual(new Set([true, false]));
  });

  it.each(Object.keys(policies) as PolicyName[])('has nothing against %s as it is', (policy) => {
    const limits = { contextTokens: 200_000, outputTokens: 64_000 };
    expect(complaints({ policy, limits })).toEqual([]);
  });
});
