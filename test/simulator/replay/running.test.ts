import { expect, it } from 'vitest';
import { type Move, policies } from '../../../src/engine/index.ts';
import { type RunOptions, runTrace } from '../../../src/simulator/replay/run-trace.ts';
import { chat, fixed, modelOf, traceOf } from './lab.ts';

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
    for (const event of runTrace(trace, { ...options, ...overrides, onTransition })) {
      log.push(JSON.stringify(event));
    }
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
