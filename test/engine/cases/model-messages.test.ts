import { describe, expect, it } from 'vitest';
import {
  type Message,
  type ModelContent,
  type ModelMessage,
  type Part,
  policies,
  render,
  type RenderOptions,
  type ToolState,
} from '../../../src/engine/index.ts';
import { frozen } from '../../../src/engine/values.ts';
import { file, step, text, tool, toolIn, user } from '../../support/history.ts';

const policy = policies['opencode-1.18'].render;
const image = file('i', 'image/png', { url: 'data:image/png;base64,Zm9v' });
const pdf = file('p', 'application/pdf', { filename: 'example.pdf' });
const start = (id: string): Part => ({ type: 'step-start', id });
const thought = (id: string, signedBy?: string): Part => ({
  type: 'reasoning',
  id,
  text: 'thinking',
  ...(signedBy && { signedBy }),
});
const done = (id: string, output: string, attachments: (typeof image)[] = []): Part =>
  toolIn(id, {
    status: 'completed',
    input: { cmd: 'ls' },
    output,
    ...(attachments.length > 0 && { attachments }),
  });
const failed = (error: string, partialOutput?: string): ToolState => ({
  status: 'error',
  input: {},
  error,
  ...(partialOutput !== undefined && { partialOutput }),
});

function lines(view: readonly Message[], options?: RenderOptions): readonly string[] {
  return render(frozen(view), policy, options).map(lineOf);
}

function lineOf({ role, content }: ModelMessage): string {
  return `${role}: ${content.map(wordsOf).join(' + ')}`;
}

function wordsOf(content: ModelContent): string {
  switch (content.type) {
    case 'file':
      return `file:${content.mime}:${content.filename}`;
    case 'tool-call':
      return `call:${content.tool}:${content.callId}`;
    case 'tool-result': {
      const media = content.attachments.map(
        ({ mime, url }) => `, media:${mime}:${url.split(',')[1]}`,
      );
      return `${content.isError ? 'error' : 'result'}:${content.callId}:${content.output}${media.join('')}`;
    }
    default:
      return `${content.type}:${content.text}`;
  }
}

describe('toModelMessages', () => {
  it.each<[string, string, Message[], string[], RenderOptions?]>([
    [
      'toModelMessages-001',
      'messages without parts vanish',
      [{ ...user('u0'), parts: [] }, user('u1', 'hello')],
      ['user: text:hello'],
    ],
    [
      'toModelMessages-002',
      'ignored texts are not sent',
      [user('u1', text('t', 'ignored', { ignored: true }))],
      [],
    ],
    [
      'toModelMessages-004',
      'an empty text beside another vanishes',
      [user('u1', '', 'hello')],
      ['user: text:hello'],
    ],
    [
      'toModelMessages-006',
      'images stay, plain text and folders go, markers and tasks become sentences',
      [
        user(
          'u1',
          'hello',
          text('t', 'ignored', { ignored: true }),
          file('f', 'image/png', { filename: 'img.png' }),
          file('g', 'text/plain'),
          file('h', 'application/x-directory'),
          { type: 'compaction', id: 'c', auto: true },
          { type: 'subtask', id: 's', prompt: 'go' },
        ),
      ],
      [
        'user: text:hello + file:image/png:img.png + text:What did we do so far? + text:The following tool was executed by the user',
      ],
    ],
    [
      'toModelMessages-007',
      'a result holds its image where the provider takes that',
      [step('s1', [text('t', 'done'), done('1', 'ok', [image])])],
      ['assistant: text:done + call:bash:call-1', 'tool: result:call-1:ok, media:image/png:Zm9v'],
      { providerPackage: '@ai-sdk/anthropic' },
    ],
    [
      'toModelMessages-007',
      'and where nobody says which provider it is',
      [step('s1', [text('t', 'done'), done('1', 'ok', [image])])],
      ['assistant: text:done + call:bash:call-1', 'tool: result:call-1:ok, media:image/png:Zm9v'],
    ],
    [
      'toModelMessages-009',
      'a document of a tool goes to Bedrock in a message of its own, an image does not',
      [step('s1', [done('1', 'ok', [image, pdf])])],
      [
        'assistant: call:bash:call-1',
        'tool: result:call-1:ok, media:image/png:Zm9v',
        'user: text:Attached media from tool result: + file:application/pdf:example.pdf',
      ],
      { providerPackage: '@ai-sdk/amazon-bedrock' },
    ],
    [
      'toModelMessages-009',
      'and to a provider that is not known to take any',
      [step('s1', [done('1', 'ok', [image])])],
      [
        'assistant: call:bash:call-1',
        'tool: result:call-1:ok',
        'user: text:Attached media from tool result: + file:image/png:i.bin',
      ],
      { providerPackage: '@ai-sdk/openai-compatible' },
    ],
    [
      'toModelMessages-010',
      'what another model thought is text',
      [step('s1', [text('t', 'done'), thought('r')], { model: 'other/other' })],
      ['assistant: text:done + text:thinking'],
      { model: 'own/own' },
    ],
    [
      'toModelMessages-010',
      'what the same model thought is not',
      [step('s1', [text('t', 'done'), thought('r')], { model: 'own/own' })],
      ['assistant: text:done + reasoning:thinking'],
      { model: 'own/own' },
    ],
    [
      'toModelMessages-012',
      'a cleared output has lost its media too',
      [step('s1', [tool('1', 'ok', { compactedAt: 1, attachments: [image] })])],
      ['assistant: call:bash:call-1', 'tool: result:call-1:[Old tool result content cleared]'],
    ],
    [
      'toModelMessages-013',
      'outputs are cut where asked for',
      [step('s1', [done('1', 'abcdefghij')])],
      [
        'assistant: call:bash:call-1',
        'tool: result:call-1:abcd\n[Tool output truncated for compaction: omitted 6 chars]',
      ],
      { toolOutputChars: 4 },
    ],
    [
      'toModelMessages-014',
      'a failed tool gives an error',
      [step('s1', [toolIn('1', failed('nope'))])],
      ['assistant: call:bash:call-1', 'tool: error:call-1:nope'],
    ],
    [
      'toModelMessages-015',
      'an interrupted tool gives what it had printed',
      [step('s1', [toolIn('1', failed('Tool execution aborted', '31403\n12179'))])],
      ['assistant: call:bash:call-1', 'tool: result:call-1:31403\n12179'],
    ],
    [
      'toModelMessages-018',
      'a message of two steps is two',
      [step('s1', [text('a', 'first'), start('b'), text('c', 'second')])],
      ['assistant: text:first', 'assistant: text:second'],
    ],
    [
      'toModelMessages-021',
      'an empty text between signed thoughts is a space',
      [
        step('s1', [
          start('a'),
          thought('b', 'anthropic'),
          text('c', ''),
          start('d'),
          thought('e', 'anthropic'),
          text('f', 'the answer'),
        ]),
      ],
      ['assistant: reasoning:thinking + text: ', 'assistant: reasoning:thinking + text:the answer'],
    ],
    [
      'toModelMessages-022',
      'but not where Bedrock has signed',
      [step('s1', [thought('b', 'bedrock'), text('c', ''), text('f', 'answer')])],
      ['assistant: reasoning:thinking + text:answer'],
    ],
    [
      'toModelMessages-022',
      'nor where nobody has',
      [step('s1', [thought('b'), text('c', ''), text('f', 'answer')])],
      ['assistant: reasoning:thinking + text:answer'],
    ],
    [
      'toModelMessages-022',
      'nor without thoughts',
      [step('s1', [text('c', ''), text('f', 'hello')])],
      ['assistant: text:hello'],
    ],
  ])('%s: %s', (...[, , view, expected, options]) => {
    expect(lines(view, options)).toEqual(expected);
  });
});
