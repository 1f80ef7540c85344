import { describe, expect, it } from 'vitest';
import { type Message, policies, resolvePolicy } from '../../../../src/engine/index.ts';
import type { PlantedFact } from '../../../../src/simulator/session/facts.ts';
import { user } from '../../../support/history.ts';
import { eventsOf, modelOf, run, summarizerOf, traceOf } from '../lab.ts';
import { read, say } from './sessions.ts';

const constraint: PlantedFact = {
  id: 'fact-1',
  kind: 'constraint',
  subject: 'the freeze',
  value: 'ledger_82wx8ga5',
  polarity: 'dont',
  criticality: 'must',
  source: 'tool',
  step: 1,
  posPct: 10,
  neededAt: [],
};
const OUTPUT = `1 Because of the freeze, never touch ${constraint.value}.`;
/** Clears all outputs but those of the newest turn. */
const clearing = resolvePolicy(policies['opencode-1.2.16'], {
  prune: { enabled: true, byAge: { protectTokens: 0, minimumTokens: 0, guardTurns: 1 } },
});
const roomy = modelOf({}, { limits: { contextTokens: 1_000_000 } });

/** What the end of a run says of a session with these facts, whose later steps are added. */
function endOf(facts: readonly PlantedFact[], policy = clearing, later: readonly Message[] = []) {
  const messages = [
    user('u1', 'Go.'),
    read('s1', 'src/ledger.ts', OUTPUT),
    say('s2', 'Done.'),
    user('u2', 'Go on.'),
    say('s3', 'Done again.'),
    ...later,
  ];
  const { events } = run(traceOf(messages, { facts }), { policy, model: roomy });
  const { constraints, goneConstraints } = eventsOf(events, 'standing').at(-1)!;
  return { constraints, goneConstraints };
}

describe('a constraint of the user', () => {
  it('is what they wrote, not what a program added in their name', () => {
    const rule = 'Never touch the ledger.';
    const constraintsOf = (synthetic: boolean) => {
      const { parts, ...message } = user('u1', rule);
      const said = parts.map((part) => ({ ...part, synthetic }));
      const { events } = run([{ ...message, parts: said }, say('s1', 'Ok.')], {
        policy: policies.none,
        model: roomy,
      });
      return eventsOf(events, 'standing').at(-1)?.constraints;
    };
    expect([false, true].map(constraintsOf)).toEqual([1, 0]);
  });
});

describe('a constraint that an output declares', () => {
  it('is there as long as the output is whole', () => {
    const there = { constraints: 1, goneConstraints: [] };
    expect(endOf([constraint], policies.none)).toEqual(there);
    const guarded = resolvePolicy(clearing, { prune: { byAge: { guardTurns: 2 } } });
    expect(endOf([constraint], guarded)).toEqual(there);
  });

  it('is gone with the output', () => {
    expect(endOf([constraint])).toEqual({ constraints: 1, goneConstraints: ['constraint-1'] });
  });

  it.each<[string, readonly Message[]]>([
    ['a later message names it', [user('u3', `Is it ${constraint.value}?`), say('s4', 'No.')]],
    ['it is read again', [user('u3'), read('s4', 'src/ledger.ts', OUTPUT), say('s5', 'Ok.')]],
  ])('is there where %s', (_, later) => {
    expect(endOf([constraint], clearing, later).goneConstraints).toEqual([]);
  });

  it.each<[string, Partial<PlantedFact>]>([
    ['resembles a fact', { role: 'distractor' }],
    ['stands nowhere', { value: 'ledger_11111111' }],
    ['is of another kind', { kind: 'decision' }],
    ['is said to be from somebody who does not say it', { source: 'assistant' }],
  ])('is none where it %s', (_, overrides) => {
    expect(endOf([{ ...constraint, ...overrides }]).constraints).toBe(0);
  });
});

describe('a path', () => {
  it.each([
    ['Read @src/ledger.ts.', []],
    ['Read @src/ledger.ts:10-20.', []],
    ['Read @src/other.ts.', ['path-1']],
  ])('is named by a mention: %s', (words, gone) => {
    const { events } = run([user('u1'), read('s1', 'src/ledger.ts', OUTPUT), say('s2', 'Ok.')], {
      model: roomy,
      policy: policies['opencode-1.2.16'],
      faults: [{ on: 'compact', step: 2 }],
      summarizer: summarizerOf(() => ({ state: 'finished', text: words, finish: 'stop' })),
    });
    expect(eventsOf(events, 'standing').at(-1)?.gonePaths).toEqual(gone);
  });
});

describe('a constraint in a summary', () => {
  it.each([
    ['You must never touch the old ledger files.', []],
    ['The rule: never touch the old ledger files.', []],
    ['The ledger files are old.', ['constraint-1']],
  ])('is carried by most of its words in a row: %s', (words, gone) => {
    const rule = 'Never touch the old ledger files.';
    const { events } = run([user('u1', rule), say('s1', 'Ok.'), say('s2', 'Ok.')], {
      model: roomy,
      policy: policies['opencode-1.2.16'],
      faults: [{ on: 'compact', step: 2 }],
      summarizer: summarizerOf(() => ({ state: 'finished', text: words, finish: 'stop' })),
    });
    expect(eventsOf(events, 'standing').at(-1)?.goneConstraints).toEqual(gone);
  });
});
