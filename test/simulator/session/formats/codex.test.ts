import { describe, expect, it } from 'vitest';
import { readSessions } from '../../../../src/simulator/session/load.ts';

const item = (role: string, type: string, text: string) => ({
  type: 'response_item',
  payload: { type: 'message', role, content: [{ type, text }] },
});
const read = (lengths: readonly number[]) => {
  const said = lengths.map((length, index) =>
    item('assistant', 'output_text', `[REDACTED_TEXT len=${length} sha=${index}beef]`),
  );
  const meta = { type: 'session_meta', payload: { id: 'kettle' } };
  const lines = [meta, item('user', 'input_text', 'x'), ...said];
  return readSessions('k', lines.map((line) => JSON.stringify(line)).join('\n'))[0]!;
};

describe('texts that were replaced by their lengths', () => {
  it('are as long as they were', () => {
    const lengths = [1, 5, 500, 5_000];
    const parts = read([0, ...lengths]).messages[1]!.parts;
    expect(parts.map((part) => 'text' in part && part.text.length)).toEqual(lengths);
  });

  it('do not fill the memory, however many there are', () => {
    const { report } = read(Array.from({ length: 9 }, () => 25_000_000));
    expect(report.dropped).toEqual({ 'redacted text that is too long': 5 });
  });
});
