import { describe, expect, it } from 'vitest';
import {
  ALL_GUARDS,
  type CleanupName,
  policies,
  type Policy,
  type PolicyName,
  type TriggerCondition,
} from '../../../src/engine/index.ts';
import { tool, usage } from '../../support/history.ts';
import { play, said, type Script, stepped } from '../../support/script.ts';
import {
  applySettings,
  parseSettings,
  type SettingName,
  settings,
  type SettingTarget,
  type SettingValue,
  type SettingValues,
} from '../../../src/simulator/scenario/settings.ts';

const target: SettingTarget = {
  policy: policies['opencode-1.2.16'],
  limits: { contextTokens: 200_000, outputTokens: 64_000 },
};
/** Some settings mean something only where a policy keeps a tail, or a checkpoint. */
const targets: Partial<Record<SettingName, SettingTarget>> = {
  tailTurns: { ...target, policy: policies['opencode-1.18'] },
  tailTokens: { ...target, policy: policies['opencode-1.18'] },
  keepMessages: { ...target, policy: policies['document-004'] },
  keepTokens: { ...target, policy: policies['opencode-2.0'] },
  keepShare: { ...target, policy: policies['gemini-cli'] },
  keepOutputs: { ...target, policy: policies['claude-code'] },
  clearEvery: { ...target, policy: policies['last-n-observations'] },
  pause: { ...target, policy: policies['claude-code'] },
};
const conditionIn = ({ trigger }: Policy, unit: TriggerCondition['unit']) =>
  trigger.anyOf
    ?.flat()
    .flatMap((one) => (one.unit === unit && 'atLeast' in one ? [one.atLeast] : []))[0];
const cutOf = ({ policy }: SettingTarget): Record<string, unknown> => ({ ...policy.cut });

const clears =
  (name: CleanupName) =>
  ({ policy }: SettingTarget): boolean =>
    policy.prune.cleanups?.some(({ pass }) => pass === name) === true;

const inForce: Record<SettingName, readonly [SettingValue, (target: SettingTarget) => unknown]> = {
  contextTokens: [60_000, ({ limits }) => limits.contextTokens],
  inputTokens: [50_000, ({ limits }) => limits.inputTokens],
  outputTokens: [0, ({ limits }) => limits.outputTokens],
  reserved: [30_000, ({ policy }) => policy.trigger.reservedTokens],
  outputCap: [16_000, ({ policy }) => policy.trigger.outputCapTokens],
  triggerFraction: [0.8, ({ policy }) => policy.trigger.windowShare],
  triggerTokens: [70_000, ({ policy }) => conditionIn(policy, 'tokens')],
  triggerMessages: [30, ({ policy }) => conditionIn(policy, 'messages')],
  triggerTurns: [6, ({ policy }) => conditionIn(policy, 'turns')],
  triggerEvents: [90, ({ policy }) => conditionIn(policy, 'events')],
  auto: [false, ({ policy }) => policy.trigger.auto],
  countNewer: [true, ({ policy }) => policy.trigger.countsNewerMessages],
  protect: [10_000, ({ policy }) => policy.prune.byAge.protectTokens],
  minimum: [0, ({ policy }) => policy.prune.byAge.minimumTokens],
  guardTurns: [1, ({ policy }) => policy.prune.byAge.guardTurns],
  keepOutputs: [3, ({ policy }) => policy.prune.keepLast?.outputs],
  clearEvery: [5, ({ policy }) => policy.prune.everySteps],
  pause: [60, ({ policy }) => policy.prune.idleMs === 60_000 && 60],
  prune: [false, ({ policy }) => policy.prune.enabled],
  clearDuplicates: [true, clears('duplicates')],
  clearSuperseded: [true, clears('superseded')],
  clearFailedInputs: [true, clears('failed-inputs')],
  clearMedia: [true, clears('media')],
  clearReasoning: [true, clears('reasoning')],
  evicts: ['random', ({ policy }) => policy.prune.evicts],
  tailTurns: [5, (changed) => cutOf(changed)['turns']],
  tailTokens: [5_000, (changed) => cutOf(changed)['tokens']],
  keepMessages: [5, (changed) => cutOf(changed)['count']],
  keepTokens: [5_000, (changed) => cutOf(changed)['tokens']],
  keepShare: [0.5, (changed) => cutOf(changed)['share']],
  outputCapCharacters: [9_000, ({ policy }) => policy.reading.outputCapCharacters?.kept],
  summaryCap: [4_000, ({ policy }) => policy.summary.outputCapTokens],
  charsPerToken: [3.5, ({ policy }) => policy.estimator.charsPerToken],
  estimator: ['o200k_base', ({ policy }) => policy.estimator.tokenizer],
  roundUp: [true, ({ policy }) => policy.estimator.rounding === 'ceil'],
  guards: [true, ({ policy }) => policy.guards.stopIrreducible && policy.guards.maxFailures > 0],
  rejectLargerSummary: [true, ({ policy }) => policy.guards.rejectLargerSummary],
  rejectEmptySummary: [true, ({ policy }) => policy.guards.rejectEmptySummary],
  rejectTruncatedSummary: [true, ({ policy }) => policy.guards.rejectTruncatedSummary],
  rejectToolCallSummary: [true, ({ policy }) => policy.guards.rejectToolCallSummary],
  maxIneffective: [2, ({ policy }) => policy.guards.maxIneffective],
  maxRefilled: [2, ({ policy }) => policy.guards.maxRefilled],
  maxFailures: [2, ({ policy }) => policy.guards.maxFailures],
  ignoreStaleUsage: [true, ({ policy }) => policy.guards.ignoreStaleUsage],
  ignoreImplausibleUsage: [true, ({ policy }) => policy.guards.ignoreImplausibleUsage],
  estimateMissingUsage: [true, ({ policy }) => policy.guards.estimateMissingUsage],
  learnWindow: [true, ({ policy }) => policy.guards.learnWindow],
  stopIrreducible: [true, ({ policy }) => policy.guards.stopIrreducible],
  remindMissingHeadings: [true, ({ policy }) => policy.guards.remindMissingHeadings],
  shrinkSummaryRequest: [true, ({ policy }) => policy.guards.shrinkSummaryRequest],
  trueContextTokens: [32_768, ({ provider }) => provider?.trueContextTokens],
  dialect: ['openai', ({ provider }) => provider?.dialect],
  cache: ['none', ({ provider }) => provider?.cache],
  cacheTtl: [3_600, ({ provider }) => provider?.cacheTtlMs === 3_600_000 && 3_600],
  refusal: ['ollama', ({ provider }) => provider?.refusal],
};

describe('applySettings', () => {
  it('takes what OpenCode 2.0 has of its own before what it carries over from older keys', () => {
    const own = { ...target, policy: policies['opencode-2.0'] };
    expect(cutOf(applySettings(own, { tailTokens: 7, keepTokens: 9 }))['tokens']).toBe(9);
    expect(cutOf(applySettings(own, { keepTokens: 9, tailTokens: 7 }))['tokens']).toBe(9);
  });

  it.each(Object.entries(inForce))('puts %s where it belongs', (name, [value, read]) => {
    const own = targets[name as SettingName] ?? target;
    expect(read(own)).not.toBe(value);
    expect(read(applySettings(own, { [name]: value }))).toBe(value);
  });

  it.each([
    'tailTurns',
    'tailTokens',
    'keepMessages',
    'keepTokens',
    'keepOutputs',
    'clearEvery',
    'pause',
  ])('leaves a policy without it alone: %s', (name) => {
    expect(applySettings(target, { [name]: 7 })).toEqual(target);
  });

  it.each<[SettingName, PolicyName, number, string]>([
    ['keepTokens', 'pi', 7, 'tokens'],
    ['tailTokens', 'opencode-1.18', 7, 'tokens'],
    ['tailTokens', 'opencode-2.0', 7, 'tokens'],
    ['keepTokens', 'codex-local', 7, 'tokens'],
    ['keepMessages', 'kimi-cli', 7, 'count'],
    ['keepShare', 'gemini-cli', 0.7, 'share'],
  ])('sets %s of what %s keeps', (name, preset, value, field) => {
    const changed = applySettings({ ...target, policy: policies[preset] }, { [name]: value });
    expect(cutOf(changed)).toEqual({ ...policies[preset].cut, [field]: value });
  });

  it('adds a clean-up once, behind those that a policy has, and takes its own away', () => {
    const own = { ...target, policy: policies.dcp };
    const passesWith = (values: SettingValues) =>
      applySettings(own, values).policy.prune.cleanups?.map(({ pass }) => pass);
    const all = ['duplicates', 'superseded', 'failed-inputs'];
    expect(passesWith({ clearDuplicates: true })).toEqual(all);
    expect(passesWith({ clearReasoning: true })).toEqual([...all, 'reasoning']);
    expect(passesWith({ clearSuperseded: false })).toEqual(['duplicates', 'failed-inputs']);
    expect(applySettings(target, { clearMedia: false })).toEqual(target);
  });

  it('sets how many messages a rolling window shows', () => {
    const rolling = { ...target, policy: policies['rolling-window'] };
    expect(applySettings(rolling, { keepMessages: 3 }).policy.windowMessages).toBe(3);
    expect(applySettings(target, { keepMessages: 3 }).policy.windowMessages).toBeUndefined();
  });

  it('keeps messages also beside a memory', () => {
    const external = { ...target, policy: policies['external-memory'] };
    const { memory } = applySettings(external, { keepMessages: 3 }).policy;
    expect(memory).toEqual({ ...policies['external-memory'].memory, keepMessages: 3 });
  });

  it('keeps what an order of its own clears, and knows no other order', () => {
    const overwriting = { ...target, policy: policies['document-001'] };
    const { prune, breaks, name } = applySettings(overwriting, { evicts: 'clairvoyant' }).policy;
    expect([name, prune.storedOutput, prune.byAge.atCleared]).toEqual([
      'document-001',
      'kept',
      'stop',
    ]);
    expect(breaks.map(({ law }) => law)).toContain('prune-saves-enough');
    expect(() => applySettings(target, { evicts: 'oldest' })).toThrow(/Unknown eviction order/);
  });

  it('lets a single guard win over all of them', () => {
    const { guards } = applySettings(target, { guards: true, maxFailures: 0 }).policy;
    expect(guards).toEqual({ ...ALL_GUARDS, maxFailures: 0 });
  });

  it('knows where every setting belongs', () => {
    expect(Object.keys(settings)).toEqual(Object.keys(inForce));
  });

  it('changes nothing else', () => {
    const { policy, limits } = applySettings(target, { protect: 10_000 });
    expect(limits).toEqual(target.limits);
    const byAge = { ...target.policy.prune.byAge, protectTokens: 10_000 };
    expect(policy).toEqual({ ...target.policy, prune: { ...target.policy.prune, byAge } });
  });

  it('gives the target back when there is nothing to set', () => {
    expect(applySettings(target, {})).toEqual(target);
  });

  it('leaves the control its rules, but not the limits of its model', () => {
    const control = { ...target, policy: policies.none };
    const values = { auto: true, prune: true, protect: 0, contextTokens: 1_000 };
    const changed = applySettings(control, values);
    expect(changed.policy).toEqual(policies.none);
    expect(changed.limits.contextTokens).toBe(1_000);
  });
});

describe('a trigger by number', () => {
  /** Four turns of three steps, each of a call and 10 tokens more than the one before. */
  const script: Script = [1, 2, 3, 4].flatMap((turn) => [
    [said(`u${turn}`)] as const,
    ...[1, 2, 3].map((at) => {
      const input = 10 * (3 * (turn - 1) + at);
      const finish = at === 3 ? 'stop' : 'tool-calls';
      const parts = [tool(`c${turn}.${at}`, 24)];
      return [
        stepped(`s${turn}.${at}`, input, { finish, parts, usage: usage({ input }) }),
      ] as const;
    }),
  ]);
  /** The messages that led to such a move. */
  const movesOf = (preset: PolicyName, values: SettingValues, move: string) => {
    const own = { ...target, policy: policies[preset] };
    const { policy, limits } = applySettings(own, values);
    return play(policy, script, limits).played.flatMap(([input, ...lines]) =>
      'message' in input && lines.some((line) => line.startsWith(move)) ? [input.message?.id] : [],
    );
  };

  it.each<[string, PolicyName, SettingValues, string | undefined]>([
    ['nothing without', 'opencode-1.18', {}, undefined],
    ['tokens', 'opencode-1.18', { triggerTokens: 50 }, 's2.2'],
    ['tokens in place of a share', 'inspect-trim', { triggerTokens: 50 }, 's2.2'],
    ['tokens beside messages', 'langchain-messages', { triggerTokens: 50 }, 's2.2'],
    ['tokens of both conditions', 'langchain-clauses', { triggerTokens: 50 }, 's2.2'],
    ['tokens without a window', 'opencode-1.18', { triggerTokens: 50, contextTokens: 0 }, 's2.2'],
    ['messages, with results', 'opencode-1.18', { triggerMessages: 10 }, 's2.1'],
    ['messages in place of others', 'langchain-messages', { triggerMessages: 12 }, 's2.2'],
    ['turns', 'opencode-1.18', { triggerTurns: 3 }, 'u3'],
    ['events', 'openhands', { triggerEvents: 12 }, 's2.2'],
    [
      'the window, whatever the messages',
      'opencode-1.18',
      { triggerMessages: 99, contextTokens: 70, outputTokens: 20 },
      's2.2',
    ],
    ['nothing by hand only', 'opencode-1.18', { triggerTurns: 1, auto: false }, undefined],
  ])('acts at %s', (_, preset, values, expected) => {
    expect(movesOf(preset, values, 'overflow')[0]).toBe(expected);
  });

  it.each<[number | undefined, string]>([
    [undefined, 's1.2 u2 s2.1 s2.2 u3 s3.1 s3.2 u4 s4.1 s4.2'],
    [4, 's2.1 s3.2'],
  ])('clears before each %s-th request', (clearEvery, expected) => {
    const values = { keepOutputs: 1, ...(clearEvery && { clearEvery }) };
    expect(movesOf('last-n-observations', values, 'pruned fire').join(' ')).toBe(expected);
  });

  it('clears an overflow every so many steps, where nothing is summarised', () => {
    const values = { triggerTokens: 50, keepOutputs: 1 };
    const clears = (more: SettingValues) =>
      movesOf('anthropic-clear-tool-uses', { ...values, ...more }, 'pruned fire').join(' ');
    expect(clears({})).toBe('s2.2 u3 s3.1 s3.2 u4 s4.1 s4.2');
    expect(clears({ clearEvery: 4 })).toBe('s3.2');
  });
});

describe('parseSettings', () => {
  it('reads numbers and switches', () => {
    expect(parseSettings(['contextTokens=60000', 'auto=false', ' prune = true '])).toEqual({
      contextTokens: 60_000,
      auto: false,
      prune: true,
    });
  });

  it.each([
    ['thousands', 'protect=16k', { protect: 16_000 }],
    ['millions', 'contextTokens=1.5M', { contextTokens: 1_500_000 }],
    ['parts', 'triggerFraction=0.9', { triggerFraction: 0.9 }],
    ['parts in per cent', 'triggerFraction=70%', { triggerFraction: 0.7 }],
    ['parts of one in a thousand', 'triggerFraction=87.5%', { triggerFraction: 0.875 }],
    ['parts without a zero', 'triggerFraction=.5', { triggerFraction: 0.5 }],
    ['decimals', 'charsPerToken=3.2', { charsPerToken: 3.2 }],
  ])('reads %s', (_, pair, values) => {
    expect(parseSettings([pair])).toEqual(values);
  });

  it('reads nothing from nothing', () => {
    expect(parseSettings([])).toEqual({});
  });
});
