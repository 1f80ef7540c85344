import { readSessions } from '../../../../src/simulator/session/load.ts';
import type { Session } from '../../../../src/simulator/session/session.ts';

/** A record before it gets the fields that all records have. */
export type Line = Readonly<Record<string, unknown>>;

/** Something that a user, or a program in the user's place, wrote. */
export function prompt(content: unknown, over: Line = {}): Line {
  return { type: 'user', message: { role: 'user', content }, ...over };
}

/** One record of a step. */
export function step(id: string, block: Line, over: Line = {}): Line {
  const message = { id, role: 'assistant', model: 'claude-kettle-1', content: [block] };
  return {
    type: 'assistant',
    message: { ...message, ...(over['message'] as Line) },
    ...without(over),
  };
}

/** A call, as a block of a step. */
export function call(id: string, name = 'Read'): Line {
  return { type: 'tool_use', id, name, input: { path: id } };
}

/** A tool result. */
export function result(id: string, content: unknown = `output of ${id}`, over: Line = {}): Line {
  return prompt([{ type: 'tool_result', tool_use_id: id, content, ...over }]);
}

/** The text of a step, as a block. */
export function say(text: string): Line {
  return { type: 'text', text };
}

/** A record that the program keeps for itself. */
export function system(subtype: string, over: Line = {}): Line {
  return { type: 'system', subtype, ...over };
}

/** The end of what the model still saw. */
export const boundary = system('compact_boundary', {
  parentUuid: null,
  compactMetadata: { trigger: 'auto', preTokens: 900, postTokens: 90 },
});

/** The summary behind a boundary. */
export const summary = prompt('They want a timer.', { isCompactSummary: true });

/** A transcript in which each record follows the one before, unless it says otherwise. */
export function transcript(...lines: readonly Line[]): string {
  const records = lines.map((line, index) => ({
    uuid: `u${index + 1}`,
    parentUuid: index === 0 ? null : `u${index}`,
    sessionId: 'kettle',
    version: '2.1.40',
    timestamp: `2026-01-02T03:04:${String(index).padStart(2, '0')}.000Z`,
    ...line,
  }));
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

/** The main session of a transcript. */
export function readLines(...lines: readonly Line[]): Session {
  return readSessions('kettle.jsonl', transcript(...lines))[0]!;
}

/** A session in short: who spoke, and each part by its text, its tool and state, or its type. */
export function outline({ messages }: Session): readonly string[] {
  return messages.map(({ role, parts }) => {
    const shown = parts.map((part) => {
      if (part.type === 'tool') return `${part.callId}:${part.state.status}`;
      if (part.type === 'text') return part.synthetic ? `(${part.text})` : part.text;
      return part.type;
    });
    return [`${role}:`, ...shown].join(' ');
  });
}

function without({ message: _message, ...over }: Line): Line {
  return over;
}
