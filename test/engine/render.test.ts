import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isSent,
  type Message,
  type ModelContent,
  type ModelMessage,
  type Part,
  policies,
  render,
  renderMessage,
  renderPart,
  type RenderPolicy,
} from '../../src/engine/index.ts';
import { frozen } from '../../src/engine/values.ts';
import { pivotedHistories, toolHistories } from '../support/arbitraries.ts';
import { file, marker, step, text, tool, toolIn, user } from '../support/history.ts';

const policy = policies['opencode-1.2.16'].render;
const aborted = { name: 'MessageAbortedError', message: 'Aborted' };
const failed = { name: 'APIError', message: 'overloaded' };
const stepStart = { type: 'step-start', id: 'start' } as const;
const reasoning = { type: 'reasoning', id: 'r', text: 'thought' } as const;

/** Model messages in one line each: role, then the contents. */
function lines(view: readonly Message[]): readonly string[] {
  return render(frozen(view), policy).map(
    ({ role, content }) => `${role}: ${content.map(line).join(' | ')}`,
  );
}

function line(content: ModelContent): string {
  switch (content.type) {
    case 'text':
      return content.text;
    case 'reasoning':
      return `(${content.text})`;
    case 'file':
      return `<${content.mime} ${content.filename ?? '-'}>`;
    case 'tool-call':
      return `call ${content.callId} ${content.tool}`;
    case 'tool-result': {
      const files = content.attachments.map(({ id }) => ` +${id}`).join('');
      return `${content.isError ? 'error' : 'result'} ${content.callId} ${content.output}${files}`;
    }
  }
}

describe('render', () => {
  it.each<[string, unknown, unknown, string]>([
    ['text for a view', 'hello', policy, "Expected `view` to be a list, got 'hello'."],
    ['call without a policy', [], undefined, 'Expected `policy` to be an object, got undefined.'],
    [
      'whole policy for its sentences',
      [],
      policies['opencode-1.2.16'],
      'Expected `policy.clearedOutput` to be',
    ],
  ])('takes no %s', (_, view, given, message) => {
    expect(() => render(view as readonly Message[], given as RenderPolicy)).toThrow(message);
  });

  it.each<[string, Message, string[]]>([
    ['sends what a person wrote', user('u1', 'hello', 'there'), ['user: hello | there']],
    [
      'sends what a program wrote in the user’s place',
      user('u1', text('t', 'go on', { synthetic: true })),
      ['user: go on'],
    ],
    [
      'sends a file without a name',
      user('u1', file('i', 'image/png', { filename: undefined })),
      ['user: <image/png ->'],
    ],
    [
      'sends a step as text and reasoning in order',
      step('s1', [reasoning, text('t', 'answer')]),
      ['assistant: (thought) | answer'],
    ],
    [
      'leaves empty and ignored texts of a step out',
      step('s1', [
        text('t1', ''),
        { ...reasoning, text: '' },
        text('t2', 'secret', { ignored: true }),
      ]),
      [],
    ],
    [
      'sends a call with its result in a message of its own',
      step('s1', [text('t', 'look'), tool('t1', 'out')]),
      ['assistant: look | call call-t1 bash', 'tool: result call-t1 out'],
    ],
    [
      'sends all results of a step in one message, in order',
      step('s1', [tool('t1', 'one'), tool('t2', 'two', { tool: 'read' })]),
      [
        'assistant: call call-t1 bash | call call-t2 read',
        'tool: result call-t1 one | result call-t2 two',
      ],
    ],
    [
      'clears at time 0 as at any other',
      step('s1', [tool('t1', 'out', { compactedAt: 0 })]),
      ['assistant: call call-t1 bash', 'tool: result call-t1 [Old tool result content cleared]'],
    ],
    [
      'gives a running and a pending call an interrupted result',
      step('s1', [
        toolIn('t1', { status: 'running', input: {} }),
        toolIn('t2', { status: 'pending', input: {} }),
      ]),
      [
        'assistant: call call-t1 bash | call call-t2 bash',
        'tool: error call-t1 [Tool execution was interrupted] | error call-t2 [Tool execution was interrupted]',
      ],
    ],
    [
      'tells several requests in one message apart by their starts',
      step('s1', [
        stepStart,
        text('t1', 'first'),
        tool('t2', 'out'),
        stepStart,
        text('t3', 'second'),
      ]),
      ['assistant: first | call call-t2 bash', 'tool: result call-t2 out', 'assistant: second'],
    ],
    [
      'sends nothing for a start and an end alone',
      step('s1', [stepStart, { type: 'step-finish', id: 'end', reason: 'stop' }]),
      [],
    ],
    [
      'sends a text that a program put into a step in the user’s place, after the results',
      step('s1', [text('t1', 'note', { synthetic: true }), text('t2', 'mine'), tool('t3', 'out')]),
      ['assistant: mine | call call-t3 bash', 'tool: result call-t3 out', 'user: note'],
    ],
    [
      'leaves a failed step out',
      step('s1', [text('t', 'half an answer')], { error: failed, finish: undefined }),
      [],
    ],
    [
      'sends a step that was cut off after it had written something',
      step('s1', [stepStart, text('t', 'half')], { error: aborted, finish: undefined }),
      ['assistant: half'],
    ],
    [
      'leaves a step out that was cut off while it thought',
      step('s1', [stepStart, reasoning], { error: aborted, finish: undefined }),
      [],
    ],
  ])('%s', (_, message, expected) => {
    expect(lines([message])).toEqual(expected);
  });

  it('hands the input of a call on as it is', () => {
    const input = { path: 'a.ts', lines: [1, 2] };
    const [call] = render([step('s1', [toolIn('t1', { status: 'running', input })])], policy);
    expect(call?.content).toEqual([{ type: 'tool-call', callId: 'call-t1', tool: 'bash', input }]);
  });

  it('takes its sentences from the policy', () => {
    const other = { ...policy, clearedOutput: '(gone)', markerQuestion: 'So?' };
    const view = [marker('m1'), step('s1', [tool('t1', 'out', { compactedAt: 1 })])];
    expect(
      render(view, other)
        .flatMap(({ content }) => content)
        .map(line),
    ).toEqual(['So?', 'call call-t1 bash', 'result call-t1 (gone)']);
  });
});

describe('laws of a rendered view', () => {
  const views = fc.oneof(pivotedHistories, toolHistories);
  const holds = (law: (messages: readonly ModelMessage[], view: readonly Message[]) => void) => {
    fc.assert(fc.property(views, (view) => law(render(frozen(view), policy), view)));
  };

  it('every call of a sent step stands in it once, and so does its result', () => {
    holds((messages, view) => {
      const calls = view
        .filter(isSent)
        .flatMap(({ parts }) => parts)
        .flatMap((part) => (part.type === 'tool' ? [part.callId] : []));
      expect(idsOf(messages, 'tool-call')).toEqual(calls);
      expect(idsOf(messages, 'tool-result')).toEqual(calls);
    });
  });

  it('results stand in the message right after their calls, and nowhere else', () => {
    holds((messages) => {
      const calls = messages.map((message) => idsOf([message], 'tool-call'));
      const results = messages.map((message) => idsOf([message], 'tool-result'));
      const callers = calls.flatMap((ids, index) => (ids.length > 0 ? [index] : []));
      const tools = messages.flatMap(({ role }, index) => (role === 'tool' ? [index] : []));
      expect(tools).toEqual(callers.map((index) => index + 1));
      expect(tools.map((index) => results[index])).toEqual(callers.map((index) => calls[index]));
    });
  });

  it('no message and no text in it is empty', () => {
    holds((messages) => {
      expect(messages.filter(({ content }) => content.length === 0)).toEqual([]);
      const texts = messages.flatMap(({ content }) => content).filter(isEmptyText);
      expect(texts).toEqual([]);
    });
  });

  it('a view renders as its messages do one by one', () => {
    holds((messages, view) => {
      expect(view.flatMap((message) => render([message], policy))).toEqual(messages);
    });
  });
});

function isEmptyText(content: ModelContent): boolean {
  return (content.type === 'text' || content.type === 'reasoning') && content.text === '';
}

function idsOf(messages: readonly ModelMessage[], type: 'tool-call' | 'tool-result') {
  return messages.flatMap(({ content }) =>
    content.flatMap((piece) => (piece.type === type ? [piece.callId] : [])),
  );
}

describe('renderPart', () => {
  it.each<[string, Part, 'user' | 'assistant', ModelContent[]]>([
    [
      'gives a call and its result for a tool part',
      tool('t1', 'out'),
      'assistant',
      [
        { type: 'tool-call', callId: 'call-t1', tool: 'bash', input: { id: 't1' } },
        {
          type: 'tool-result',
          callId: 'call-t1',
          tool: 'bash',
          output: 'out',
          isError: false,
          attachments: [],
        },
      ],
    ],
    ['gives nothing for a file that a step holds', file('f', 'image/png'), 'assistant', []],
    [
      'gives a file that a user attached',
      file('f', 'image/png'),
      'user',
      [{ type: 'file', mime: 'image/png', filename: 'f.bin', url: 'data:image/png;base64,AA' }],
    ],
    ['gives nothing for a tool part of a user', tool('t1', 'out'), 'user', []],
    [
      'gives an injected text of a step',
      text('t', 'note', { synthetic: true }),
      'assistant',
      [{ type: 'text', text: 'note' }],
    ],
    [
      'gives nothing for an injected text that is ignored',
      text('t', 'note', { synthetic: true, ignored: true }),
      'assistant',
      [],
    ],
    ['gives nothing where a step began', { type: 'step-start', id: 's' }, 'assistant', []],
  ])('%s', (...[, part, role, expected]) => {
    expect(renderPart(part, role, policy)).toEqual(expected);
  });

  it('gives all that a whole message puts into a request, part by part', () => {
    fc.assert(
      fc.property(pivotedHistories, (history) => {
        for (const message of history.filter(isSent)) {
          const { parts, role } = message;
          const whole = renderMessage(message, policy).flatMap(({ content }) => content);
          const pieces = parts.flatMap((part) => renderPart(part, role, policy));
          expect(pieces.map(canonical).toSorted()).toEqual(whole.map(canonical).toSorted());
        }
      }),
    );
  });
});

function canonical(content: ModelContent): string {
  return JSON.stringify(content);
}
