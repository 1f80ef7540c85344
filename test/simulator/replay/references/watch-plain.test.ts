import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isStandIn, type Message, type Part } from '../../../../src/engine/index.ts';
import type { PlantedFact } from '../../../../src/simulator/session/facts.ts';
import { createWatch } from '../../../../src/simulator/replay/references/watch.ts';
import { user } from '../../../support/history.ts';
import { eventsOf, traceOf } from '../lab.ts';
import { read, say, write } from './sessions.ts';
import { assertReaching } from '../../../support/reaching.ts';

const FILES = ['a1/b.ts', 'c2/d.ts', 'e3/f.ts'];

/** A session that reads, speaks of what it read, and writes over it. */
const session = Array.from({ length: 24 }, (_, index): Message => {
  const file = FILES[index % FILES.length] ?? '';
  const id = `m${index}`;
  if (index % 8 === 0) return user(id, `Go on with ${id}. You must never touch core${index}.ts.`);
  if (index % 4 === 1) return read(id, file, `value${index} in ${file}`);
  if (index % 4 === 2) return say(id, `value${index - 1}, value${Math.max(0, index - 5)}`);
  return index % 4 === 3 ? write(id, file, `new${index}`) : read(id, file, `other${index}`);
});

const declared = (source: PlantedFact['source'], value: string): PlantedFact => ({
  id: value,
  kind: 'constraint',
  subject: '',
  value,
  polarity: 'dont',
  criticality: 'must',
  source,
  step: 1,
  posPct: 0,
  neededAt: [],
});
const IN_OUTPUTS = ['other4', 'other12', 'value9'];
const facts = [
  ...['core0', 'core8', 'core16'].map((value) => declared('user', value)),
  ...IN_OUTPUTS.map((value) => declared('tool', value)),
];
const references = traceOf(session, { facts }).references();
/** As a run gets them: it is by their lists of parts that they stand as they were recorded. */
const { messages } = references;

const CHANGES = [
  ...(['grow', 'grow', 'grow', 'grow', 'clear', 'drop', 'leave-out'] as const),
  ...(['bring-back', 'say-again', 'give-back', 'take-back', 'strip'] as const),
];
type Change = (typeof CHANGES)[number];

const changes = fc.array(
  fc.record({ change: fc.constantFrom(...CHANGES), at: fc.nat({ max: 23 }) }),
  { minLength: 8, maxLength: 24 },
);

/** The view after a change, before the next message comes. */
function changeView(view: readonly Message[], change: Change, at: number): readonly Message[] {
  const index = at % Math.max(1, view.length);
  const recorded = messages.filter(({ id }) => view.every((message) => message.id !== id));
  if (change === 'clear')
    return view.map((message, nth) => (nth === index ? clear(message) : message));
  if (change === 'strip')
    return view.map((message, nth) => (nth === index ? strip(message) : message));
  if (change === 'drop') return [user(`own${at}`, `In short: ${FILES[0]}.`), ...view.slice(index)];
  if (change === 'take-back') return view.slice(0, index);
  if (change === 'bring-back') return [...view, ...recorded.slice(0, at % 2)];
  if (change === 'give-back') {
    return view.map((message) => messages.find(({ id }) => id === message.id) ?? message);
  }
  return change === 'say-again' && view.length > 0
    ? [...view, { ...user(`again${at}`), parts: view[index]?.parts ?? [] }]
    : view;
}

function clear(message: Message): Message {
  const parts = message.parts.map(
    (part): Part =>
      part.type === 'tool' && part.state.status === 'completed'
        ? { ...part, state: { ...part.state, compactedAt: 1 } }
        : part,
  );
  return { ...message, parts };
}

/** What its calls were given is taken out. */
function strip(message: Message): Message {
  const parts = message.parts.map(
    (part): Part =>
      part.type === 'tool'
        ? {
            ...part,
            state: { ...part.state, input: {} },
            stored: { part, clearedAt: 1, without: ['input' as const] },
          }
        : part,
  );
  return { ...message, parts };
}

const saidIn = (view: readonly Message[]) =>
  new Set(view.flatMap(({ parts }) => parts.flatMap((part) => (isStandIn(part) ? [] : part.id))));

const partsIn = (view: readonly Message[]) =>
  new Set(view.flatMap(({ parts }) => parts.map(({ id }) => id)));

const wholesIn = (view: readonly Message[]) =>
  new Set(
    view.flatMap(({ parts }) =>
      parts.flatMap((part) => {
        if (part.type !== 'tool' || part.state.status !== 'completed') return [];
        const isWhole =
          part.state.compactedAt === undefined &&
          part.state.output === references.outputs.get(part.id);
        return isWhole ? part.id : [];
      }),
    ),
  );

/** Constraints and paths that messages name, and constraints that their whole outputs declare. */
function itemsIn(view: readonly Message[]): ReadonlySet<string | undefined> {
  const { standing } = references;
  const outputs = [...wholesIn(view)].map((id) => references.outputs.get(id) ?? '');
  return new Set([
    ...view.flatMap((message) =>
      standing.itemsOf(message).map((index) => standing.items[index]?.text),
    ),
    ...IN_OUTPUTS.filter((value) => outputs.some((output) => output.includes(value))),
  ]);
}

/** A part of the recording without an output, which is there or not. */
const isSaidOnly = (id: string) => references.partNumbers.has(id) && !references.outputs.has(id);

/** What a watch tells, worked out anew from each whole view. */
function createPlainWatch() {
  const stale = new Map<string, number>();
  const missed = new Map<object, string>();
  const goneAfter = new Map<string, number>();
  let seen: readonly Message[] = [];
  const follow = (view: readonly Message[], newestStep: number) => {
    const common = view.findIndex((message, index) => message !== seen[index]);
    const from = common < 0 ? view.length : common;
    for (const { id } of view.slice(from)) {
      for (const { partId, tokens } of references.staleAfter.get(id) ?? [])
        stale.set(partId, tokens);
    }
    const gone = seen.slice(from);
    seen = view;
    if (gone.length === 0) return [];
    const [said, wholes] = [saidIn(view), wholesIn(view)];
    const hidden = [...saidIn(gone)].filter(
      (id) => !said.has(id) && (isSaidOnly(id) || wholes.has(id)),
    );
    const cleared = [...wholesIn(gone)].filter((id) => !wholes.has(id));
    for (const id of cleared) goneAfter.set(`${id} output`, newestStep);
    for (const id of saidIn(gone)) if (!said.has(id)) goneAfter.set(`${id} said`, newestStep);
    const size = new Set([...hidden, ...cleared]).size;
    return size === 0 ? [] : [size];
  };
  return (messageId: string, step: number, view: readonly Message[]) => {
    const evictions = follow(view, step - 1);
    const [parts, said, wholes] = [partsIn(view), saidIn(view), wholesIn(view)];
    const needs = (references.byMessage.get(messageId) ?? []).map((reference) => {
      const { partId, side } = reference.source;
      const lost = (side === 'said' ? said : wholes).has(partId) ? undefined : 'prune';
      const missedBy = parts.has(partId) ? lost : 'window';
      if (missedBy === undefined) return missed.get(reference) ?? partId;
      const shown = `${partId} ${missedBy} ${goneAfter.get(`${partId} ${side}`)}`;
      missed.set(reference, missed.get(reference) ?? shown);
      return missed.get(reference) ?? shown;
    });
    const staleTokens = [...stale].reduce(
      (sum, [id, tokens]) => sum + (wholes.has(id) ? tokens : 0),
      0,
    );
    return { evictions, needs, staleTokens };
  };
}

/** What a view that changed in this way came to, step by step: as a watch tells it, and as it is. */
function watchBoth(all: readonly { readonly change: Change; readonly at: number }[]) {
  const [watch, plain] = [createWatch(references), createPlainWatch()];
  let [view, next, staleTokens]: [readonly Message[], number, number] = [[], 0, 0];
  const came = new Set<string>();
  const items = new Set<string | undefined>();
  const steps = all.flatMap(({ change, at }) => {
    view = changeView(view, change, at);
    const step = messages[next];
    if (step === undefined) return [];
    for (const { id } of view) came.add(id);
    for (const item of itemsIn(view)) items.add(item);
    const events = watch.tellStep(step.id, next + 1, view);
    staleTokens = eventsOf(events, 'stale-kept')[0]?.tokens ?? staleTokens;
    const told = {
      evictions: eventsOf(events, 'eviction').map(({ parts }) => parts),
      needs: eventsOf(events, 'reference').map(({ partId, missedBy, goneAfter }) =>
        missedBy === undefined ? partId : `${partId} ${missedBy} ${goneAfter}`,
      ),
      staleTokens,
    };
    const expected = plain(step.id, next + 1, view);
    next += 1;
    if (change !== 'leave-out') view = [...view, step];
    return [{ told, expected }];
  });
  for (const { id } of view) came.add(id);
  for (const item of itemsIn(view)) items.add(item);
  const reads = [...came].reduce((sum, id) => sum + (references.reads.get(id) ?? 0), 0);
  const left = itemsIn(view);
  const gone = [...items].filter((item) => !left.has(item)).length;
  return { steps, end: eventsOf(watch.tellEnd(view), 'standing'), items: items.size, gone, reads };
}

/** What a watch tells of a session that nobody compacts. */
function watchAll() {
  const watch = createWatch(references);
  return messages.map(({ id }, index) => watch.tellStep(id, index + 1, messages.slice(0, index)));
}

describe('watch', () => {
  it('tells of any views what a look at each whole one tells', () => {
    const met = { needs: 0, misses: 0, stale: 0, evictions: 0, gone: 0 };
    assertReaching(
      fc.property(changes, (all) => {
        const { steps, end, items, gone, reads } = watchBoth(all);
        expect(steps.map(({ told }) => told)).toEqual(steps.map(({ expected }) => expected));
        const { constraints = 0, paths = 0, goneConstraints = [], gonePaths = [] } = end[0] ?? {};
        expect([constraints + paths, goneConstraints.length + gonePaths.length]).toEqual([
          items,
          gone,
        ]);
        expect(end[0]?.fileReads).toBe(reads);
        const needs = steps.flatMap(({ expected }) => expected.needs);
        met.needs += needs.filter((need) => need.endsWith('undefined')).length;
        met.misses += needs.filter((need) => !need.endsWith('undefined')).length;
        met.gone += gone;
        met.stale += steps.filter(({ expected }) => expected.staleTokens > 0).length;
        met.evictions += steps.filter(({ expected }) => expected.evictions.length > 0).length;
      }),
      { numRuns: 100 },
    );
    expect(Math.min(...Object.values(met))).toBeGreaterThan(20);
  });

  it('finds no path in a call whose input was taken out', () => {
    const { standing } = references;
    const calls = messages.filter(({ parts }) => parts.some(({ type }) => type === 'tool'));
    expect(calls.filter((call) => standing.itemsOf(call).length === 0)).toEqual([]);
    expect(calls.flatMap((call) => standing.itemsOf(strip(call)))).toEqual([]);
  });

  it('tells the same of a trace in each run', () => {
    expect(watchAll()).toEqual(watchAll());
  });
});
