import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Message } from '../../../../src/engine/index.ts';
import { loadTokenizer, type Tokenizer } from '../../../../src/simulator/tokens/tokenizer.ts';
import { marker, step, summary, text, user } from '../../../support/history.ts';
import { counters } from '../counters.ts';
import { heads } from '../heads.ts';
import { calls, ends, fails, type RequestFields, says, section, summarise } from './sections.ts';

const HEADINGS = [
  '## Goal',
  '## Instructions',
  '## Discoveries',
  '## Accomplished',
  '## Relevant files / directories',
];
const SESSION: readonly Message[] = [
  user(
    'u1',
    'The weekly report is wrong for users in Tokyo. Please mend it.\n\nRules:\n- never change the table `visits`\n- dates must stay in UTC',
  ),
  says('I will look at the report first.'),
  calls('grep', { pattern: 'weekly', path: 'src/report' }, 'src/report/weekly.ts:12'),
  calls(
    'read',
    { filePath: 'src/report/weekly.ts' },
    'const start = startOfWeek(now)\n// every zone starts its week on Monday',
  ),
  calls(
    'bash',
    { command: 'npm test -- weekly' },
    'FAIL test/weekly.test.ts\nexpected 7, got 6\n1 failed',
  ),
  says(
    'The root cause is that the week starts in local time. I decided to pass the zone as an argument instead of reading it from the environment.',
  ),
  fails('edit', { filePath: 'src/report/weekly.ts' }, 'Error: the old text occurs twice'),
  calls('edit', { filePath: 'src/report/weekly.ts' }, 'ok'),
  calls('write', { filePath: 'src/report/zone.ts', content: '…' }, 'ok'),
  calls('bash', { command: 'npm test -- weekly' }, '7 passed'),
  ends('The weekly report now takes the zone of the user.'),
  user('u2', '月报也有同样的问题。不要修改数据库。'),
  calls('todowrite', {
    todos: [
      { content: 'monthly report', status: 'in_progress' },
      { content: 'tell the team', status: 'pending' },
    ],
  }),
  says('Next, the monthly report gets the same argument.'),
  marker('m'),
];

/** A session whose outputs are all cleared, and what they had been. */
function withCleared(
  messages: readonly Message[],
  output: string,
  compactedAt: number,
): readonly Message[] {
  return messages.map((message) => ({
    ...message,
    parts: message.parts.map((part) =>
      part.type === 'tool' && part.state.status === 'completed'
        ? { ...part, state: { ...part.state, output, compactedAt } }
        : part,
    ),
  })) as readonly Message[];
}

describe('fillTemplate', () => {
  let tokenizer: Tokenizer;
  beforeAll(async () => {
    tokenizer = await loadTokenizer('o200k_base');
  });
  const countTokens = (value: string) => tokenizer.count(value);

  it('fills the template from a session', () => {
    expect(summarise(SESSION, {}, countTokens)).toMatchInlineSnapshot(`
      "## Goal
      - The weekly report is wrong for users in Tokyo. Please mend it. Rules: - never change the table \`visits\` - dates must stay in UTC
      - 月报也有同样的问题。不要修改数据库。

      ## Instructions
      - never change the table \`visits\`
      - dates must stay in UTC
      - 不要修改数据库。

      ## Discoveries
      - I will look at the report first.
      - The root cause is that the week starts in local time. I decided to pass the zone as an argument instead of reading it from the environment.
      - edit src/report/weekly.ts → failed: Error: the old text occurs twice

      ## Accomplished
      - Done: The weekly report now takes the zone of the user.
      - In progress: monthly report
      - In progress: Next, the monthly report gets the same argument.
      - Open: tell the team

      ## Relevant files / directories
      - src/report (searched)
      - src/report/weekly.ts (edited)
      - src/report/zone.ts (created)"
    `);
  });

  it('keeps what matters most where the cap is small', () => {
    expect(summarise(SESSION, { outputCapTokens: 160 }, countTokens)).toMatchInlineSnapshot(`
      "## Goal
      - The weekly report is wrong for users in Tokyo. Please mend it.…
      - 月报也有同样的问题。不要修改数据库。

      ## Instructions
      - never change the table \`visits\`
      - 不要修改数据库。

      ## Discoveries
      - The root cause is that the week starts in local time. I decided to pass the zone as an argument instead of reading it from the…

      ## Accomplished
      - Done: The weekly report now takes the zone of the user.
      - In progress: monthly report

      ## Relevant files / directories
      - src/report/zone.ts (created)"
    `);
  });

  it.each([20, 10, 5, 3])('says something of the goal in %i tokens', (outputCapTokens) => {
    const short = summarise(SESSION, { outputCapTokens }, countTokens);
    expect(tokenizer.count(short)).toBeLessThanOrEqual(outputCapTokens);
    expect(short).toMatch(outputCapTokens > 3 ? /^- The weekly.*…$/ : /^- The…$|^…$/);
  });

  it('says nothing in no tokens', () => {
    expect(summarise(SESSION, { outputCapTokens: 0 }, countTokens)).toBe('');
  });

  it('has every heading for a head without messages', () => {
    expect(summarise([])).toBe(HEADINGS.map((heading) => `${heading}\n- (none)`).join('\n\n'));
  });

  it.each<[limits: RequestFields, tokens: number]>([
    [{}, 2_000],
    [{ targetTokens: 900 }, 900],
    [{ outputCapTokens: 700 }, 700],
    [{ targetTokens: 900, outputCapTokens: 700 }, 700],
    [{ targetTokens: 6_000, outputCapTokens: 9_000 }, 6_000],
  ])('is as long as %j asks for where there is enough to say', (limits, expected) => {
    const turns = Array.from({ length: 400 }, (_, index) => [
      user(`u${index}`, `Mend part ${index} of the importer. ${'It is still slow. '.repeat(9)}`),
      ends(`Part ${index} is mended. ${'It was the cache of rows. '.repeat(9)}`),
    ]);
    const tokens = tokenizer.count(summarise(turns.flat(), limits, countTokens));
    expect(tokens).toBeLessThanOrEqual(expected);
    expect(tokens).toBeGreaterThan(0.8 * expected);
  });

  it('says nothing of outputs that were cleared, nor of when they were', () => {
    const open = [user('a', 'Go.'), calls('bash', { command: 'make' }, 'one')];
    const summary = summarise(withCleared(open, 'FAIL: 7', 1), {}, counters['words']);
    expect(summarise(withCleared(open, 'Osaka', 2), {}, counters['words'])).toBe(summary);
    expect(summary).not.toBe(summarise(open, {}, counters['words']));
  });

  it('has the headings of the template and no others, whatever the head says', () => {
    fc.assert(
      fc.property(heads, (messages) => {
        const lines = summarise(messages, {}, counters['words']).split('\n');
        expect(lines.filter((line) => !line.startsWith('- ') && line !== '')).toEqual(HEADINGS);
        expect(lines.join('')).not.toMatch(/[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u);
      }),
      { numRuns: 60 },
    );
  });

  it('is never empty where the head has text and the cap has room', () => {
    fc.assert(
      fc.property(heads, fc.integer({ min: 1, max: 40 }), (messages, outputCapTokens) => {
        const summary = summarise(messages, { outputCapTokens }, counters['quarters']);
        expect(summary).not.toBe('');
      }),
      { numRuns: 60 },
    );
  });

  it('counts little more than the head is long, however long it is', () => {
    let counted = 0;
    const count = (value: string) => {
      counted += value.length;
      return Math.ceil(value.length / 4);
    };
    const turns = Array.from({ length: 2_000 }, (_, index) => [
      user(`u${index}`, `Please mend number ${index}. Never break number ${index - 1}.`),
      step(`s${index}`, [
        text('t', `Mended ${index} because it was broken. ${'Blah. '.repeat(400)}`),
      ]),
    ]);
    summarise(turns.flat(), {}, count);
    expect(counted).toBeLessThan(1_000_000);
  });

  it.each<[what: string, head: readonly Message[], heading: string, lines: readonly string[]]>([
    [
      'the prompts between the first and the newest are instructions',
      [user('a', 'First.'), user('b', 'Second.'), user('c', 'Third.')],
      'Instructions',
      ['Second.'],
    ],
    [
      'what a person forbids or demands is an instruction, in any of five languages',
      [
        user('a', 'Look at it. Never touch `visits`.\n- the API must stay as it is'),
        user('b', 'Bitte nicht die Tabelle ändern. Sie ist groß.'),
        user('c', 'Не трогай схему. Она старая.'),
        user('d', '先看报告。不要修改数据库。'),
        user('e', 'まず見てください。データベースは変更しないでください。'),
        user('f', `Must it be fast? ${'and pasted never '.repeat(30)}`),
        ends('I must never do that.'),
      ],
      'Instructions',
      [
        'Never touch `visits`.',
        'the API must stay as it is',
        'Bitte nicht die Tabelle ändern.',
        'Не трогай схему.',
        '不要修改数据库。',
        'データベースは変更しないでください。',
        'Bitte nicht die Tabelle ändern. Sie ist groß.',
        'Не трогай схему. Она старая.',
        '先看报告。不要修改数据库。',
        'まず見てください。データベースは変更しないでください。',
      ],
    ],
    [
      'what nobody typed is no prompt',
      [user('a', '', text('t', 'Injected.', { synthetic: true })), user('b', 'Typed.')],
      'Goal',
      ['Typed.'],
    ],
    [
      'the newest list holds, with the state of each entry',
      [
        user('a', 'Go.'),
        calls('todowrite', { todos: [{ content: 'old', status: 'pending' }] }),
        calls('todowrite', {
          todos: [
            { content: 'read', status: 'completed' },
            { content: 'write', status: 'in_progress' },
            { content: 'test', status: 'pending' },
            { content: 'drop', status: 'cancelled' },
          ],
        }),
        ends('All told.'),
      ],
      'Accomplished',
      ['Done: read', 'Done: All told.', 'In progress: write', 'Open: test'],
    ],
    [
      'tasks that are added one by one are a list, too',
      [
        calls('TaskCreate', { subject: 'read' }, 'Task #7 created'),
        calls('TaskCreate', { subject: 'write' }, 'Task #8 created'),
        calls('TaskUpdate', { taskId: '7', status: 'completed' }),
        ends('.'),
      ],
      'Accomplished',
      ['Done: read', 'Done: .', 'Open: write'],
    ],
    [
      'a turn that is not over has its last steps in progress',
      [user('a', 'Go.'), says('Looking.'), calls('bash', { command: 'make' }, 'one\ntwo\nthree')],
      'Accomplished',
      ['In progress: Looking.', 'In progress: `make` → three'],
    ],
    [
      'failures are discoveries, outputs are none',
      [
        fails('edit', { filePath: 'a.ts' }, 'no match'),
        calls('grep', { path: 'docs' }, '- the limit is set in one place only\nsrc/a.ts:12'),
      ],
      'Discoveries',
      ['edit a.ts → failed: no match'],
    ],
    [
      'a file has what was done to it in the end',
      [
        calls('read', { filePath: 'a.ts' }),
        calls('edit', { filePath: 'a.ts' }),
        calls('read', { filePath: 'a.ts' }),
        calls('write', { filePath: 'b.ts', content: '' }),
        calls('edit', { filePath: 'b.ts' }),
        calls('bash', { command: 'rm c.ts' }),
      ],
      'Relevant files',
      ['a.ts (edited)', 'b.ts (created)', 'c.ts (deleted)'],
    ],
  ])('%s', (_, head, heading, lines) => {
    expect(section(heading, head)).toEqual(lines);
  });

  it('carries an earlier summary on: its goal comes first, its current work is over', () => {
    const earlier = summary('s', 'm', {
      parts: [
        text(
          't',
          '## Goal\n- Ship it.\n## Accomplished\n- Done: a\n- In progress: b\n- Open: c\n## Relevant files / directories\n- x.ts (created)',
        ),
      ],
    });
    const head = [earlier, user('u', 'Go on.'), calls('edit', { filePath: 'x.ts' })];
    expect(section('Goal', head)).toEqual(['Ship it.', 'Go on.']);
    expect(section('Accomplished', head)).toEqual(['Done: a', 'In progress: edit x.ts', 'Open: c']);
    expect(section('Relevant files', head)).toEqual(['x.ts (created)']);
  });

  it('carries on what an instruction quotes', () => {
    const prompt = '<previous-summary>\n## Goal\n- Ship it.\n</previous-summary>';
    expect(section('Goal', [user('u', 'Go on.')], { prompt })).toEqual(['Ship it.', 'Go on.']);
  });
});
