import { describe, expect, it } from 'vitest';
import { entriesOf, type Message, type Part } from '../../../src/engine/index.ts';
import { standIn } from '../../../src/engine/message.ts';
import { file, step, summary, text, tool, toolIn, user } from '../../support/history.ts';

const textsOf = (message: Message) => entriesOf(message).map((entry) => entry.text);
const call = (input: unknown, output = 'done') =>
  toolIn('t1', { status: 'completed', input, output }, 'edit');

describe('entriesOf', () => {
  it('names each entry by its part, its message and its time', () => {
    const message = { ...user('u1', 'one', 'two'), createdAt: 7 };
    expect(entriesOf(message)).toEqual([
      { id: 'u1-0', text: 'one', messageId: 'u1', order: 7 },
      { id: 'u1-1', text: 'two', messageId: 'u1', order: 7 },
    ]);
  });

  it.each<[string, Part, readonly string[]]>([
    ['the text of a step', text('p', 'Done.'), ['Done.']],
    ['a text that a program put in', text('p', 'file a', { synthetic: true }), ['file a']],
    ['the prompt of a sub-agent', { type: 'subtask', id: 'p', prompt: 'go' }, ['go']],
    ['no ignored text', text('p', 'note', { ignored: true }), []],
    ['no blank text', text('p', ' \n'), []],
    ['no reasoning', { type: 'reasoning', id: 'p', text: 'hm' }, []],
    ['no file', file('p', 'image/png'), []],
    ['no bounds of a step', { type: 'step-start', id: 'p', snapshot: 'one' }, []],
    ['a cleared output', tool('t', 'out', { compactedAt: 1 }), ['bash(id: t)\nout']],
    [
      'what a clean-up took out of a call',
      standIn(tool('t', 'out'), tool('t', 'all of it'), { what: 'input', now: 1 }),
      ['bash(id: t)\nall of it'],
    ],
    ['a call without output', call({ a: 'b' }, ''), ['edit(a: b)']],
    [
      'texts of a call as they are',
      call({ old: 'a\nb', new: 'c' }),
      ['edit(old: a\nb, new: c)\ndone'],
    ],
    [
      'other values of a call as JSON',
      call({ n: 1, x: [{ y: 'z' }] }),
      ['edit(n: 1, x: [{"y":"z"}])\ndone'],
    ],
    ['a call with a bare text', call('ls -l'), ['edit(ls -l)\ndone']],
    ['a call with a list', call(['a', 1]), ['edit(["a",1])\ndone']],
    ['a call with nothing', call(undefined), ['edit()\ndone']],
    ['a call with null', call(null), ['edit(null)\ndone']],
    ['a call that never came back', toolIn('t', { status: 'running', input: {} }), ['bash()']],
    ['an error', toolIn('t', { status: 'error', input: {}, error: 'no' }), ['bash()\nno']],
    [
      'what an interrupted call had printed',
      toolIn('t', { status: 'error', input: {}, error: 'no', partialOutput: 'half' }),
      ['bash()\nhalf'],
    ],
  ])('takes %s', (_, part, expected) => {
    expect(textsOf(step('s1', [part]))).toEqual(expected);
  });

  it('takes the text of a summary', () => {
    expect(textsOf(summary('x1', 'c1'))).toEqual(['summary x1']);
  });
});
