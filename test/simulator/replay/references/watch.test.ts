import { describe, expect, it } from 'vitest';
import { type Message, policies, resolvePolicy } from '../../../../src/engine/index.ts';
import type { RunEvent } from '../../../../src/simulator/events.ts';
import type { Fault } from '../../../../src/simulator/scenario/scenario.ts';
import { step, user } from '../../../support/history.ts';
import { eventsOf, modelOf, run, summarizerOf, wordsOf } from '../lab.ts';
import { called, edit, read, say, write } from './sessions.ts';

/** Prunes all output at the end of each turn. */
const clearing = resolvePolicy(policies['opencode-1.2.16'], {
  prune: { enabled: true, byAge: { protectTokens: 0, minimumTokens: 0, guardTurns: 0 } },
});
/** Prunes nothing. */
const keeping = resolvePolicy(clearing, { prune: { enabled: false } });
const roomyModel = modelOf({}, { limits: { contextTokens: 1_000_000 } });
const compactBefore = (at: number): readonly Fault[] => [{ on: 'compact', step: at }];
const tells = (words: string) =>
  summarizerOf(() => ({ state: 'finished', text: words, finish: 'stop' }));
const LINES = [1, 2, 3, 4].map((nth) => `Line ${nth} of the file about the shop.`);
const ALL = LINES.join('\n');
const [FIRST = ''] = LINES;

const twoTurns = (...later: readonly Message[]): readonly Message[] => [
  user('u1', 'Go.'),
  read('s1', 'src/parse.ts', ALL),
  say('s2', 'Done.'),
  user('u2', 'Go on.'),
  ...later,
];

const runRoomy = (messages: readonly Message[], options: Parameters<typeof run>[1] = {}) =>
  run(messages, { model: roomyModel, policy: clearing, ...options }).events;

/** What was lost in short: the step, its sign, the parts, and what they left by; of what is no loss, with a mark. */
const lossesOf = (events: readonly RunEvent[]) =>
  eventsOf(events, 'reference').flatMap(({ step: at, kind, partIds, missedBy, goneBy, use }) =>
    missedBy === undefined && goneBy === undefined
      ? []
      : [`${at} ${kind} ${partIds.join(' ')} ${missedBy ?? goneBy}${missedBy ? '' : ` (${use})`}`],
  );

describe('watch', () => {
  it('tells just before a step ends what it needed', () => {
    const events = runRoomy(twoTurns(edit('s3', 'src/parse.ts', FIRST)), { policy: policies.none });
    const index = events.findIndex(({ type }) => type === 'reference');
    expect(events[index]).toEqual({
      type: 'reference',
      step: 3,
      kind: 'anchor',
      use: 'used',
      document: 1,
      isRecoverable: true,
      messageId: 's1',
      partId: 's1-read',
      partIds: ['s1-read'],
      sinceStep: 1,
      tokens: expect.any(Number),
    });
    expect(events.slice(index + 1).find(({ type }) => type !== 'reference')).toMatchObject({
      type: 'step-end',
      step: 3,
    });
  });

  it('tells none of what a call said: no prune clears that', () => {
    const messages = [
      user('u1'),
      write('s1', 'f', ALL),
      say('s2', 'Done.'),
      user('u2'),
      edit('s3', 'f', FIRST),
    ];
    expect(lossesOf(runRoomy(messages))).toEqual([]);
  });

  it.each<[string, Message, readonly string[]]>([
    ['is read again', read('s3', 'src/parse.ts', ALL), ['3 given-back s1-read pivot (habit)']],
    [
      'is read again in part, with line numbers',
      read(
        's3',
        'src/parse.ts',
        LINES.slice(1)
          .map((line, at) => `  ${at}→${line}`)
          .join('\n'),
      ),
      ['3 given-back s1-read pivot (habit)'],
    ],
    [
      'is searched',
      step('s3', [called('s3', 'bash', { command: 'grep -n Line *' }, ALL)]),
      ['3 given-back s1-read pivot (habit)'],
    ],
    ['comes with tests', step('s3', [called('s3', 'bash', { command: 'npm test' }, ALL)]), []],
    [
      'comes with other lines, most of them new',
      read('s3', 'f', `${FIRST}\nA first new line.\nAnother new line.`),
      [],
    ],
  ])('tells what a pivot hid where it %s', (_, later, expected) => {
    const events = runRoomy(twoTurns(later), { faults: compactBefore(3), policy: keeping });
    expect(lossesOf(events).filter((loss) => !loss.includes('path'))).toEqual(expected);
  });

  it('tells nothing that the summary says', () => {
    const messages = [user('u1'), say('s1', 'See collectInvoices.'), say('s2', 'collectInvoices')];
    const lostWith = (words: string) =>
      lossesOf(runRoomy(messages, { faults: compactBefore(2), summarizer: tells(words) }));
    expect(lostWith('It is collectInvoices.')).toEqual([]);
    expect(lostWith('It is done.')).toEqual(['2 name s1-said pivot']);
  });

  it('tells all removed parts that hold what is missing, and none while one of them is in view', () => {
    const holding = ['s1', 's2'].map((id) => say(id, `See collectInvoices, says ${id}.`));
    const messages = [user('u1'), ...holding, say('s3', 'I take collectInvoices.')];
    const lostAfter = (at: number) =>
      lossesOf(runRoomy(messages, { faults: compactBefore(at), summarizer: tells('Done.') }));
    expect(lostAfter(3)).toEqual(['3 name s2-said s1-said pivot']);
    expect(lostAfter(2)).toEqual(['2 name s1-said pivot']);
  });

  it('tells a name that stands in lost lines once, with the lines', () => {
    const line = 'export function collectInvoices() {';
    const messages = [
      user('u1'),
      read('s1', 'f.ts', line),
      step('s2', [
        called(
          's2',
          'edit',
          { filePath: 'f.ts', oldString: line, newString: 'collectInvoices(' },
          '',
        ),
      ]),
    ];
    const options = { faults: compactBefore(2), summarizer: tells('Done.') };
    expect(lossesOf(runRoomy(messages, options))).toEqual(['2 anchor s1-read pivot']);
  });

  it('counts what is lost once until it is read again', () => {
    const turns = [
      edit('s3', 'f', LINES[0]!),
      edit('s4', 'f', LINES[1]!),
      read('s5', 'f', ALL),
      edit('s6', 'f', LINES[2]!),
      say('s7', 'Done.'),
      user('u3'),
      edit('s8', 'f', LINES[3]!),
    ];
    const messages = [user('u1'), read('s1', 'f', ALL), say('s2', 'Done.'), user('u2'), ...turns];
    expect(lossesOf(runRoomy(messages))).toEqual([
      '3 anchor s1-read prune',
      '4 anchor s1-read prune (used)',
      '5 given-back s1-read prune (habit)',
      '8 anchor s5-read s1-read prune',
    ]);
  });

  it('carries no words of a session, but their numbers', () => {
    const messages = [user('u1'), say('s1', 'See collectInvoices.'), say('s2', 'collectInvoices')];
    const events = runRoomy(messages, { faults: compactBefore(2), summarizer: tells('Done.') });
    expect(eventsOf(events, 'reference').at(-1)?.pieces).toHaveLength(1);
    expect(JSON.stringify(events)).not.toContain('collectInvoices');
  });

  it('counts the parts that left the view, each with the first of its sides', () => {
    const messages = twoTurns(say('s3', 'Done.'), user('u3'), say('s4', 'Done.'));
    const events = runRoomy(messages, { faults: compactBefore(4), summarizer: tells('Done.') });
    expect(eventsOf(events, 'eviction')).toEqual([
      { type: 'eviction', by: 'prune', parts: 1 },
      { type: 'eviction', by: 'pivot', parts: expect.any(Number) },
    ]);
  });

  it('tells how much of the view is of no use any more', () => {
    const messages = [
      user('u1'),
      read('s1', 'f', wordsOf(50)),
      write('s2', 'f', 'new'),
      say('s3', 'Done.'),
      user('u2'),
      say('s4', 'Done.'),
    ];
    const events = runRoomy(messages);
    const tokens = eventsOf(events, 'stale-kept').map((event) => event.tokens);
    expect(tokens).toEqual([50, 0]);
  });
});
