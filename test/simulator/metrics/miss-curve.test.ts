import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  applyPrune,
  defaultCleanups,
  type Message,
  planByAge,
  policies,
  resolvePolicy,
} from '../../../src/engine/index.ts';
import type { RunEvent } from '../../../src/simulator/events.ts';
import { missCurve, missesAt } from '../../../src/simulator/metrics/miss-curve.ts';
import type { RunOptions } from '../../../src/simulator/replay/run-trace.ts';
import { user } from '../../support/history.ts';
import { assertReaching } from '../../support/reaching.ts';
import { eventsOf, modelOf, run, traceOf } from '../replay/lab.ts';
import { called, edit, read, say } from '../replay/references/sessions.ts';

const roomy = modelOf({}, { limits: { contextTokens: 100_000_000 } });

const prunes = fc.record({
  protectTokens: fc.nat({ max: 400 }),
  minimumTokens: fc.nat({ max: 150 }),
  guardTurns: fc.nat({ max: 3 }),
});
type Prune = typeof prunes extends fc.Arbitrary<infer Value> ? Value : never;

const policyOf = (byAge: Prune) =>
  resolvePolicy(policies['opencode-1.2.16'], { prune: { enabled: true, byAge } });

/** Turns of steps; each reads something new, something old again, or nothing. */
const sessions = fc
  .array(
    fc.array(
      fc.record({
        kind: fc.constantFrom('read', 'read', 'quote', 'repeat', 'skill'),
        file: fc.nat({ max: 5 }),
        size: fc.integer({ min: 1, max: 120 }),
      }),
      { minLength: 1, maxLength: 4 },
    ),
    { minLength: 3, maxLength: 9 },
  )
  .map((turns) => turns.flatMap(toTurn));

type Step = { readonly kind: string; readonly file: number; readonly size: number };

function toTurn(steps: readonly Step[], turn: number): readonly Message[] {
  return [
    user(`u${turn}`, `Go for topic_${turn}.`),
    ...steps.map((step, index) => toStep(step, turn, `s${turn}-${index}`)),
  ];
}

/** What a file holds is always the same, so that a second read of it is one of the first. */
function toStep({ kind, file, size }: Step, turn: number, id: string): Message {
  const line = `This line is about file number ${file}.`;
  const output = `${line}\n${'word'.repeat(20 * file + 5)}`;
  if (kind === 'read') return read(id, `f${file}`, output);
  if (kind === 'quote') return edit(id, `f${file}`, line);
  if (kind === 'repeat') return say(id, `topic_${turn} ${size}`);
  const part = called(id, 'skill', { file }, output);
  return { ...read(id, 'x', ''), parts: [part] };
}

/** A run, what it missed, and between which numbers its curve holds that. */
function boundedRun(messages: readonly Message[], byAge: Prune, options: Partial<RunOptions> = {}) {
  const policy = resolvePolicy(options.policy ?? policyOf(byAge), { prune: { byAge } });
  const { events } = run(messages, { model: roomy, ...options, policy });
  const curve = missCurve(traceOf(messages), { policy, events });
  const references = eventsOf(events, 'reference').filter(
    (need) => need.isRecoverable && need.goneBy === undefined,
  );
  return {
    events,
    misses: references.filter(({ missedBy }) => missedBy !== undefined).length,
    lost: curve?.lostToPivots ?? 0,
    fewest: curve ? missesAt(curve, byAge).fewest : Infinity,
    most: curve ? missesAt(curve, byAge).most : -1,
  };
}

function hasCompleted(events: readonly RunEvent[]): boolean {
  const end = events.at(-1);
  return end?.type === 'run-end' && end.state === 'completed';
}

/** A window that turns of these sessions fill. */
const TIGHT = { contextTokens: 1_000, outputTokens: 100 };
const whole = policyOf({ protectTokens: 0, minimumTokens: 0, guardTurns: 0 });

describe('missCurve', () => {
  it('counts from a referenced output on, up to the guarded turns', () => {
    const words = 'word'.repeat(10);
    const messages = [
      user('u1'),
      read('s1', 'f1', `Line of words about f1.\n${words}`),
      read('s2', 'f2', words),
      user('u2'),
      read('s3', 'f3', words),
      say('s4', 'ok'),
      user('u3'),
      say('s5', 'ok'),
      user('u4'),
      edit('s6', 'f1', 'Line of words about f1.'),
    ];
    const options = { policy: policyOf({ protectTokens: 0, minimumTokens: 0, guardTurns: 2 }) };
    const curve = missCurve(traceOf(messages), options);
    expect(curve).toEqual({ references: 1, lostToPivots: 0, distances: [26] });
  });

  it('bounds the misses of a window', () => {
    const curve = { references: 9, lostToPivots: 1, distances: [10, 20, 30] };
    const misses = [0, 10, 19, 20, 30].map((protectTokens) =>
      missesAt(curve, { protectTokens, minimumTokens: 5 }),
    );
    expect(misses.map(({ fewest, most }) => `${fewest} to ${most}`)).toEqual([
      '4 to 4',
      '3 to 3',
      '2 to 3',
      '2 to 2',
      '1 to 1',
    ]);
  });

  const pruning = policyOf({ protectTokens: 0, minimumTokens: 0, guardTurns: 0 });

  it.each([
    ['no prune', resolvePolicy(pruning, { prune: { enabled: false } })],
    ['a prune at overflows', policies['document-001']],
    ['a prune before requests', resolvePolicy(pruning, { prune: { when: 'before-request' } })],
    ['another pass', resolvePolicy(pruning, { prune: { pass: 'all-outputs' } })],
    ['another order', policies.clairvoyant],
    [
      'a prune that skips the newest messages',
      resolvePolicy(pruning, { prune: { byAge: { skipNewestMessages: 1 } } }),
    ],
    [
      'clean-ups, which clear whatever the window is',
      resolvePolicy(pruning, { prune: { cleanups: [defaultCleanups.superseded] } }),
    ],
    ['a window that slides with every message', resolvePolicy(pruning, { view: 'rolling-window' })],
    [
      'a memory that takes messages out and gives them back',
      resolvePolicy(pruning, { memory: policies['external-memory'].memory }),
    ],
  ])('is unknown of %s', (_, policy) => {
    const trace = traceOf([user('u1'), say('s1', 'ok')]);
    expect(missCurve(trace, { policy: pruning })).toBeDefined();
    expect(missCurve(trace, { policy })).toBeUndefined();
  });

  it('is unknown where a pivot kept a tail', () => {
    const trace = traceOf([user('u1'), say('s1', 'ok')]);
    const policy = { ...policyOf({ protectTokens: 0, minimumTokens: 0, guardTurns: 2 }) };
    const cut = policies['document-001'].cut;
    const { events } = run([user('u1'), say('s1', 'ok'), user('u2'), say('s2', 'ok')], {
      faults: [{ on: 'compact', step: 2 }],
    });
    expect(eventsOf(events, 'pivot')).toHaveLength(1);
    expect(missCurve(trace, { policy: { ...policy, cut } })).toBeDefined();
    expect(missCurve(trace, { policy: { ...policy, cut }, events })).toBeUndefined();
    const before = events.slice(
      0,
      events.findIndex(({ type }) => type === 'pivot'),
    );
    expect(missCurve(trace, { policy: { ...policy, cut }, events: before })).toBeDefined();
  });

  it('holds the misses of every window of the engine between its bounds', () => {
    let met = 0;
    assertReaching(
      fc.property(sessions, prunes, (messages, byAge) => {
        const { misses, fewest, most } = boundedRun(messages, byAge);
        expect(misses).toBeGreaterThanOrEqual(fewest);
        expect(misses).toBeLessThanOrEqual(most);
        if (misses > 0) met += 1;
      }),
      { numRuns: 150 },
    );
    expect(met).toBeGreaterThan(4);
  });

  it.each<[string, (step: number) => Partial<RunOptions>]>([
    ['that somebody asks for', (step) => ({ faults: [{ on: 'compact', step }] })],
    [
      'after a refusal, with the prompt sent again',
      () => ({
        policy: resolvePolicy(whole, { resume: { replayRefusedPrompt: true } }),
        model: modelOf({ trueContextTokens: 1_000 }, { limits: { contextTokens: 100_000_000 } }),
      }),
    ],
    [
      'before a request, which hides the prompt that has just come',
      () => ({
        policy: resolvePolicy(whole, { trigger: { afterStep: false, beforeRequest: true } }),
        model: modelOf({ trueContextTokens: 1_000_000 }, { limits: TIGHT }),
      }),
    ],
  ])('begins anew at a pivot %s', (_, optionsAt) => {
    let lostSessions = 0;
    assertReaching(
      fc.property(sessions, prunes, fc.integer({ min: 2, max: 12 }), (messages, byAge, step) => {
        const found = boundedRun(messages, byAge, optionsAt(step));
        const { events, misses, lost, fewest, most } = found;
        fc.pre(events.some(({ type }) => type === 'pivot') && hasCompleted(events));
        expect(misses).toBeGreaterThanOrEqual(fewest);
        expect(misses).toBeLessThanOrEqual(most);
        if (lost > 0) lostSessions += 1;
      }),
      { numRuns: 80 },
    );
    expect(lostSessions).toBeGreaterThan(10);
  });

  it('leaves no more than window and minimum visible', () => {
    fc.assert(
      fc.property(sessions, prunes, (messages, byAge) => {
        const { prune, estimator } = policyOf(byAge);
        const plan = planByAge(messages, prune.byAge, estimator);
        const after = applyPrune(messages, plan, 1);
        const all = planByAge(
          after,
          { ...prune.byAge, protectTokens: -1, minimumTokens: -1 },
          estimator,
        );
        const bound = byAge.protectTokens + (plan.state === 'fire' ? 0 : byAge.minimumTokens);
        expect(all.estimatedTokens).toBeLessThanOrEqual(bound);
      }),
    );
  });
});
