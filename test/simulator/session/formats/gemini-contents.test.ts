import { describe, expect, it } from 'vitest';
import { readSessions } from '../../../../src/simulator/session/load.ts';
import { toolsOf } from '../tools-of.ts';
import { outline } from './claude-code-lines.ts';

const user = (...parts: readonly unknown[]) => ({ role: 'user', parts });
const model = (...parts: readonly unknown[]) => ({ role: 'model', parts });
const call = (name: string, id?: string) => ({ functionCall: { name, args: { name }, id } });
const result = (name: string, output: string, id?: string) => ({
  functionResponse: { name, response: { output }, id },
});

const read = (document: unknown) => readSessions('x', JSON.stringify(document))[0]!;

describe('contents of the Gemini API', () => {
  it('pair calls and results by id, or by name in their order', () => {
    const session = read([
      user({ text: 'x' }),
      model(call('boil'), call('pour'), call('boil'), call('boil', 'own')),
      user(result('boil', 'own', 'own'), result('boil', 'one'), result('pour', 'two')),
      user(result('boil', 'three'), result('boil', 'lost')),
    ]);
    expect(toolsOf(session).map(({ tool, state }) => [tool, state])).toMatchObject([
      ['boil', { output: 'one' }],
      ['pour', { output: 'two' }],
      ['boil', { output: 'three' }],
      ['boil', { output: 'own' }],
    ]);
    expect(session.report.dropped).toEqual({ 'tool result without a call': 1 });
  });

  it('of a request have its model and its system prompt', () => {
    const session = read({
      model: 'models/tea',
      systemInstruction: { parts: [{ text: 'Be kind.' }] },
      contents: [user({ text: 'x' }), model({ text: 'Hm.', thought: true }, { text: 'a' })],
    });
    expect(session).toMatchObject({ model: 'google/tea', system: 'Be kind.' });
    expect(outline(session)[0]).toBe('user: x');
    expect(session.messages[1]?.parts).toMatchObject([{ type: 'reasoning' }, { text: 'a' }]);
  });
});
