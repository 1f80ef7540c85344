import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isInjected,
  isSent,
  type ModelContent,
  type Part,
  policies,
  renderMessage,
  renderPart,
} from '../../../src/engine/index.ts';
import { pivotedHistories } from '../../support/arbitraries.ts';
import { file, text, tool } from '../../support/history.ts';

const policy = policies['opencode-1.2.16'].render;

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

describe('isInjected', () => {
  it.each<[string, Part, boolean]>([
    ['a synthetic text', text('t', 'a', { synthetic: true }), true],
    ['a text of the model', text('t', 'a'), false],
    ['a tool part', tool('t', 'a'), false],
  ])('tells %s', (_, part, expected) => {
    expect(isInjected(part)).toBe(expected);
  });
});

function canonical(content: ModelContent): string {
  return JSON.stringify(content);
}
