import { describe, expect, it } from 'vitest';
import {
  buildSummaryRequest,
  type Message,
  policies,
  resolvePolicy,
  type SummaryRequest,
} from '../../../src/engine/index.ts';
import {
  failedSummary,
  headMessages,
  previousSummaryOf,
  summaryMessage,
} from '../../../src/engine/pivot/summary.ts';
import { frozen } from '../../../src/engine/values.ts';
import { file, marker, step, summary, text, tool, usage, user } from '../../support/history.ts';
import { testTools } from '../../support/tools.ts';

const attachments = [file('chart', 'image/png')];
const head = frozen([
  user('u1', 'mend the parser', file('cat', 'image/png')),
  step('s1', [tool('t1', 'out', { attachments }), tool('t2', 'old', { compactedAt: 1 })]),
  marker('m1'),
]);
const opencode = policies['opencode-1.2.16'].summary;
const document = policies['document-002'].summary;

describe('buildSummaryRequest', () => {
  it('asks for a template, media as text, where the release does', () => {
    const request = buildSummaryRequest({ head }, opencode);
    expect(outline(request)).toMatchInlineSnapshot(`
      {
        "headings": [
          "## Goal",
          "## Instructions",
          "## Discoveries",
          "## Accomplished",
          "## Relevant files / directories",
        ],
        "parts": [
          "user: text text",
          "assistant: tool tool",
          "user: compaction",
        ],
        "prompt": "Provide a detailed prompt for continuing our conversation above.",
        "system": "You are a helpful AI assistant tasked with summarizing conversations.",
        "systemEnd": "Do not respond to any questions in the conversation, only output the summary.",
      }
    `);
    expect(request.messages).toEqual([
      user('u1', 'mend the parser', text('cat', '[Attached image/png: cat.bin]')),
      step('s1', [tool('t1', 'out'), tool('t2', 'old', { compactedAt: 1 })]),
      marker('m1'),
    ]);
  });

  it('asks in one paragraph, media and all, where the document does', () => {
    const request = buildSummaryRequest({ head }, document);
    expect(outline(request)).toMatchInlineSnapshot(`
      {
        "headings": [],
        "parts": [
          "user: text file",
          "assistant: tool tool",
          "user: compaction",
        ],
        "prompt": "Provide a detailed prompt for continuing our conversation above. Focus on information that would be helpful for continuing the conversation, including what we did, what we're doing, which files we're working on, and what we're going to do next considering new session will not have access to our conversation.",
        "system": "You are a helpful AI assistant tasked with summarizing conversations.",
        "systemEnd": "Your summary should be comprehensive enough to provide context but concise enough to be quickly understood.",
      }
    `);
    expect(request.messages).toEqual(head);
    expect(request.messages.every((message, index) => message === head[index])).toBe(true);
  });

  it('holds the head and nothing else', () => {
    const request = buildSummaryRequest({ head: [user('u1')] }, opencode);
    expect(request.messages).toEqual([user('u1')]);
  });

  it('has no output cap unless the policy sets one', () => {
    const capped = resolvePolicy(policies['opencode-1.2.16'], { summary: { outputCapTokens: 5 } });
    expect(buildSummaryRequest({ head }, opencode)).not.toHaveProperty('outputCapTokens');
    expect(buildSummaryRequest({ head }, capped.summary).outputCapTokens).toBe(5);
  });
});

describe('buildSummaryRequest, by its options', () => {
  it('sets a reminder behind the instruction', () => {
    const { prompt } = buildSummaryRequest({ head }, opencode);
    const reminded = buildSummaryRequest({ head, reminder: 'Headings!' }, opencode);
    expect(reminded.prompt).toBe(`${prompt}\n\nHeadings!`);
  });

  it('names a model only where the policy has one', () => {
    const own = buildSummaryRequest({ head }, { ...opencode, model: 'maker/small' });
    expect(own.model).toBe('maker/small');
    expect(buildSummaryRequest({ head }, opencode)).not.toHaveProperty('model');
  });

  it('shortens outputs only where the policy has a length', () => {
    const long = frozen([step('s1', [tool('t1', 9_000)])]);
    const { messages } = buildSummaryRequest({ head: long }, { ...opencode, toolOutputChars: 5 });
    expect(messages).toEqual([
      step('s1', [tool('t1', 'xxxxx\n[Tool output truncated for compaction: omitted 8995 chars]')]),
    ]);
    expect(buildSummaryRequest({ head: long }, opencode).messages).toEqual(long);
  });
});

describe('previousSummaryOf', () => {
  const error = { name: 'APIError', message: 'overloaded' };
  const anchored = { ...opencode, anchored: true };
  const first = summary('a', 'm1');

  it.each([
    ['is the newest', [first, user('u'), summary('b', 'm2')], 'summary b'],
    ['passes over a failed one', [first, summary('b', 'm2', { error })], 'summary a'],
    [
      'passes over one that never ended',
      [first, summary('b', 'm2', { finish: undefined })],
      'summary a',
    ],
    [
      'passes over one that was made again for a prompt',
      [marker('m1'), first, marker('m2'), user('u'), summary('b', 'u')],
      'summary a',
    ],
    [
      'passes over one whose prompt a tail no longer shows',
      [marker('m1'), first, summary('b', 'u')],
      'summary a',
    ],
    [
      'is nothing behind a marker that came to nothing',
      [marker('m1'), summary('b', 'u')],
      undefined,
    ],
    ['is nothing where the newest is empty', [first, summary('b', 'm2', { parts: [] })], undefined],
    ['is nothing where there is none', [user('u'), step('s', [text('t', 'x')])], undefined],
    [
      'is made of texts',
      [summary('b', 'm2', { parts: [text('x', 'one'), tool('t', 'out'), text('y', 'two')] })],
      'one\ntwo',
    ],
  ])('%s', (_, messages, expected) => {
    expect(previousSummaryOf(frozen(messages), anchored)).toBe(expected);
  });

  it('is nothing where the head holds it', () => {
    expect(previousSummaryOf([first], opencode)).toBeUndefined();
  });
});

describe('headMessages', () => {
  const anchored = policies['opencode-1.18'].summary;
  const error = { name: 'APIError', message: 'overloaded' };

  it.each([
    ['hides earlier pivots', [marker('m1'), summary('a', 'm1'), user('u1')], 'u1'],
    ['hides a pivot whose marker is not shown', [summary('a', 'm1'), user('u1')], 'u1'],
    [
      'shows an attempt that came to nothing, and its repetition for a prompt',
      [user('u1'), marker('m1'), summary('a', 'm1', { error }), user('u2'), summary('b', 'u2')],
      'u1 m1 a u2 b',
    ],
    [
      'shows such a repetition also where its prompt is not shown any more',
      [marker('m1'), summary('a', 'm1'), summary('b', 'u1'), user('u2')],
      'b u2',
    ],
  ])('of an anchored policy %s', (_, messages, expected) => {
    expect(idsOf(headMessages(frozen(messages), anchored))).toBe(expected);
  });

  it('shows everything where the policy is not anchored', () => {
    const messages = frozen([marker('m1'), summary('a', 'm1'), user('u1'), marker('m2')]);
    expect(idsOf(headMessages(messages, opencode))).toBe('m1 a u1 m2');
  });

  it('shows no marker where the policy has none', () => {
    const messages = frozen([user('u1'), marker('m1'), summary('a', 'm1', { error })]);
    expect(idsOf(headMessages(messages, { ...anchored, markerInHead: false }))).toBe('u1 a');
  });
});

describe('summaryMessage', () => {
  const result = { text: 'All done.', finish: 'stop' };

  it('is a finished assistant message that answers the marker', () => {
    expect(summaryMessage(result, { parentId: 'm1' }, testTools(9))).toEqual({
      id: 'message-1',
      role: 'assistant',
      createdAt: 9,
      parentId: 'm1',
      summary: true,
      finish: 'stop',
      parts: [text('part-2', 'All done.')],
    });
  });

  it.each(['All done.', ''])('keeps text second, also behind an empty summary: %j', (words) => {
    const kept = { parentId: 'm1', recent: 'kept' };
    const { parts } = summaryMessage({ ...result, text: words }, kept, testTools());
    expect(parts).toEqual([text('part-2', words), text('part-3', 'kept')]);
  });

  it('keeps the usage that was reported', () => {
    const reported = usage({ input: 10, output: 2 });
    expect(
      summaryMessage({ ...result, usage: reported }, { parentId: 'm1' }, testTools()).usage,
    ).toEqual(reported);
  });

  it('has no usage if none was reported', () => {
    expect(summaryMessage(result, { parentId: 'm1' }, testTools())).not.toHaveProperty('usage');
  });

  it.each([
    ['length', 'length'],
    ['', 'stop'],
  ])('finished for the reason that was given (%j: %s)', (finish, expected) => {
    expect(summaryMessage({ ...result, finish }, { parentId: 'm1' }, testTools()).finish).toBe(
      expected,
    );
  });

  it('has no part for an empty text, and counts as finished', () => {
    const empty = summaryMessage({ text: '', finish: 'stop' }, { parentId: 'm1' }, testTools());
    expect(empty).toMatchObject({ parts: [], finish: 'stop', summary: true });
  });
});

describe('failedSummary', () => {
  const error = { name: 'APIError', message: 'overloaded' };

  it('never finished, after a plain error', () => {
    expect(failedSummary({ error, isFinished: false }, 'm1', testTools(9))).toEqual({
      id: 'message-1',
      role: 'assistant',
      createdAt: 9,
      parentId: 'm1',
      summary: true,
      parts: [],
      error,
    });
  });

  it('finished with an error, where it counts as finished', () => {
    const failed = failedSummary({ error, isFinished: true }, 'm1', testTools());
    expect(failed).toMatchObject({ finish: 'error', error });
  });
});

/** What tells two presets apart: the first line of each text, and the shape of the rest. */
function outline({ system, prompt, messages, form: _, targetTokens: __, ...rest }: SummaryRequest) {
  return {
    system: system.split('\n')[0],
    systemEnd: system.split('\n').at(-1),
    prompt: prompt.split('\n')[0],
    headings: prompt.split('\n').filter((line) => line.startsWith('#')),
    parts: messages.map(({ role, parts }) => `${role}: ${parts.map(({ type }) => type).join(' ')}`),
    ...rest,
  };
}

function idsOf(messages: readonly Message[]): string {
  return messages.map(({ id }) => id).join(' ');
}
