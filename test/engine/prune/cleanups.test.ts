import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { grow, type List, toArray } from '../../../src/engine/history.ts';
import {
  type CleanupName,
  type CleanupPolicy,
  DEFAULT_BY_AGE,
  defaultCleanups,
  type Message,
  type Part,
  planByAge,
  policies,
  storedPart,
} from '../../../src/engine/index.ts';
import { planCleanup } from '../../../src/engine/prune/cleanups.ts';
import { frozen } from '../../../src/engine/values.ts';
import { busyHistories, CLEARED_AT } from '../../support/busy-histories.ts';
import { assertReaching } from '../../support/reaching.ts';

const { dcp } = policies;
const NOW = CLEARED_AT;
/** Enough for thoughts that three turns follow. */
const RUNS = 800;

/** A part of a history with what came until then, its own message included. */
interface Dated {
  readonly part: Part;
  readonly place: number;
  readonly steps: number;
  readonly turns: number;
}

const count = (list: readonly Message[]) => ({
  steps: list.filter((one) => one.role === 'assistant' && one.summary !== true).length,
  turns: list.filter(
    ({ role, parts }) => role === 'user' && !parts.some(({ type }) => type === 'compaction'),
  ).length,
});

/** All parts behind the newest summary, with the ages of the whole history. */
function datedParts(history: readonly Message[]): readonly Dated[] {
  const start = history.findLastIndex((one) => one.role === 'assistant' && one.summary === true);
  const all = count(history);
  return history
    .flatMap(({ parts }, index) => {
      const then = count(history.slice(0, index + 1));
      const ages = { steps: all.steps - then.steps, turns: all.turns - then.turns };
      return parts.map((part) => ({ part, index, ...ages }));
    })
    .filter(({ index }) => index > start)
    .map(({ part, steps, turns }, place) => ({ part, place, steps, turns }));
}

const fieldsOf = (input: unknown): readonly (readonly [string, unknown])[] =>
  typeof input === 'object' && input !== null ? Object.entries(input) : [];
const texts = (part: Part): readonly string[] =>
  part.type === 'tool'
    ? fieldsOf(part.state.input).flatMap(([name, value]) => (typeof value === 'string' ? name : []))
    : [];
const isStandIn = (part: Part) => storedPart(part) !== part;
const isDone = (part: Part) => part.type === 'tool' && part.state.status === 'completed';
const isGone = (part: Part) =>
  isStandIn(part) ||
  (part.type === 'tool' && part.state.status === 'completed' && part.state.compactedAt === NOW);
const named = (part: Part, ...tools: readonly string[]) =>
  part.type === 'tool' && tools.includes(part.tool.toLowerCase());
const pathOf = (part: Part) =>
  part.type === 'tool'
    ? fieldsOf(part.state.input).find(([name]) => name === 'filePath')?.[1]
    : undefined;
const signature = (part: Part) => {
  if (part.type !== 'tool') return '';
  const { input } = part.state;
  const fields = fieldsOf(input).filter(([, value]) => value !== null);
  const given = Array.isArray(input) || fields.length === 0 ? input : undefined;
  return JSON.stringify([part.tool, given, fields.toSorted(([a], [b]) => (a < b ? -1 : 1))]);
};

/** What each pass clears, as its source says it in a sentence, over all parts. */
const sentences: Readonly<
  Record<CleanupName, (all: readonly Dated[], rules: CleanupPolicy) => readonly Dated[]>
> = {
  duplicates: (all, { protectedTools = [] }) => {
    const counted = all.filter(
      ({ part }) => part.type === 'tool' && !isGone(part) && !named(part, ...protectedTools),
    );
    return counted.filter(
      ({ part, place }) =>
        (isDone(part) || (hasError(part) && texts(part).length > 0)) &&
        counted.some((one) => one.place > place && signature(one.part) === signature(part)),
    );
  },
  superseded: (all) =>
    all.filter(
      ({ part, place }) =>
        isDone(part) &&
        !isStandIn(part) &&
        named(part, 'write', 'edit') &&
        texts(part).some((name) => name !== 'filePath') &&
        all.some(
          (one) =>
            one.place > place &&
            isDone(one.part) &&
            named(one.part, 'read') &&
            pathOf(part) !== undefined &&
            pathOf(one.part) === pathOf(part),
        ),
    ),
  'failed-inputs': (all, { protectedTools = [] }) =>
    all.filter(
      ({ part, steps }) =>
        hasError(part) &&
        !isStandIn(part) &&
        !named(part, ...protectedTools) &&
        texts(part).length > 0 &&
        steps >= 4,
    ),
  media: (all) =>
    all.filter(
      ({ part, turns }) =>
        turns >= 3 &&
        !isGone(part) &&
        ((part.type === 'file' && part.mime === 'image/png') ||
          (part.type === 'tool' &&
            part.state.status === 'completed' &&
            part.state.attachments !== undefined)),
    ),
  reasoning: (all) =>
    all.filter(({ part, turns }) => turns >= 3 && part.type === 'reasoning' && part.text !== ''),
};

function hasError(part: Part): boolean {
  return part.type === 'tool' && part.state.status === 'error';
}

const plan = (history: List<Message>, rules: CleanupPolicy) =>
  planCleanup(history, { rules, policy: dcp, now: NOW });
const sorted = (ids: readonly string[]) => ids.toSorted();
const found = (history: List<Message>, rules: CleanupPolicy) =>
  sorted(plan(history, rules).plan.partIds);
const expectedOf = (history: readonly Message[], rules: CleanupPolicy) =>
  sorted(sentences[rules.pass](datedParts(history), rules).map(({ part }) => part.id));

describe.each(Object.values(defaultCleanups))('clean-up $pass', (rules) => {
  it('clears what its sentence says, of any history', () => {
    let fired = 0;
    assertReaching(
      fc.property(busyHistories, (history) => {
        const expected = expectedOf(history, rules);
        expect(found(frozen(history), rules)).toEqual(expected);
        if (expected.length > 0) fired += 1;
      }),
      { numRuns: RUNS },
    );
    expect(fired).toBeGreaterThan(20);
  });

  it('finds the same in a history that grows and is cleared on its way', () => {
    let fired = 0;
    assertReaching(
      fc.property(busyHistories, fc.integer({ min: 1, max: 5 }), (history, every) => {
        let grown: List<Message> = [];
        for (const [index, message] of history.entries()) {
          grown = grow(grown, message);
          if (index % every > 0) continue;
          const { plan: planned, messages } = plan(grown, rules);
          expect(sorted(planned.partIds)).toEqual(expectedOf(toArray(grown), rules));
          if (planned.state === 'fire') fired += 1;
          grown = messages;
        }
      }),
      { numRuns: RUNS },
    );
    expect(fired).toBeGreaterThan(20);
  });

  it('changes the parts that it chose and nothing else, keeps them stored, and finds nothing again', () => {
    fc.assert(
      fc.property(busyHistories, (history) => {
        fc.pre(found(history, rules).length > 0);
        const { plan: planned, messages: changedMessages } = plan(frozen(history), rules);
        const messages = toArray(changedMessages);
        const chosen = new Set(planned.partIds);
        const before = history.flatMap(({ parts }) => parts);
        const after = messages.flatMap(({ parts }) => parts);
        expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => id));
        const changed = after.filter((part, index) => part !== before[index]);
        expect(new Set(changed.map(({ id }) => id))).toEqual(chosen);
        expect(changed.filter((part) => !isGone(part))).toEqual([]);
        const originals = new Map(before.map((part) => [part.id, part]));
        for (const part of changed) expect(storedPart(part)).toBe(originals.get(part.id));
        expect(found(messages, rules)).toEqual([]);
      }),
    );
  });
});

describe('clean-ups beside a pass by age', () => {
  const options = { ...DEFAULT_BY_AGE, protectTokens: 30, minimumTokens: 0, guardTurns: 1 };
  const { estimator } = dcp;

  it('leave it what it would choose if it had never seen what they cleared', () => {
    let differs = 0;
    assertReaching(
      fc.property(busyHistories, (history) => {
        const planned = plan(history, defaultCleanups.duplicates);
        const messages = toArray(planned.messages);
        const cleaned = new Set(planned.plan.partIds.filter((id) => isOutput(messages, id)));
        fc.pre(cleaned.size > 0);
        const { partIds } = planByAge(messages, options, estimator);
        expect(partIds).toEqual(planByAge(without(history, cleaned), options, estimator).partIds);
        const older = planByAge(history, options, estimator).partIds;
        if (partIds.length > 0 && partIds.join() !== older.join()) differs += 1;
      }),
      { numRuns: RUNS },
    );
    expect(differs).toBeGreaterThan(20);
  });
});

function without(history: readonly Message[], ids: ReadonlySet<string>): readonly Message[] {
  return history.map((message) => ({
    ...message,
    parts: message.parts.filter(({ id }) => !ids.has(id)),
  }));
}

/** Whether a part of a history is a call that came back. */
function isOutput(history: readonly Message[], id: string): boolean {
  return history.some(({ parts }) => parts.some((part) => part.id === id && isDone(part)));
}
