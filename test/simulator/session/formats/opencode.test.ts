import { describe, expect, it } from 'vitest';
import { readSessions } from '../../../../src/simulator/session/load.ts';
import { isReason } from '../../../../src/simulator/session/redact/allowed.ts';
import { outline } from './claude-code-lines.ts';
import {
  done,
  type Fields,
  newestTime,
  read as readAll,
  step,
  text as said,
  tokens,
  tool,
  user,
} from './opencode-messages.ts';
import { usagesOf } from '../tools-of.ts';

const hidden = (callID: string, compacted: unknown) => tool(callID, done({ time: { compacted } }));
const marker = (id: string, over: Fields = {}) =>
  user(id, { type: 'compaction', auto: true, ...over });
const summary = (id: string, info: Fields = {}) =>
  step(id, { summary: true, finish: 'stop', ...info }, said('They want a timer.'));
const goOn = (over: Fields) => user('go', said('Go on.', { synthetic: true, ...over }));

describe('recorded compactions', () => {
  const before = [user('u1', said('x')), step('a1', { ...tokens(5, 7) }, said('a'))];
  const history = ['user: x', 'assistant: a', 'assistant: b'];
  const after = step('a2', { parentID: 'go' }, said('b'));

  it('are taken out of the history, with their summary', () => {
    const session = readAll(
      ...before,
      marker('m'),
      summary('s'),
      goOn({ metadata: { compaction_continue: true } }),
      after,
    );
    expect(outline(session)).toEqual(history);
    expect(session.recordedCompactions).toEqual([
      {
        kind: 'full',
        trigger: 'auto',
        messageIndex: 2,
        tokensBefore: 142,
        summary: 'They want a timer.',
      },
    ]);
    expect(session.messages[2]).toMatchObject({ parentId: 'u1' });
  });

  it('keep the usage of the request for the summary, which the bill of the recording needs', () => {
    const session = readAll(...before, marker('m'), summary('s', tokens(5, 7)), after);
    const [step1] = usagesOf(session);
    expect(session.recordedCompactions[0]?.summaryUsage).toEqual(step1);
  });

  it.each<[string, string, number | undefined]>([
    ['the message that it begins with', 'a1', 1],
    ['the first of all', 'u1', 0],
    ['one that is not there', 'a0', undefined],
  ])('tell what stayed by %s', (_, id, kept) => {
    const session = readAll(...before, marker('m', { tail_start_id: id }), summary('s'), after);
    expect(session.recordedCompactions.map((each) => each.firstKeptMessageIndex)).toEqual([kept]);
  });

  it.each<[string, readonly Fields[], readonly string[]]>([
    ['the continue text of 1.0', [goOn({ text: 'Continue if you have next steps' })], history],
    [
      'a longer continue text',
      [goOn({ text: 'Too big.\n\nContinue if you have next steps, or stop.' })],
      history,
    ],
    ['the continue text of 0.10', [goOn({ text: 'Use the above summary to resume.' })], history],
    ['a copy of an earlier prompt', [user('u1-again', said('x'))], history],
    ['nothing', [], history],
    [
      'but no new prompt',
      [user('u2', said('y'))],
      ['user: x', 'assistant: a', 'user: y', 'assistant: b'],
    ],
    [
      'but no sentence that a person wrote',
      [user('u2', said('Continue if you have next steps'))],
      ['user: x', 'assistant: a', 'user: Continue if you have next steps', 'assistant: b'],
    ],
    [
      'but no second message',
      [goOn({ metadata: { compaction_continue: true } }), user('u2', said('x'))],
      ['user: x', 'assistant: a', 'user: x', 'assistant: b'],
    ],
  ])('take with them %s', (_, messages, expected) => {
    expect(outline(readAll(...before, marker('m'), summary('s'), ...messages, after))).toEqual(
      expected,
    );
  });

  it('take with them a copy of a prompt whose images became text', () => {
    const image = { type: 'file', mime: 'image/png', filename: 'a.png', url: 'data:,' };
    const session = readAll(
      user('u1', said('x'), image),
      marker('m', { auto: false, overflow: true }),
      summary('s'),
      user('u1-again', said('x'), said('[Attached image/png: a.png]')),
      after,
    );
    expect(outline(session)).toEqual(['user: x file', 'assistant: b']);
  });

  it('know how full the context was from the last step that was counted', () => {
    const session = readAll(...before, step('a1b', {}, said('cut off')), marker('m'), summary('s'));
    expect(session.recordedCompactions[0]).toMatchObject({ tokensBefore: 142, messageIndex: 3 });
  });

  it('of all kinds stand in the order in which they happened', () => {
    const early = step('a0', {}, hidden('c1', 1));
    const session = readAll(user('u0', said('w')), early, ...before, marker('m'), summary('s'));
    expect(session.recordedCompactions.map(({ kind }) => kind)).toEqual(['micro', 'full']);
  });

  it('by hand leave the next prompt, whatever it says', () => {
    const session = readAll(
      ...before,
      marker('m', { auto: undefined }),
      summary('s'),
      user('u2', said('x')),
    );
    expect(outline(session)).toEqual(['user: x', 'assistant: a', 'user: x']);
    expect(session.recordedCompactions[0]).toMatchObject({ trigger: 'manual' });
  });

  it.each<[string, readonly Fields[], string]>([
    [
      'a summary without finish',
      [marker('m'), summary('s', { finish: undefined })],
      'failed summary',
    ],
    [
      'a summary with an error',
      [marker('m'), summary('s', { error: { name: 'APIError' } })],
      'failed summary',
    ],
    ['a marker without summary', [marker('m')], 'compaction without a summary'],
  ])('are none for %s', (_, messages, reason) => {
    const session = readAll(...before, ...messages, after);
    expect(outline(session)).toEqual(history);
    expect(session.recordedCompactions).toEqual([]);
    expect(session.report.dropped).toEqual({ [reason]: 1 });
  });

  it('are none for a summary that no marker asked for, where markers are written', () => {
    const failed = summary('s', { error: { name: 'APIError' } });
    const session = readAll(...before, marker('m'), failed, summary('s2'), after);
    expect(session.recordedCompactions).toEqual([]);
    expect(session.report.dropped).toEqual({ 'failed summary': 2 });
  });

  it('of releases without markers are known by the summary', () => {
    const session = readAll(...before, summary('s', { finish: undefined }), after);
    expect(outline(session)).toEqual(history);
    const expected = { kind: 'full', messageIndex: 2, summary: 'They want a timer.' };
    expect(session.recordedCompactions).toEqual([expected]);
  });

  it('that nothing precedes leave their summary as the first text', () => {
    const session = readAll(
      marker('m'),
      summary('s'),
      goOn({ metadata: { compaction_continue: true } }),
      after,
    );
    expect(outline(session)).toEqual(['user: (They want a timer.)', 'assistant: b']);
    expect(session).toMatchObject({ isPartial: true, recordedCompactions: [] });
  });

  it('that nothing precedes come first, though a prompt came while they were written', () => {
    const cleared = step('a2', { parentID: 'go' }, hidden('c1', 1));
    const session = readAll(marker('m'), user('u2', said('y')), cleared, summary('s'), after);
    expect(outline(session)).toEqual([
      'user: (They want a timer.)',
      'user: y',
      'assistant: c1:completed',
      'assistant: b',
    ]);
    expect(session.isPartial).toBe(true);
    expect(session.recordedCompactions).toMatchObject([{ kind: 'micro', messageIndex: 3 }]);
  });

  it('of single outputs are told by when these were hidden', () => {
    const messages = [
      user('u1', said('x')),
      step(
        'a1',
        {},
        hidden('c1', newestTime() + 25),
        hidden('c2', newestTime() + 26),
        hidden('c3', undefined),
      ),
      step('a2', {}, hidden('c4', 1)),
      user('u2', said('y')),
    ];
    const session = readAll(...messages);
    expect(session.recordedCompactions).toEqual([
      { kind: 'micro', trigger: 'auto', messageIndex: 3, clearedCallIds: ['c4', 'c1', 'c2'] },
    ]);
    expect(JSON.stringify(session.messages)).not.toContain('compacted');
  });
});

const GONE = '[redacted:text:prt_1]';
const USAGE_ONLY = 'session redacted to its usage by the recorder';
const call = (over: Fields) => step('s1', {}, tool('c1', done(over)));

describe('what a sanitized export has lost', () => {
  it.each<[string, readonly Fields[], Fields]>([
    [
      'outputs and inputs, with a mark where nothing else is left',
      [user('u1', said(GONE)), call({ output: '[redacted:tool-output:p2]', input: { at: GONE } })],
      {
        'text redacted by the recorder': 1,
        'tool input redacted by the recorder': 1,
        'tool output redacted by the recorder': 1,
        [USAGE_ONLY]: 1,
      },
    ],
    [
      'an output that stands in an object',
      [user('u1', said(GONE)), call({ output: { redacted: GONE } })],
      {
        'text redacted by the recorder': 1,
        'tool output redacted by the recorder': 1,
        'tool output that is no text': 1,
        [USAGE_ONLY]: 1,
      },
    ],
    [
      'reasoning, also beside a text that is blank',
      [user('u1', said(' ')), step('s1', {}, { type: 'reasoning', text: GONE })],
      { 'text redacted by the recorder': 1, [USAGE_ONLY]: 1 },
    ],
    [
      'no mark where a text is left, as of somebody who quotes such an export',
      [user('u1', said(GONE)), call({})],
      { 'text redacted by the recorder': 1 },
    ],
    ['nothing where nothing is redacted', [user('u1', said(`at ${GONE}`)), call({})], {}],
  ])('is told: %s', (_, messages, expected) => {
    expect(readAll(...messages).report.repaired).toEqual(expected);
  });

  it('is told in words that stay when the session is shared', () => {
    expect(isReason(USAGE_ONLY)).toBe(true);
  });
});

const start = { type: 'step-start' };
const patch = { type: 'patch', hash: 'a1' };
const finish = (input: number) => ({
  type: 'step-finish',
  reason: 'tool-calls',
  ...tokens(input, 1, { reasoning: 0, cache: {} }),
});
const callOfSteps = (id: string, from: number) => tool(id, done({ time: { start: from } }));
const readStep = (info: Fields, ...parts: readonly Fields[]) =>
  readAll(user('u1', said('x')), step('a1', info, ...parts));
const usagesIn = (...parts: readonly Fields[]) => usagesOf(readStep({}, ...parts));

/** A message as releases up to 1.0.68 wrote it. */
const three = [
  start,
  callOfSteps('c1', 7_000),
  finish(100),
  patch,
  start,
  said('b', { time: { start: 8_000 } }),
  callOfSteps('c2', 9_000),
  finish(200),
  start,
  said('c'),
  finish(300),
];

describe('a message with several requests', () => {
  it('is a step for each, with what that counted and when it began', () => {
    const session = readStep({ ...tokens(300, 3), time: { created: 5_000 } }, ...three);
    expect(outline(session)).toEqual([
      'user: x',
      'assistant: step-start c1:completed step-finish',
      'assistant: step-start b c2:completed step-finish',
      'assistant: step-start c step-finish',
    ]);
    expect(usagesOf(session)).toMatchObject([
      { input: 100, output: 1 },
      { input: 200, output: 1 },
      { input: 300, output: 3 },
    ]);
    expect(session.messages.map(({ id }) => id)).toEqual(['u1', 'a1', 'a1-step-2', 'a1-step-3']);
    expect(session.messages.slice(1).map(({ createdAt }) => createdAt)).toEqual([
      5_000, 8_000, 8_000,
    ]);
  });

  it('failed with the last of them', () => {
    const session = readStep({ error: { name: 'APIError' } }, ...three);
    const errors = session.messages.map((each) => each.role === 'assistant' && each.error?.name);
    expect(errors).toEqual([false, undefined, undefined, 'APIError']);
  });

  it('has outputs hidden that are those of its steps', () => {
    const hidden = tool('c2', done({ time: { start: 1, compacted: 9e12 } }));
    const session = readStep({}, start, callOfSteps('c1', 1), finish(1), start, hidden, finish(2));
    expect(session.recordedCompactions).toMatchObject([
      { kind: 'micro', messageIndex: 3, clearedCallIds: ['c2'] },
    ]);
  });
});

describe('a message with one request', () => {
  it.each<[string, readonly Fields[], number]>([
    ['a mark', [start, said('a'), finish(100)], 100],
    ['two marks', [start, said('a'), finish(100), finish(200)], 200],
    ['a mark before what no model sees', [start, said('a'), finish(100), patch], 100],
    ['a try that broke off', [start, start, said('a'), finish(100)], 100],
  ])('may have %s', (_, parts, input) => {
    expect(usagesIn(...parts)).toMatchObject([{ input }]);
  });
});

const text = (id: string, value: string) => ({ id, type: 'text', text: value });
const message = (id: string, role: string, ...parts: readonly Fields[]) => ({
  info: { id, role },
  parts,
});
const messages = [
  message('u1', 'user', text('p1', 'x')),
  message('a1', 'assistant', text('p2', 'a'), text('p3', 'b'), text('p4', 'c')),
  message('u2', 'user', text('p5', 'y')),
  message('a2', 'assistant', text('p6', 'd')),
];
const read = (info: Fields) =>
  readSessions('kettle.json', JSON.stringify({ info: { id: 'ses_1', ...info }, messages }))[0]!;
const before = ['user: x', 'assistant: a b c'];
const all = [...before, 'user: y', 'assistant: d'];

describe('an export of a session in which a person undid something', () => {
  it.each<[string, Fields, readonly string[], Readonly<Record<string, number>>]>([
    ['ends before the message', { messageID: 'u2' }, before, { 'undone message': 2 }],
    [
      'ends before the part',
      { messageID: 'a1', partID: 'p3' },
      ['user: x', 'assistant: a'],
      { 'undone message': 2, 'undone part': 2 },
    ],
    [
      'ends behind the message that has no such part',
      { messageID: 'a1', partID: 'p9' },
      before,
      { 'undone message': 2 },
    ],
    ['is whole where there is no such message', { messageID: 'u9' }, all, {}],
    ['is whole where no message is named', { snapshot: 's' }, all, {}],
  ])('%s', (_, revert, expected, dropped) => {
    const session = read({ revert });
    expect(outline(session)).toEqual(expected);
    expect(session.report.dropped).toEqual(dropped);
  });

  it('is whole where neither the point nor a message has an id', () => {
    const unnamed = messages.map(({ info, parts }) => ({
      info: { ...info, id: undefined },
      parts,
    }));
    const document = JSON.stringify({ info: { id: 'ses_1', revert: {} }, messages: unnamed });
    expect(outline(readSessions('kettle.json', document)[0]!)).toEqual(all);
  });

  it('is refused where everything was undone', () => {
    expect(() => read({ revert: { messageID: 'u1' } })).toThrow(
      /got an export without messages\.$/,
    );
  });

  it('knows the session that started it', () => {
    expect(read({ parentID: 'ses_0' })).toMatchObject({ isSide: true, parentSessionId: 'ses_0' });
    expect(read({ parentID: null })).not.toHaveProperty('parentSessionId');
  });
});

const task = (callID: string, metadata: unknown, over: Fields = {}) => ({
  type: 'tool',
  tool: 'task',
  callID,
  state: { status: 'completed', input: {}, output: 'ok', metadata, ...over },
});

const link = (callId: string, sessionId: string) => ({ callId, sessionId });

function linksOf(...parts: readonly Fields[]): unknown {
  const messages = [
    { info: { id: 'u1', role: 'user' }, parts: [{ type: 'text', text: 'x' }] },
    { info: { id: 'a1', role: 'assistant' }, parts },
  ];
  const text = JSON.stringify({ info: { id: 'ses_1' }, messages });
  return readSessions('kettle.json', text)[0]?.sideSessions;
}

describe('the session of a task', () => {
  it('is linked to its call, whatever became of it', () => {
    const links = linksOf(
      { type: 'text', text: 'I look.' },
      task('c1', { sessionId: 'ses_2' }),
      task('c2', { sessionId: 'ses_3' }, { status: 'running' }),
      task('c3', { sessionId: 'ses_2' }, { status: 'error', error: 'no' }),
    );
    expect(links).toEqual([link('c1', 'ses_2'), link('c2', 'ses_3'), link('c3', 'ses_2')]);
  });

  it('is linked to the call that started it where calls share an id', () => {
    const links = linksOf(
      task('c1', { sessionId: 'ses_2' }),
      task('c1', {}),
      task('c1', { sessionId: 'ses_3' }),
    );
    expect(links).toEqual([link('c1', 'ses_2'), link('c1-3', 'ses_3')]);
  });

  it.each<[string, Fields]>([
    ['another tool', { ...task('c1', { sessionId: 'ses_2' }), tool: 'bash' }],
    ['no metadata', task('c1', undefined)],
    ['metadata that is no object', task('c1', 'ses_2')],
    ['an id that is no text', task('c1', { sessionId: 7 })],
    ['the id of the session itself', task('c1', { sessionId: 'ses_1' })],
  ])('is not told by %s', (_, part) => {
    expect(linksOf(part)).toBeUndefined();
  });
});
