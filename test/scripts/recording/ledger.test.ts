import { expect, it } from 'vitest';
import type { ExportedPart, PartContent } from '../../../scripts/recording/export.ts';
import {
  createLedger,
  MESSAGE_TOKENS,
  OVERHEAD_TOKENS,
} from '../../../scripts/recording/ledger.ts';
import { countText } from '../../../scripts/recording/tokens.ts';

const time = { start: 0, end: 0 };

function parts(...contents: PartContent[]): ExportedPart[] {
  return contents.map((content) => ({ id: 'prt', sessionID: 'ses', messageID: 'msg', ...content }));
}

const prompt = parts({ type: 'text', text: 'Why does 29 February fail?' });
const step = parts(
  { type: 'reasoning', text: 'Look at the parser.', time },
  {
    type: 'tool',
    callID: 'call_1',
    tool: 'read',
    state: {
      status: 'completed',
      input: { filePath: 'a.ts' },
      output: 'one two three four',
      title: 'a.ts',
      metadata: {},
      time,
    },
  },
);
const first = OVERHEAD_TOKENS + MESSAGE_TOKENS + countText('Why does 29 February fail?');
const call = countText('read {"filePath":"a.ts"}');
const thought = countText('Look at the parser.');

it('counts the overhead and the prompt into the first request, all of it new', () => {
  const ledger = createLedger();
  ledger.addPrompt(prompt);
  expect(ledger.addStep(step)).toEqual({
    total: first + call + thought,
    input: first,
    output: call,
    reasoning: thought,
    cache: { read: 0, write: 0 },
  });
});

it('reads the request before from the cache and adds what was written and given since', () => {
  const ledger = createLedger();
  ledger.addPrompt(prompt);
  ledger.addStep(step);
  const { input, cache } = ledger.addStep(parts({ type: 'text', text: 'Done.' }));
  expect(cache.read).toBe(first);
  expect(input).toBe(MESSAGE_TOKENS + thought + call + countText('one two three four'));
});
