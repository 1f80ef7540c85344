import { describe, expect, it } from 'vitest';
import {
  type Move,
  policies,
  type Policy,
  replaceEviction,
  resolvePolicy,
} from '../../../src/engine/index.ts';
import {
  type Reference,
  type References,
  sideOf,
} from '../../../src/simulator/replay/references/reference.ts';
import { type RunOptions, runTrace } from '../../../src/simulator/replay/run-trace.ts';
import { createPartUses } from '../../../src/simulator/replay/run-state.ts';
import { step, tool } from '../../support/history.ts';
import { answer, ask, chat, eventsOf, fixed, modelOf, run, traceOf, wordsOf } from './lab.ts';
import { nextStep } from '../../../src/simulator/replay/apply-input.ts';

const trace = traceOf(chat(40, 600));
const options: RunOptions = {
  policy: policies['opencode-1.2.16'],
  model: modelOf(),
  summarizer: fixed,
  seed: 1,
};

/** What a run told and what a looker-on saw, in order, up to an error where there is one. */
function logOf(overrides: Partial<RunOptions>, onMove: (move: Move) => void = () => undefined) {
  const log: string[] = [];
  const onTransition = (move: Move) => {
    log.push(`move: ${move.next.events.map(({ type }) => type).join(' ')}`);
    onMove(move);
  };
  try {
    for (const event of runTrace(trace, { ...options, ...overrides, onTransition }))
      log.push(JSON.stringify(event));
  } catch (error) {
    log.push(String(error));
  }
  return log;
}

it('tells of a move before the events of it, and of no event before those of earlier moves', () => {
  const log = logOf({});
  const moves = log.filter((line) => line.startsWith('move: ')).length;
  const pivots = log.flatMap((line, index) => (line.startsWith('{"type":"pivot"') ? [index] : []));
  expect(moves).toBeGreaterThan(100);
  expect(pivots.length).toBeGreaterThan(1);
  for (const index of pivots) expect(log[index - 1]).toContain('compacted');
});

it('tells everything up to the move at which a looker-on throws', () => {
  const whole = logOf({});
  let moves = 0;
  const log = logOf({}, () => {
    moves += 1;
    if (moves === 50) throw new Error('seen enough');
  });
  expect(log.at(-1)).toBe('Error: seen enough');
  expect(log.slice(0, -1)).toEqual(whole.slice(0, log.length - 1));
  expect(log.filter((line) => line.startsWith('move: '))).toHaveLength(50);
});

it('tells everything up to an error in the run itself', () => {
  const whole = logOf({});
  const log = logOf({ faults: [{ on: 'model', step: 30, model: 'nobody/knows' }] });
  expect(log.at(-1)).toContain('nobody/knows');
  const toldUntil = log.slice(0, -1);
  expect(toldUntil).toEqual(whole.slice(0, toldUntil.length));
  expect(toldUntil.at(-1)).toBe('{"type":"turn-start","turn":30}');
});

it('goes no further than whoever listens', () => {
  let moves = 0;
  const events = runTrace(trace, {
    ...options,
    onTransition: () => {
      moves += 1;
    },
  });
  for (const event of events) if (event.type === 'step-end' && event.step === 3) break;
  expect(moves).toBeLessThan(20);
});

/** A step whose calls gave these outputs, in tokens. */
const calls = (id: string, outputs: Readonly<Record<string, number>>) => {
  const parts = Object.entries(outputs).map(([name, tokens]) => tool(name, wordsOf(tokens)));
  return step(id, parts, { finish: 'tool-calls' });
};

const session = [
  ask('u1', 5),
  calls('s1', { a: 300, b: 400, c: 500 }),
  answer('s2', 5),
  ask('u2', 5),
  answer('s3', 5),
  ask('u3', 5),
  answer('s4', 5),
  answer('s5', 5),
];

const needs = (at: number, partId: string, side: 'said' | 'output' = 'output'): Reference => ({
  step: at,
  messageId: `s${at}`,
  kind: 'declared',
  document: 1,
  isRecoverable: true,
  pieces: [],
  leastMissing: 1,
  before: 0,
  sources: [sideOf(traceOf(session).references().partNumbers.get(partId)!, side)],
  isFile: false,
  use: 'used',
  content: 'output',
});

/** The trace with these needs in the place of those that were found. */
function traceWith(all: readonly Reference[]) {
  const trace = traceOf(session);
  const references: References = { ...trace.references(), all };
  return { ...trace, references: () => references };
}

describe('createPartUses', () => {
  const trace = traceWith([needs(2, 'a'), needs(3, 'b', 'said'), needs(4, 'a'), needs(5, 'a')]);
  const ofRun = createPartUses(trace, 7);

  it.each([
    [2, [2, 4, 5], 1],
    [3, [4, 5], 2],
    [5, [5], 4],
    [6, [], 5],
  ])('looks ahead and back from step %i', (at, upcoming, newest) => {
    const uses = ofRun.from(at);
    expect([uses.upcoming('a'), uses.newest('a'), uses.seed]).toEqual([upcoming, newest, 7]);
  });

  it('knows no use of what is only said, and nothing of parts that it has not seen', () => {
    const uses = ofRun.from(2);
    expect([uses.upcoming('b'), uses.newest('b')]).toEqual([[], 1]);
    expect([uses.upcoming('__proto__'), uses.newest('__proto__')]).toEqual([[], undefined]);
  });

  it('knows that what reads a part again is needed whenever that is', () => {
    const reread = createPartUses(trace, 7);
    reread.addCopy('copy', 'a');
    expect([3, 5].map((at) => reread.from(at).upcoming('copy'))).toEqual([[4, 5], [5]]);
    expect(reread.from(5).newest('copy')).toBe(4);
  });

  it.each([
    ['step-finished', 4],
    ['turn-ended', 4],
    ['step-refused', 3],
    ['aborted', 3],
  ] as const)('looks ahead after %s from step %i', (type, expected) => {
    expect(nextStep(3, { type })).toBe(expected);
  });
});

describe('simulate with a policy that goes by uses', () => {
  const base = resolvePolicy(policies['opencode-1.2.16'], {
    prune: { byAge: { protectTokens: 800, minimumTokens: 100, guardTurns: 1 } },
  });
  const trace = traceWith([needs(5, 'c'), needs(4, 'a'), needs(2, 'b')]);
  const prunedBy = (policy: Policy) =>
    eventsOf(run(trace, { policy }).events, 'prune-end').flatMap(({ state, partIds }) =>
      state === 'fired' ? [partIds] : [],
    );

  it.each([
    ['by age', base, ['b', 'a']],
    ['by what is needed', replaceEviction(base, 'clairvoyant'), ['c', 'b']],
    ['by size', replaceEviction(base, 'largest-first'), ['c', 'b']],
    ['by what was used', replaceEviction(base, 'least-recently-used'), ['c', 'a']],
  ])('clears %s', (_, policy, expected) => {
    expect(prunedBy(policy)).toEqual([expected]);
  });
});
