import { describe, expect, it } from 'vitest';
import {
  type AssistantMessage,
  type CleanupName,
  defaultCleanups,
  type Message,
  policies,
  type Policy,
  resolvePolicy,
} from '../../../../src/engine/index.ts';
import type { RunEvent } from '../../../../src/simulator/events.ts';
import { createWatch } from '../../../../src/simulator/replay/references/watch.ts';
import type { Fault } from '../../../../src/simulator/scenario/scenario.ts';
import { file, user } from '../../../support/history.ts';
import { answer, chat, eventsOf, failing, modelOf, roomy, run, traceOf, wordsOf } from '../lab.ts';
import { read, say, write } from './sessions.ts';

/** A window of which the policy is told twice as much. */
const narrow = { model: modelOf({ trueContextTokens: 5_000 }), summaryModel: roomy };

/** A read and what it gave, as a memory gives it back. */
const linesOf = (path: string) =>
  `From before:\n\nread(filePath: ${path})\nparseQuery stands here\n\n`;

const needsOf = (events: readonly RunEvent[]) =>
  eventsOf(events, 'reference').map(
    ({ step: at, partId, missedBy = 'nothing' }) => `${at} ${partId} ${missedBy}`,
  );

const clear = (message: AssistantMessage): Message => ({
  ...message,
  parts: message.parts.map((part) =>
    part.type === 'tool' && part.state.status === 'completed'
      ? { ...part, state: { ...part.state, compactedAt: 1 } }
      : part,
  ),
});

describe('what a clean-up leaves of a call', () => {
  const shot = { ...read('s1', 'src/page.ts', 'a page') };
  const withPicture: AssistantMessage = {
    ...shot,
    parts: shot.parts.map((part) =>
      part.type === 'tool' && part.state.status === 'completed'
        ? { ...part, state: { ...part.state, attachments: [file('shot', 'image/png')] } }
        : part,
    ),
  };
  const session: readonly Message[] = [
    user('u1', 'Look at it.'),
    withPicture,
    ...[2, 3, 4].map((turn) => user(`u${turn}`, 'Go on.')),
    say('s2', 'See src/page.ts again.'),
    {
      ...withPicture,
      id: 's3',
      parts: withPicture.parts.map((part) => ({ ...part, id: 's3-read' })),
    },
  ];
  const needs = (setting: CleanupName) => {
    const policy = resolvePolicy(policies['opencode-1.18'], {
      prune: { cleanups: [defaultCleanups[setting]] },
    });
    return needsOf(run(session, { policy, model: roomy }).events);
  };

  it('is what it was given where its picture went, which is missed when it is looked at again', () => {
    expect(needs('media')).toEqual(['2 s1-read nothing', '3 s1-read prune']);
    expect(needs('reasoning')).toEqual(['2 s1-read nothing', '3 s1-read nothing']);
  });
});

describe('what a policy shows again', () => {
  const refused: readonly Message[] = [
    ...chat(1, 3_900),
    user('u2', `Set ticket_99812 and note_55123.\n${wordsOf(900)}`),
    say('s2', 'ticket_99812'),
  ];

  it.each(['opencode-1.2.16', 'opencode-1.14.21', 'opencode-1.14.40', 'opencode-1.18'] as const)(
    'is not missed where a refused prompt is sent again: %s',
    (name) => {
      const { events, lines } = run(refused, { ...narrow, policy: policies[name] });
      expect(lines).toContain('pivot auto, replay');
      expect(needsOf(events)).toEqual(['2 u2-0 nothing']);
    },
  );

  it('is missed once a pivot has hidden that, too', () => {
    const faults = [{ on: 'compact', step: 3 }] as const;
    const messages = [...refused, user('u3', 'Go on.'), say('s3', 'note_55123')];
    const { events } = run(messages, { ...narrow, faults });
    expect(needsOf(events)).toEqual(['2 u2-0 nothing', '3 u2-0 pivot']);
  });
});

describe('what a policy keeps as text', () => {
  const zebra = `The zebra ticket is ticket_99812.\n${wordsOf(50)}`;
  const work = Array.from({ length: 26 }, (_, index) => answer(`w${index}`, 1_500));
  const asked = [user('u9', 'What was the zebra ticket?'), say('s9', 'ticket_99812')];

  it.each<[name: string, output: string, missed: string]>([
    ['comes back whole from a memory', zebra, 'nothing'],
    ['is missed where it is too long to come back', `${zebra}\n${wordsOf(9_000)}`, 'memory'],
  ])('%s', (_, output, missed) => {
    const model = modelOf({}, { limits: { contextTokens: 40_000, outputTokens: 1_000 } });
    const messages = [user('u1', 'Begin.'), read('s1', 'notes', output), ...work, ...asked];
    const { events, lines } = run(messages, { policy: policies['external-memory'], model });
    expect(lines.some((line) => line.startsWith('moved out'))).toBe(true);
    expect(needsOf(events)).toEqual([`28 s1-read ${missed}`]);
  });

  it.each<[name: string, output: string, missed: string]>([
    ['stands whole in a checkpoint', zebra, 'nothing'],
    ['is missed where a checkpoint cuts it', `${zebra}\n${wordsOf(600)}`, 'pivot'],
  ])('%s', (_, output, missed) => {
    const messages = [...chat(3, 3_000), read('s4', 'notes', output), say('s5', 'Done.'), ...asked];
    const faults = [{ on: 'compact', step: 6 }] as const;
    const guards = { remindMissingHeadings: false };
    const policy = resolvePolicy(policies['opencode-2.0'], { guards });
    const { events, lines } = run(messages, { policy, model: roomy, faults });
    expect(lines).toContain('pivot by hand');
    expect(needsOf(events)).toEqual([`6 s4-read ${missed}`]);
  });
});

describe('what a policy gives again behind a summary', () => {
  const asked = [user('u9', 'What was it?'), say('s9', 'ticket_99812')];
  const faults = [{ on: 'compact', step: 6 }] as const;
  const after = (messages: readonly Message[], name: 'claude-code' | 'codex-local') =>
    needsOf(run(messages, { policy: policies[name], model: roomy, faults }).events);

  it.each<[name: string, output: string, missed: string]>([
    ['a file that was read', 'The ticket is ticket_99812.', 'nothing'],
    ['not all of a long one', `The ticket is ticket_99812.\n${wordsOf(6_000)}`, 'pivot'],
  ])('is %s', (_, output, missed) => {
    const messages = [...chat(3, 300), read('s4', 'notes', output), say('s5', 'Done.'), ...asked];
    expect(after(messages, 'claude-code')).toEqual([`6 s4-read ${missed}`]);
  });

  it.each<[name: string, prompt: string, missed: string]>([
    ['what the person said', 'Mind ticket_99812.', 'nothing'],
    ['not all of a long prompt', `Mind ticket_99812.\n${wordsOf(30_000)}`, 'pivot'],
  ])('is %s', (_, prompt, missed) => {
    const messages = [
      user('u0', prompt),
      ...chat(4, 300).slice(1),
      user('u5', 'Go on.'),
      say('s5', 'Done.'),
      ...asked,
    ];
    expect(after(messages, 'codex-local')).toEqual([`6 u0-0 ${missed}`]);
  });
});

describe('what was read twice', () => {
  const [begin, first, change, second, third, last] = [
    user('u1', 'Begin.'),
    read('s1', 'src/parse.ts', 'parseQuery stands here'),
    write('s2', 'src/parse.ts', 'anew'),
    read('s3', 'src/parse.ts', 'parseQuery stands here'),
    read('s4', 'src/parse.ts', 'parseQuery stands here'),
    say('s5', 'parseQuery'),
  ];

  it.each<[name: string, session: readonly Message[], view: readonly Message[], missed: string]>([
    ['nothing where the older one is there', [first, second], [first, clear(second)], ''],
    ['nothing where the newer one is there', [first, second], [clear(first), second], ''],
    ['nothing where the newer one is hidden', [first, second], [first], ''],
    ['all where both are cleared', [first, second], [clear(first), clear(second)], 's3-read'],
    [
      'all where a write was before the newer one',
      [first, change, second],
      [first, change, clear(second)],
      's3-read',
    ],
    [
      'nothing where one since that write is there',
      [first, change, second, third],
      [clear(first), change, second, clear(third)],
      '',
    ],
  ])('misses %s', (_, session, view, missed) => {
    const watch = createWatch(traceOf([begin, ...session, last]).references());
    watch.findMisses(begin.id, []);
    const found = watch.findMisses(last.id, [begin, ...view]);
    expect(found.map(({ source }) => source.partId).join()).toBe(missed);
  });
});

describe('a call that a policy sends again under another name', () => {
  const begin = user('u1', 'Begin.');
  const first = read('s1', 'src/parse.ts', 'parseQuery stands here');
  const last = say('s2', 'parseQuery');
  const [other, longer] = [
    read('own', 'src/other.ts', 'parseQuery stands here'),
    read('own', 'src/parse.ts', 'parseQuery stands here and there'),
  ];
  const CALL = 'read(filePath: src/parse.ts)';
  const copy = read('own', 'src/parse.ts', 'parseQuery stands here');

  it.each<[name: string, sent: readonly Message[], missed: string]>([
    ['is there', [copy], ''],
    ['is missed where that is cleared', [clear(copy)], 's1-read'],
    ['is missed where that is another call', [other], 's1-read'],
    ['is missed where that gave something else', [longer], 's1-read'],
    ['is there in one of several', [other, longer, copy], ''],
    ['is there as the lines of a text', [user('own', linesOf('src/parse.ts'))], ''],
    ['is missed in the lines of another call', [user('own', linesOf('src/other.ts'))], 's1-read'],
    [
      'is missed in lines that go on',
      [user('own', `${CALL}\nparseQuery stands here, too`)],
      's1-read',
    ],
    ['is missed in half of its lines', [user('own', 'parseQuery stands here')], 's1-read'],
  ])('%s', (_, sent, missed) => {
    const watch = createWatch(traceOf([begin, first, last]).references());
    const found = watch.findMisses(last.id, [begin, clear(first), ...sent]);
    expect(found.map(({ source }) => source.partId).join()).toBe(missed);
  });

  it('is there without its output for those who need what it was called with', () => {
    const named = say('s2', 'src/parse.ts');
    const watch = createWatch(traceOf([begin, first, named]).references());
    expect(watch.findMisses(named.id, [begin, user('own', CALL)])).toEqual([]);
    expect(watch.findMisses(named.id, [begin, user('own', 'It was called.')])).toHaveLength(1);
  });

  it('is missed in lines that have its words without its picture', () => {
    const url = 'https://shots/1';
    const attachments = [{ type: 'file', id: 'shot', mime: 'image/png', url } as const];
    const parts = first.parts.map((part) =>
      part.type === 'tool' && part.state.status === 'completed'
        ? { ...part, state: { ...part.state, attachments } }
        : part,
    );
    const shot = { ...first, parts };
    const sent = user('own', linesOf('src/parse.ts'));
    const watch = createWatch(traceOf([begin, shot, last]).references());
    expect(watch.findMisses(last.id, [begin, sent])).toHaveLength(1);
  });
});

const clearing = resolvePolicy(policies['opencode-1.2.16'], {
  prune: { enabled: true, byAge: { protectTokens: 0, minimumTokens: 0, guardTurns: 0 } },
});
const rolling = resolvePolicy(policies['rolling-window'], { windowMessages: 3 });
const memory = resolvePolicy(policies['external-memory'], {
  memory: { keepMessages: 1, recallTokens: 1 },
});
const pivoting: readonly Fault[] = [{ on: 'compact', step: 4 }];

const begun: readonly Message[] = [
  user('u1', 'You must never touch legacy/core.ts.'),
  read('s1', 'src/parse.ts', 'parseQuery stands here'),
  say('s2', 'Done.'),
  user('u2', 'Go on.'),
  answer('s3', 9_000),
];

describe('what a missed part left the view by', () => {
  const messages = [...begun, user('u3', 'On.'), say('s4', 'parseQuery')];

  it.each<[name: string, policy: Policy, faults: readonly Fault[], by: string, all?: string]>([
    ['a prune that cleared it', clearing, [], 'prune'],
    ['a pivot', policies['opencode-1.2.16'], pivoting, 'pivot'],
    ['a pivot after a prune', clearing, pivoting, 'pivot', 'prune pivot'],
    ['a summary that failed', policies['opencode-0.8'], pivoting, 'failed-summary'],
    ['a window', rolling, [], 'window'],
    ['a move to a memory', memory, [], 'memory'],
  ])('is %s', (_, policy, faults, by, all = by) => {
    const model = policy === memory ? modelOf() : roomy;
    const summarizer = failing(policy.name === 'opencode-0.8' ? 9 : 0);
    const { events } = run(messages, { policy, faults, model, summarizer });
    expect(eventsOf(events, 'reference')).toMatchObject([{ partId: 's1-read', missedBy: by }]);
    const causes = new Set(eventsOf(events, 'eviction').map((event) => event.by));
    expect([...causes].join(' ')).toBe(all);
    const times = eventsOf(events, 'standing').map(({ at }) => at);
    const pivots = eventsOf(events, 'pivot').map(() => 'pivot');
    const moves = eventsOf(events, 'moved-out').map(() => 'moved-out');
    expect(times).toEqual([...pivots, ...moves, 'run-end']);
  });
});

describe('an eviction', () => {
  it('is told of no part where a memory recalls something else', () => {
    const more = [
      user('u3', 'Again src/parse.ts.'),
      say('s4', 'ok'),
      user('u4', 'legacy/core.ts.'),
    ];
    const policy = resolvePolicy(policies['external-memory'], { memory: { keepMessages: 1 } });
    const { events } = run([...begun, ...more, say('s5', 'ok')], { policy });
    expect(eventsOf(events, 'eviction').map(({ parts }) => parts)).toEqual([4, 2]);
  });
});
