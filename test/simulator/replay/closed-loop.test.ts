import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Message,
  policies,
  replaceEviction,
  resolvePolicy,
} from '../../../src/engine/index.ts';
import { step, user } from '../../support/history.ts';
import { assertReaching } from '../../support/reaching.ts';
import { CARRIED_SHARE } from '../../../src/simulator/replay/references/watch.ts';
import { foldRun } from '../../../src/simulator/metrics/fold.ts';
import { recordedSteps } from '../../../src/simulator/metrics/totals.ts';
import { findSummarizer } from '../../../src/simulator/summarizer/summarizers.ts';
import { countTokens, eventsOf, modelOf, run, traceOf, wordsOf } from './lab.ts';
import { called, edit, fact, read, say } from './references/sessions.ts';

const model = modelOf({}, { limits: { contextTokens: 1_000_000 } });
/** Clears every output at the end of each turn. */
const clearsAll = resolvePolicy(policies['opencode-1.2.16'], {
  prune: { enabled: true, byAge: { protectTokens: 0, minimumTokens: 0, guardTurns: 0 } },
});
const closed = { policy: clearsAll, model, mode: 'closed-loop' } as const;
const open = { policy: clearsAll, model };

const LINE = 'This line is about the shop.';
const LINES = [1, 2, 3].map((nth) => `Line ${nth} of the file about the shop.`).join('\n');

/** What the first step read is needed by the third. */
const lost: readonly Message[] = [
  user('u1'),
  read('s1', 'f1', `${LINE}\n${wordsOf(93)}`),
  say('s2', 'ok'),
  user('u2'),
  edit('s3', 'f1', LINE),
];

/** A turn of steps, each of which reads a file or needs what stands in one. */
const sessions = fc
  .array(
    fc.array(fc.record({ isRead: fc.boolean(), file: fc.nat({ max: 3 }) }), {
      minLength: 1,
      maxLength: 4,
    }),
    { minLength: 2, maxLength: 6 },
  )
  .map((turns) =>
    turns.flatMap((steps, turn) => [
      user(`u${turn}`, 'Go.'),
      ...steps.map(({ isRead, file }, index) => {
        const id = `s${turn}-${index}`;
        const line = `This line is about file number ${file}.`;
        if (!isRead) return edit(id, `f${file}`, line);
        return read(id, `f${file}`, `${line}\n${wordsOf(20 * file + 5)}`);
      }),
    ]),
  );

describe('the scripted agent', () => {
  it('reads again what is lost, before the step that needs it', () => {
    const { steps, view } = run(lost, closed);
    expect(steps.map(({ step, reread, opensTurn }) => ({ step, reread, opensTurn }))).toEqual([
      { step: 1, opensTurn: true },
      { step: 2, opensTurn: false },
      { step: 3, reread: expect.any(Number), opensTurn: true },
      { step: 3, opensTurn: false },
    ]);
    expect(view).toContain('closed-loop');
  });

  it.each<[string, string, boolean]>([
    ['a file', 'read', true],
    ['what no file holds', 'webfetch', false],
  ])('says whether that is the content of %s', (_, tool, isFileReread) => {
    const [ask, first, ...rest] = lost;
    const parts = first!.parts.map((part) => (part.type === 'tool' ? { ...part, tool } : part));
    const { steps } = run([ask!, { ...first!, parts }, ...rest], closed);
    expect(steps.find(({ reread }) => reread !== undefined)).toMatchObject({ isFileReread });
  });

  it('pays for it: a step of its own, whose call and output the next one carries', () => {
    const [again, needing] = run(lost, closed).steps.slice(2);
    const [inOpenLoop] = run(lost, open).steps.slice(2);
    expect(again?.contextTokens).toBe(inOpenLoop?.contextTokens);
    expect(again?.outputTokens).toBeGreaterThan(0);
    expect(again?.costNanoUsd).toBe(again!.contextTokens * 1 + again!.outputTokens * 2);
    const carried = (needing?.contextTokens ?? 0) - (again?.contextTokens ?? 0);
    expect(carried).toBeGreaterThanOrEqual(101 + again!.outputTokens);
  });

  it.each(['clairvoyant', 'least-recently-used'] as const)(
    'has its reads known to a prune by use: %s keeps what is needed again and again',
    (order) => {
      const turns = [3, 4, 5, 6].flatMap((nth) => [
        user(`u${nth}`),
        read(`r${nth}`, `g${nth}`, `other_${nth} ${wordsOf(60)}`),
        say(`s${nth}`, 'ok'),
      ]);
      const policy = replaceEviction(
        resolvePolicy(clearsAll, { prune: { byAge: { protectTokens: 170, guardTurns: 0 } } }),
        order,
      );
      const faults = [{ on: 'compact', step: 3 }] as const;
      const needed = fact({ value: 'about the shop', step: 1, neededAt: [4, 6, 8, 10] });
      const trace = traceOf([...lost.slice(0, 3), ...turns], { facts: [needed] });
      const { steps, events } = run(trace, { ...closed, policy, faults });
      expect(eventsOf(events, 'prune-end').filter(({ state }) => state === 'fired')).not.toEqual(
        [],
      );
      expect(steps.filter(({ reread }) => reread !== undefined)).toHaveLength(1);
    },
  );

  it('loses what it read again like everything else', () => {
    const needed = fact({ value: 'about the shop', step: 1, neededAt: [3, 4] });
    const later = [user('u3'), say('s4', 'ok'), user('u4'), say('s5', 'ok')];
    const trace = traceOf([...lost.slice(0, -1), say('s3', 'ok'), ...later], { facts: [needed] });
    const { events, steps } = run(trace, closed);
    expect(steps.filter(({ reread }) => reread !== undefined)).toHaveLength(2);
    const missed = eventsOf(events, 'reference').filter(({ missedBy }) => missedBy === 'prune');
    expect(missed.map(({ step }) => step)).toEqual([3, 4]);
  });

  it.each<[name: string, messages: readonly Message[]]>([
    [
      'what the session itself reads again',
      [...lost.slice(0, -1), read('s3', 'f1', `${LINE}\n${LINE}2\n${LINE}3`)],
    ],
    ['what was said', [user('u1'), say('s1', LINE), user('u2'), say('s2', 'on'), say('s3', LINE)]],
    [
      'what a call that changes something told',
      [
        ...lost.slice(0, 1),
        step('s1', [called('s1', 'edit', { file_path: 'f1' }, LINE)]),
        ...lost.slice(2),
      ],
    ],
    ['what is still there', [...lost.slice(0, 2), edit('s2', 'f1', LINE)]],
  ])('leaves alone %s', (_, messages) => {
    expect(run(messages, closed).steps.filter(({ reread }) => reread !== undefined)).toEqual([]);
  });

  it('leaves alone what a step reads again by itself, also where it is declared to need that', () => {
    const messages = [...lost.slice(0, -1), read('s3', 'f1', LINE)];
    const trace = traceOf(messages, {
      facts: [fact({ value: 'about', step: 1, neededAt: [3] })],
    });
    const { steps, events } = run(trace, closed);
    expect(eventsOf(events, 'reference')).toMatchObject([
      { kind: 'declared', goneBy: 'prune' },
      { kind: 'given-back', goneBy: 'prune' },
    ]);
    expect(steps.filter(({ reread }) => reread !== undefined)).toEqual([]);
  });

  it('leaves out a step that reads again only what the recording had lost, at its price', () => {
    const messages = [
      user('u1'),
      read('s1', 'f1', LINES),
      say('s2', 'ok'),
      user('u2'),
      read('s3', 'f1', LINES),
      say('s4', 'on'),
    ];
    const recordedCompactions = [{ kind: 'full', messageIndex: 3 }] as const;
    const trace = traceOf(messages, { format: 'claude-code', recordedCompactions });
    const holds = { model, policy: policies['opencode-1.2.16'] };
    const [inOpenLoop, inClosedLoop] = [
      run(trace, holds),
      run(trace, { ...holds, mode: 'closed-loop' }),
    ];
    expect(inClosedLoop.steps.map(({ step, opensTurn }) => [step, opensTurn])).toEqual([
      [1, true],
      [2, false],
      [4, true],
    ]);
    expect(eventsOf(inClosedLoop.events, 'step-dropped')).toEqual([
      { type: 'step-dropped', step: 3, turn: 2, messageId: 's3' },
    ]);
    const [own, other] = [inClosedLoop, inOpenLoop].map(({ steps }) => steps.at(-1)!.contextTokens);
    expect(other! - own!).toBeGreaterThan(countTokens(LINES));
    const [closedRun, openRun] = [inClosedLoop, inOpenLoop].map(({ events }) => foldRun(events));
    expect(closedRun!.regret.droppedSteps).toBe(1);
    expect(recordedSteps(closedRun!)).toBe(recordedSteps(openRun!));
    // Where it is cleared too, or tells more than is in view, it stays.
    expect(run(trace, closed).steps).toHaveLength(4);
    const more = [
      ...messages.slice(0, -2),
      step('s3', [called('s3', 'read', { filePath: 'f1', limit: 9 }, `${LINES}\n${LINE}`)]),
      edit('s4', 'f1', LINE),
      say('s5', 'on'),
    ];
    const told = traceOf(more, { format: 'claude-code', recordedCompactions });
    expect(run(told, { ...holds, mode: 'closed-loop' }).steps).toHaveLength(5);
  });

  it('reads again as much as is expected where a real summary might have told it', () => {
    const chance = 1 - CARRIED_SHARE.file;
    const reads = Array.from({ length: 60 }, (_, seed) => {
      const faults = [{ on: 'compact', step: 3 }] as const;
      const summarizer = findSummarizer('scripted:tokens=20');
      const policy = policies['opencode-1.2.16'];
      // A document that two calls of a step need is told or not.
      const needing = step(
        's3',
        [1, 2].map((nth) => called(`s3-${nth}`, 'edit', { filePath: 'f1', oldString: LINE }, 'ok')),
      );
      const { steps, events } = run([...lost.slice(0, -1), needing], {
        model,
        policy,
        faults,
        summarizer,
        seed,
        mode: 'closed-loop',
      });
      expect(eventsOf(events, 'reference').filter(({ missedBy }) => missedBy)).toMatchObject([
        { use: 'used', missedBy: 'pivot', chance },
      ]);
      return steps.length - 3;
    });
    expect(new Set(reads)).toEqual(new Set([0, 1]));
    expect(Math.abs(reads.filter(Boolean).length - 60 * chance)).toBeLessThan(12);
  });

  it('is stopped where it does little else, and says so', () => {
    const { events, steps } = run(lost, { ...closed, maxSteps: 2 });
    expect(events.at(-1)).toMatchObject({
      type: 'run-end',
      state: 'loop',
      reason: 'more than 2 steps in a closed loop',
    });
    expect(steps).toHaveLength(2);
  });

  it('does nothing where nothing is lost', () => {
    fc.assert(
      fc.property(sessions, (messages) => {
        const options = { policy: policies.none, model };
        const [start, ...rest] = run(messages, options).events;
        const closedRun = run(messages, { ...options, mode: 'closed-loop' }).events;
        expect(closedRun).toEqual([{ ...start, mode: 'closed-loop' }, ...rest]);
      }),
      { numRuns: 50 },
    );
  });

  it('adds steps and leaves out none, the same each time', () => {
    let added = 0;
    assertReaching(
      fc.property(sessions, (messages) => {
        const { steps, events } = run(messages, closed);
        const recorded = steps.filter(({ reread }) => reread === undefined);
        expect(recorded.map(({ messageId }) => messageId)).toEqual(
          run(messages, open).steps.map(({ messageId }) => messageId),
        );
        expect(run(messages, closed).events).toEqual(events);
        added += steps.length - recorded.length;
      }),
      { numRuns: 50 },
    );
    expect(added).toBeGreaterThan(5);
  });
});
