import { describe, expect, it } from 'vitest';
import {
  boundary,
  call,
  type Line,
  outline,
  prompt,
  readLines,
  result,
  say,
  step,
  summary,
  system,
} from './claude-code-lines.ts';

const MINUTE_MS = 60_000;

const writing = (id: string, creation: Line | undefined) =>
  step(id, say(id), {
    message: { usage: { input_tokens: 1, output_tokens: 1, cache_creation: creation } },
  });
const short = (tokens: number) => ({ ephemeral_5m_input_tokens: tokens });
const long = (tokens: number) => ({ ephemeral_1h_input_tokens: tokens });

it.each<[string, readonly (Line | undefined)[], number | undefined]>([
  ['five minutes', [short(10)], 5 * MINUTE_MS],
  ['an hour', [long(10)], 60 * MINUTE_MS],
  [
    'what most tokens were written for',
    [short(30), long(20), { ...short(0), ...long(20) }],
    60 * MINUTE_MS,
  ],
  ['five minutes of two that are alike', [short(20), long(20)], 5 * MINUTE_MS],
  ['nothing where nothing was written', [{ ...short(0), ...long(0) }], undefined],
  ['nothing where nothing says', [undefined], undefined],
])('a transcript asked to cache for %s', (_, creations, cacheTtlMs) => {
  const steps = creations.map((creation, index) => writing(`s${index}`, creation));
  expect(readLines(prompt('x'), ...steps).cacheTtlMs).toBe(cacheTtlMs);
});

it.each<[string, readonly (number | undefined)[], number | undefined]>([
  ['each step once', [0.25, 0.25, 0.5], 0.75],
  ['nothing where no step has one', [undefined, 0], undefined],
])('a transcript cost %s', (_, costs, dollars) => {
  const steps = costs.map((costUSD, index) =>
    step(index < 2 ? 'm1' : 'm2', call(`t${index}`), { costUSD }),
  );
  expect(readLines(prompt('x'), ...steps).ownCostUsd).toBe(dollars);
});

const turn = [prompt('x'), step('m1', call('t1')), result('t1')];

describe('recorded compactions', () => {
  it('are taken out of the history, with their summary', () => {
    const session = readLines(...turn, boundary, summary, step('m2', say('b')));
    expect(outline(session)).toEqual(['user: x', 'assistant: t1:completed', 'assistant: b']);
    expect(session.isPartial).toBe(false);
    expect(session.recordedCompactions).toEqual([
      {
        kind: 'full',
        trigger: 'auto',
        messageIndex: 2,
        tokensBefore: 900,
        tokensAfter: 90,
        summary: 'They want a timer.',
      },
    ]);
  });

  it.each<[string, Line, number | undefined]>([
    ['a segment', { preservedSegment: { headUuid: 'u4', tailUuid: 'u5' } }, 2],
    ['a result that it begins with', { preservedSegment: { headUuid: 'u3', tailUuid: 'u5' } }, 1],
    ['a list', { preservedMessages: { uuids: ['u4', 'u5'] } }, 2],
    ['a single record', { preservedMessages: { uuids: ['u5'] } }, 3],
    ['an empty list', { preservedMessages: { uuids: [] } }, undefined],
    ['what is unknown', { preservedSegment: { headUuid: 'no', tailUuid: 'u5' } }, undefined],
    ['no end', { preservedSegment: { headUuid: 'u4' } }, undefined],
    ['a beginning', { preservedSegment: { headUuid: 'u1', tailUuid: 'u3' } }, undefined],
  ])('tell what stayed by %s', (_, compactMetadata, kept) => {
    const cut = system('compact_boundary', { parentUuid: null, compactMetadata });
    const later = [prompt('y'), step('m2', say('b'))];
    const session = readLines(...turn, ...later, cut, summary, step('m3', say('c')));
    expect(session.recordedCompactions.map((each) => each.firstKeptMessageIndex)).toEqual([kept]);
  });

  it('may lack a summary, a trigger and numbers', () => {
    const session = readLines(...turn, system('compact_boundary'), step('m2', say('b')));
    expect(session.recordedCompactions).toEqual([{ kind: 'full', messageIndex: 2 }]);
  });

  it('may lack a boundary', () => {
    const session = readLines(...turn, summary, step('m2', say('b')));
    const expected = { kind: 'full', messageIndex: 2, summary: 'They want a timer.' };
    expect(session.recordedCompactions).toEqual([expected]);
  });

  it('of single outputs leave the outputs in the history', () => {
    const metadata = {
      trigger: 'auto',
      preTokens: 700,
      tokensSaved: 300,
      compactedToolIds: ['t1', 9],
    };
    const micro = system('microcompact_boundary', { microcompactMetadata: metadata });
    const session = readLines(...turn, micro, step('m2', say('b')));
    expect(session.messages[1]?.parts[0]).toMatchObject({ state: { output: 'output of t1' } });
    expect(session.recordedCompactions).toEqual([
      {
        kind: 'micro',
        trigger: 'auto',
        messageIndex: 2,
        tokensBefore: 700,
        tokensAfter: 400,
        clearedCallIds: ['t1'],
      },
    ]);
  });
});

describe('a session that begins at a boundary', () => {
  it.each<[string, readonly Line[]]>([
    ['without the boundary itself', [summary, step('m1', say('a'))]],
    ['behind a cleared output', [system('microcompact_boundary'), summary, step('m1', say('a'))]],
  ])('keeps the summary as its first text (%s)', (_, lines) => {
    const session = readLines(...lines);
    expect(outline(session)).toEqual(['user: (They want a timer.)', 'assistant: a']);
    expect(session.isPartial).toBe(true);
    expect(session.recordedCompactions).toEqual([]);
  });

  it('has the compaction before its first message, and none of its text twice', () => {
    const session = readLines(boundary, summary, step('m1', say('a')), boundary, summary);
    expect(outline(session)).toEqual(['user: (They want a timer.)', 'assistant: a']);
    expect(session.isPartial).toBe(true);
    const told = { kind: 'full', trigger: 'auto', tokensBefore: 900, tokensAfter: 90 };
    expect(session.recordedCompactions).toEqual([
      { ...told, messageIndex: 0 },
      { ...told, messageIndex: 2, summary: 'They want a timer.' },
    ]);
    const unbounded = readLines(boundary, summary, step('m1', say('a')), summary);
    expect(unbounded.recordedCompactions).toEqual([
      { ...told, messageIndex: 0 },
      { kind: 'full', messageIndex: 2, summary: 'They want a timer.' },
    ]);
  });

  it('has the summary in front of the first prompt', () => {
    const session = readLines(boundary, summary, prompt('x'), step('m1', say('a')));
    expect(outline(session)).toEqual(['user: (They want a timer.) x', 'assistant: a']);
  });
});

describe('isPartial', () => {
  it.each<[string, readonly Line[], boolean]>([
    ['the first record has no parent', [prompt('x')], false],
    ['the first record follows one that is not there', [prompt('x', { parentUuid: 'lost' })], true],
    [
      'bookkeeping stands between the first record and the lost one',
      [system('turn_duration', { parentUuid: 'lost' }), prompt('x')],
      true,
    ],
    ['bookkeeping comes first', [system('turn_duration'), prompt('x')], false],
    [
      'only a later record has lost its parent',
      [...turn, prompt('y', { parentUuid: 'lost' })],
      false,
    ],
    ['parents go round in a circle', [prompt('x', { parentUuid: 'u1' })], false],
    ['a result stands before all calls', [prompt('x'), result('lost'), ...turn.slice(1)], true],
    [
      'a result is written before its own call',
      [prompt('x'), result('t1'), step('m1', call('t1'))],
      false,
    ],
  ])('tells that %s', (_, lines, expected) => {
    expect(readLines(...lines).isPartial).toBe(expected);
  });
});

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
