import { describe, expect, it } from 'vitest';
import { type Line, outline, prompt, readLines, say, step } from './claude-lines.ts';

function firstPartWith(attachment: Line) {
  return readLines(prompt('x'), { type: 'attachment', attachment }).messages[0]?.parts[0];
}

describe('what opens a turn', () => {
  it.each<[string, Line]>([
    ['a caveat', prompt('Caveat', { isMeta: true })],
    ['the name of a command', prompt('<command-name>/ide</command-name>')],
    ['a command with its message in front', prompt('<command-message>ide</command-message>')],
    ['the output of a command', prompt('<local-command-stdout>ok</local-command-stdout>')],
    ['a shell line', prompt('<bash-input>ls</bash-input>')],
    ['the output of a shell line', prompt('<bash-stdout>a</bash-stdout>')],
    ['an opened file', prompt([say('<ide_opened_file>a.ts</ide_opened_file>')])],
    ['an interruption', prompt([say('[Request interrupted by user for tool use]')])],
    ['text beside a result', prompt([{ type: 'tool_result', tool_use_id: 'lost' }, say('Note.')])],
    [
      'an attachment',
      { type: 'attachment', attachment: { type: 'skill_listing', content: 'tea' } },
    ],
  ])('is not %s, which stands in front of the next prompt', (_, echo) => {
    const session = readLines(prompt('x'), step('m1', say('a')), echo, prompt('y'));
    expect(session.messages).toHaveLength(3);
    expect(session.messages[2]?.parts).toMatchObject([
      { type: 'text', synthetic: true },
      { type: 'text', text: 'y' },
    ]);
  });

  it('is a prompt beside a file that the editor had open', () => {
    const session = readLines(
      prompt([say('<ide_opened_file>a.ts</ide_opened_file>'), say('Why?')]),
    );
    expect(outline(session)).toEqual(['user: (<ide_opened_file>a.ts</ide_opened_file>) Why?']);
    expect(session.messages[0]?.id).toBe('u1');
  });

  it('is an image', () => {
    const source = { type: 'base64', media_type: 'image/png', data: 'AAAA' };
    const session = readLines(prompt([{ type: 'image', source }]), step('m1', say('a')));
    expect(session.messages[0]?.parts).toEqual([
      { type: 'file', id: 'u1-1', mime: 'image/png', url: 'data:image/png;base64,AAAA' },
    ]);
  });

  const echo = prompt('<bash-input>ls</bash-input>');
  const shown = '(<bash-input>ls</bash-input>)';
  it.each<[string, readonly Line[], readonly string[]]>([
    [
      'the step before them, when another step comes first',
      [prompt('x'), step('m1', say('a')), echo, step('m2', say('b'))],
      ['user: x', `assistant: a ${shown}`, 'assistant: b'],
    ],
    [
      'the prompt before them, in front, when its first step comes next',
      [prompt('x'), step('m1', say('a')), prompt('y'), echo, step('m2', say('b'))],
      ['user: x', 'assistant: a', `user: ${shown} y`, 'assistant: b'],
    ],
    [
      'a prompt of their own, when the first step comes next',
      [echo, step('m1', say('a'))],
      [`user: ${shown}`, 'assistant: a'],
    ],
    [
      'the last step, when nothing follows',
      [prompt('x'), step('m1', say('a')), echo],
      ['user: x', `assistant: a ${shown}`],
    ],
    [
      'the step before, when they stand between records of one step',
      [prompt('x'), step('m1', say('a')), echo, step('m1', say('b')), step('m2', say('c'))],
      ['user: x', `assistant: a b ${shown}`, 'assistant: c'],
    ],
  ])('puts injected texts into %s', (_, lines, expected) => {
    expect(outline(readLines(...lines))).toEqual(expected);
  });
});

describe('attachments', () => {
  it.each<[string, Line, string]>([
    ['a text', { content: 'tea' }, 'tea'],
    ['a file', { content: { type: 'text', file: { content: 'tea', numLines: 1 } } }, 'tea'],
    ['a list of tasks', { content: [{ subject: 'boil', description: 'water' }] }, 'water\nboil'],
    ['a queued prompt', { prompt: [{ type: 'image', source: {} }, say('tea')] }, 'tea'],
    ['lines', { addedNames: ['x'], addedLines: ['tea', 'pot'] }, 'tea\npot'],
    [
      'what was shown, over what it was made of',
      { content: 'raw', rendered: [{ content: 'tea' }] },
      'tea',
    ],
  ])('read as the text of %s', (_, attachment, text) => {
    expect(firstPartWith({ type: 'kind', ...attachment })).toMatchObject({ text, synthetic: true });
  });

  it('that show nothing read as nothing', () => {
    expect(firstPartWith({ type: 'hook_success', content: '', stdout: '{}' })).toMatchObject({
      text: 'x',
    });
  });
});
