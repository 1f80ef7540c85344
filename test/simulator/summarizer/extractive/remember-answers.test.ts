import { describe, expect, it } from 'vitest';
import type { AssistantMessage } from '../../../../src/engine/index.ts';
import { rememberAnswers } from '../../../../src/simulator/summarizer/extractive/remember-answers.ts';
import type {
  Message,
  Summarizer,
  SummaryRequest,
} from '../../../../src/simulator/summarizer/summarizer.ts';

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

function said(text: string, id = 'm'): Message {
  return { id, role: 'user', createdAt: 0, parts: [{ type: 'text', id: `${id}-0`, text }] };
}

function called(input: unknown): Message {
  const state = { status: 'completed', input, output: '' } as const;
  const part = { type: 'tool', id: 'c-0', callId: 'c', tool: 'bash', state } as const;
  return { id: 'c', role: 'assistant', createdAt: 0, parentId: 'm', parts: [part] };
}

function cleared(compactedAt: number, output = ''): Message {
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
const counted = (input: number): Message => ({
  ...ended('stop'),
  usage: { input, output: 0, reasoning: 0, cacheRead: 0, cacheWrite: 0 },
});

const asking = (messages: readonly Message[], rest: Partial<SummaryRequest> = {}) => ({
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

  it.each<[what: string, other: Message]>([
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
    const answer = (message: Message) =>
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
    const growing = { ...unended, parts: [...parts] as Message['parts'][number][] };
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
