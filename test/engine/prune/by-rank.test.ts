import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ByAgeOptions,
  createState,
  type EvictionName,
  type LoopState,
  type PartUses,
  policies,
  type Policy,
  type PrunePlan,
  replaceEviction,
  resolvePolicy,
  transition,
} from '../../../src/engine/index.ts';
import { frozen } from '../../../src/engine/values.ts';
import { step, tool, user } from '../../support/history.ts';
import { assertReaching } from '../../support/reaching.ts';
import { testTools } from '../../support/tools.ts';

/** An output of a turn: what it weighs, and the turns that need it. */
interface Output {
  readonly tokens: number;
  readonly uses: readonly number[];
  readonly tool?: string;
}

/** Outputs by turn; output 1 of turn 2 is called `2.1`. */
type Turns = readonly (readonly Output[])[];

const ORDERS: readonly EvictionName[] = [
  'clairvoyant',
  'random',
  'largest-first',
  'least-recently-used',
];
const BY_AGE: ByAgeOptions = {
  protectTokens: 20,
  minimumTokens: 10,
  guardTurns: 1,
  protectedTools: ['skill'],
};

const basedOn = (byAge: Partial<ByAgeOptions>): Policy =>
  resolvePolicy(policies['opencode-1.2.16'], { prune: { byAge: { ...BY_AGE, ...byAge } } });
const base = basedOn({});
const evicting = (name: EvictionName) => replaceEviction(base, name);

/** What is known after a turn. */
function usesAt(turns: Turns, turn: number, seed = 1): PartUses {
  const usesOf = (partId: string) => {
    const [written = 0, index = 0] = partId.split('.').map(Number);
    return { written, uses: turns[written]?.[index]?.uses ?? [] };
  };
  return {
    seed,
    upcoming: (partId) => usesOf(partId).uses.filter((use) => use > turn),
    newest: (partId) => {
      const { written, uses } = usesOf(partId);
      return uses.findLast((use) => use <= turn) ?? written;
    },
  };
}

/** One end of a turn: what was planned, and the outputs that are visible after it. */
interface TurnEnd {
  readonly plan: PrunePlan;
  readonly visible: readonly string[];
}

function play(policy: Policy, turns: Turns, seed = 1): readonly TurnEnd[] {
  const tools = testTools();
  let state = frozen(createState(policy, { contextTokens: 0 }));
  return turns.map((outputs, turn) => {
    const parts = outputs.map(({ tokens, tool: name = 'bash' }, index) =>
      tool(`${turn}.${index}`, tokens * 4, { tool: name }),
    );
    const inputs = [
      { type: 'user-message', message: user(`u${turn}`) },
      { type: 'step-finished', message: step(`s${turn}`, parts) },
      { type: 'turn-ended' },
    ] as const;
    let plan: PrunePlan | undefined;
    for (const input of inputs) {
      const uses = usesAt(turns, turn, seed);
      const next = transition(state, frozen(input), { ...tools, uses });
      plan = next.events.find((event) => event.type === 'pruned')?.plan ?? plan;
      state = frozen(next.state);
    }
    return { plan: plan!, visible: visibleIn(state) };
  });
}

function visibleIn({ history }: LoopState): readonly string[] {
  return history.flatMap(({ parts }) =>
    parts.flatMap((part) =>
      part.type === 'tool' && part.state.status === 'completed' && !part.state.compactedAt
        ? [part.id]
        : [],
    ),
  );
}

const outputOf = (turns: Turns, partId: string): Output => {
  const [turn = 0, index = 0] = partId.split('.').map(Number);
  return turns[turn]![index]!;
};
const weigh = (turns: Turns, partIds: readonly string[]): number =>
  partIds.reduce((total, partId) => total + outputOf(turns, partId).tokens, 0);

/** Tokens that were needed after they had been cleared. */
function missedTokens(turns: Turns, ends: readonly TurnEnd[]): number {
  return ends
    .flatMap(({ plan }, turn) =>
      plan.state === 'fire' ? plan.partIds.map((partId) => ({ partId, turn })) : [],
    )
    .reduce((total, { partId, turn }) => {
      const { uses, tokens } = outputOf(turns, partId);
      return total + tokens * uses.filter((use) => use > turn).length;
    }, 0);
}

/** The fewest misses of outputs of one size, over every choice of as many as the base leaves visible. */
function fewestMisses(turns: Turns, ends: readonly TurnEnd[]): number {
  const search = (turn: number, gone: ReadonlySet<string>): number => {
    const end = ends[turn];
    if (end === undefined) return 0;
    if (end.plan.state !== 'fire') return search(turn + 1, gone);
    const written = turns
      .slice(0, turn + 1)
      .flatMap((outputs, index) => outputs.map((_, place) => `${index}.${place}`));
    const visible = written.filter((partId) => !gone.has(partId));
    const free = visible.filter((partId) => !partId.startsWith(`${turn}.`));
    const choices = subsets(free, visible.length - end.visible.length);
    return Math.min(
      ...choices.map((choice) => {
        const missed = choice.flatMap((partId) =>
          outputOf(turns, partId).uses.filter((use) => use > turn),
        );
        return missed.length + search(turn + 1, new Set([...gone, ...choice]));
      }),
    );
  };
  return search(0, new Set());
}

function subsets(ids: readonly string[], size: number): readonly (readonly string[])[] {
  if (size <= 0) return [[]];
  return ids.flatMap((id, index) =>
    subsets(ids.slice(index + 1), size - 1).map((rest) => [id, ...rest]),
  );
}

/** Sessions of some turns whose outputs are needed at most that often later on. */
function sessions(tokens: fc.Arbitrary<number>, mostUses: number): fc.Arbitrary<Turns> {
  const output = fc.record({
    tokens,
    later: fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { maxLength: mostUses }),
  });
  const turn = fc.array(output, { minLength: 0, maxLength: 2, size: 'max' });
  return fc.array(turn, { minLength: 5, maxLength: 7, size: 'max' }).map((turns) =>
    turns.map((outputs, index) =>
      outputs.map(({ tokens: weight, later }) => ({
        tokens: weight,
        uses: later.map((turns_) => index + turns_).toSorted((one, other) => one - other),
      })),
    ),
  );
}

const needed = (tokens: number, ...uses: readonly number[]): Output => ({ tokens, uses });
const clearedIn = (policy: Policy, turns: Turns, seed?: number) =>
  play(policy, turns, seed).map(({ plan }) => (plan.state === 'fire' ? plan.partIds : []));

describe('a prune by rank', () => {
  const wide = basedOn({ protectTokens: 30 });
  const turns: Turns = [[needed(12, 1, 5), needed(14, 1), needed(15, 3, 6), needed(12, 9)], []];

  it.each<[string, Policy, readonly string[]]>([
    ['the oldest, by age', wide, ['0.1', '0.0']],
    [
      'what is never needed again, then what is needed once and last, as a clairvoyant',
      replaceEviction(wide, 'clairvoyant'),
      ['0.3', '0.1'],
    ],
    ['the largest', replaceEviction(wide, 'largest-first'), ['0.2', '0.1']],
    [
      'what was not used since it was written',
      replaceEviction(wide, 'least-recently-used'),
      ['0.3', '0.2'],
    ],
  ])('clears %s', (_, policy, expected) => {
    expect(clearedIn(policy, turns)).toEqual([[], expected]);
  });

  it('keeps what it need not clear, the dearest first', () => {
    const uneven: Turns = [[needed(3, 5, 6), needed(20), needed(5, 9), needed(18, 8)], []];
    // 28 must go: 20 and 5 are too few, and once the 18 goes the 5 may stay.
    expect(clearedIn(replaceEviction(base, 'clairvoyant'), uneven)).toEqual([[], ['0.3', '0.1']]);
  });

  it('draws lots by the seed, and draws the same ones again', () => {
    const many: Turns = [Array.from({ length: 12 }, () => needed(10)), []];
    const drawn = [1, 2, 3, 4].map((seed) => clearedIn(evicting('random'), many, seed).join());
    expect(new Set(drawn).size).toBe(drawn.length);
    expect(clearedIn(evicting('random'), many, 1).join()).toBe(drawn[0]);
    expect(clearedIn(evicting('random'), many, 1)[1]).toHaveLength(10);
  });

  it.each(ORDERS)('never touches guarded turns and protected tools: %s', (name) => {
    const guarded: Turns = [
      [{ ...needed(90), tool: 'skill' }, needed(30), needed(15, 4)],
      [needed(90)],
    ];
    expect(clearedIn(evicting(name), guarded)).toEqual([[], ['0.1']]);
  });

  it.each(ORDERS)('does nothing where the pass saves too little: %s', (name) => {
    const [, end] = play(evicting(name), [[needed(10), needed(20)], []]);
    expect(end?.plan).toEqual({ state: 'below-minimum', partIds: ['0.0'], estimatedTokens: 10 });
  });

  it('goes by age of writing where the host knows of no uses', () => {
    const tools = testTools();
    let state = createState(evicting('least-recently-used'), { contextTokens: 0 });
    const parts = [tool('a', 80), tool('b', 80), tool('c', 80)];
    const inputs = [
      { type: 'user-message', message: user('u0') },
      { type: 'step-finished', message: step('s0', parts) },
      { type: 'user-message', message: user('u1') },
      { type: 'turn-ended' },
    ] as const;
    for (const input of inputs) state = transition(state, input, tools).state;
    expect(visibleIn(state)).toEqual(['c']);
  });

  it.each(ORDERS)('fires when its pass would, and leaves no more visible: %s', (name) => {
    let fired = 0;
    let differs = 0;
    assertReaching(
      fc.property(sessions(fc.integer({ min: 1, max: 30 }), 2), (session) => {
        const [passEnds, ends] = [play(base, session), play(evicting(name), session)];
        const pairs = ends.map((end, turn) => ({ end, pass: passEnds[turn]! }));
        const firing = pairs.filter(({ pass }) => pass.plan.state === 'fire');
        const resting = pairs.filter(({ pass }) => pass.plan.state !== 'fire');
        expect(resting.map(({ end }) => end.plan)).toEqual(resting.map(({ pass }) => pass.plan));
        const isOver = ({ end, pass }: (typeof pairs)[number]) =>
          weigh(session, end.visible) > weigh(session, pass.visible);
        expect(firing.filter(isOver)).toEqual([]);
        fired += firing.length;
        differs += pairs.filter(
          ({ end, pass }) => end.visible.join() !== pass.visible.join(),
        ).length;
      }),
    );
    expect(fired).toBeGreaterThan(50);
    expect(differs).toBeGreaterThan(0);
  });
});

describe('the clairvoyant', () => {
  const UNIT = 10;

  it('misses as few outputs of one size as any choice can, each needed once', () => {
    let missed = 0;
    assertReaching(
      fc.property(sessions(fc.constant(UNIT), 1), (session) => {
        const fewest = fewestMisses(session, play(base, session));
        expect(missedTokens(session, play(evicting('clairvoyant'), session))).toBe(fewest * UNIT);
        if (fewest > 0) missed += 1;
      }),
    );
    expect(missed).toBeGreaterThan(5);
  });

  it('misses fewer tokens than any baseline, taken together', () => {
    const drawn = sessions(fc.integer({ min: 1, max: 30 }), 3);
    const sample = fc.sample(drawn, { numRuns: 300, seed: 1 });
    const total = (policy: Policy) =>
      sample.reduce((sum, session) => sum + missedTokens(session, play(policy, session)), 0);
    const bound = total(evicting('clairvoyant'));
    expect(bound).toBeGreaterThan(0);
    const baselines = [base, ...ORDERS.slice(1).map(evicting)].map(total);
    for (const baseline of baselines) expect(baseline).toBeGreaterThan(bound);
  });
});
