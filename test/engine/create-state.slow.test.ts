import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ALL_GUARDS,
  canonicalJson,
  createState,
  type LawName,
  type Limits,
  type LoopInput,
  type LoopState,
  policies,
  type Policy,
  resolvePolicy,
  restoreState,
  saveState,
  transition,
} from '../../src/engine/index.ts';
import { inputs, limits as limitsOfLoopRuns } from '../support/loop-runs.ts';
import { said, stepped } from '../support/script.ts';
import {
  byAge,
  type InputShape,
  inputsWith,
  limits,
  movesOf,
  promptsInTurn,
  violationsOf,
} from '../support/sessions.ts';
import { smallPresets } from '../support/small-presets.ts';
import { testTools } from '../support/tools.ts';

const SESSIONS = 150;
const idsOf = (state: LoopState) => state.history.map(({ id }) => id);
const isGone = (id: string, state: LoopState) => !idsOf(state).includes(id);

/** A person undoes from one of the prompts on, and compacts. */
const undo: fc.Arbitrary<InputShape> = fc.nat({ max: 5 }).map((back) => (_, state) => {
  const prompts = state.history.filter(({ role }) => role === 'user');
  const revertTo = prompts.at(-1 - back)?.id;
  return { type: 'compact', ...(revertTo !== undefined && { revertTo }) };
});
const shapes = fc
  .tuple(
    inputsWith(promptsInTurn),
    fc.array(fc.tuple(fc.nat(), undo), { minLength: 8, maxLength: 12 }),
  )
  .map(([others, undos]) =>
    undos.reduce<readonly InputShape[]>(
      (all, [place, each]) => all.toSpliced(place % (all.length + 1), 0, each),
      others,
    ),
  );
const sessions = fc.tuple(limits, shapes);
const presets = smallPresets.map((preset) =>
  resolvePolicy(preset, { prune: { byAge: preset.prune.byAge.minimumTokens === 0 ? {} : byAge } }),
);

describe('any order of inputs in which prompts are undone', () => {
  it.each(presets.map((policy) => [policy.name, policy] as const))(
    'breaks no law but those that the preset lists: %s',
    (_, policy) => {
      const allowed = new Set<LawName>(policy.breaks.map(({ law }) => law));
      fc.assert(
        fc.property(sessions, ([first, list]) => {
          const broken = violationsOf(policy, first, list).map(({ law }) => law);
          expect(broken.filter((law) => !allowed.has(law))).toEqual([]);
        }),
        { numRuns: SESSIONS },
      );
    },
  );

  it('undoes something in most sessions', () => {
    const sample = fc.sample(sessions, { numRuns: SESSIONS, seed: 1 });
    const undoing = sample.filter(([first, list]) =>
      movesOf(policies['opencode-1.18'], first, list).some(
        ({ input, next }) =>
          input.type === 'compact' && input.revertTo && isGone(input.revertTo, next.state),
      ),
    );
    expect(undoing.length / sample.length).toBeGreaterThan(0.5);
  });
});

const RUNS = 18;
const presetsOfSaveState = Object.values<Policy>(policies).map(
  (preset) => [preset.name, preset] as const,
);

/** What a policy does with each input, when its state is changed so before each. */
function play(
  { policy, first }: { readonly policy: Policy; readonly first: Limits },
  list: readonly LoopInput[],
  between: (state: LoopState) => LoopState,
): readonly string[] {
  const tools = testTools();
  let state = createState(policy, first);
  return list.map((input) => {
    const next = transition(between(state), input, tools);
    state = next.state;
    const { commands, events } = next;
    return canonicalJson({ commands, events, state: JSON.parse(saveState(state)) });
  });
}

const again = (state: LoopState) => restoreState(saveState(state));

describe('a session that is saved and restored before each input', () => {
  it.each(presetsOfSaveState)('goes on under %s as if nothing had happened', (_name, preset) => {
    const guarded = resolvePolicy(preset, {
      guards: ALL_GUARDS,
      prune: { byAge: { protectTokens: 0, minimumTokens: 50 } },
    });
    fc.assert(
      fc.property(
        limitsOfLoopRuns,
        inputs,
        fc.constantFrom(preset, guarded),
        (first, list, policy) => {
          expect(play({ policy, first }, list, again)).toEqual(
            play({ policy, first }, list, (state) => state),
          );
        },
      ),
      { numRuns: RUNS },
    );
  });

  it('keeps what was moved out of the view, and what is recalled of it', () => {
    const policy = resolvePolicy(policies['external-memory'], { memory: { keepMessages: 1 } });
    const first = { contextTokens: 4_000, outputTokens: 1_000 };
    const list = [said('u1'), stepped('s1', 3_900), stepped('s2', 3_900), said('u1 again')];
    const lines = play({ policy, first }, list, again);
    expect(lines).toEqual(play({ policy, first }, list, (state) => state));
    expect(lines.at(-1)).toMatch(/"movedOut":\["u1".*"recalled":\{/);
  });

  it('keeps what the pass would have cleared in the place of what another order did', () => {
    const byAge = { protectTokens: 0, minimumTokens: 50, guardTurns: 0 };
    const policy = resolvePolicy(policies['largest-first'], { prune: { byAge } });
    const runs = fc.sample(fc.tuple(limitsOfLoopRuns, inputs), { numRuns: 50, seed: 1 });
    const texts = runs.flatMap(([first, list]) => play({ policy, first }, list, again));
    expect(texts.some((text) => /"baseCleared":\["/.test(text))).toBe(true);
  });
});

describe('saveState', () => {
  const state = createState(policies['opencode-1.18'], { contextTokens: 1_000 });

  it('gives the same text for the same state', () => {
    expect(saveState(again(state))).toBe(saveState(state));
  });
});

describe('a view', () => {
  const state = createState(policies['opencode-1.18'], { contextTokens: 1_000 });
  const message = { id: 'u1', role: 'user', createdAt: 0, parts: [] } as const;
  const { commands } = transition(
    state,
    { type: 'user-message', message },
    { now: 1, newId: (prefix) => prefix },
  );
  const view = commands[0]?.type === 'request' ? commands[0].view : [];

  it('can be cloned, and sent to a thread', () => {
    expect(structuredClone(view)).toEqual([message]);
  });
});
