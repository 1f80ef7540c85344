import { describe, expect, it } from 'vitest';
import {
  policies,
  type Policy,
  type PolicyOverrides,
  resolvePolicy,
} from '../../src/engine/index.ts';
import { frozen } from '../../src/engine/values.ts';

const base: Policy = frozen(structuredClone(policies['opencode-1.2.16']));

describe('resolvePolicy', () => {
  it('is the base where nothing is laid over it', () => {
    expect(resolvePolicy(base)).toStrictEqual(base);
    expect(resolvePolicy(base, {})).toStrictEqual(base);
  });

  it('replaces single settings at any depth and keeps their neighbours', () => {
    const resolved = resolvePolicy(base, {
      name: 'mine',
      trigger: { reservedTokens: 5 },
      prune: { byAge: { protectTokens: 7 } },
    });
    expect(resolved).toStrictEqual({
      ...base,
      name: 'mine',
      trigger: { ...base.trigger, reservedTokens: 5 },
      prune: { ...base.prune, byAge: { ...base.prune.byAge, protectTokens: 7 } },
    });
  });

  it.each<[string, PolicyOverrides, (policy: Policy) => unknown, unknown]>([
    [
      '0',
      { prune: { byAge: { minimumTokens: 0 } } },
      (policy) => policy.prune.byAge.minimumTokens,
      0,
    ],
    ['false', { trigger: { auto: false } }, (policy) => policy.trigger.auto, false],
    [
      'an empty text',
      { render: { clearedOutput: '' } },
      (policy) => policy.render.clearedOutput,
      '',
    ],
    [
      'an empty list',
      { prune: { byAge: { protectedTools: [] } } },
      (policy) => policy.prune.byAge.protectedTools,
      [],
    ],
  ])('takes %s as a value', (...[, overrides, read, expected]) => {
    expect(read(resolvePolicy(base, overrides))).toEqual(expected);
  });

  it('replaces a list as a whole', () => {
    const overrides = { prune: { byAge: { protectedTools: ['read', 'grep'] } } };
    expect(resolvePolicy(base, overrides).prune.byAge.protectedTools).toEqual(['read', 'grep']);
  });

  it('takes `undefined` as nothing said', () => {
    const overrides = { name: undefined, trigger: { auto: undefined }, prune: undefined };
    expect(resolvePolicy(base, overrides as unknown as PolicyOverrides)).toStrictEqual(base);
  });

  it('names a setting that no rule reads', () => {
    const overrides = { prune: { protct: 1 } } as PolicyOverrides;
    expect(() => resolvePolicy(base, overrides)).toThrow(
      /^Expected `overrides\.prune` to be an object with no other fields than .*, got 'protct'\.$/,
    );
  });

  it('takes `__proto__` as a key like any other, which no rule reads', () => {
    const overrides = JSON.parse('{"trigger":{"__proto__":{"auto":false}}}') as PolicyOverrides;
    expect(() => resolvePolicy(base, overrides)).toThrow("got '__proto__'.");
    expect(Object.prototype).not.toHaveProperty('auto');
  });

  it('changes neither of the two', () => {
    const overrides = frozen({ prune: { enabled: false, byAge: { guardTurns: 1 } } });
    resolvePolicy(base, overrides);
    expect(base).toStrictEqual(policies['opencode-1.2.16']);
    expect(overrides).toStrictEqual({ prune: { enabled: false, byAge: { guardTurns: 1 } } });
  });
});
