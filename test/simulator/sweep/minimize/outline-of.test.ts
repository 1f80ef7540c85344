import { describe, expect, it } from 'vitest';
import type { AssistantMessage, Message, Part } from '../../../../src/engine/index.ts';
import { outlineOf } from '../../../../src/simulator/sweep/minimize/outline-of.ts';
import type { OutlineStep } from '../../../../src/simulator/sweep/minimize/outline.ts';
import { step, text, toolIn, user } from '../../../support/history.ts';
import { ask, traceOf } from '../../replay/lab.ts';

/** The only turn of messages, with sizes alone unless texts are wanted. */
function turnOf(messages: readonly Message[], withTexts = false) {
  const [turn] = outlineOf(traceOf(messages), { withTexts }).turns;
  if (turn === undefined) throw new Error('Expected a turn.');
  return turn;
}

/** The only step of a turn, as an outline has it. */
function stepOf(parts: readonly Part[], over: Partial<AssistantMessage> = {}): OutlineStep {
  const [only] = turnOf([ask('u1', 10), { ...step('s1', parts), finish: 'stop', ...over }]).steps;
  if (only === undefined) throw new Error('Expected a step.');
  return only;
}

const image = { type: 'file', id: 'f1', mime: 'image/png', url: 'data:image/png;base64,AAAAAAAA' };

const at = (one: Message, seconds: number) => ({ ...one, createdAt: 1_000 * seconds });

describe('the outline of a trace', () => {
  it('has characters where they are not those of filler', () => {
    const parts = stepOf([text('t1', 'x'.repeat(9)), text('t2', 'x'.repeat(8))]).parts;
    expect(parts).toEqual([
      { type: 'text', tokens: 3, characters: 9 },
      { type: 'text', tokens: 2 },
    ]);
  });

  it('has further texts and images of a message, and who wrote them', () => {
    const reminder = { ...text('t2', 'x'.repeat(8)), synthetic: true };
    const listing = { ...image, id: 'f2', mime: 'text/plain' };
    const asked = { ...user('u1', 'x'.repeat(4)) };
    const parts = [...asked.parts, reminder, image, listing] as readonly Part[];
    expect(turnOf([{ ...asked, parts }, step('s1', [])])).toMatchObject({
      user: { tokens: 1 },
      more: [{ tokens: 2, isSynthetic: true }],
      images: [{ bytes: 6, mime: 'image/png' }],
    });
  });

  it.each<[string, Partial<AssistantMessage>, Partial<OutlineStep>]>([
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
    const { idleSeconds: _idle, parts: _parts, ...told } = stepOf([text('t1', 'xxxx')], over);
    expect(told).toEqual(report);
  });

  it('has what a step was told to have written, where that is not what its parts count', () => {
    const trace = traceOf([ask('u1', 10), step('s1', [text('t1', 'x'.repeat(40))])]);
    const written = (outputTokens: number, reasoningTokens: number) => {
      const turns = trace.turns.map((turn) => ({
        ...turn,
        steps: turn.steps.map((one) => ({ ...one, outputTokens, reasoningTokens })),
      }));
      return outlineOf({ ...trace, turns }, { withTexts: false }).turns[0]?.steps[0];
    };
    expect(written(70, 50)).toMatchObject({ outputTokens: 70, reasoningTokens: 50 });
    expect(written(10, 0)).not.toHaveProperty('outputTokens');
  });

  it.each<[string, unknown, string, number]>([
    ['a call', { filePath: 'src/kettle.ts' }, 'read', 3],
    ['a call of a tool that keeps its name to itself', { a: 'x'.repeat(90) }, 'kettle_search', 20],
    ['a small call', { a: 1 }, 'read', 0],
  ])('has an input with which %s weighs what it did', (_, input, tool, least) => {
    const state = { status: 'completed', input, output: 'xxxx' } as const;
    const [call] = stepOf([toolIn('t1', state, tool)]).parts;
    if (call?.type !== 'tool') throw new Error('Expected a call.');
    const { tokens, characters = 4 * tokens, text: words } = call.input;
    expect(tokens).toBeGreaterThanOrEqual(least);
    const built = words ?? JSON.stringify({ content: 'x'.repeat(characters) });
    const before = `${tool} ${JSON.stringify(input)}`.length;
    expect(Math.abs(`${call.tool} ${built}`.length - before)).toBeLessThan(6);
  });

  it('has pauses without the time that a scenario takes anyway', () => {
    const trace = traceOf([
      at(ask('u1', 1), 0),
      at(step('s1', []), 239),
      at(step('s2', []), 839),
      at(ask('u2', 1), 1_439),
      at(step('s3', []), 1_440),
    ]);
    const { turns } = outlineOf(trace, { withTexts: false });
    expect(turns.map(({ idleSeconds }) => idleSeconds)).toEqual([0, 540]);
    expect(turns[0]?.steps.map(({ idleSeconds }) => idleSeconds)).toEqual([0, 595]);
  });

  it('has the scale of its tokens, unless they are taken as they are', () => {
    const trace = traceOf([ask('u1', 10), step('s1', [])]);
    const scale = { factor: 1.2, perMessageTokens: 60 };
    expect(outlineOf(trace, { withTexts: false })).not.toHaveProperty('scale');
    expect(
      outlineOf({ ...trace, basis: { ...trace.basis, ...scale } }, { withTexts: false }).scale,
    ).toEqual(scale);
  });
});
