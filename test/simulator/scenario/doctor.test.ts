import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Limits, policies, type PolicyName } from '../../../src/engine/index.ts';
import { type CheckupOptions, examine } from '../../../src/simulator/scenario/checkup.ts';
import {
  examineRows,
  type LintName,
  lints,
  readLimitRows,
  runLints,
} from '../../../src/simulator/scenario/doctor.ts';
import {
  applySettings,
  type SettingName,
  type SettingValues,
} from '../../../src/simulator/scenario/settings.ts';
import { createFolder, writeFile } from '../../support/session-files.ts';

/** What is said of a preset on a model of 200,000 tokens, of which an answer takes 64,000, with some settings. */
function saidOf(name: PolicyName, given: SettingValues): readonly string[] {
  const limits = { contextTokens: 200_000, outputTokens: 64_000 };
  const base = { policy: policies[name], limits };
  const target = applySettings(base, given);
  const found = runLints(examine({ base, target, given, floorTokens: 12_000 }));
  return found.map(({ problem, advice }) => `${problem}. ${advice}`);
}

describe('what to do where too little is usable', () => {
  it.each<[what: string, PolicyName, SettingValues, advice: string]>([
    [
      'the output, which the rule reads, and no reserve, which it does not',
      'opencode-1.2.16',
      { contextTokens: 16_384, outputTokens: 0, reserved: 0 },
      "Declare a smaller 'outputTokens', lower 'outputCap', or choose a model with a larger window.",
    ],
    [
      'the reserve where a rule leaves one',
      'opencode-1.1.57',
      { reserved: 200_000 },
      "Lower 'reserved', or choose a model with a larger window.",
    ],
    [
      'the window alone where a rule takes a share of it',
      'document-004',
      { contextTokens: 8_000 },
      "Give the true floor with '--floor'.",
    ],
  ])('is %s', (_, name, given, advice) => {
    expect(saidOf(name, given)[0]).toMatch(/^usable /);
    expect(saidOf(name, given)[0]?.endsWith(`. ${advice}`)).toBe(true);
  });
});

describe('a number that changes nothing', () => {
  it.each<[PolicyName, SettingValues]>([
    ['opencode-1.2.16', { outputTokens: 0 }],
    ['opencode-1.2.16', { outputTokens: 50_000 }],
    ['opencode-1.2.16', { outputCap: 32_000, outputTokens: 40_000 }],
  ])('is told apart from one that %s does not look at: %j', (name, given) => {
    const said = saidOf(name, given).filter((sentence) => sentence.startsWith("'outputTokens="));
    expect(said).toEqual([
      expect.stringMatching(
        /has no effect: the result is the same without it\. Leave 'outputTokens' out, or give another number\.$/,
      ),
    ]);
  });

  it('is none that it looks at where no check is made', () => {
    const [said] = saidOf('opencode-1.2.16', { auto: false, outputCap: 9 });
    const [ofReserve] = saidOf('opencode-1.18', { auto: false, reserved: 9 });
    expect(ofReserve).toBe(
      "'reserved=9' has no effect: tokens are never checked: auto is off, or the policy has no check. Leave 'reserved' out, or choose a preset that uses it.",
    );
    expect(said).toContain('tokens are never checked: auto is off, or the policy has no check');
  });
});

describe('PROTECT and MINIMUM above usable', () => {
  const BIG_OUTPUTS =
    'before a pivot, only an output that begins below PROTECT and reaches far above it is pruned';
  it.each([
    [148_001, BIG_OUTPUTS],
    [167_999, BIG_OUTPUTS],
    [168_000, 'no prune fires before a pivot'],
  ])('leave of a prune with PROTECT %d what the part on the line may be', (protect, left) => {
    expect(saidOf('opencode-1.2.16', { protect })).toEqual([
      expect.stringContaining(`is above usable 168,000: ${left}. `),
    ]);
  });
});

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

const FLOOR = 12_000;
const plain: Limits = { contextTokens: 200_000, outputTokens: 64_000 };
const capped: Limits = { contextTokens: 400_000, inputTokens: 272_000, outputTokens: 128_000 };
const model = (contextTokens: number, outputTokens = 8_000): Limits => ({
  contextTokens,
  outputTokens,
});

type Rest = Partial<Pick<CheckupOptions, 'given' | 'floorTokens' | 'summarizer'>>;

function complaints(name: PolicyName, limits: Limits, rest: Rest = {}) {
  const { given = {} } = rest;
  const base = { policy: policies[name], limits };
  const target = applySettings(base, given);
  return runLints(examine({ base, target, given, floorTokens: FLOOR, ...rest }));
}

const set = (given: SettingValues): Rest => ({ given });
const small = { model: 'some/small', limits: { contextTokens: 100_000 } };

type Case = [LintName, string, boolean, PolicyName, Limits, Rest?];

/** For each lint what it finds, and what is one token short of it. */
const cases: readonly Case[] = [
  ['usable-not-positive', 'nothing usable', true, 'opencode-1.2.16', model(32_000, 32_000)],
  ['usable-not-positive', 'one token usable', false, 'opencode-1.2.16', model(32_001, 32_000)],
  ['usable-not-positive', 'a bottom of 0', true, 'opencode-1.18', model(20_000, 32_000)],
  [
    'usable-not-positive',
    'no check, for auto is off',
    false,
    'opencode-1.2.16',
    model(8),
    set({ auto: false }),
  ],
  ['usable-below-floor', 'usable as the floor', true, 'opencode-1.2.16', model(20_000)],
  ['usable-below-floor', 'one token more', false, 'opencode-1.2.16', model(20_001)],
  [
    'usable-below-floor',
    'a floor of its own',
    true,
    'opencode-1.2.16',
    plain,
    { floorTokens: 168_000 },
  ],
  ['usable-below-floor', 'nothing usable', false, 'opencode-1.2.16', model(8_000)],
  ['trigger-above-window', 'an input cap that the rule ignores', true, 'opencode-1.0.224', capped],
  ['trigger-above-window', 'an input cap that the rule knows', false, 'opencode-1.1.23', capped],
  ['window-unknown', 'a window of 0', true, 'opencode-1.2.16', model(0)],
  ['window-unknown', 'a window', false, 'opencode-1.2.16', plain],
  [
    'input-above-window',
    'one token above',
    true,
    'opencode-1.2.16',
    { ...plain, inputTokens: 200_001 },
  ],
  ['input-above-window', 'as large', false, 'opencode-1.2.16', { ...plain, inputTokens: 200_000 }],
  ['output-above-window', 'as large', true, 'opencode-1.2.16', model(200_000, 200_000)],
  ['output-above-window', 'one token smaller', false, 'opencode-1.2.16', model(200_000, 199_999)],
  [
    'setting-without-effect',
    'a reserve without an input cap',
    true,
    'opencode-1.2.16',
    plain,
    set({ reserved: 9 }),
  ],
  [
    'setting-without-effect',
    'a reserve with an input cap',
    false,
    'opencode-1.2.16',
    capped,
    set({ reserved: 9 }),
  ],
  [
    'setting-without-effect',
    'a reserve with a cap set',
    false,
    'opencode-1.2.16',
    plain,
    set({ reserved: 9, inputTokens: 99_000 }),
  ],
  [
    'setting-without-effect',
    'a reserve of O7',
    false,
    'opencode-1.1.57',
    plain,
    set({ reserved: 9 }),
  ],
  [
    'setting-without-effect',
    'protect while prune is off',
    true,
    'opencode-1.18',
    plain,
    set({ protect: 9 }),
  ],
  [
    'setting-without-effect',
    'protect with prune on',
    false,
    'opencode-1.18',
    plain,
    set({ protect: 9, prune: true }),
  ],
  [
    'setting-without-effect',
    'the value that holds anyway',
    true,
    'opencode-1.2.16',
    plain,
    set({ protect: 40_000 }),
  ],
  [
    'setting-without-effect',
    'an output above the cap',
    true,
    'opencode-1.2.16',
    plain,
    set({ outputTokens: 50_000 }),
  ],
  [
    'setting-without-effect',
    'an output below the cap',
    false,
    'opencode-1.2.16',
    plain,
    set({ outputTokens: 5_000 }),
  ],
  ...(['keepOutputs', 'pause', 'keepTokens', 'keepShare', 'tailTurns'] as const).map(
    (name): Case => [
      'setting-without-effect',
      `a number that the policy does not have, ${name}`,
      true,
      'kimi-cli',
      plain,
      set({ [name]: 1 }),
    ],
  ),
  ...(['kimi-cli', 'rolling-window', 'external-memory'] as const).map(
    (name): Case => [
      'setting-without-effect',
      `how many messages stay, where messages do, ${name}`,
      false,
      name,
      plain,
      set({ keepMessages: 1 }),
    ],
  ),
  [
    'setting-without-effect',
    'anything on the control',
    true,
    'none',
    plain,
    set({ contextTokens: 5_000 }),
  ],
  [
    'prune-above-usable',
    'a sum one token above',
    true,
    'opencode-1.2.16',
    plain,
    set({ protect: 148_001 }),
  ],
  [
    'prune-above-usable',
    'a sum as large',
    false,
    'opencode-1.2.16',
    plain,
    set({ protect: 148_000 }),
  ],
  ['prune-above-usable', 'prune off', false, 'opencode-1.18', plain, set({ protect: 148_001 })],
  ['keep-above-trigger', 'a checkpoint as large as usable', true, 'opencode-2.0', model(35_000)],
  ['keep-above-trigger', 'a checkpoint one token smaller', false, 'opencode-2.0', model(35_001)],
  [
    'keep-above-trigger',
    'a tail as large as usable',
    true,
    'opencode-1.18',
    plain,
    set({ tailTokens: 168_000 }),
  ],
  [
    'keep-above-trigger',
    'a tail one token smaller',
    false,
    'opencode-1.18',
    plain,
    set({ tailTokens: 167_999 }),
  ],
  ['keep-above-trigger', 'all there is', true, 'gemini-cli', plain, set({ keepShare: 1 })],
  ['keep-above-trigger', 'nearly all', false, 'gemini-cli', plain, set({ keepShare: 0.9 })],
  ['keep-above-trigger', 'messages as large as usable', true, 'pi', model(36_384)],
  ['keep-above-trigger', 'messages one token smaller', false, 'pi', model(36_385)],
  ['setting-without-effect', 'turns it guards', false, 'random', plain, set({ guardTurns: 9 })],
  [
    'setting-without-effect',
    'turns that an order of its own does not guard',
    true,
    'last-n-observations',
    plain,
    set({ evicts: 'random', guardTurns: 2 }),
  ],
  [
    'summarizer-below-trigger',
    'another model, smaller',
    true,
    'opencode-1.2.16',
    plain,
    { summarizer: small },
  ],
  ['summarizer-below-trigger', 'the model itself', false, 'opencode-1.2.16', plain],
  [
    'summarizer-below-trigger',
    'another model, as large as usable',
    false,
    'opencode-1.2.16',
    model(108_000),
    { summarizer: small },
  ],
  [
    'summarizer-below-trigger',
    'a policy that never pivots',
    false,
    'selective-pruning',
    plain,
    { summarizer: small },
  ],
];

describe('runLints', () => {
  it.each(cases)('%s: %s: %s', (...[lint, , expected, name, limits, rest]) => {
    const names = complaints(name, limits, rest).map((found) => found.lint);
    expect(names.includes(lint)).toBe(expected);
  });

  it('has a case for and one against every lint', () => {
    const found = Object.keys(lints).flatMap((lint) =>
      [true, false].filter((one) => cases.some((row) => row[0] === lint && row[2] === one)),
    );
    expect(found).toHaveLength(2 * Object.keys(lints).length);
  });

  it.each(Object.keys(policies) as PolicyName[])('has nothing against %s as it is', (name) => {
    expect(complaints(name, plain)).toEqual([]);
  });

  it('says what is wrong, and what to do', () => {
    expect(complaints('opencode-1.2.16', plain, set({ reserved: 30_000 }))).toEqual([
      {
        lint: 'setting-without-effect',
        severity: 'warning',
        problem:
          "'reserved=30000' has no effect: overflow rule v1.1.60 leaves no reserve where the model has no input cap",
        advice: "Set 'inputTokens' or 'outputCap', or choose a preset that keeps a reserve.",
      },
    ]);
  });

  it.each<[SettingName, PolicyName, string]>([
    ['reserved', 'crush', 'overflow rule crush leaves no reserve on this model'],
    ['keepOutputs', 'kimi-cli', "'kimi-cli' has nothing of this kind"],
    ['pause', 'opencode-1.2.16', "'opencode-1.2.16' has nothing of this kind"],
  ])('says why %s means nothing to %s', (name, policy, reason) => {
    const advice = `Leave '${name}' out, or choose a preset that uses it.`;
    const [found] = complaints(policy, plain, set({ [name]: 3 }));
    expect([found?.problem, found?.advice]).toEqual([
      `'${name}=3' has no effect: ${reason}`,
      advice,
    ]);
  });

  it.each([plain, { ...plain, inputTokens: 100_000 }])(
    'advises no limits where a rule knows no reserve at all: %j',
    (limits) => {
      const [found] = complaints('document-000', limits, set({ reserved: 30_000 }));
      expect(found?.problem).toMatch(/overflow rule v1.1.23 has no reserve$/);
      expect(found?.advice).toBe("Leave 'reserved' out, or choose a preset that uses it.");
    },
  );
});
