import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Message, type Part, policies, resolvePolicy } from '../../../../src/engine/index.ts';
import type { RunEvent } from '../../../../src/simulator/events.ts';
import type { Fault } from '../../../../src/simulator/scenario/scenario.ts';
import { step, text, user } from '../../../support/history.ts';
import { assertReaching } from '../../../support/reaching.ts';
import { eventsOf, fixed, modelOf, run, summarizerOf, traceOf } from '../lab.ts';
import { called, read, say, write } from './sessions.ts';

/** Prunes all output at the end of each turn. */
const clearing = resolvePolicy(policies['opencode-1.2.16'], {
  prune: { enabled: true, byAge: { protectTokens: 0, minimumTokens: 0, guardTurns: 0 } },
});
const roomyModel = modelOf({}, { limits: { contextTokens: 1_000_000 } });
const compactBefore = (at: number): readonly Fault[] => [{ on: 'compact', step: at }];

const twoTurns = (...later: readonly Message[]): readonly Message[] => [
  user('u1', 'You must never touch legacy/core.ts.'),
  read('s1', 'src/parse.ts', 'parseQuery stands here'),
  say('s2', 'Done.'),
  user('u2', 'Go on.'),
  ...later,
];

const missesOf = (events: readonly RunEvent[]) =>
  eventsOf(events, 'reference').map(
    ({ step: at, partId, missedBy = 'nothing' }) => `${at} ${partId} ${missedBy}`,
  );

const runRoomy = (messages: readonly Message[], options: Parameters<typeof run>[1] = {}) =>
  run(messages, { model: roomyModel, policy: clearing, ...options }).events;

describe('watch', () => {
  it('tells just before a step ends what it needed', () => {
    const events = runRoomy(twoTurns(say('s3', 'parseQuery')), { policy: policies.none });
    const index = events.findIndex(({ type }) => type === 'reference');
    expect(events[index]).toEqual({
      type: 'reference',
      step: 3,
      kind: 'quoted',
      document: 3,
      messageId: 's1',
      partId: 's1-read',
      sinceStep: 1,
      tokens: 6,
      callTokens: 8,
      isFileRead: true,
    });
    expect(events[index + 1]).toMatchObject({ type: 'step-end', step: 3 });
  });

  it('tells a miss of an output that a prune cleared', () => {
    expect(missesOf(runRoomy(twoTurns(say('s3', 'parseQuery'))))).toEqual(['3 s1-read prune']);
  });

  it('tells none of what a call said: no prune clears that', () => {
    const events = runRoomy(twoTurns(say('s3', 'src/parse.ts')));
    expect(missesOf(events)).toEqual(['3 s1-read nothing']);
  });

  it('tells a miss of what a pivot hid', () => {
    const options = { policy: policies['opencode-1.2.16'], faults: compactBefore(3) };
    const events = runRoomy(twoTurns(say('s3', 'parseQuery, see src/parse.ts')), options);
    expect(missesOf(events)).toEqual(['3 s1-read pivot', '3 s1-read pivot']);
  });

  it('tells no miss once the session itself has read the part again', () => {
    const again = read('s3', 'src/parse.ts', 'parseQuery stands here');
    const events = runRoomy(twoTurns(again, say('s4', 'parseQuery')));
    expect(missesOf(events)).toEqual(['3 s1-read prune', '3 s1-read nothing', '4 s3-read nothing']);
  });

  it('counts what left the view, and what of that is an output only', () => {
    const pruned = eventsOf(runRoomy(twoTurns(say('s3', 'ok'))), 'eviction');
    expect(pruned).toEqual([{ type: 'eviction', by: 'prune', parts: 1 }]);
    const options = { policy: policies['opencode-1.2.16'], faults: compactBefore(3) };
    const hidden = eventsOf(runRoomy(twoTurns(say('s3', 'ok')), options), 'eviction');
    expect(hidden).toEqual([{ type: 'eviction', by: 'pivot', parts: 3 }]);
  });

  it('counts only what steps can refer to: texts, calls and outputs', () => {
    const marks: readonly Part[] = [
      { type: 'step-start', id: 'm1' },
      { type: 'reasoning', id: 'm2', text: 'Let me see.' },
      text('m3', ''),
      text('m4', 'unsent', { ignored: true }),
      { type: 'step-finish', id: 'm5', reason: 'stop' },
    ];
    const marked = twoTurns(say('s3', 'ok')).map((message) =>
      message.id === 's2' ? { ...message, parts: [...marks, ...message.parts] } : message,
    );
    const options = { policy: policies['opencode-1.2.16'], faults: compactBefore(3) };
    const hidden = eventsOf(runRoomy(marked, options), 'eviction');
    expect(hidden).toEqual([{ type: 'eviction', by: 'pivot', parts: 3 }]);
  });

  it('counts what left the view once, and nothing that the policy wrote itself', () => {
    const messages = twoTurns(say('s3', 'ok'), user('u3', 'And on.'), say('s4', 'ok'));
    const faults = [...compactBefore(3), ...compactBefore(4)];
    const told = eventsOf(runRoomy(messages, { faults }), 'eviction');
    expect(told.map(({ by, parts }) => `${by} ${parts}`)).toEqual([
      'prune 1',
      'pivot 2',
      'pivot 2',
    ]);
  });

  it('tells when a write made visible outputs useless, and when they are gone', () => {
    const messages = twoTurns(write('s3', 'src/parse.ts', 'new'), say('s4', 'ok'));
    const kept = runRoomy(messages, { policy: policies.none });
    expect(eventsOf(kept, 'stale-kept')).toEqual([{ type: 'stale-kept', tokens: 6 }]);
    expect(eventsOf(runRoomy(messages), 'stale-kept')).toEqual([]);
  });

  it.each<
    [name: string, summary: string, constraints: readonly string[], paths: readonly string[]]
  >([
    ['nothing', 'All is well.', ['constraint-1'], ['path-1']],
    [
      'the constraint',
      'Rule: never touch legacy/core.ts. You must never touch legacy/core.ts!',
      [],
      ['path-1'],
    ],
    ['the path', 'Read `src/parse.ts`.', ['constraint-1'], []],
    ['the path and a line', 'See ./src/parse.ts:12.', ['constraint-1'], []],
    ['the path and a column', 'See src/parse.ts:12:7:', ['constraint-1'], []],
    ['the path and some lines', 'See src/parse.ts:10-20.', ['constraint-1'], []],
    ['the path and a line around a hit', 'src/parse.ts-417-- Write', ['constraint-1'], []],
    ['the path and lines of a web page', 'See (src/parse.ts#L10-L20).', ['constraint-1'], []],
    ['the path in Chinese', '先读 src/parse.ts，再改。', ['constraint-1'], []],
    ['the path in Japanese', '次は「src/parse.ts」を直す。', ['constraint-1'], []],
    ['the path in quotation marks', 'See “src/parse.ts”.', ['constraint-1'], []],
    ['a longer name', 'See src/parse.ts-10.', ['constraint-1'], ['path-1']],
  ])(
    'tells which constraints and paths a summary does not carry: it has %s',
    (_, summary, goneConstraints, gonePaths) => {
      const events = runRoomy(twoTurns(say('s3', 'ok')), {
        policy: policies['opencode-1.2.16'],
        faults: compactBefore(3),
        summarizer: summarizerOf(() => ({
          state: 'finished',
          text: `## Goal\n${summary}`,
          finish: 'stop',
        })),
      });
      const told = {
        type: 'standing',
        constraints: 1,
        paths: 1,
        goneConstraints,
        gonePaths,
        fileReads: 1,
        callLoops: 0,
      };
      expect(eventsOf(events, 'standing')).toEqual([
        { ...told, at: 'pivot' },
        { ...told, at: 'run-end' },
      ]);
    },
  );

  it.each<[name: string, asked: string, goneConstraints: number, gonePaths: number]>([
    ['nothing', 'Go on.', 1, 1],
    ['the constraint', 'And again: you must never touch legacy/core.ts.', 0, 1],
    ['the path', 'Go on with src/parse.ts, please.', 1, 0],
  ])('tells nothing as gone that a later message names: %s', (_, asked, constraints, paths) => {
    const [wish, step1, step2] = twoTurns();
    const searched = step('s3', [called('s3', 'glob', { pattern: 'src/*.ts' }, 'src/parse.ts')]);
    const before = [wish, step1, searched, step2].flatMap((message) => message ?? []);
    const events = runRoomy([...before, user('u2', asked), say('s4', 'ok')], {
      policy: policies['opencode-1.2.16'],
      faults: compactBefore(4),
    });
    const end = eventsOf(events, 'standing').at(-1);
    expect(end?.paths).toBe(1);
    expect(end?.goneConstraints.length).toBe(constraints);
    expect(end?.gonePaths.length).toBe(paths);
  });

  it('counts a file once, whether it is named in full or in short', () => {
    const messages = [
      user('u1'),
      read('s1', '/w/src/parse.ts', 'one'),
      write('s2', 'src/parse.ts', 'two'),
      say('s3', 'Done.'),
      user('u2', 'Have a look at /w/src/parse.ts:3.'),
      say('s4', 'ok'),
    ];
    const policy = policies['opencode-1.2.16'];
    const later = [user('u2', 'Go on.'), say('s4', 'ok')];
    const ends = [messages, [...messages.slice(0, -2), ...later]].map((all) =>
      eventsOf(runRoomy(all, { policy, faults: compactBefore(4) }), 'standing').at(-1),
    );
    expect(ends.map((end) => `${end?.gonePaths.length} of ${end?.paths}`)).toEqual([
      '0 of 1',
      '1 of 1',
    ]);
  });

  it('names no text', () => {
    const told = JSON.stringify(runRoomy(twoTurns(say('s3', 'parseQuery, legacy/core.ts'))));
    expect(told).not.toMatch(/parseQuery|legacy|src\/parse/);
  });

  const plans = fc.array(
    fc.record({
      kind: fc.constantFrom('read', 'write', 'say', 'ask'),
      path: fc.constantFrom('a1/b.ts', 'c2/d.ts', 'e3/f.ts'),
      size: fc.constantFrom(5, 900),
    }),
    { minLength: 3, maxLength: 24 },
  );
  const messagesOf = (all: typeof plans extends fc.Arbitrary<infer Plans> ? Plans : never) => [
    user('u0', 'Begin.'),
    ...all.map(({ kind, path, size }, index): Message => {
      const id = `s${index}`;
      if (kind === 'read') return read(id, path, `is_${size}_in_${path} ${'word'.repeat(size)}`);
      if (kind === 'write') return write(id, path, 'word'.repeat(size));
      return kind === 'say' ? say(id, `is_${size}_in_${path}`) : user(id, 'More.');
    }),
  ];

  it('tells no miss where nothing is cleared or hidden', () => {
    fc.assert(
      fc.property(plans, fc.constantFrom('none', 'unpruned'), (all, name) => {
        const policy =
          name === 'none'
            ? policies.none
            : resolvePolicy(policies['opencode-1.2.16'], { prune: { enabled: false } });
        const events = run(messagesOf(all), { policy, model: roomyModel }).events;
        expect(eventsOf(events, 'reference').filter(({ missedBy }) => missedBy)).toEqual([]);
      }),
    );
  });

  const presets = [
    'opencode-1.2.16',
    'document-001',
    'rolling-window',
    'external-memory',
    'opencode-2.0',
  ] as const;
  it('comes by the same constraints and paths, whatever of them is lost', () => {
    const lost = new Map<string, number>();
    assertReaching(
      fc.property(plans, fc.constantFrom(...presets), (all, name) => {
        const policy = name === 'opencode-1.2.16' ? clearing : policies[name];
        // It forgets by number alone, and would be refused in a small window.
        const model = name === 'rolling-window' ? { model: roomyModel } : {};
        // Once, long before the newest fifty messages.
        const once = read('once', 'only/once.ts', 'one');
        const [asked = user('u0'), ...others] = messagesOf(
          Array.from({ length: 6 }, () => all).flat(),
        );
        const messages = [asked, once, ...others];
        const under = run(messages, { policy, summarizer: fixed, ...model }).events;
        const [kept] = eventsOf(
          run(messages, { policy: policies.none, model: roomyModel }).events,
          'standing',
        );
        const ended = eventsOf(under, 'run-end').some(({ state }) => state === 'completed');
        fc.pre(ended && kept !== undefined);
        const last = eventsOf(under, 'standing').at(-1);
        expect([last?.constraints, last?.paths]).toEqual([kept?.constraints, kept?.paths]);
        if ((last?.gonePaths.length ?? 0) > 0) lost.set(name, (lost.get(name) ?? 0) + 1);
      }),
      { numRuns: 80 },
    );
    expect(lost.get('rolling-window')).toBeGreaterThan(2);
    expect(lost.size).toBeGreaterThan(2);
  });

  it('tells no miss without an eviction before it', () => {
    let met = 0;
    assertReaching(
      fc.property(plans, fc.constantFrom(...presets), (all, name) => {
        fc.pre(all.some(({ kind }) => kind === 'say'));
        const policy = name === 'opencode-1.2.16' ? clearing : policies[name];
        const { events } = run(messagesOf(all), { policy, summarizer: fixed });
        const firstMiss = events.findIndex(
          (event) => event.type === 'reference' && event.missedBy !== undefined,
        );
        const firstEviction = events.findIndex(({ type }) => type === 'eviction');
        expect(firstMiss === -1 || (firstEviction !== -1 && firstEviction < firstMiss)).toBe(true);
        if (firstMiss !== -1) met += 1;
      }),
      { numRuns: 200 },
    );
    expect(met).toBeGreaterThan(2);
  });
});

describe('trace', () => {
  it('finds references once', () => {
    const trace = traceOf([user('u1'), say('s1', 'ok')]);
    expect(trace.references()).toBe(trace.references());
  });
});
