import { describe } from 'vitest';
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
