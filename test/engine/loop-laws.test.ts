import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AssistantMessage,
  type Command,
  createState,
  type EngineEvent,
  type Limits,
  type LoopInput,
  type LoopState,
  type Message,
  policies,
  type Policy,
  resolvePolicy,
  transition,
  viewOf,
} from '../../src/engine/index.ts';
import { frozen } from '../support/frozen.ts';
import { step, text, tool, usage, user } from '../support/history.ts';
import { testTools } from '../support/tools.ts';

/** One transition with everything around it. */
interface Move {
  readonly input: LoopInput;
  readonly before: LoopState;
  readonly after: LoopState;
  readonly commands: readonly Command[];
  readonly events: readonly EngineEvent[];
}
/** What an input will be once it has an id. */
type InputShape = (id: string) => LoopInput;

const error = { name: 'APIError', message: 'overloaded' };
const limits: fc.Arbitrary<Limits> = fc.record({
  contextTokens: fc.constantFrom(0, 40, 150, 1_000),
  inputTokens: fc.constantFrom(0, 80),
  outputTokens: fc.constantFrom(0, 20, 50),
});

const steps: fc.Arbitrary<InputShape> = fc
  .record({
    input: fc.constantFrom(0, 60, 101, 5_000),
    hasUsage: fc.constantFrom(true, true, true, false),
    finish: fc.constantFrom('stop', 'tool-calls', 'unknown', 'length', undefined),
    failure: fc.constantFrom(undefined, undefined, undefined, error),
    output: fc.constantFrom('', 'x'.repeat(400)),
  })
  .map(({ input, hasUsage, finish, failure, output }) => (id) => {
    const reported = hasUsage ? usage({ input }) : undefined;
    const parts = [text(`${id}-0`, id), tool(`${id}-1`, output)];
    const message = step(id, parts, { finish, error: failure, usage: reported });
    return { type: 'step-finished', message };
  });

const others: fc.Arbitrary<InputShape> = fc.oneof(
  limits.map(
    (next): InputShape =>
      () => ({ type: 'model-changed', limits: next }),
  ),
  fc.boolean().map((isOverflow): InputShape => {
    return () => ({ type: 'summary-failed', error, isOverflow });
  }),
  fc.constantFrom<InputShape>(
    () => ({ type: 'step-refused', error }),
    () => ({ type: 'compact' }),
    () => ({ type: 'idle', sinceMs: 1 }),
    () => ({ type: 'aborted' }),
    (id) => ({ type: 'aborted', message: step(id, [], { finish: undefined }) }),
  ),
);

const inputs: fc.Arbitrary<readonly LoopInput[]> = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: fc.constant<InputShape>((id) => said(id)) },
      { weight: 5, arbitrary: steps },
      {
        weight: 3,
        arbitrary: fc.constantFrom('', 'All of it.').map((summary): InputShape => {
          return () => ({ type: 'summary-finished', result: { text: summary, finish: 'stop' } });
        }),
      },
      { weight: 2, arbitrary: fc.constant<InputShape>(() => ({ type: 'turn-ended' })) },
      { weight: 4, arbitrary: others },
    ),
    { minLength: 5, maxLength: 40, size: 'max' },
  )
  .map((shapes) => shapes.map((shape, index) => shape(`i${index}`)));

function said(id: string): LoopInput {
  return { type: 'user-message', message: user(id) };
}

function play(policy: Policy, first: Limits, list: readonly LoopInput[]): readonly Move[] {
  const tools = testTools();
  let state = frozen(createState(policy, first));
  return list.map((input) => {
    const before = state;
    const next = transition(before, frozen(input), tools);
    state = frozen(next.state);
    return { input, before, after: state, commands: next.commands, events: next.events };
  });
}

/** Presets that compact by themselves, with a prune in the size of the outputs above. */
const presets = [policies['opencode-1.2.16'], policies['document-002']].map((preset) => {
  const byAge = { protectTokens: 0, minimumTokens: 50 };
  return [preset.name, resolvePolicy(preset, { prune: { byAge } })] as const;
});

describe.each(presets)('any order of inputs to %s', (_name, policy) => {
  const runs = fc.tuple(limits, inputs).map(([first, list]) => play(policy, first, list));
  /** Also says, by running at all, that no input throws or changes what it was given. */
  const holds = (law: (moves: readonly Move[]) => void) => fc.assert(fc.property(runs, law));

  it('compacts in most of the runs that the laws are checked on, and prunes in many', () => {
    const sample = fc.sample(runs, { numRuns: 200, seed: 1 });
    const compacting = sample.filter((moves) => eventsOf(moves, 'compacted').length > 0);
    const pruning = sample.filter((moves) => eventsOf(moves, 'pruned').some(hasFired));
    expect(compacting.length / sample.length).toBeGreaterThan(0.5);
    expect(pruning.length / sample.length).toBeGreaterThan(0.2);
  });

  it('gives one command at most, and none while another is open', () => {
    holds((moves) => {
      for (const { input, before, after, commands, events } of moves) {
        expect(commands.length).toBeLessThanOrEqual(1);
        const isOpen = before.phase.state !== 'waiting' && !settles(input, before);
        if (isOpen) expect(commands).toEqual([]);
        if (isOpen && input.type !== 'user-message' && input.type !== 'model-changed') {
          expect(after.phase).toEqual(before.phase);
        }
        expect(events.length).toBeLessThanOrEqual(4);
      }
    });
  });

  it('waits for exactly what it asked for', () => {
    holds((moves) => {
      for (const { before, after, commands } of moves) {
        const [command] = commands;
        if (command === undefined)
          expect(['waiting', before.phase.state]).toContain(after.phase.state);
        else expect(after.phase.state).toBe(WAITS_FOR[command.type]);
      }
    });
  });

  it('changes nothing by an input that it ignores', () => {
    holds((moves) => {
      for (const { before, after, commands, events } of moves) {
        if (!events.some(({ type }) => type === 'ignored')) continue;
        expect(after).toBe(before);
        expect(commands).toEqual([]);
        expect(events).toHaveLength(1);
      }
    });
  });

  it('loses no message, but for a marker that was rolled back', () => {
    holds((moves) => {
      for (const { before, after } of moves) {
        const lost = before.history.filter(({ id }) => !idsOf(after.history).includes(id));
        const mayLose = policy.summary.onFailure === 'roll-back' ? markerIdOf(before) : undefined;
        expect(idsOf(lost).filter((id) => id !== mayLose)).toEqual([]);
        if (lost.length > 0) expect(after.phase.state).toBe('waiting');
      }
    });
  });

  it('takes every message in once, and keeps the order of those it has', () => {
    holds((moves) => {
      for (const { input, before, after, events } of moves) {
        expect(new Set(idsOf(after.history)).size).toBe(after.history.length);
        const kept = after.history.filter(({ id }) => idsOf(before.history).includes(id));
        const common = before.history.filter(({ id }) => idsOf(after.history).includes(id));
        expect(idsOf(kept)).toEqual(idsOf(common));
        const isTaken = events.every(({ type }) => type !== 'ignored');
        if (isTaken && isMessage(input)) expect(after.history).toContain(input.message);
      }
    });
  });

  it('changes no message that it has, but for what a prune marks', () => {
    holds((moves) => {
      for (const { input, before, after } of moves) {
        const changed = before.history.filter((message) => !after.history.includes(message));
        const stillThere = changed.filter(({ id }) => idsOf(after.history).includes(id));
        if (input.type !== 'turn-ended') expect(stillThere).toEqual([]);
      }
    });
  });

  it('queues one compaction for a step, a refusal or a wish, and no more', () => {
    holds((moves) => {
      const causes = moves.filter(({ input, events }) => {
        const isCause = ['step-finished', 'step-refused', 'compact'].includes(input.type);
        return isCause && events.every(({ type }) => type !== 'ignored');
      });
      expect(eventsOf(moves, 'marker-queued').length).toBeLessThanOrEqual(causes.length);
      expect(moves.every(({ events }) => count(events, 'marker-queued') <= 1)).toBe(true);
    });
  });

  it('asks for a step after every pivot that a trigger queued', () => {
    holds((moves) => {
      const pivots = moves.filter(({ events }) =>
        events.some((event) => event.type === 'compacted' && event.auto),
      );
      expect(pivots.map(({ commands }) => commands[0]?.type)).toEqual(pivots.map(() => 'request'));
    });
  });

  it('requests what is in view, with the newest user message in it', () => {
    holds((moves) => {
      for (const { after, commands } of moves) {
        const [command] = commands;
        if (command?.type !== 'request') continue;
        expect(command.view).toEqual(viewOf(after));
        const newest = after.history.findLast(({ role }) => role === 'user');
        expect(command.view).toContain(newest);
      }
    });
  });

  it('is a function of its inputs: the same run twice is the same to the byte', () => {
    fc.assert(
      fc.property(limits, inputs, (first, list) => {
        const [one, two] = [play(policy, first, list), play(policy, first, list)];
        expect(JSON.stringify(one)).toBe(JSON.stringify(two));
      }),
      { numRuns: 20 },
    );
  });
});

describe('the control', () => {
  it('never compacts by itself, and never prunes', () => {
    fc.assert(
      fc.property(limits, inputs, (first, list) => {
        const moves = play(policies.none, first, list);
        const types = new Set(moves.flatMap(({ events }) => events.map(({ type }) => type)));
        expect(types).not.toContain('pruned');
        const queued = moves.filter(({ events }) => count(events, 'marker-queued') > 0);
        expect(queued.every(({ input }) => input.type === 'compact')).toBe(true);
      }),
    );
  });
});

const WAITS_FOR = { request: 'requested', summarise: 'summarising', stop: 'waiting' } as const;

/** Inputs that answer or withdraw what a phase waits for. */
function settles({ type }: LoopInput, { phase }: LoopState): boolean {
  if (type === 'aborted') return true;
  if (phase.state === 'summarising')
    return type === 'summary-finished' || type === 'summary-failed';
  return type === 'step-finished' || type === 'step-refused' || type === 'turn-ended';
}

function isMessage(
  input: LoopInput,
): input is LoopInput & { readonly message: Message | AssistantMessage } {
  return input.type === 'user-message' || input.type === 'step-finished';
}

function markerIdOf({ phase }: LoopState): string | undefined {
  return phase.state === 'summarising' ? phase.markerId : undefined;
}

function idsOf(messages: readonly Message[]): readonly string[] {
  return messages.map(({ id }) => id);
}

function eventsOf(moves: readonly Move[], type: EngineEvent['type']): readonly EngineEvent[] {
  return moves.flatMap(({ events }) => events.filter((event) => event.type === type));
}

function hasFired(event: EngineEvent): boolean {
  return event.type === 'pruned' && event.plan.state === 'fire';
}

function count(events: readonly EngineEvent[], type: EngineEvent['type']): number {
  return events.filter((event) => event.type === type).length;
}
