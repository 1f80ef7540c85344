import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitSettings } from '../../../../src/cli/commands/minimize.ts';
import { laws } from '../../../../src/engine/index.ts';
import { HarnessError } from '../../../../src/simulator/lib/errors.ts';
import { UNKNOWN_METRICS } from '../../../../src/simulator/metrics/metrics.ts';
import { readCatalog } from '../../../../src/simulator/provider/catalog.ts';
import {
  parseScenario,
  scenarioText,
} from '../../../../src/simulator/scenario/file/read-scenario.ts';
import { runOnAdapter } from '../../../../src/simulator/sweep/gate/run-scenario.ts';
import {
  type Outline,
  outlineOf,
  type Unit,
  describeTarget,
  fileOf,
  isShown,
  minimize,
  parseExpression,
  parseLaw,
  reduceList,
  reduceNumber,
  searchMinimal,
  sizeOf,
} from '../../../../src/simulator/sweep/minimize/search.ts';
import { chat, traceOf } from '../../replay/lab.ts';

const tokens = (max: number) => fc.record({ tokens: fc.nat({ max }) });
const tool = fc.record({
  // What an outline lets stand of the names that sessions have.
  tool: fc.constantFrom('read', 'bash', 'mcp__a-b/c:d', 'x:', '-', '.5', 'null'),
  input: fc.nat({ max: 60 }),
  output: tokens(900),
});
const idleSeconds = fc.constantFrom(0, 0, 600);
const step: fc.Arbitrary<Unit> = fc.record({
  idleSeconds,
  step: fc.record({ text: tokens(900), tools: fc.array(tool, { maxLength: 3 }) }),
});
const turn = fc
  .tuple(fc.record({ idleSeconds, user: tokens(90) }), fc.array(step, { maxLength: 5 }))
  .map(([user, steps]): readonly Unit[] => [user, ...steps]);
const outlines: fc.Arbitrary<Outline> = fc
  .array(turn, { minLength: 1, maxLength: 5 })
  .map((turns) => ({ units: turns.flat() }));

/** Something that no single step decides, and that is not always there: tokens, steps, turns. */
function weighs(least: ReturnType<typeof sizeOf>) {
  return (outline: Outline): boolean => {
    const size = sizeOf(outline);
    return size.tokens >= least.tokens && size.steps >= least.steps && size.turns >= least.turns;
  };
}

describe('minimize', () => {
  it('leaves nothing of which a step could go, and shows it still', async () => {
    const least = fc.record({
      tokens: fc.nat({ max: 2_000 }),
      steps: fc.nat({ max: 4 }),
      turns: fc.nat({ max: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(outlines, least, async (outline, wanted) => {
        const shows = weighs(wanted);
        fc.pre(shows(outline));
        const minimal = await minimize(outline, async (one) => shows(one));
        expect(shows(minimal)).toBe(true);
        const steps = minimal.units.filter((unit) => 'step' in unit);
        const without = steps.map((gone) => ({
          units: minimal.units.filter((one) => one !== gone),
        }));
        expect(without.filter(shows)).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  it('shrinks sizes, with what was said of them besides', async () => {
    const read = {
      tool: 'read',
      input: 9,
      inputCharacters: 90,
      output: { tokens: 70, characters: 7 },
    };
    const said = { tokens: 9, characters: 90, more: [{ tokens: 8 }] };
    const outline: Outline = {
      units: [
        { idleSeconds: 600, user: said },
        { idleSeconds: 0, step: { tools: [read], outputTokens: 40, reasoningTokens: 30 } },
      ],
    };
    expect(await minimize(outline, async (one) => one.units.length === 2)).toEqual({
      units: [
        { idleSeconds: 0, user: { tokens: 0, more: [{ tokens: 0 }] } },
        {
          idleSeconds: 0,
          step: { tools: [{ tool: 'read', input: 0, output: { tokens: 0 } }], outputTokens: 0 },
        },
      ],
    });
  });
});

describe('reduceList', () => {
  it('finds the few that matter', async () => {
    const items = Array.from({ length: 100 }, (_, index) => index);
    expect(
      await reduceList(items, async (left) => [3, 50, 97].every((one) => left.includes(one))),
    ).toEqual([3, 50, 97]);
    expect(await reduceList(items, async () => true)).toEqual([]);
  });
});

describe('reduceNumber', () => {
  it.each([0, 1, 2, 17, 900, 1_000])('finds the smallest number from %d on', async (least) => {
    expect(await reduceNumber(1_000, async (number) => number >= least)).toBe(least);
  });

  it('needs two tries where a number cannot go down', async () => {
    const tried: number[] = [];
    await reduceNumber(1_000, async (number) => {
      tried.push(number);
      return false;
    });
    expect(tried).toEqual([0, 999]);
  });
});

describe('a target', () => {
  const run = {
    events: [],
    metrics: { ...UNKNOWN_METRICS, compactions: 4 },
    state: 'refused' as const,
  };

  it.each<[string, boolean]>([
    ['compactions > 3', true],
    ['compactions>3', true],
    ['compactions = 3', false],
    ['compactions in 3..5', true],
    ['costUsd unknown', true],
    ['state = refused', true],
    ['state = completed', false],
  ])('%s is shown: %s', (text, expected) => {
    expect(isShown(parseExpression(text), run)).toBe(expected);
  });

  it.each([
    ['compactions', "to be like 'compactions > 3'"],
    ['compactions > many', "to be like 'compactions > 3'"],
    ['nonsense > 3', "Unknown metric 'nonsense'"],
    ['state = happy', 'with one of completed, refused'],
    ['state refused', 'with one of completed, refused'],
  ])('refuses %s', (text, words) => {
    expect(() => parseExpression(text)).toThrow(words);
  });

  it('may be a law', () => {
    const target = parseLaw('calls-paired', laws);
    const event = {
      type: 'law-violated',
      law: 'calls-paired',
      message: '',
      messageIds: [],
    } as const;
    expect(isShown(target, run)).toBe(false);
    expect(isShown(target, { ...run, events: [{ ...event, isKnown: true }] })).toBe(true);
    expect(describeTarget(target)).toBe('a violation of calls-paired');
    expect(() => parseLaw('calls-pared', laws)).toThrow("Unknown law 'calls-pared'");
  });
});

const { model, policy } = splitSettings({ contextTokens: 9_000, cacheTtl: 60, reserved: 500 });
const frame = {
  why: 'A "test": of # things.',
  model: { id: 'local/small', ...model },
  policy: { preset: 'opencode-1.2.16' as const, set: policy },
  summarizer: 'scripted:ratio=0.1',
  seed: 4,
  expect: {},
};

describe('scenarioText', () => {
  it('writes files that say the same', () => {
    fc.assert(
      fc.property(outlines, (outline) => {
        fc.pre(outline.units.some((unit) => 'step' in unit));
        const text = scenarioText(fileOf(outline, { frame, overheadTokens: 70 }));
        const [run] = parseScenario('a.yaml', text).runs;
        expect(run?.policy).toEqual({ preset: 'opencode-1.2.16', set: { reserved: 500 } });
        expect(run?.model.value).toMatchObject({ contextTokens: 9_000, cacheTtlMs: 60_000 });
        if (run?.session.type !== 'built') throw new TypeError('Expected a built session.');
        expect(run.session.overheadTokens).toBe(70);
        const again = outlineOf(traceOf(run.session.session.messages));
        const { turns, steps } = sizeOf(outline);
        expect(sizeOf(again)).toMatchObject({ turns, steps });
        expect(outputsOf(again)).toEqual(outputsOf(outline));
      }),
      { numRuns: 40 },
    );
  });
});

describe('a search for what an adapter gives up at', () => {
  /** It gives up at a conversation of more than four messages, and wherever somebody wants it to stop. */
  const fragile = (signal?: AbortSignal) => ({
    compact: <Messages>({ messages }: { readonly messages: readonly Messages[] }) => {
      if (messages.length > 4 || signal?.aborted === true)
        throw new HarnessError('BAD_ADAPTER', 'It has given up.');
      return messages;
    },
    end: () => {},
  });
  const count = (text: string) => Math.ceil(text.length / 4);
  const environment = { catalog: readCatalog(), countOf: async () => count };
  const search = (controller: AbortController, onRun: () => void = () => {}) =>
    searchMinimal({
      original: outlineOf(traceOf(chat(6, 100))),
      overheadTokens: 1_000,
      target: parseExpression('state = failed'),
      frame: { ...frame, policy: 'none' },
      isInFile: false,
      check: (scenario) => {
        onRun();
        return runOnAdapter(scenario, environment, () => fragile(controller.signal));
      },
      signal: controller.signal,
    });

  it('ends with as many messages as it takes, and expects nothing of a file', async () => {
    const found = await search(new AbortController());
    if (found.state !== 'found') throw new TypeError('Expected a session.');
    expect(found.wasStopped).toBe(false);
    expect(sizeOf(found.minimal)).toMatchObject({ turns: 3, steps: 3 });
    expect(found.scenario).toContain('expect: {}');
    expect(found.result).toMatchObject({ policy: 'adapter', reason: 'It has given up.' });
  });

  it.each([5, 6, 7, 8])(
    'takes nothing for smaller that a wish to stop broke off, in run %i',
    async (stoppedIn) => {
      const controller = new AbortController();
      let runs = 0;
      const found = await search(controller, () => {
        runs += 1;
        if (runs === stoppedIn) controller.abort();
      });
      if (found.state !== 'found') throw new TypeError('Expected a session.');
      expect(found.wasStopped).toBe(true);
      expect(sizeOf(found.minimal).steps).toBeGreaterThanOrEqual(3);
    },
  );
});

/** Outputs of calls, where they are sent. */
function outputsOf({ units }: Outline): readonly unknown[] {
  return units.flatMap((unit) => {
    if (!('step' in unit) || typeof unit.step !== 'object') return [];
    return (unit.step.tools ?? []).map((one) => typeof one === 'object' && one.output);
  });
}
