import { describe, expect, it } from 'vitest';
import type { AssistantMessage, Message, Part } from '../../../../src/engine/index.ts';
import { outlineOf } from '../../../../src/simulator/sweep/minimize/search.ts';
import { step, text, toolIn, user } from '../../../support/history.ts';
import { ask, traceOf } from '../../replay/lab.ts';

/** The outline of the request and of the step of a session. */
const unitsOf = (messages: readonly Message[]) => outlineOf(traceOf(messages)).units;

/** The only step of a turn, as an outline has it. */
function stepOf(parts: readonly Part[], over: Partial<AssistantMessage> = {}) {
  const [, unit] = unitsOf([ask('u1', 10), { ...step('s1', parts), finish: 'stop', ...over }]);
  return unit !== undefined && 'step' in unit ? unit.step : undefined;
}

const image = { type: 'file', id: 'f1', mime: 'image/png', url: 'data:image/png;base64,AAAAAAAA' };
const at = (one: Message, seconds: number) => ({ ...one, createdAt: 1_000 * seconds });

describe('the outline of a trace', () => {
  it('has characters where they are not those of filler', () => {
    expect(stepOf([text('t1', 'x'.repeat(9)), text('t2', 'x'.repeat(8))])).toEqual({
      text: { tokens: 3, characters: 9, more: [{ tokens: 2 }] },
    });
  });

  it('has further texts and images of a message, and who wrote them', () => {
    const reminder = { ...text('t2', 'x'.repeat(8)), synthetic: true };
    const listing = { ...image, id: 'f2', mime: 'text/plain' };
    const asked = { ...user('u1', 'x'.repeat(4)) };
    const parts = [...asked.parts, reminder, image, listing] as readonly Part[];
    expect(unitsOf([{ ...asked, parts }, step('s1', [])])[0]).toMatchObject({
      user: {
        tokens: 1,
        more: [{ tokens: 2, synthetic: true }],
        images: [{ bytes: 6, mime: 'image/png' }],
      },
    });
  });

  it.each<[string, Partial<AssistantMessage>, object]>([
    ['ended in another way', { finish: 'length' }, { finish: 'length' }],
    ['ended in a way that no scenario knows', { finish: 'end_turn' }, { finish: 'unknown' }],
    ['never ended', { finish: undefined }, { finish: 'none' }],
    ['failed', { error: { name: 'APIError', message: 'secret' } }, { error: 'APIError' }],
    [
      'failed by a name of its own',
      { error: { name: 'KettleError', message: 'secret' } },
      { error: 'UnknownError' },
    ],
  ])('has of a step that it %s', (_, over, report) => {
    expect(stepOf([text('t1', 'xxxx')], over)).toEqual({ text: { tokens: 1 }, ...report });
  });

  it('has what a step was told to have written, where that is not what its parts count', () => {
    const trace = traceOf([ask('u1', 10), step('s1', [text('t1', 'x'.repeat(40))])]);
    const written = (outputTokens: number, reasoningTokens: number) => {
      const turns = trace.turns.map((turn) => ({
        ...turn,
        steps: turn.steps.map((one) => ({ ...one, outputTokens, reasoningTokens })),
      }));
      return outlineOf({ ...trace, turns }).units[1];
    };
    expect(written(70, 50)).toMatchObject({ step: { outputTokens: 70, reasoningTokens: 50 } });
    expect(written(10, 0)).not.toHaveProperty('step.outputTokens');
  });

  it.each<[string, unknown, string, number]>([
    ['a call', { filePath: 'src/kettle.ts' }, 'read', 3],
    ['a call of a tool that keeps its name to itself', { a: 'x'.repeat(90) }, 'kettle_search', 20],
    ['a small call', { a: 1 }, 'read', 0],
  ])('has an input with which %s weighs what it did', (_, input, tool, least) => {
    const state = { status: 'completed', input, output: 'xxxx' } as const;
    const made = stepOf([toolIn('t1', state, tool)]);
    const [call] = typeof made === 'object' ? (made.tools ?? []) : [];
    if (typeof call !== 'object') throw new Error('Expected a call.');
    const tokens = typeof call.input === 'number' ? call.input : 0;
    expect(tokens).toBeGreaterThanOrEqual(least);
    const { inputCharacters = 4 * tokens } = call;
    const content = 'x'.repeat(Number(inputCharacters));
    const built = typeof call.input === 'number' ? { content } : call.input;
    const before = `${tool} ${JSON.stringify(input)}`.length;
    expect(Math.abs(`${call.tool} ${JSON.stringify(built)}`.length - before)).toBeLessThan(6);
  });

  it('keeps the names of known tools only', () => {
    const state = { status: 'completed', input: {}, output: 'x' } as const;
    const tools = ['read', 'mcp__acme_payroll', 'my_search', 'mcp__acme_payroll'];
    const made = stepOf(tools.map((name, index) => toolIn(`t${index}`, state, name)));
    const calls = typeof made === 'object' ? (made.tools ?? []) : [];
    expect(calls.map((call) => typeof call === 'object' && call.tool)).toEqual([
      'read',
      'tool-1',
      'tool-2',
      'tool-1',
    ]);
  });

  it('has pauses without the time that a scenario takes anyway', () => {
    const trace = traceOf([
      at(ask('u1', 1), 0),
      at(step('s1', []), 239),
      at(step('s2', []), 839),
      at(ask('u2', 1), 1_439),
      at(step('s3', []), 1_440),
    ]);
    const { units } = outlineOf(trace);
    expect(units.map(({ idleSeconds }) => idleSeconds)).toEqual([0, 0, 595, 540, 0]);
  });

  it('has the scale of its tokens, unless they are taken as they are', () => {
    const trace = traceOf([ask('u1', 10), step('s1', [])]);
    const basis = { ...trace.basis, factor: 1.2, perMessageTokens: 60 };
    expect(outlineOf(trace)).not.toHaveProperty('calibration');
    expect(outlineOf({ ...trace, basis }).calibration).toEqual({ factor: 1.2, perMessage: 60 });
  });
});
