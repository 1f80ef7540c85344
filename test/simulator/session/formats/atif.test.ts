import { describe, expect, it } from 'vitest';
import { readSessions } from '../../../../src/simulator/session/load.ts';
import type { Session } from '../../../../src/simulator/session/session.ts';
import { describeSessionFormat } from '../../../contracts/session-format.ts';
import { outline } from './claude-code-lines.ts';
import { partIdsOf, toolsOf, usagesOf } from '../tools-of.ts';

type Fields = Readonly<Record<string, unknown>>;

const user = (message: unknown, over: Fields = {}) => ({ source: 'user', message, ...over });
const say = (message: unknown, over: Fields = {}) => ({ source: 'agent', message, ...over });
const system = (message: string, over: Fields = {}) => ({ source: 'system', message, ...over });
const calls = (...ids: readonly string[]) => ({
  tool_calls: ids.map((id) => ({ tool_call_id: id, function_name: 'boil', arguments: { id } })),
});
const results = (...all: readonly Fields[]) => ({ observation: { results: all } });
const metrics = {
  prompt_tokens: 100,
  cached_tokens: 60,
  completion_tokens: 20,
  cost_usd: 0.1,
  extra: { cache_creation_input_tokens: 30, reasoning_tokens: 5 },
};
const head = {
  schema_version: 'ATIF-v1.4',
  session_id: 'kettle',
  agent: { name: 'cook', version: '1', model_name: 'kettle-1' },
};

const trajectory = (...steps: readonly Fields[]) => ({
  ...head,
  steps: steps.map((step, index) => ({ step_id: index + 1, timestamp: '2026-01-02', ...step })),
});
const readAll = (document: unknown) => readSessions('kettle.json', JSON.stringify(document));
const read = (...steps: readonly Fields[]): Session => readAll(trajectory(...steps))[0]!;

const whole = [
  user('Boil.'),
  say('I boil.', {
    ...calls('a', 'b'),
    metrics,
    ...results({ source_call_id: 'b', content: 'y' }),
  }),
  say('Done.'),
];
const stream = [{ __header__: true, ...head }, ...trajectory(...whole).steps];
const streamText = stream.map((line) => `${JSON.stringify(line)}\n`).join('');

describeSessionFormat({
  name: 'atif',
  text: JSON.stringify(trajectory(...whole)),
});
describeSessionFormat({ name: 'atif', text: streamText });

describe('a trajectory', () => {
  it('pairs results by id and counts each step by kinds', () => {
    const session = read(...whole);
    expect(outline(session)).toEqual([
      'user: Boil.',
      'assistant: I boil. a:running b:completed',
      'assistant: Done.',
    ]);
    expect(toolsOf(session)[1]).toMatchObject({ tool: 'boil', state: { output: 'y' } });
    expect(usagesOf(session)).toEqual([
      { input: 10, output: 15, reasoning: 5, cacheRead: 60, cacheWrite: 30 },
      undefined,
    ]);
    expect(session).toMatchObject({ sessionId: 'kettle', model: 'unknown/kettle-1' });
  });

  it('reads the same from a stream of steps', () => {
    expect(readSessions('kettle.json', streamText)).toEqual(readAll(trajectory(...whole)));
  });

  it('counts the broken lines of a stream', () => {
    const [session] = readSessions('x', `${streamText}{"torn`);
    expect(session?.report.dropped).toEqual({ 'broken line': 1 });
  });

  it.each<[string, string, Fields, string]>([
    ['of a step', 'own/m', { name: 'cook', model_name: 'm' }, 'own/m'],
    ['of the agent', '', { model_name: 'a/m' }, 'a/m'],
    ['of an agent that tells its provider', '', { model: 'm', provider: 'p' }, 'p/m'],
  ])('has the model %s', (_, own, agent, expected) => {
    const step = say('x', own === '' ? {} : { model_name: own });
    const [session] = readAll({ ...trajectory(user('x'), step), agent });
    expect(session?.model).toBe(expected);
  });

  it('takes what the system says first for the prompt, and later for a notice', () => {
    const session = read(system('Be kind.'), user('x'), say('a'), system('Half done.'), say('b'));
    expect(session.system).toBe('Be kind.');
    expect(outline(session)).toEqual(['user: x', 'assistant: a (Half done.)', 'assistant: b']);
  });

  it('may hold reasoning, pieces of text and pictures', () => {
    const image = { type: 'image', source: { media_type: 'image/png', path: 'a.png' } };
    const pieces = [{ type: 'text', text: 'a' }, 'b', image, image];
    const session = read(user(pieces), say('c', { reasoning_content: 'Hm.' }));
    expect(session.messages.map(({ parts }) => parts)).toMatchObject([
      [
        { type: 'text', text: 'a\nb' },
        { type: 'file', mime: 'image/png', url: 'a.png' },
        { type: 'file', mime: 'image/png', url: 'a.png' },
      ],
      [
        { type: 'reasoning', text: 'Hm.' },
        { type: 'text', text: 'c' },
      ],
    ]);
    expect(partIdsOf(session)[0]).toEqual([1, 2, 3].map((place) => `step-1-${place}`));
    expect(session.report.repaired).toEqual({});
  });

  it('holds the sessions of sub-agents on their own', () => {
    const inner = { ...trajectory(user('y'), say('z')), session_id: 'cup' };
    const sessions = readAll({
      ...trajectory(user('x'), say('a')),
      subagent_trajectories: [inner, 7],
    });
    expect(sessions).toMatchObject([
      { name: 'kettle.json#0', isSide: false, sessionId: 'kettle' },
      { name: 'kettle.json#1', isSide: true, sessionId: 'cup', parentSessionId: 'kettle' },
    ]);
  });

  it('counts steps that it does not know, and is refused without any', () => {
    const session = read(user('x'), { source: 'oracle' }, say('a'));
    expect(session.report.dropped).toEqual({ 'unknown record': 1 });
    expect(() => read()).toThrow(/got a trajectory without steps\.$/);
  });
});

const early = (id: string, isGood: boolean) =>
  system(`Tool result for ${id}`, {
    observation: { type: 'tool_result', content: `of ${id}`, result: { success: isGood } },
  });

describe('an observation', () => {
  it.each<[string, unknown, string]>([
    ['nothing', null, ''],
    ['pieces', [{ type: 'text', text: 'a' }, { n: 1 }], 'a\n{"n":1}'],
    ['an object', { ok: true }, '{"ok":true}'],
    ['too deep', [JSON.parse('['.repeat(900) + ']'.repeat(900))], ''],
    ['an object that is too deep', { a: JSON.parse('['.repeat(900) + ']'.repeat(900)) }, ''],
  ])('may be %s', (_, content, output) => {
    const session = read(user('x'), say('a', { ...calls('c'), ...results({ content }) }));
    expect(toolsOf(session)).toMatchObject([{ state: { status: 'completed', output } }]);
  });

  it('may be one of several calls', () => {
    const session = read(user('x'), say('a', { ...calls('c', 'd'), ...results({ content: 'y' }) }));
    expect(toolsOf(session)).toMatchObject([{ state: { output: 'y' } }, { state: { output: '' } }]);
    expect(session.report.repaired).toEqual({ 'output that several calls share': 1 });
  });

  it('may stand before its call, in a system step that names it', () => {
    const old = { id: 'c', name: 'boil', arguments: {} };
    const named = { tool_calls: [old, { ...old, id: 'd' }] };
    const session = read(user('x'), early('c', true), early('d', false), say('a', named));
    expect(toolsOf(session)).toMatchObject([
      { callId: 'c', tool: 'boil', state: { status: 'completed', output: 'of c' } },
      { callId: 'd', state: { status: 'error', error: 'of d' } },
    ]);
    expect(session.report).toEqual({ dropped: {}, repaired: {} });
  });

  it('of no call is kept as a text where it stands', () => {
    const lost = system(
      'Checked.',
      results({ content: 'ok' }, { source_call_id: 'z', content: 'no' }),
    );
    const session = read(user('x'), say('a', results({ content: 'y' })), lost, say('b'));
    expect(outline(session)).toEqual(['user: x', 'assistant: a (y) (ok) (no)', 'assistant: b']);
    expect(session.report.repaired).toEqual({ 'tool result kept as a text': 3 });
  });
});

const sayOfSideSessions = (...ids: readonly string[]) => ({
  source: 'agent',
  message: 'I look.',
  tool_calls: ids.map((id) => ({ tool_call_id: id, function_name: 'look' })),
});
const named = (id: string | undefined, references: unknown) => ({
  source_call_id: id,
  content: 'done',
  subagent_trajectory_ref: references,
});
const observed = (...results: readonly Fields[]) => ({
  source: 'system',
  message: 'Results',
  observation: { results },
});
const trajectoryOfSideSessions = (steps: readonly Fields[], over: Fields = {}) => ({
  schema_version: 'ATIF-v1.7',
  agent: { name: 'cook' },
  steps: [{ source: 'user', message: 'x' }, ...steps],
  ...over,
});
const readOfSideSessions = (steps: readonly Fields[], over: Fields = {}) =>
  readSessions(
    'kettle.json',
    JSON.stringify(trajectoryOfSideSessions(steps, { session_id: 'kettle', ...over })),
  );
const linksOf = (...steps: readonly Fields[]) => readOfSideSessions(steps)[0]?.sideSessions;

describe('the trajectory of a sub-agent', () => {
  it('is linked to the call whose result names its session', () => {
    const links = linksOf(
      sayOfSideSessions('c1', 'c2'),
      observed(
        named('c2', [{ session_id: 'pot' }, { session_id: 'pan' }, { session_id: 'pot' }]),
        named('c1', [{ session_id: 'cup', trajectory_path: 'cup.json' }]),
      ),
    );
    expect(links).toEqual([
      { callId: 'c1', sessionId: 'cup' },
      { callId: 'c2', sessionId: 'pot' },
      { callId: 'c2', sessionId: 'pan' },
    ]);
  });

  it.each<[string, Fields, string]>([
    ['session', { session_id: 'cup' }, 'cup'],
    ['own id, where it has no session', {}, 't1'],
  ])('that lies inside is named by its id and linked by its %s', (_, over, expected) => {
    const inner = trajectoryOfSideSessions([sayOfSideSessions()], { trajectory_id: 't1', ...over });
    const steps = [
      sayOfSideSessions('c1'),
      observed(named('c1', [{ trajectory_id: 't1', session_id: 'run' }])),
    ];
    const [main, side] = readOfSideSessions(steps, { subagent_trajectories: [inner] });
    expect(main?.sideSessions).toEqual([{ callId: 'c1', sessionId: expected }]);
    expect(side).toMatchObject({ sessionId: expected, isSide: true });
  });

  it.each<[string, readonly Fields[]]>([
    ['no call', [sayOfSideSessions('c1'), observed(named('c9', [{ session_id: 'cup' }]))]],
    [
      'a result without a call',
      [sayOfSideSessions('c1'), observed(named(undefined, [{ session_id: 'cup' }]))],
    ],
    [
      'one of two calls',
      [
        sayOfSideSessions('c1'),
        sayOfSideSessions('c1'),
        observed(named('c1', [{ session_id: 'cup' }])),
      ],
    ],
    ['a path', [sayOfSideSessions('c1'), observed(named('c1', [{ trajectory_path: 'cup.json' }]))]],
    [
      'an id that nothing inside has',
      [sayOfSideSessions('c1'), observed(named('c1', [{ trajectory_id: 't9' }]))],
    ],
    [
      'the run of both',
      [sayOfSideSessions('c1'), observed(named('c1', [{ session_id: 'kettle' }]))],
    ],
    ['no list', [sayOfSideSessions('c1'), observed(named('c1', 'cup'))]],
    ['a list of no objects', [sayOfSideSessions('c1'), observed(named('c1', ['cup', null]))]],
  ])('is not linked by %s', (_, steps) => {
    expect(linksOf(...steps)).toBeUndefined();
  });
});
