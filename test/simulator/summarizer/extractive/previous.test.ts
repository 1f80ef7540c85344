import { describe, expect, it } from 'vitest';
import { readPreviousSummary } from '../../../../src/simulator/summarizer/extractive/previous.ts';
import { marker, summary, text, user } from '../../../support/history.ts';
import { calls, ends, says, section, summarise } from './sections.ts';

const PREVIOUS = `## Goal
- Build a lexer.

## Instructions
- Never use regular expressions.

## Discoveries
- Tokens are slow because of copies.
- \`npm run lint\` failed: Error: x

## Accomplished
- Done: The scanner.
- Ran \`npm test\`: failed (Error: y)
- Open: write the docs
- In progress: Build a lexer.

## Relevant files / directories
- src/lexer.ts (created)
- src/token.ts (read)
- the whole of src/grammar`;

const head = (...messages: Parameters<typeof summarise>[0]) => [
  marker('m'),
  summary('s', 'm', { parts: [text('t', PREVIOUS)] }),
  user('c', text('c', 'Continue if you have next steps', { synthetic: true })),
  ...messages,
];

describe('a head that begins with a summary', () => {
  it('gives the same summary again if nothing was added', () => {
    const expected = PREVIOUS.replace(
      /- src\/lexer[^]*$/,
      '- the whole of src/grammar\n- src/lexer.ts (created)\n- src/token.ts (read)',
    );
    expect(summarise(head())).toBe(expected);
    expect(summarise([summary('s', 'm', { parts: [text('t', expected)] })])).toBe(expected);
  });

  it('adds what is new after what was there', () => {
    const messages = head(user('u', 'Add a parser. Always test it.'), says('Chose Pratt.'));
    expect(section('Goal', messages)).toEqual(['Build a lexer.', 'Add a parser. Always test it.']);
    expect(section('Instructions', messages)).toEqual([
      'Never use regular expressions.',
      'Always test it.',
    ]);
    expect(section('Discoveries', messages).at(-1)).toBe('Chose Pratt.');
  });

  it('says nothing twice', () => {
    const messages = head(user('u', 'Never use regular expressions!'));
    expect(section('Instructions', messages)).toEqual(['Never use regular expressions!']);
  });

  it('ends what was in progress when it is answered or something else is asked', () => {
    const [asked, answered] = [head(user('u', 'Stop.')), head(ends('Lexer done.'))];
    expect(section('Accomplished', asked)).not.toContain('In progress: Build a lexer.');
    expect(section('Accomplished', answered)).not.toContain('In progress: Build a lexer.');
    expect(section('Accomplished', head(says('Lexing.')))).toContain('In progress: Build a lexer.');
  });

  it('forgets what was open and what was changed where there is something newer', () => {
    const older = '## Accomplished\n- Open: write the docs\n- Changed: src/a.ts';
    const messages = [
      summary('s', 'm', { parts: [text('t', older)] }),
      calls('todowrite', { todos: [{ content: 'ship it', status: 'pending' }] }),
      calls('edit', { path: 'src/b.ts' }),
    ];
    expect(section('Accomplished', messages)).toEqual(['Changed: src/b.ts', 'Open: ship it']);
  });

  it('keeps what was open longer than what was done', () => {
    const done = Array.from({ length: 20 }, (_, index) => `- Done: step ${index} of the work`);
    const older = ['## Accomplished', '- Open: write the docs', ...done].join('\n');
    const messages = [summary('s', 'm', { parts: [text('t', older)] })];
    const kept = section('Accomplished', messages, { outputCapTokens: 80 });
    expect(kept).toContain('Open: write the docs');
    expect(kept.length).toBeLessThan(20);
  });

  it('replaces what was open by a newer list, and the outcome of a command by a newer one', () => {
    const messages = head(
      calls('todowrite', { todos: [{ content: 'write the docs', status: 'completed' }] }),
      calls('bash', { command: 'npm test' }, '9 passed'),
    );
    expect(section('Accomplished', messages)).toEqual([
      'Done: The scanner.',
      'Ran `npm test`: ok (9 passed)',
      'Done: write the docs',
    ]);
  });

  it('knows what became of its files', () => {
    const messages = head(
      calls('edit', { path: 'src/lexer.ts' }),
      calls('edit', { path: 'src/token.ts' }),
    );
    expect(section('Relevant', messages)).toEqual([
      'the whole of src/grammar',
      'src/lexer.ts (created)',
      'src/token.ts (edited)',
    ]);
  });

  it('drops its own items first when the cap bites, but for the first request', () => {
    const messages = head(user('u', 'Never stop the server while it is running in production.'));
    expect(section('Instructions', messages, { outputCapTokens: 70 })).toEqual([
      'Never stop the server while it is running in production.',
    ]);
    expect(section('Goal', messages, { outputCapTokens: 70 })).toContain('Build a lexer.');
  });

  it('reads the newest one of several, and none that failed', () => {
    const older = summary('o', 'm', { parts: [text('o', '## Goal\n- Older.')] });
    const newer = summary('n', 'm', { parts: [text('n', '## Goal\n- Newer.')] });
    const failed = { ...newer, error: { name: 'APIError', message: 'x' } };
    expect(section('Goal', [older, newer])).toEqual(['Newer.']);
    expect(section('Goal', [older, failed])).toEqual(['Older.']);
  });
});

it('reads the summary that the instruction quotes where the head holds none', () => {
  const prompt = `Update it.\n<previous-summary>\n${PREVIOUS}\n</previous-summary>`;
  expect(section('Goal', [user('u', 'Add a parser.')], { prompt })).toEqual([
    'Build a lexer.',
    'Add a parser.',
  ]);
});

describe('readPreviousSummary', () => {
  it('finds its way in other templates', () => {
    const other = [
      'Some words before.',
      '## Objective\n- a',
      '## Constraints & Preferences\n- b',
      '## Progress\n### Done\n- [x] c\n### In Progress\n* d\n### Blocked\n1. e',
      '## Key Decisions\n- f',
      '## Next Steps\n  - g',
      '## Relevant Files\n- h',
      '## Anything else\ni',
    ].join('\n\n');
    expect(readPreviousSummary(other)).toEqual({
      goal: ['a'],
      instructions: ['b'],
      discoveries: ['Some words before.', 'f', 'i'],
      accomplished: ['Done: [x] c', 'In progress: d', 'Open: e', 'Open: g'],
      files: ['h'],
      names: [],
    });
  });

  it('skips what stands for nothing', () => {
    const nothing = '## Goal\n- (none)\n- …\n-\n---\n\n## Instructions\n(none)';
    expect(Object.values(readPreviousSummary(nothing)).flat()).toEqual([]);
  });
});
