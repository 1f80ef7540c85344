import { describe, expect, it } from 'vitest';
import { readSessions } from '../../../../src/simulator/session/load.ts';
import { describeSessionFormat } from '../../../contracts/session-format.ts';
import { recording } from '../../../support/session-files.ts';
import { usagesOf } from '../tools-of.ts';
import { outline } from './claude-code-lines.ts';

const text = recording('aider.md');

describeSessionFormat({ name: 'aider', text });

describe('a chat history of Aider', () => {
  it('has a session for each chat in which something was said, and for each that was cleared', () => {
    const sessions = readSessions('x', text);
    expect(sessions.map(outline)).toEqual([
      [
        'user: Is the kettle on?\nLook at the lamp.',
        'assistant: I will look at the lamp.\n\nIt is dark, so the kettle is off.',
        'assistant: The water is cold.',
      ],
      ['user: Who boiled it?', 'assistant: Nobody boiled it.'],
    ]);
  });

  it('tells the rounded usage of each answer, and the model', () => {
    const [first] = readSessions('x', text);
    expect(first?.model).toBe('unknown/claude-3-5-sonnet-20240620');
    expect(usagesOf(first!)).toMatchObject([
      { input: 4100, cacheRead: 1100, output: 604 },
      { input: 5900, output: 12 },
    ]);
  });

  it('sends no commands', () => {
    const [first] = readSessions('x', text);
    expect(first?.report.dropped).toEqual({ 'command that was not sent': 1 });
  });
});
