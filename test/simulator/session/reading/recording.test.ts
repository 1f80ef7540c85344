import { describe, expect, it } from 'vitest';
import { readSessions } from '../../../../src/simulator/session/load.ts';
import { describeDamage } from '../../../contracts/session-damage.ts';

const said = (role: string, ...content: readonly object[]) => ({ role, created: 1, content });
const text = { type: 'text', text: 'Boil the water.' };
const image = { type: 'image', data: 'aGVhdA==', mimeType: 'image/png' };
const toolCall = { status: 'success', value: { name: 'shell', arguments: { command: 'boil' } } };
const toolResult = { status: 'success', value: [{ type: 'text', text: 'It is hot.' }, image] };

/** A recording with all that the kit reads: texts, thoughts, files, calls, results and a compaction. */
const RECORDS = [
  { id: 'kettle', provider_name: 'tea', model_config: { model_name: 'pot', context_limit: 8000 } },
  said('user', text, image),
  said(
    'assistant',
    { type: 'thinking', thinking: 'Is it on?' },
    { type: 'toolRequest', id: 'a', toolCall },
  ),
  said('user', { type: 'toolResponse', id: 'a', toolResult }),
  { ...said('user', text), metadata: { userVisible: false, agentVisible: true } },
  said('assistant', text),
];

describe('the kit of the formats', () => {
  describeDamage({
    text: RECORDS.map((record) => `${JSON.stringify(record)}\n`).join(''),
    read: (damaged) => readSessions('x', damaged),
  });
});

describe('a recording', () => {
  const read = (...records: readonly object[]) =>
    readSessions('x', records.map((record) => `${JSON.stringify(record)}\n`).join(''))[0]!;
  const [, , asked, answered] = RECORDS;

  it('counts results without a call and messages without a role', () => {
    const { report } = read(asked!, answered!, answered!, { content: [text] });
    expect(report.dropped).toEqual({
      'tool result without a call': 1,
      'message without a role': 1,
    });
  });

  it('begins with an empty prompt where a step stands first', () => {
    const { messages, report } = read(asked!);
    expect(messages.map(({ role, parts }) => [role, parts.length])).toEqual([
      ['user', 0],
      ['assistant', 2],
    ]);
    expect(report.repaired).toEqual({ 'session begins with a step': 1 });
  });

  it('gives a result to the newest call of its id, and leaves the others running', () => {
    const { messages } = read(asked!, asked!, answered!);
    const states = messages.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === 'tool' ? part.state.status : [])),
    );
    expect(states).toEqual(['running', 'completed']);
  });
});
