import { describe, expect, it } from 'vitest';
import type { Limits } from '../../../src/engine/index.ts';
import type { Catalog } from '../../../src/simulator/provider/catalog.ts';
import { createProfile } from '../../../src/simulator/provider/model-profile.ts';
import type { AgentConfigs } from '../../../src/simulator/scenario/agent-config.ts';
import type { Evidence, Stretch } from '../../../src/simulator/session/evidence.ts';
import {
  isOtherWindow,
  limitsOn,
  mainStretch,
  type SetupSources,
  setupOf,
} from '../../../src/simulator/setup/setup.ts';
import { PRICES } from '../replay/lab.ts';

const SONNET = 'anthropic/claude-sonnet-4-5';
const OPUS = 'anthropic/claude-opus-4-6';
const FABLE = 'anthropic/claude-fable-5';

const profiles = Object.entries({ [SONNET]: 200_000, [OPUS]: 500_000, [FABLE]: 500_000 }).map(
  ([id, contextTokens]) =>
    createProfile(id, { contextTokens, outputTokens: 64_000 }, { prices: PRICES }),
);
const catalog: Catalog = {
  hash: 'h',
  source: 'given',
  models: new Map(profiles.map((profile) => [profile.id, profile])),
};
const sources: SetupSources = {
  catalog,
  fallback: () => createProfile('local/fallback', { contextTokens: 64_000 }),
};

const stretch = (model: string | undefined, more: Partial<Stretch> = {}): Stretch => ({
  messageId: 'm1',
  messageIndex: 1,
  steps: 3,
  largestTokens: 90_000,
  ...(model !== undefined && { model }),
  ...more,
});

const evidence = (stretches: readonly Stretch[], more: Partial<Evidence> = {}): Evidence => ({
  format: 'claude-code',
  release: [2, 1, 40],
  isSide: false,
  hasUsage: true,
  stretches,
  ...more,
});

const compacts = (tokens: number, index = 0): Partial<Stretch> => ({
  largestTokens: tokens - 1_000,
  compaction: { index, tokens, isNoted: true },
});

type Config = NonNullable<ReturnType<AgentConfigs['configs']['get']>>;
const configsOf = (
  limits: Partial<Limits>,
  settingsOn: Config['settingsOn'] = () => ({}),
): AgentConfigs['configs'] => {
  const own = { from: [], keys: [], windowOn: () => limits, settingsOn };
  return new Map(['Claude Code', 'Codex'].map((agent) => [agent, { agent, ...own }]));
};

/** Each is given all sources that come after its own. */
const configured = { configs: configsOf({ contextTokens: 300_000 }) };
const otherAgent = { format: 'pi', release: [1, 6] } as const;

describe('the window of a session', () => {
  it.each<[string, Evidence, string, Partial<SetupSources>?]>([
    [
      'whoever asks',
      evidence([stretch(OPUS, { windowTokens: 258_400, ...compacts(168_000) })]),
      '120_000 given',
      { ...configured, givenTokens: 120_000 },
    ],
    [
      'a number in the recording',
      evidence([stretch(OPUS, { windowTokens: 258_400, ...compacts(168_000) })]),
      '258_400 recorded',
      configured,
    ],
    ['compactions', evidence([stretch(OPUS, compacts(168_000))]), '200_000 inferred', configured],
    [
      'compactions, with the catalog among the candidates',
      evidence([stretch(OPUS, compacts(468_000))]),
      '500_000 inferred',
    ],
    [
      'compactions, with the configured window among the candidates',
      evidence([stretch(OPUS, compacts(268_000))]),
      '300_000 inferred',
      configured,
    ],
    [
      'compactions under the rule of their release',
      evidence([stretch(OPUS, compacts(157_000))], { release: [2, 1, 17] }),
      '200_000 inferred',
    ],
    ['the configuration', evidence([stretch(OPUS)]), '300_000 configured', configured],
    [
      'a configuration that was named before that of this machine',
      evidence([stretch(OPUS)]),
      '150_000 configured',
      { ...configured, windowOn: (id) => (id === OPUS ? { contextTokens: 150_000 } : undefined) },
    ],
    [
      'a request above the configuration',
      evidence([stretch(OPUS, { largestTokens: 310_000 })]),
      '500_000 inferred',
      configured,
    ],
    ['the release', evidence([stretch(OPUS)]), '200_000 released'],
    ['the name of the model', evidence([stretch(`${SONNET}[1m]`)]), '1_000_000 released'],
    [
      'a row of releases',
      evidence([stretch(FABLE)], { release: [2, 1, 205] }),
      '1_000_000 released',
    ],
    [
      'an earlier release',
      evidence([stretch(FABLE)], { release: [2, 1, 204] }),
      '200_000 released',
    ],
    [
      'a request above the release',
      evidence([stretch(OPUS, { largestTokens: 210_000 })]),
      '500_000 inferred',
    ],
    ['the catalog', evidence([stretch(OPUS)], otherAgent), '500_000 catalog'],
    [
      'the fallback',
      evidence([stretch(undefined, { largestTokens: 9_000 })], otherAgent),
      '64_000 catalog',
    ],
    ['nothing', evidence([stretch('lab/kettle-1')], otherAgent), '200_000 assumed'],
  ])('is taken from %s', (_, recorded, window, more = {}) => {
    const { window: found, model } = mainStretch(setupOf(recorded, { ...sources, ...more }));
    expect(`${found.value} ${found.source}`).toBe(window.replaceAll('_', ''));
    expect(model.limits.contextTokens).toBe(found.value);
  });

  it('stands beside the released one, which is told from a tenth on', () => {
    const at = (windowTokens: number) =>
      mainStretch(setupOf(evidence([stretch(OPUS, { windowTokens })]), sources));
    expect(at(200_000)).not.toHaveProperty('otherwise');
    expect(at(220_000).otherwise).toEqual({ value: 200_000, source: 'released' });
    expect([180_000, 220_000, 179_999, 220_001].map((one) => isOtherWindow(at(one)))).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });

  it('is several in a file of several, each from its first step on', () => {
    const { stretches } = setupOf(
      evidence([
        stretch(OPUS, { messageId: 'a', steps: 1, ...compacts(168_000) }),
        stretch(OPUS, { messageId: 'b', steps: 2, ...compacts(169_000, 1) }),
        stretch(SONNET, { messageId: 'c', steps: 4 }),
        stretch(OPUS, { messageId: 'd', steps: 2, largestTokens: 490_000 }),
      ]),
      sources,
    );
    expect(
      stretches.map(({ messageId, steps, model, window }) => [
        messageId,
        steps,
        model.id,
        window.value,
      ]),
    ).toEqual([
      ['a', 3, OPUS, 200_000],
      ['c', 4, SONNET, 200_000],
      ['d', 2, OPUS, 500_000],
    ]);
    expect(mainStretch({ stretches }).messageId).toBe('a');
  });

  it('lets a provider accept what the agent does not use', () => {
    const { model } = mainStretch(
      setupOf(evidence([stretch(OPUS, compacts(168_000))]), {
        ...sources,
        ...configured,
      }),
    );
    expect(model.limits).toEqual({ contextTokens: 200_000, outputTokens: 64_000 });
    expect(model.trueLimits.contextTokens).toBe(300_000);
  });
});

describe('a recorded compaction that is judged', () => {
  it('has the window that is known without it', () => {
    const { stretches, judged } = setupOf(evidence([stretch(OPUS, compacts(468_000, 2))]), sources);
    expect(stretches[0]?.window).toEqual({ value: 500_000, source: 'inferred' });
    // The request before it was accepted, whatever came of it.
    expect(judged).toBeUndefined();
    const small = setupOf(evidence([stretch(OPUS, compacts(137_000, 2))]), sources);
    expect(small.stretches[0]?.window.value).toBe(170_000);
    expect(Object.keys(small.judged ?? {})).toEqual(['2']);
    expect(small.judged?.[2]?.limits.contextTokens).toBe(200_000);
  });

  it('is known by the others of the session', () => {
    const all = [stretch(OPUS, compacts(168_000)), stretch(OPUS, compacts(169_000, 1))];
    expect(setupOf(evidence(all), { ...sources, ...configured })).not.toHaveProperty('judged');
    const [alone] = all as [Stretch];
    const { judged } = setupOf(evidence([alone]), { ...sources, ...configured });
    expect(judged?.[0]?.limits.contextTokens).toBe(300_000);
  });
});

describe('setupOf', () => {
  it('names the agent, its release and the preset that stands for it', () => {
    expect(setupOf(evidence([stretch(OPUS)]), sources)).toMatchObject({
      agent: 'Claude Code',
      release: '2.1.40',
      preset: 'claude-code-2.1.31',
    });
    const other = setupOf(evidence([stretch(OPUS)], { format: 'atif' }), sources);
    for (const name of ['agent', 'preset', 'outsideOf']) expect(other).not.toHaveProperty(name);
  });

  it.each<[string, readonly number[], string, string | undefined]>([
    ['the last one observed', [2, 1, 49], 'claude-code-2.1.31', undefined],
    ['one after it', [2, 1, 60], 'claude-code-2.1.31', '2.1.31 to 2.1.49'],
    ['one nearer to the next', [2, 1, 160], 'claude-code', '2.1.170 to 2.1.332'],
    ['one after all', [2, 2, 0], 'claude-code', '2.1.170 to 2.1.332'],
  ])('says of %s if a preset was observed in it', (_, release, preset, outsideOf) => {
    const setup = setupOf(evidence([stretch(OPUS)], { release }), sources);
    expect([setup.preset, setup.outsideOf]).toEqual([preset, outsideOf]);
  });

  it.each<[string, readonly number[] | undefined, true | undefined]>([
    [SONNET, [2, 1, 197], true],
    [SONNET, undefined, true],
    [SONNET, [2, 1, 196], undefined],
    [OPUS, [2, 1, 197], undefined],
  ])('tells of %s in %s that nothing but a refusal compacts', (model, release, expected) => {
    const { release: _, ...rest } = evidence([stretch(model)]);
    const setup = setupOf({ ...rest, ...(release && { release }) }, sources);
    expect(setup.isRefusalOnly).toBe(expected);
  });

  it('gives a model that the catalog lacks no price, and one of any release its own', () => {
    const modelOf = (model: string) => mainStretch(setupOf(evidence([stretch(model)]), sources));
    expect(modelOf('lab/kettle-1')).toMatchObject({
      model: { id: 'lab/kettle-1' },
      modelSource: 'recorded',
    });
    expect(modelOf('lab/kettle-1').model.prices).toBeUndefined();
    for (const name of [`${SONNET}-20250929`, `${SONNET}[1m]`])
      expect(modelOf(name).model).toMatchObject({ id: SONNET, prices: PRICES });
  });

  it('tells what is configured today, with settings for the model and limits in force', () => {
    const told = (...config: Parameters<typeof configsOf>) =>
      setupOf(evidence([stretch(OPUS)]), { ...sources, configs: configsOf(...config) }).configured;
    expect(told({})).toBeUndefined();
    const limits = { contextTokens: 300_000 };
    expect(told(limits)).toEqual({ limits, settings: {} });
    const settings = { cache: `claude-code-2.1.31 ${OPUS} 2.1.40 300000 64000` };
    expect(
      told(limits, ({ policy, model, release, limits: { contextTokens, outputTokens } }) => ({
        cache: `${policy.name} ${model} ${release?.join('.')} ${contextTokens} ${outputTokens}`,
      })),
    ).toEqual({ limits, settings });
  });

  it('asks for the fallback only where no model was recorded', () => {
    const fallback = () => expect.unreachable();
    expect(mainStretch(setupOf(evidence([stretch(OPUS)]), { catalog, fallback })).model.id).toBe(
      OPUS,
    );
    const { modelSource } = mainStretch(setupOf(evidence([stretch(undefined)]), sources));
    expect(modelSource).toBe('assumed');
  });

  it('keeps prompts cached for as long as they were written for', () => {
    const ttlOf = (cacheTtlMs?: number) =>
      mainStretch(
        setupOf(evidence([stretch(OPUS)], cacheTtlMs === undefined ? {} : { cacheTtlMs }), sources),
      ).model.cache.ttlMs;
    expect([ttlOf(), ttlOf(3_600_000)]).toEqual([300_000, 3_600_000]);
  });
});

describe('limitsOn', () => {
  const setup = setupOf(evidence([stretch(OPUS, compacts(168_000))]), sources);

  it.each<[string, string, number, number | undefined]>([
    ['the recorded model has the window in force', OPUS, 500_000, 200_000],
    ['another one that of the release', FABLE, 500_000, 200_000],
    ['one that the release says nothing of its own', 'openai/gpt-5', 400_000, undefined],
  ])('%s', (_, id, contextTokens, expected) => {
    expect(limitsOn(setup, createProfile(id, { contextTokens }))?.contextTokens).toBe(expected);
  });
});
