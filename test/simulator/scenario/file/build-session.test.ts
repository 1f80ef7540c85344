import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Message, Part } from '../../../../src/engine/index.ts';
import { parseDuration } from '../../../../src/simulator/scenario/file/amounts.ts';
import { generateItems } from '../../../../src/simulator/scenario/file/build-session.ts';
import type {
  Generate,
  ScriptItem,
} from '../../../../src/simulator/scenario/file/session-schema.ts';
import { sampleSession } from './sample-scenario.ts';

const START_MS = Date.parse('2026-01-01T00:00:00Z');

function script(items: string) {
  const { session, faults } = sampleSession(`{ script: ${items} }`);
  return { ...session, faults };
}

/** The parts of the only step of a script with nothing else. */
function stepOf(step: string): readonly Part[] {
  const [, message] = script(`[user: 10, step: ${step}]`).messages;
  return message?.parts ?? [];
}

function userOf(user: string): readonly Part[] {
  return script(`[user: ${user}, step: 1]`).messages[0]?.parts ?? [];
}

function textOf(part: Part | undefined): string {
  return part !== undefined && 'text' in part ? part.text : '';
}

function toolsOf(parts: readonly Part[]) {
  return parts.flatMap((part) => (part.type === 'tool' ? [part] : []));
}

function finishes(messages: readonly Message[]) {
  return messages.map((message) => (message.role === 'assistant' ? message.finish : 'user'));
}

describe('a built session', () => {
  it('is named for its file and has no usage where its script tells of none', () => {
    const { messages, ...session } = script('[user: 10, step: 20]');
    expect(session).toEqual({
      name: 'folder/sample.yaml',
      format: 'scenario',
      isSide: false,
      isPartial: false,
      model: 'openai/gpt-4o',
      recordedCompactions: [],
      isOutputFinal: true,
      report: { dropped: {}, repaired: {} },
      faults: [],
    });
    expect(messages).toMatchObject([
      { id: 'message-1', role: 'user', parts: [{ type: 'text', id: 'message-1-1' }] },
      { id: 'message-2', role: 'assistant', parentId: 'message-1', model: 'openai/gpt-4o' },
    ]);
    expect(messages.some((message) => 'usage' in message)).toBe(false);
  });

  it('repeats items, also within each other, with other filler', () => {
    const { messages } = script(
      '[user: 10, { repeat: 2, of: [step: 5, { repeat: 2, of: [user: 7, step: 6] }] }]',
    );
    const lengths = messages.map(({ parts }) => textOf(parts[0]).length / 4);
    expect(lengths).toEqual([10, 5, 7, 6, 7, 6, 5, 7, 6, 7, 6]);
    expect(new Set(messages.map(({ parts }) => textOf(parts[0]))).size).toBe(11);
    expect(new Set(messages.map(({ id }) => id)).size).toBe(11);
  });

  it('stands a generator in the middle of a script', () => {
    const { messages } = script(
      '[user: Never push., step: 5, generate: { seed: 1, turns: 1, stepsPerTurn: 2 }, user: 5, step: 5]',
    );
    expect(messages.map(({ role }) => role.slice(0, 1)).join('')).toBe('uauaaua');
  });
});

describe('what a user says', () => {
  it.each([
    ['200', 800],
    ['2k', 8_000],
    ['Hello there', 11],
    ['{ tokens: 5 }', 20],
    ['{ text: abc, times: 3 }', 9],
    ['{ text: "RULE: no.", tokens: 100 }', 409],
    ['{ tokens: 100, characters: 333 }', 333],
    ['{ text: "RULE: no.", tokens: 100, characters: 250 }', 259],
  ])('%s has %i characters', (user, length) => {
    expect(textOf(userOf(user)[0])).toHaveLength(length);
  });

  it('may be nothing but images', () => {
    expect(userOf('{ images: [{ bytes: 3 }] }').map(({ type }) => type)).toEqual(['file']);
  });
});

describe('a step', () => {
  it.each([
    ['50', [['text', 200]]],
    ['Done.', [['text', 5]]],
    [
      '{ reasoning: 10, text: 20 }',
      [
        ['reasoning', 40],
        ['text', 80],
      ],
    ],
    ['{ text: 0 }', []],
    ['{}', []],
  ])('%s has the parts %j', (step, expected) => {
    expect(stepOf(step).map((part) => [part.type, textOf(part).length])).toEqual(expected);
  });

  it.each<[string, object]>([
    ['{ text: 9, outputTokens: 1k }', { output: 1_000, reasoning: 0 }],
    ['{ text: 9, outputTokens: 70, reasoningTokens: 50 }', { output: 20, reasoning: 50 }],
    ['{ text: 9, outputTokens: 70, reasoningTokens: 90 }', { output: 0, reasoning: 70 }],
  ])('%s has written %j', (step, written) => {
    const { messages } = script(`[user: 10, step: ${step}]`);
    const usage = { input: 0, cacheRead: 0, cacheWrite: 0, ...written };
    expect(messages[1]).toHaveProperty('usage', usage);
  });

  it('has another input for each call that says none, and filler where it is a number', () => {
    const tools = toolsOf(stepOf('{ tools: [2x read 1, { tool: write, input: 1k, output: 1 }] }'));
    const inputs = tools.map(({ state }) => state.input);
    expect(inputs[0]).toHaveProperty('path', expect.stringMatching(/^src\/file-\d+\.ts$/));
    expect(inputs[0]).not.toEqual(inputs[1]);
    expect(inputs[2]).toEqual({ content: expect.stringMatching(/^.{4000}$/) });
  });

  it.each([
    ['a text', 'ls -la'],
    ['[1, [2]]', [1, [2]]],
    ['null', null],
  ])('leaves the input %s as it stands', (input, value) => {
    const [tool] = toolsOf(
      stepOf(`{ tools: [{ tool: x, input: ${input === 'a text' ? 'ls -la' : input} }] }`),
    );
    expect(tool?.state.input).toEqual(value);
  });

  it('takes keys like any other in an input', () => {
    const [tool] = toolsOf(
      stepOf('{ tools: [{ tool: x, input: { __proto__: { a: 1 }, constructor: 2 } }] }'),
    );
    const input = tool?.state.input as object;
    expect(Object.keys(input)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(input)).toBe(Object.prototype);
    expect('a' in {}).toBe(false);
  });

  it('ends its turn where it is the last, and calls tools where it is not, unless it says so', () => {
    const { messages } = script(
      '[user: 1, step: 1, step: 1, user: 1, step: { finish: length }, step: { finish: none }]',
    );
    expect(finishes(messages)).toEqual(['user', 'tool-calls', 'stop', 'user', 'length', undefined]);
    expect(messages[5]).not.toHaveProperty('finish');
  });
});

describe('what else a script says', () => {
  it('lets a little time pass between messages, and more where it is idle', () => {
    const { messages } = script(
      '[user: 1, step: 1, step: 1, idle: 10m, user: 1, idle: 500ms, step: 1]',
    );
    const seconds = messages.map(({ createdAt }) => (createdAt - START_MS) / 1_000);
    expect(seconds).toEqual([0, 5, 10, 670, 675.5]);
  });
});

const range = (least: number, most: number) =>
  fc
    .tuple(fc.integer({ min: least, max: most }), fc.integer({ min: least, max: most }))
    .map(([a, b]): [number, number] => [Math.min(a, b), Math.max(a, b)]);

const anyOptions = fc.record({
  seed: fc.nat(),
  turns: range(1, 6),
  stepsPerTurn: range(1, 6),
  toolsPerStep: range(0, 3),
  toolOutput: range(0, 3_000),
  user: range(1, 300),
  text: range(0, 300),
  reasoning: range(0, 300),
  tools: fc.uniqueArray(fc.constantFrom('read', 'bash', 'grep'), { minLength: 1 }),
});

function itemsOf(options: Generate): readonly ScriptItem[] {
  return [...generateItems(options)];
}

function isWithin(value: unknown, [least, most]: readonly [number, number]): boolean {
  return typeof value === 'number' && least <= value && value <= most;
}

describe('generateItems', () => {
  it('keeps every size within its range', () => {
    fc.assert(
      fc.property(anyOptions, (ranges) => {
        const items = itemsOf(ranges);
        const turns = items.filter((item) => 'user' in item);
        expect(isWithin(turns.length, ranges.turns)).toBe(true);
        for (const { user } of turns) expect(isWithin(user, ranges.user)).toBe(true);
        for (const item of items) {
          if (!('step' in item) || typeof item.step !== 'object') continue;
          expect(isWithin(item.step.text, ranges.text)).toBe(true);
          expect(isWithin(item.step.reasoning, ranges.reasoning)).toBe(true);
          for (const tool of item.step.tools ?? []) {
            expect(typeof tool === 'object' && isWithin(tool.output, ranges.toolOutput)).toBe(true);
            expect(ranges.tools).toContain(typeof tool === 'object' && tool.tool);
          }
        }
      }),
    );
  });

  it('gives each turn its steps, the last of them without a tool', () => {
    fc.assert(
      fc.property(anyOptions, (ranges) => {
        const turns = itemsOf(ranges).reduce<ScriptItem[][]>((all, item) => {
          if ('user' in item) all.push([]);
          if ('step' in item) all.at(-1)?.push(item);
          return all;
        }, []);
        for (const steps of turns) {
          expect(isWithin(steps.length, ranges.stepsPerTurn)).toBe(true);
          const calls = steps.map((item) =>
            'step' in item && typeof item.step === 'object' ? item.step.tools?.length : undefined,
          );
          expect(calls.at(-1)).toBe(0);
          for (const count of calls.slice(0, -1))
            expect(isWithin(count, ranges.toolsPerStep)).toBe(true);
        }
      }),
    );
  });

  it('is the same for the same seed', () => {
    fc.assert(
      fc.property(anyOptions, (ranges) => {
        expect(itemsOf(ranges)).toEqual(itemsOf(ranges));
      }),
    );
  });

  it('is another one for another seed', () => {
    const [one, two] = [1, 2].map((seed) => itemsOf({ seed, turns: 5 }));
    expect(one).not.toEqual(two);
  });

  it('reaches both ends of a range', () => {
    const steps = itemsOf({ seed: 1, turns: 300, stepsPerTurn: 1, text: [1, 4] });
    const sizes = steps.flatMap((item) =>
      'step' in item && typeof item.step === 'object' ? [item.step.text] : [],
    );
    expect(new Set(sizes)).toEqual(new Set([1, 2, 3, 4]));
  });

  it('lets time pass between turns, within its range', () => {
    const items = itemsOf({ seed: 1, turns: 20, idle: ['5s', '10m'] });
    const idle = items.flatMap((item) => ('idle' in item ? [parseDuration(item.idle)] : []));
    expect(idle).toHaveLength(19);
    expect(idle.every((ms) => isWithin(ms, [5_000, 600_000]))).toBe(true);
    expect(items[0]).toHaveProperty('user');
  });

  it('takes one number for a range', () => {
    const items = itemsOf({ seed: 1, turns: 1, stepsPerTurn: 1, user: '2k' });
    expect(items[0]).toEqual({ user: 2_000 });
    expect(items).toHaveLength(2);
  });

  it('takes a range the wrong way round for the other', () => {
    const plain = { seed: 1, turns: 9, stepsPerTurn: 1 };
    expect(itemsOf({ ...plain, text: [9, 8] })).toEqual(itemsOf({ ...plain, text: [8, 9] }));
  });
});

describe('a generated session', () => {
  it('is the same for the same seed, and has the tokens that were drawn', () => {
    const text = '{ generate: { seed: 3, turns: 3, stepsPerTurn: 2, toolOutput: 1k, user: 50 } }';
    const { session } = sampleSession(text);
    expect(sampleSession(text).session).toEqual(session);
    expect(session.messages).toHaveLength(9);
    const outputs = session.messages.flatMap(({ parts }) =>
      parts.flatMap((part) =>
        part.type === 'tool' && part.state.status === 'completed' ? [part.state.output.length] : [],
      ),
    );
    expect(outputs).toEqual([4_000, 4_000, 4_000]);
  });
});
