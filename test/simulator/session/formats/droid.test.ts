import { describe, expect, it } from 'vitest';
import { readSessions } from '../../../../src/simulator/session/load.ts';
import { describeSessionFormat } from '../../../contracts/session-format.ts';
import { toolsOf } from '../tools-of.ts';
import { outline } from './claude-code-lines.ts';

type Fields = Readonly<Record<string, unknown>>;

const start = { type: 'session_start', id: 'kettle', title: 'Tea', cwd: '/kitchen', version: 2 };
const message = (id: string, role: string, content: unknown) => ({
  type: 'message',
  id,
  timestamp: '2026-01-01T00:00:00Z',
  message: { role, content },
});
const text = (words: string) => [{ type: 'text', text: words }];
const call = { type: 'tool_use', id: 'c', name: 'Execute', input: { command: 'boil' } };
const result = { type: 'tool_result', tool_use_id: 'c', content: 'hot', is_error: false };

const lines = (...records: readonly Fields[]) =>
  [start, ...records].map((each) => `${JSON.stringify(each)}\n`).join('');
const read = (...records: readonly Fields[]) => readSessions('x', lines(...records))[0]!;

describeSessionFormat({
  name: 'droid',
  text: lines(
    message('m1', 'user', text('Boil it.')),
    message('m2', 'assistant', [{ type: 'text', text: 'So be it.' }, call]),
    message('m3', 'user', [result]),
  ),
});

describe('a session of Droid', () => {
  it('has calls and results, and what a program wrote apart', () => {
    const reminder = { type: 'text', text: '<system-reminder>Be brief.</system-reminder>' };
    const session = read(
      message('m1', 'user', [reminder, ...text('x')]),
      message('m2', 'assistant', [call]),
      message('m3', 'user', [result]),
      message('m4', 'assistant', text('Done.')),
    );
    expect(outline(session)).toEqual([
      'user: (<system-reminder>Be brief.</system-reminder>) x',
      'assistant: c:completed',
      'assistant: Done.',
    ]);
    expect(toolsOf(session)).toMatchObject([{ tool: 'Execute', state: { output: 'hot' } }]);
    expect(session).toMatchObject({ sessionId: 'kettle', isSide: false });
  });

  it('tells compactions', () => {
    const session = read(
      message('m1', 'user', text('x')),
      message('m2', 'assistant', text('a')),
      { type: 'compaction_state', summaryText: 'A cup.' },
      message('m3', 'user', text('y')),
    );
    expect(session.recordedCompactions).toEqual([
      { kind: 'full', messageIndex: 2, summary: 'A cup.' },
    ]);
  });

  it('counts what it does not know', () => {
    const session = read(message('m1', 'user', text('x')), message('m2', 'oracle', text('y')), {
      type: 'dance',
    });
    expect(session.report.dropped).toEqual({
      'message without a role': 1,
      'unknown record "dance"': 1,
    });
  });
});
