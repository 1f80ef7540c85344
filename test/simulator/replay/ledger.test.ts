import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  filterCompacted,
  type Message,
  policies,
  type RenderPolicy,
  render as renderView,
} from '../../../src/engine/index.ts';
import { standIn } from '../../../src/engine/message.ts';
import type { TokenBasis } from '../../../src/simulator/events.ts';
import { commonPrefix, cutPrefix, type Prompt } from '../../../src/simulator/provider/prompt.ts';
import { bytesOfContent } from '../../../src/simulator/replay/count.ts';
import { createLedger } from '../../../src/simulator/replay/ledger.ts';
import { pivotedHistories, toolHistories } from '../../support/arbitraries.ts';
import { file, step, summary, text, tool, toolIn, user } from '../../support/history.ts';
import { blocksIn } from '../../support/prompts.ts';
import { measuredBasis } from '../../support/sample-report.ts';
import { countTokens, wordsOf } from './lab.ts';

const RENDERS: readonly RenderPolicy[] = [
  policies['opencode-1.2.16'].render,
  policies['opencode-2.0'].render,
  policies['codex-local'].render,
];
const basis: TokenBasis = {
  ...measuredBasis,
  factor: 1,
  perMessageTokens: 3,
  overheadTokens: 100,
};
const ledgerOf = (render = RENDERS[0]!, over: Partial<TokenBasis> = {}) =>
  createLedger({ basis: { ...basis, ...over }, sizes: new Map(), count: countTokens, render });
const blocksOf = ({ whole }: Prompt) => blocksIn(whole);
const sum = (prompt: Prompt) => blocksOf(prompt).reduce((total, { tokens }) => total + tokens, 0);

/** The outputs of every second tool part cleared, as a prune leaves them. */
function cleared(messages: readonly Message[]): readonly Message[] {
  let tools = 0;
  return messages.map((message) => ({
    ...message,
    parts: message.parts.map((part) =>
      part.type === 'tool' && part.state.status === 'completed' && tools++ % 2 === 0
        ? { ...part, state: { ...part.state, compactedAt: 9 } }
        : part,
    ),
  }));
}

const views = fc
  .record({
    history: fc.oneof(toolHistories, pivotedHistories),
    isFiltered: fc.boolean(),
    isCleared: fc.boolean(),
  })
  .map(({ history, isFiltered, isCleared }) => {
    const view = isFiltered ? filterCompacted(history, 'v1.2.16') : history;
    return isCleared ? cleared(view) : view;
  });

describe('a prompt', () => {
  it.each<[string, Message, Message, RenderPolicy?]>([
    ['a prompt that says the same', user('u1', 'go on'), user('u2', 'go on')],
    [
      'an answer that says the same',
      step('s1', [text('p1', 'done')]),
      step('s2', [text('p2', 'done')]),
    ],
    ['the same file', user('u1', file('f1', 'image/png')), user('u2', file('f2', 'image/png'))],
    [
      'a checkpoint of the same words',
      summary('m1', 'u1', { parts: [text('p1', 'so far')] }),
      summary('m2', 'u2', { parts: [text('p2', 'so far')] }),
      RENDERS[1]!,
    ],
  ])('begins like one with %s under another id', (_, one, other, render) => {
    const ledger = ledgerOf(render);
    const some = ledger.prompt([one]).whole;
    const others = ledger.prompt([other, user('u9', 'next')]).whole;
    expect(commonPrefix(some, others).length).toBe(2);
  });

  it.each<[string, Message, Message]>([
    ['other words', user('u1', 'go on'), user('u2', 'stop')],
    ['other words of the same size', user('u1', 'go on'), user('u2', 'stop!')],
    [
      'a thought in the same words',
      step('s1', [text('p1', 'so')]),
      step('s2', [{ type: 'reasoning', id: 'p2', text: 'so' }]),
    ],
    ['another role', user('u1', text('p1', 'a')), step('s1', [text('p2', 'a')])],
    ['another call that says the same', step('s1', [tool('t1', 4)]), step('s2', [tool('t2', 4)])],
  ])('begins otherwise than one with %s', (_, one, other) => {
    const ledger = ledgerOf();
    expect(commonPrefix(ledger.prompt([one]).whole, ledger.prompt([other]).whole).length).toBe(1);
  });

  it('begins otherwise where the same words begin a message of their own', () => {
    const ledger = ledgerOf();
    const [one, other] = [text('p1', 'so'), text('p2', 'on')];
    const some = ledger.prompt([step('s1', [one, other])]).whole;
    const others = ledger.prompt([step('s2', [one]), step('s3', [text('p3', 'on')])]).whole;
    expect(commonPrefix(some, others).length).toBe(2);
  });

  it('of a summary request begins like one that asks the same behind what says the same', () => {
    const ledger = ledgerOf();
    const asked = (id: string) =>
      ledger.summaryPrompt({ system: 'sum up', messages: [user(id, 'go on')], prompt: 'now' })
        .whole;
    expect(commonPrefix(asked('u1'), asked('u2')).length).toBe(3);
  });

  it('weighs what its view weighs, in whatever order views come', () => {
    fc.assert(
      fc.property(
        fc.array(views, { minLength: 1, maxLength: 3 }),
        fc.constantFrom(...RENDERS),
        fc.constantFrom(1, 0.7, 1.25),
        (list, render, factor) => {
          fc.pre(list.some((view) => view.length > 0));
          const ledger = ledgerOf(render, { factor });
          for (const view of list)
            expect(sum(ledger.prompt(view))).toBe(ledger.contextTokens(view));
        },
      ),
    );
  });

  it('of a summary request weighs what the request weighs', () => {
    fc.assert(
      fc.property(views, fc.constantFrom(...RENDERS), (messages, render) => {
        const ledger = ledgerOf(render);
        const request = { system: wordsOf(7), messages, prompt: wordsOf(11) };
        const sent = ledger.summaryPrompt(request);
        const told = ledger.contextTokens(messages) - ledger.contextTokens([]);
        expect(sum(sent)).toBe(sent.whole.tokens);
        expect(sent.whole.tokens).toBe(
          ledger.textTokens(request.system) +
            told +
            ledger.textTokens(request.prompt) +
            basis.perMessageTokens,
        );
      }),
    );
  });

  it('begins like that of every longer view', () => {
    fc.assert(
      fc.property(toolHistories, (view) => {
        const ledger = ledgerOf();
        const blocks = blocksOf(ledger.prompt(view));
        const shorter = blocksOf(ledger.prompt(view.slice(0, -1)));
        expect(blocks.slice(0, shorter.length)).toEqual(shorter);
        expect(shorter.every((block, index) => block === blocks[index])).toBe(true);
      }),
    );
  });

  it('marks the overhead and the two newest messages that are sent', () => {
    fc.assert(
      fc.property(toolHistories, (view) => {
        const ledger = ledgerOf();
        const { whole, marks } = ledger.prompt(view);
        const newest = view.findLastIndex((message) => ledger.contextTokens([message]) > 100);
        const beforeNewest = ledger.prompt(view.slice(0, Math.max(0, newest))).whole.length;
        const expected = [...new Set([1, beforeNewest, whole.length])];
        expect(marks.map(({ length }) => length)).toEqual(expected);
        for (const mark of marks) expect(cutPrefix(whole, mark.length)).toBe(mark);
      }),
    );
  });

  it('keeps the block of a call when its output is cleared', () => {
    const ledger = ledgerOf();
    const view = [user('u1', 'hi'), step('s1', [tool('t1', 4_000), tool('t2', 40)])];
    const before = blocksOf(ledger.prompt(view));
    const after = blocksOf(ledger.prompt(cleared(view)));
    expect(before).toHaveLength(6);
    expect(before.map((block, index) => block === after[index])).toEqual([
      true, // system prompt and tools
      true, // the prompt
      true, // the call of t1
      true, // the call of t2
      false, // the output of t1
      true, // the output of t2
    ]);
    expect(before[4]?.tokens).toBe(1_000);
    expect(after[4]?.tokens).toBe(countTokens(RENDERS[0]!.clearedOutput));
  });

  it('keeps the block of a call without its input when its output is cleared, and has another one with it', () => {
    const ledger = ledgerOf();
    const whole = tool('t1', 4_000);
    const short = toolIn('t1', { ...whole.state, input: { id: 'no' } });
    const parts = [whole, standIn(short, whole, { what: 'input', now: 1 })];
    const forms = parts.map((part) => [step('s1', [part])]);
    const [asked, withoutInput] = forms.map((view) => blocksOf(ledger.prompt(view))[1]);
    const clearedOf = forms.map((view) => blocksOf(ledger.prompt(cleared(view)))[1]);
    expect(asked).not.toBe(withoutInput);
    expect(clearedOf.map((block, index) => block === [asked, withoutInput][index])).toEqual([
      true,
      true,
    ]);
  });

  it('holds no block for what is not sent', () => {
    const ledger = ledgerOf();
    const hidden = [
      step('s1', [text('t1', '')]),
      user('u1', text('t2', 'note', { ignored: true })),
      step('s2', [text('t3', 'half')], { error: { name: 'APIError', message: 'overloaded' } }),
      step('s3', [{ type: 'step-start', id: 's3-0' }]),
    ];
    expect(blocksOf(ledger.prompt(hidden))).toEqual([{ tokens: 100 }]);
    expect(ledger.contextTokens(hidden)).toBe(100);
  });

  it('is one block for a checkpoint, which weighs what its text does', () => {
    const [, checkpointed] = RENDERS;
    const message = summary('m1', 'u1', { parts: [text('p1', 'What was done.')] });
    const [, block] = blocksOf(ledgerOf(checkpointed).prompt([message]));
    const plain = blocksOf(ledgerOf().prompt([message]));
    expect(plain[1]?.tokens).toBe(countTokens('What was done.') + 3);
    const [said] = renderView([message], checkpointed!)[0]?.content ?? [];
    expect(block?.tokens).toBe(countTokens(said?.type === 'text' ? said.text : '') + 3);
  });
});

describe('the weight of a view', () => {
  it.each<[string, readonly Message[], number]>([
    ['nothing is the overhead', [], 100],
    ['a prompt costs its tokens and that of a message', [user('u1', wordsOf(10))], 113],
    ['two parts cost one message', [user('u1', wordsOf(10), wordsOf(5))], 118],
    [
      'a call and its result are one message',
      [step('s1', [tool('t1', wordsOf(50))])],
      100 + countTokens('bash {"id":"t1"}') + 50 + 3,
    ],
    ['a picture has its own weight', [user('u1', file('f1', 'image/png'))], 1_603],
  ])('%s', (_, view, tokens) => {
    expect(ledgerOf().contextTokens(view)).toBe(tokens);
  });

  it('is that of each tool, also where two are given the same', () => {
    const input = { path: wordsOf(5) };
    const [same, own] = [input, { ...input }].map((given) =>
      ledgerOf().contextTokens([
        step('s1', [toolIn('t1', { status: 'running', input: given }, 'ls')]),
        step('s2', [toolIn('t2', { status: 'running', input }, wordsOf(9))]),
      ]),
    );
    expect(same).toBe(own);
  });

  it('is multiplied part by part, and rounded once a part', () => {
    const view = [user('u1', wordsOf(1), wordsOf(1), wordsOf(1))];
    expect(ledgerOf(undefined, { factor: 1.4 }).contextTokens(view)).toBe(100 + 3 + 3);
    expect(ledgerOf(undefined, { factor: 1.6 }).contextTokens(view)).toBe(100 + 3 + 6);
  });
});

describe('the bytes of a view', () => {
  it('are those of its rendering', () => {
    fc.assert(
      fc.property(views, fc.constantFrom(...RENDERS), (view, render) => {
        const contents = renderView(view, render).flatMap(({ content }) => content);
        expect(ledgerOf(render).prompt(view).bytes).toBe(
          contents.reduce((total, content) => total + bytesOfContent(content), 0),
        );
      }),
      { numRuns: 50 },
    );
  });

  it.each<[string, readonly Message[], number]>([
    ['are those of UTF-8', [user('u1', 'é😀')], 6],
    ['have the whole address of a file', [user('u1', file('f1', 'image/png'))], 24],
    [
      'have input and output of a call, with what is attached',
      [step('s1', [tool('t1', 'out', { attachments: [file('f1', 'image/png')] })])],
      '{"id":"t1"}'.length + 3 + 24,
    ],
    ['have the sentence of a cleared output', cleared([step('s1', [tool('t1', 999)])]), 11 + 33],
  ])('%s', (_, view, bytes) => {
    expect(ledgerOf().prompt(view).bytes).toBe(bytes);
  });
});
