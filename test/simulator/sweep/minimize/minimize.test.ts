import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitSettings } from '../../../../src/cli/commands/minimize.ts';
import { laws, type Part } from '../../../../src/engine/index.ts';
import { UNKNOWN_METRICS } from '../../../../src/simulator/metrics/metrics.ts';
import { shownLines } from '../../../../src/simulator/report/markup.ts';
import { parseScenario } from '../../../../src/simulator/scenario/file/read-scenario.ts';
import {
  detailsOf,
  joinList,
  keepDetails,
  messageTokensOf,
  minimize,
  partJoining,
  reduceList,
  reduceNumber,
  stepJoining,
  turnJoining,
} from '../../../../src/simulator/sweep/minimize/minimize.ts';
import { outlineOf } from '../../../../src/simulator/sweep/minimize/outline-of.ts';
import {
  type Outline,
  type OutlinePart,
  sizeOf,
} from '../../../../src/simulator/sweep/minimize/outline.ts';
import {
  describeTarget,
  isShown,
  parseExpression,
  parseLaw,
} from '../../../../src/simulator/sweep/minimize/target.ts';
import { writeScenario } from '../../../../src/simulator/sweep/minimize/write-scenario.ts';
import { step as stepOfHistory, toolIn } from '../../../support/history.ts';
import { ask, call as callOfLab, traceOf, wordsOf } from '../../replay/lab.ts';

const part = fc.oneof(
  fc.record({ type: fc.constant('text' as const), tokens: fc.nat({ max: 900 }) }),
  fc.record({
    type: fc.constant('tool' as const),
    // What an outline lets stand of the names that sessions have.
    tool: fc.constantFrom('read', 'bash', 'mcp__a-b/c:d', 'x:', '-', '.5', 'null'),
    status: fc.constantFrom('completed' as const, 'error' as const, 'pending' as const),
    input: fc.record({ tokens: fc.nat({ max: 60 }) }),
    output: fc.record({ tokens: fc.nat({ max: 900 }) }),
  }),
);
const idleSeconds = fc.constantFrom(0, 0, 600);
const step = fc.record({ idleSeconds, parts: fc.array(part, { maxLength: 3 }) });
const outlines: fc.Arbitrary<Outline> = fc.record({
  turns: fc.array(
    fc.record({
      idleSeconds,
      user: fc.record({ tokens: fc.nat({ max: 90 }) }),
      steps: fc.array(step, { maxLength: 5 }),
    }),
    { minLength: 1, maxLength: 5 },
  ),
});

/** Something that no single step decides, and that is not always there: outputs of a size, calls, turns. */
function weighs(least: { tokens: number; calls: number; turns: number }) {
  return (outline: Outline): boolean => {
    const parts = outline.turns.flatMap(({ steps }) => steps.flatMap((one) => one.parts));
    const calls = parts.filter(({ type }) => type === 'tool').length;
    const { tokens, turns } = sizeOf(outline);
    return tokens >= least.tokens && calls >= least.calls && turns >= least.turns;
  };
}

/** Every outline with one turn or one step less. */
function smaller({ turns }: Outline): readonly Outline[] {
  const withoutTurn = turns.map((_, index) => ({ turns: turns.filter((__, at) => at !== index) }));
  const withoutStep = turns.flatMap((turn, index) =>
    turn.steps.map((_, stepAt) => ({
      turns: turns.map((one, at) =>
        at === index ? { ...turn, steps: turn.steps.filter((__, each) => each !== stepAt) } : one,
      ),
    })),
  );
  return [...withoutTurn, ...withoutStep];
}

describe('minimize', () => {
  it('leaves nothing of which a turn or a step could go, and shows it still', async () => {
    const least = fc.record({
      tokens: fc.nat({ max: 2_000 }),
      calls: fc.nat({ max: 4 }),
      turns: fc.nat({ max: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(outlines, least, async (outline, wanted) => {
        const shows = weighs(wanted);
        fc.pre(shows(outline));
        const minimal = await minimize(outline, async (one) => shows(one));
        expect(shows(minimal)).toBe(true);
        expect(smaller(minimal).filter(shows)).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  it('is told of each smaller one', async () => {
    const sizes: number[] = [];
    const steps: number[] = [];
    const outline = outlineOf(
      traceOf([ask('u1', 10), ...['a', 'b', 'c', 'd'].map((id) => callOfLab(id, 100))]),
      { withTexts: false },
    );
    await minimize(
      outline,
      async (one) => sizeOf(one).tokens >= 120,
      (one) => {
        sizes.push(sizeOf(one).tokens);
        steps.push(sizeOf(one).steps);
      },
    );
    expect(sizes.at(-1)).toBe(120);
    // Sizes may go up by what two calls are more than one, before they shrink.
    expect(steps).toEqual(steps.toSorted((a, b) => b - a));
    expect(steps.at(-1)).toBe(1);
  });

  it('puts together in few tries what is needed as a whole', async () => {
    const calls = Array.from({ length: 200 }, (_, index) => callOfLab(`s${index}`, 100));
    const outline = outlineOf(traceOf([ask('u1', 10), ...calls]), { withTexts: false });
    const least = sizeOf(outline).tokens;
    let tries = 0;
    const minimal = await minimize(outline, async (one) => {
      tries += 1;
      return sizeOf(one).tokens >= least;
    });
    expect(sizeOf(minimal)).toEqual({ turns: 1, steps: 1, tokens: least });
    expect(minimal.turns[0]?.steps[0]?.parts.length).toBe(1);
    expect(tries).toBeLessThan(100);
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

describe('writeScenario', () => {
  const { model, policy } = splitSettings({
    contextTokens: 9_000,
    cacheTtl: 60,
    reserved: 500,
    prune: false,
  });
  const frame = {
    why: 'A "test": of # things.',
    overheadTokens: 70,
    model: 'local/small',
    modelSet: model,
    policy: 'opencode-1.2.16',
    policySet: policy,
    summarizer: 'scripted:ratio=0.1',
    seed: 4,
  };

  it('writes files that say the same, size by size', () => {
    fc.assert(
      fc.property(outlines, (outline) => {
        fc.pre(outline.turns.some(({ steps }) => steps.length > 0));
        const { runs } = parseScenario('a.yaml', writeScenario(outline, frame));
        const [run] = runs;
        expect(run?.policy).toEqual({ preset: frame.policy, set: policy });
        expect(run?.model.value).toMatchObject({
          id: 'local/small',
          contextTokens: 9_000,
          cacheTtlMs: 60_000,
        });
        if (run?.session.type !== 'built') throw new TypeError('Expected a built session.');
        expect(run.session.overheadTokens).toBe(70);
        // A name that tells nothing has another size, which the input makes up for.
        const again = outlineOf(traceOf(run.session.session.messages), { withTexts: true });
        expect(outputsOf(again)).toEqual(outputsOf(outline));
        expect(givenInputsOf(again, outline)).toEqual(givenInputsOf(outline, outline));
        expect(stepsOf(again)).toEqual(stepsOf(outline));
      }),
      { numRuns: 40 },
    );
  });

  it('keeps the names of known tools, and of others only where texts are wanted', () => {
    const own = 'mcp__acme_corp__jane_doe_payroll';
    const tools = ['read', own, 'my_search', own];
    const steps = tools.map((name, index) =>
      stepOfHistory(`s${index}`, [called(name, `t${index}`)]),
    );
    const namesIn = (withTexts: boolean) =>
      outlineOf(traceOf([ask('u1', 10), ...steps]), { withTexts }).turns.flatMap((turn) =>
        turn.steps.flatMap(({ parts }) => parts.map((one) => one.type === 'tool' && one.tool)),
      );
    expect(namesIn(false)).toEqual(['read', 'tool-1', 'tool-2', 'tool-1']);
    expect(namesIn(true)).toEqual(tools);
  });

  it('keeps texts only where they are wanted, whatever they say', () => {
    const words = '28k\n```\n- @somebody: {x} # "y" \u0007\u009b31m\u202e ##vso[task]';
    const trace = traceOf(
      [ask('u1', 10), callOfLab('s1', 30)].map((one) => ({
        ...one,
        parts: [{ type: 'text' as const, id: `${one.id}-t`, text: words }, ...one.parts],
      })),
    );
    expect(writeScenario(outlineOf(trace, { withTexts: false }), frame)).not.toContain('somebody');
    const text = writeScenario(outlineOf(trace, { withTexts: true }), frame);
    expect(text).toBe(shownLines(text));
    expect(text).toContain(String.raw`\u009b31m\u202e ##vso\u005btask]`);
    const { runs } = parseScenario('a.yaml', text);
    const session = runs[0]?.session.type === 'built' ? runs[0].session.session : undefined;
    const said = session?.messages.flatMap(({ parts }) =>
      parts.flatMap((one) => (one.type === 'text' ? one.text : [])),
    );
    expect(said).toEqual([words, wordsOf(10), words]);
  });
});

function called(name: string, id: string): Part {
  return toolIn(id, { status: 'completed', input: {}, output: 'kettle' }, name);
}

function stepsOf({ turns }: Outline): readonly number[] {
  return turns.map(({ steps }) => steps.length);
}

/** Outputs of calls by turn, where they are sent. */
/** Inputs that `written` gives by their size, which small ones are not. */
function givenInputsOf(outline: Outline, written: Outline) {
  const given = inputsOf(written).map(({ tokens }) => tokens > 15);
  return inputsOf(outline).filter((_, index) => given[index]);
}

function inputsOf({ turns }: Outline) {
  const parts = turns.flatMap(({ steps }) => steps.flatMap((one) => one.parts));
  return parts.flatMap((one) => (one.type === 'tool' ? one.input : []));
}

function outputsOf({ turns }: Outline): readonly (readonly number[])[] {
  return turns.map(({ steps }) => steps.flatMap(({ parts }) => parts.flatMap(outputSize)));
}

function outputSize(one: OutlinePart): readonly number[] {
  return one.type === 'tool' && one.status !== 'pending' ? [one.output.tokens] : [];
}

const image = { bytes: 3, mime: 'image/png' };
const outline: Outline = {
  scale: { factor: 1.5, perMessageTokens: 40 },
  turns: [
    {
      idleSeconds: 600,
      user: { tokens: 10, characters: 33 },
      more: [{ tokens: 4, isSynthetic: true }],
      images: [image],
      steps: [
        {
          idleSeconds: 0,
          parts: [
            { type: 'text', tokens: 6, text: 'kettle' },
            {
              type: 'tool',
              tool: 'read',
              status: 'completed',
              input: { tokens: 2, characters: 5 },
              output: { tokens: 100, characters: 333 },
              images: [image],
            },
          ],
          outputTokens: 900,
          reasoningTokens: 700,
          finish: 'length',
          error: 'APIError',
        },
      ],
    },
  ],
};

const PLACES = [
  'scale',
  '0 more',
  '0 user characters',
  '0 more 0 isSynthetic',
  '0 images',
  '0 0 outputTokens',
  '0 0 1 input characters',
  '0 0 1 output characters',
  '0 0 1 images',
  '0 0 finish',
  '0 0 error',
];

describe('details', () => {
  it('are all that an outline says besides messages and sizes', () => {
    expect(detailsOf(outline).toSorted()).toEqual(PLACES.toSorted());
  });

  it('are kept as they are', () => {
    expect(keepDetails(outline, () => true)).toEqual(outline);
  });

  it('leave true tokens, one text to each message, and words where they go', () => {
    const plain = keepDetails(outline, () => false);
    expect(plain).toEqual({
      turns: [
        {
          idleSeconds: 600,
          user: { tokens: 21 },
          steps: [
            {
              idleSeconds: 0,
              parts: [
                { type: 'text', tokens: 9, text: 'kettle' },
                {
                  type: 'tool',
                  tool: 'read',
                  status: 'completed',
                  input: { tokens: 3 },
                  output: { tokens: 150 },
                },
              ],
            },
          ],
        },
      ],
    });
    expect(detailsOf(plain)).toEqual([]);
  });

  it.each(PLACES)('go one by one, such as %s', (place) => {
    const without = keepDetails(outline, (one) => one !== place);
    expect(detailsOf(without)).not.toContain(place);
    // Of texts that are put together nothing is told apart any more.
    const gone = place === '0 more' ? ['0 more', '0 more 0 isSynthetic'] : [place];
    const kept = PLACES.filter((one) => !gone.includes(one));
    expect(detailsOf(without)).toEqual(expect.arrayContaining(kept));
  });
});

const sums = {
  canJoin: (before: number, after: number) => before % 2 === after % 2,
  join: (before: number, after: number) => before + after,
};
const has =
  (item: number) =>
  async (left: readonly number[]): Promise<boolean> =>
    left.includes(item);

const text = { type: 'text', tokens: 7, text: 'kettle' } as const;
const call = { type: 'tool', tool: 'read', status: 'completed' } as const;
const read = { ...call, input: { tokens: 5 }, output: { tokens: 9 } };
const placed = (part: OutlinePart) => ({ turnIndex: 0, stepIndex: 0, part });
const stepOf = (...parts: readonly OutlinePart[]) => ({
  turnIndex: 0,
  step: { idleSeconds: 0, parts },
});

it('puts neighbours together that may be, and leaves apart what has to be', async () => {
  const items = [1, 3, 5, 2, 4, 7, 9];
  expect(await joinList(items, sums, async () => true)).toEqual([9, 6, 16]);
  expect(await joinList(items, sums, has(5))).toEqual([4, 5, 6, 16]);
  expect(await joinList([], sums, async () => true)).toEqual([]);
});

it('has the parts of two steps in the order in which a step has them', () => {
  const { step } = stepJoining(0).join(stepOf(read), stepOf(text, read));
  expect(step.parts).toEqual([text, read, read]);
});

const wrote = (outputTokens?: number) => ({
  turnIndex: 0,
  step: { idleSeconds: 0, parts: [], ...(outputTokens !== undefined && { outputTokens }) },
});

it('has what two steps were told to have written, where both were', () => {
  const outputOf = (one: ReturnType<typeof wrote>, other: ReturnType<typeof wrote>) =>
    stepJoining(0).join(one, other).step.outputTokens;
  expect(outputOf(wrote(3), wrote(4))).toBe(7);
  expect(outputOf(wrote(3), wrote())).toBeUndefined();
  expect(outputOf(wrote(), wrote(4))).toBeUndefined();
});

it('makes up for what one message costs where two become one', () => {
  const scale = { factor: 1.5, perMessageTokens: 50 };
  const messageTokens = messageTokensOf({ scale, turns: [] });
  expect(messageTokens).toBe(34);
  expect(messageTokensOf({ turns: [] })).toBe(0);
  const { step } = stepJoining(messageTokens).join(stepOf(read), stepOf(read));
  expect(step.parts).toMatchObject([read, { input: { tokens: 5 + 34 }, output: read.output }]);
  const turn = { idleSeconds: 0, user: { tokens: 3, characters: 9 }, steps: [] };
  expect(turnJoining(messageTokens).join(turn, turn).user).toEqual({
    tokens: 40,
    characters: 9 + 9 + 4 * 34,
  });
  const said = { ...turn, user: text };
  expect(turnJoining(messageTokens).join(said, said).user).toMatchObject({ tokens: 14 });
});

it('has the sizes of both parts, and what one call has besides its input', () => {
  expect(partJoining.join(placed(read), placed(read)).part).toMatchObject({
    input: { tokens: 18 },
    output: { tokens: 18 },
  });
});

it('keeps texts, and leaves apart what would lose one', () => {
  const both = partJoining.join(placed(text), placed(text)).part;
  expect(both).toEqual({ type: 'text', tokens: 14, text: 'kettle\nkettle' });
  const told = { ...read, input: { tokens: 5, text: '{}' } };
  for (const [one, other] of [
    [text, { type: 'text', tokens: 7 }],
    [read, told],
    [told, told],
    [read, { ...read, output: { tokens: 9, text: 'kettle' } }],
  ] as const) {
    expect(partJoining.canJoin(placed(one), placed(other))).toBe(false);
  }
});

it('leaves apart parts of two kinds or of two steps', () => {
  expect(partJoining.canJoin(placed(read), placed(read))).toBe(true);
  expect(partJoining.canJoin(placed(read), placed(text))).toBe(false);
  expect(partJoining.canJoin(placed(read), placed({ ...read, status: 'error' }))).toBe(false);
  expect(partJoining.canJoin(placed(read), { ...placed(read), stepIndex: 1 })).toBe(false);
});
