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
} from './claude-lines.ts';

const after = (parentUuid: string): Line => ({ parentUuid });
const answered = [prompt('x'), step('m1', say('a'))];
const all = ['user: x', 'assistant: a', 'user: y', 'assistant: b', 'user: z', 'assistant: c'];
const kept = ['user: x', 'assistant: a', 'user: z', 'assistant: c'];

describe('a prompt that follows what an earlier one followed', () => {
  it.each<[string, readonly Line[], number]>([
    ['an answer', [prompt('y'), step('m2', say('b'))], 2],
    ['none', [prompt('y')], 1],
    ['calls', [prompt('y'), step('m2', call('c')), result('c'), step('m3', say('b'))], 3],
    ['several records of one step', [prompt('y'), step('m2', say('b')), step('m2', call('c'))], 2],
    ['a note before it', [system('turn_duration'), prompt('y'), step('m2', say('b'))], 2],
    ['a note after it', [prompt('y'), step('m2', say('b')), system('turn_duration')], 2],
    ['a command in its place', [prompt('<command-name>/y'), step('m2', say('b'))], 1],
    ['a rewind of its own', [prompt('y'), step('m2', say('b')), prompt('w', after('u2'))], 3],
  ])('takes the place of the one with %s', (_, lines, count) => {
    const again = prompt('z', after('u2'));
    const session = readLines(...answered, ...lines, again, step('m9', say('c')));
    expect(outline(session)).toEqual(kept);
    expect(session.report.dropped).toEqual({ 'message of another branch': count });
  });

  it('takes the place of compactions, too', () => {
    const micro = system('microcompact_boundary');
    const rewound = [prompt('y'), step('m2', say('b')), micro, prompt('z', after('u2'))];
    expect(readLines(...answered, ...rewound).recordedCompactions).toEqual([]);
  });

  it('has nothing to say of what stands elsewhere', () => {
    const rewound = [boundary, summary, prompt('y'), step('m2', say('b'))];
    const session = readLines(...answered, ...rewound, prompt('z', after('u4')));
    expect(outline(session)).toEqual(['user: x', 'assistant: a', 'user: z']);
    expect(session.recordedCompactions).toMatchObject([{ messageIndex: 2 }]);
  });
});

describe('a prompt that follows nothing', () => {
  const root: Line = { parentUuid: null };
  const again = [prompt('z', root), step('m3', say('c'))];

  it.each<[string, readonly Line[]]>([
    ['the first prompt', answered],
    ['what a program wrote before it', [system('turn_duration'), ...answered]],
    ['an earlier rewind', [...answered, prompt('y', root), step('m2', say('b'))]],
  ])('takes the place of %s', (_, lines) => {
    const session = readLines(...lines, ...again);
    expect(outline(session)).toEqual(['user: z', 'assistant: c']);
    const count = lines.length - (lines[0]?.['type'] === 'system' ? 1 : 0);
    expect(session.report.dropped).toEqual({ 'message of another branch': count });
  });

  it.each<[string, readonly Line[]]>([
    ['another session', answered.map((line) => ({ ...line, sessionId: 'before' }))],
    ['a recorder that links nothing', answered.map((line) => ({ ...line, ...root }))],
    ['a compaction', [...answered, boundary, summary]],
  ])('leaves alone what is of %s', (_, lines) => {
    const session = readLines(...lines, ...again);
    expect(outline(session)).toEqual(['user: x', 'assistant: a', 'user: z', 'assistant: c']);
    expect(session.report.dropped).toEqual({});
  });
});

describe('a fork of the tree is no rewind', () => {
  const [y, b] = [prompt('y'), step('m2', say('b'))];
  const c = step('m3', say('c'));

  it.each<[string, readonly Line[]]>([
    ['where both follow a record that is lost', [prompt('y', after('lost')), b]],
    ['where the new prompt is of another session', [{ ...y, sessionId: 'before' }, b]],
    ['where the conversation goes on in the old branch', [y, { ...b, uuid: 'b' }]],
  ])('%s', (where, lines) => {
    const parentUuid = where.endsWith('lost') ? 'lost' : 'u2';
    const end = where.endsWith('branch') ? after('b') : {};
    const z = prompt('z', { parentUuid });
    const session = readLines(...answered, ...lines, z, { ...c, ...end });
    expect(outline(session)).toEqual(all);
    expect(session.report.dropped).toEqual({});
  });

  it.each<[string, Line]>([
    ['a note', system('turn_duration')],
    ['a microcompaction', system('microcompact_boundary')],
    ['an echo of a command', prompt('<command-name>/model')],
    ['text of a program', prompt('Mind the steam.', { isMeta: true })],
  ])('where the old branch holds nothing but %s', (_, note) => {
    const session = readLines(...answered, y, b, note, prompt('z', after('u4')), c);
    expect(session.messages).toHaveLength(all.length);
    expect(session.recordedCompactions).toHaveLength(
      note['subtype'] === 'microcompact_boundary' ? 1 : 0,
    );
  });

  it('where tools answer side by side', () => {
    const session = readLines(
      prompt('x'),
      step('m1', call('c')),
      step('m1', call('d')),
      { ...result('c'), ...after('u2') },
      { ...result('d'), ...after('u3') },
      step('m2', say('a')),
      prompt('y'),
    );
    expect(outline(session)).toEqual([
      'user: x',
      'assistant: c:completed d:completed',
      'assistant: a',
      'user: y',
    ]);
  });

  it.each<[string, Line]>([
    ['a summary', summary],
    ['a result', result('c')],
    ['a command', prompt('<command-name>/model')],
    ['text of a program', prompt('Mind the steam.', { isMeta: true })],
  ])('where what follows is %s', (_, line) => {
    const session = readLines(...answered, y, b, { ...line, ...after('u2') });
    expect(session.messages).toHaveLength(4);
  });
});
