import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { AssistantMessage, Message } from '../../../../src/engine/index.ts';
import { rememberAnswers } from '../../../../src/simulator/summarizer/extractive/extractive.ts';
import type {
  Message as MessageOfSummarizer,
  Summarizer,
  SummaryRequest,
} from '../../../../src/simulator/summarizer/summarizer.ts';
import { loadTokenizer, type Tokenizer } from '../../../../src/simulator/tokens/tokenizer.ts';
import { marker, step, text, user } from '../../../support/history.ts';
import { counters } from '../counters.ts';
import { heads } from '../heads.ts';
import { calls, ends, fails, says, summarise } from './sections.ts';

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
  calls('read', { filePath: 'src/report/weekly.ts' }, 'const start = startOfWeek(now)'),
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
function withCleared(output: string, compactedAt: number): readonly Message[] {
  return SESSION.map((message) => ({
    ...message,
    parts: message.parts.map((part) =>
      part.type === 'tool' && part.state.status === 'completed'
        ? { ...part, state: { ...part.state, output, compactedAt } }
        : part,
    ),
  })) as readonly Message[];
}

describe('createExtractive', () => {
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
      - Rules: never change the table \`visits\`
      - Rules: dates must stay in UTC
      - 不要修改数据库。

      ## Discoveries
      - The root cause is that the week starts in local time.
      - I decided to pass the zone as an argument instead of reading it from the environment.
      - \`npm test -- weekly\` failed: FAIL test/weekly.test.ts | 1 failed
      - edit src/report/weekly.ts failed: Error: the old text occurs twice
      - Names seen: in_progress, startOfWeek

      ## Accomplished
      - Done: The weekly report now takes the zone of the user.
      - Changed: src/report/zone.ts, src/report/weekly.ts
      - Ran \`npm test -- weekly\`: ok (7 passed)
      - In progress: monthly report
      - Open: tell the team
      - Open: Next, the monthly report gets the same argument.
      - In progress: 月报也有同样的问题。不要修改数据库。

      ## Relevant files / directories
      - src/report/weekly.ts (edited)
      - src/report/zone.ts (created)
      - src/report (searched)"
    `);
  });

  it('keeps what matters most where the cap is small', () => {
    expect(summarise(SESSION, { outputCapTokens: 160 }, countTokens)).toMatchInlineSnapshot(`
      "## Goal
      - The weekly report is wrong for users in Tokyo. Please mend it. Rules: - never change the table \`visits\` - dates must stay in UTC
      - 月报也有同样的问题。不要修改数据库。

      ## Instructions
      - Rules: dates must stay in UTC
      - 不要修改数据库。

      ## Discoveries
      - The root cause is that the week starts in local time.
      - I decided to pass the zone as an argument instead of reading it from the environment.

      ## Accomplished
      - In progress: monthly report
      - Open: tell the team

      ## Relevant files / directories
      - src/report/weekly.ts (edited)
      - src/report/zone.ts (created)"
    `);
  });

  it.each([20, 10, 5, 3])('says something of the goal in %i tokens', (outputCapTokens) => {
    const summary = summarise(SESSION, { outputCapTokens }, countTokens);
    expect(tokenizer.count(summary)).toBeLessThanOrEqual(outputCapTokens);
    expect(summary).toMatch(outputCapTokens > 3 ? /^- The weekly.*…$/ : /^- The…$|^…$/);
  });

  it('says nothing in no tokens', () => {
    expect(summarise(SESSION, { outputCapTokens: 0 }, countTokens)).toBe('');
  });

  it('has every heading for a head without messages', () => {
    expect(summarise([])).toBe(HEADINGS.map((heading) => `${heading}\n- (none)`).join('\n\n'));
  });

  it('keeps within 4,096 tokens where the request sets no cap', () => {
    const rules = Array.from(
      { length: 3_000 },
      (_, index) => `Never do the thing of number ${index}.`,
    );
    const tokens = tokenizer.count(summarise([user('u', rules.join('\n'))], {}, countTokens));
    expect(tokens).toBeLessThanOrEqual(4_096);
    expect(tokens).toBeGreaterThan(4_000);
  });

  it('says nothing of outputs that were cleared, nor of when they were', () => {
    const summary = summarise(withCleared('FAIL: 7 of `zone.ts`', 1), {}, counters['words']);
    expect(summarise(withCleared('the root cause is Osaka', 2), {}, counters['words'])).toBe(
      summary,
    );
    expect(summary).not.toBe(summarise(SESSION, {}, counters['words']));
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
});

const byLength = (text: string) => text.length;
const byHalf = (text: string) => text.length / 2;

/** A summarizer that numbers its answers. */
function numbering(): Summarizer {
  let answers = 0;
  return {
    name: 'numbering',
    summarise: () => {
      answers += 1;
      return { state: 'finished', text: `answer ${answers}`, finish: 'stop' };
    },
  };
}

function said(text: string, id = 'm'): MessageOfSummarizer {
  return { id, role: 'user', createdAt: 0, parts: [{ type: 'text', id: `${id}-0`, text }] };
}

function called(input: unknown): MessageOfSummarizer {
  const state = { status: 'completed', input, output: '' } as const;
  const part = { type: 'tool', id: 'c-0', callId: 'c', tool: 'bash', state } as const;
  return { id: 'c', role: 'assistant', createdAt: 0, parentId: 'm', parts: [part] };
}

function cleared(compactedAt: number, output = ''): MessageOfSummarizer {
  const state = { status: 'completed', input: {}, output, compactedAt } as const;
  const part = { type: 'tool', id: 'c-0', callId: 'c', tool: 'bash', state } as const;
  return { id: 'c', role: 'assistant', createdAt: 0, parentId: 'm', parts: [part] };
}

const parts = [{ type: 'text', id: 'a-0', text: 'a' }] as const;
const unended: AssistantMessage = {
  id: 'a',
  role: 'assistant',
  createdAt: 0,
  parentId: 'm',
  parts,
};
const ended = (finish: string): AssistantMessage => ({ ...unended, finish });
const counted = (input: number): MessageOfSummarizer => ({
  ...ended('stop'),
  usage: { input, output: 0, reasoning: 0, cacheRead: 0, cacheWrite: 0 },
});

const asking = (messages: readonly MessageOfSummarizer[], rest: Partial<SummaryRequest> = {}) => ({
  system: '',
  messages,
  prompt: 'Sum it up.',
  ...rest,
});

describe('rememberAnswers', () => {
  it.each<[what: string, one: SummaryRequest, other: SummaryRequest, isSame: boolean]>([
    ['the same again', asking([said('a')]), asking([said('a')]), true],
    ['another text', asking([said('a')]), asking([said('b')]), false],
    ['another prompt', asking([said('a')]), asking([said('a')], { prompt: 'Again.' }), false],
    ['another cap', asking([said('a')]), asking([said('a')], { outputCapTokens: 9 }), false],
    ['a message more', asking([said('a')]), asking([said('a'), said('', 'n')]), false],
    [
      'a message of another time',
      asking([said('a')]),
      asking([{ ...said('a'), createdAt: 1 }]),
      false,
    ],
    ['the same counted otherwise', asking([counted(1)]), asking([counted(2)]), true],
    ['an answer of another end', asking([counted(1)]), asking([ended('length')]), false],
    ['an answer that never ended', asking([ended('stop')]), asking([unended]), false],
    ['an answer that ended after all', asking([unended]), asking([ended('stop')]), false],
    ['the same cleared at another time', asking([cleared(1)]), asking([cleared(2)]), true],
    ['what nobody sees any more', asking([cleared(1, 'a')]), asking([cleared(1, 'b')]), true],
    ['an output that was cleared', asking([called({})]), asking([cleared(0)]), false],
    ['an input that is no JSON', asking([called(1n)]), asking([called(2n)]), false],
  ])('tells %s', (_, one, other, isSame) => {
    const summarizer = rememberAnswers(numbering());
    const tools = { countTokens: byLength, random: () => 0 };
    const first = summarizer.summarise(one, tools);
    expect(summarizer.summarise(one, tools)).toEqual(first);
    expect(summarizer.summarise(other, tools)).toEqual(
      isSame ? first : { ...first, text: 'answer 2' },
    );
  });

  it.each<[what: string, other: MessageOfSummarizer]>([
    ['id', { ...unended, id: 'b' }],
    ['time', { ...unended, createdAt: 1 }],
    ['prompt', { ...unended, parentId: 'n' }],
    ['end', { ...unended, finish: 'stop' }],
    ['model', { ...unended, model: 'openai/any' }],
    ['error', { ...unended, error: { name: 'APIError', message: 'no' } }],
    ['place of a summary', { ...unended, summary: true }],
    ['author', { id: 'a', role: 'user', createdAt: 0, parts }],
  ])('tells messages of the same parts apart by their %s', (_, other) => {
    const summarizer = rememberAnswers(numbering());
    const answer = (message: MessageOfSummarizer) =>
      summarizer.summarise(asking([message]), { countTokens: byLength, random: () => 0 });
    expect([unended, other, unended, other].map(answer)).toMatchObject(
      [1, 2, 1, 2].map((nth) => ({ text: `answer ${nth}` })),
    );
  });

  it('does not tell messages apart by what their tokens were counted as, whoever made their parts', () => {
    const summarizer = rememberAnswers(numbering());
    const answers = [counted(1), counted(2), { ...counted(3), parts: [...parts] }].map((message) =>
      summarizer.summarise(asking([message]), { countTokens: byLength, random: () => 0 }),
    );
    expect(answers).toMatchObject([1, 1, 1].map((nth) => ({ text: `answer ${nth}` })));
  });

  it('sees what is added to a message later', () => {
    const growing = { ...unended, parts: [...parts] as MessageOfSummarizer['parts'][number][] };
    const summarizer = rememberAnswers(numbering());
    const answer = () =>
      summarizer.summarise(asking([growing]), { countTokens: byLength, random: () => 0 });
    expect(answer()).toMatchObject({ text: 'answer 1' });
    growing.parts.push({ type: 'text', id: 'a-1', text: 'b' });
    expect(answer()).toMatchObject({ text: 'answer 2' });
    Object.assign(growing, { finish: 'stop' });
    expect(answer()).toMatchObject({ text: 'answer 3' });
  });

  it('answers anew where tokens are counted otherwise', () => {
    const summarizer = rememberAnswers(numbering());
    const texts = [byLength, byHalf, byLength].map((countTokens) =>
      summarizer.summarise(asking([said('a')]), { countTokens, random: () => 0 }),
    );
    expect(texts).toMatchObject([{ text: 'answer 1' }, { text: 'answer 2' }, { text: 'answer 1' }]);
  });
});
