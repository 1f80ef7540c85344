import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AssistantMessage,
  type EngineEvent,
  type LoopInput,
  type LoopState,
  type Message,
  policies,
  resolvePolicy,
  viewOf,
} from '../../src/engine/index.ts';
import { type Move, limits, inputs, play } from '../support/loop-runs.ts';

/** Each law plays this many runs; together they are some thousands. */
const RUNS = 60;

/** Presets that compact by themselves, with a prune in the size of the outputs above. */
const presets = [policies['opencode-1.2.16'], policies['document-002']].map((preset) => {
  const byAge = { protectTokens: 0, minimumTokens: 50 };
  return [preset.name, resolvePolicy(preset, { prune: { byAge } })] as const;
});

describe.each(presets)('any order of inputs to %s', (_name, policy) => {
  const runs = fc.tuple(limits, inputs).map(([first, list]) => play(policy, first, list));
  /** Also says, by running at all, that no input throws or changes what it was given. */
  const holds = (law: (moves: readonly Move[]) => void) =>
    fc.assert(fc.property(runs, law), { numRuns: RUNS });

  it('compacts in most of the runs that the laws are checked on, and prunes in many', () => {
    const sample = fc.sample(runs, { numRuns: 200, seed: 1 });
    const compacting = sample.filter((moves) => eventsOf(moves, 'compacted').length > 0);
    const pruning = sample.filter((moves) => eventsOf(moves, 'pruned').some(hasFired));
    expect(compacting.length / sample.length).toBeGreaterThan(0.5);
    expect(pruning.length / sample.length).toBeGreaterThan(0.15);
  });

  it('gives one command at most', () => {
    holds((moves) => {
      expect(moves.filter(({ commands }) => commands.length > 1)).toEqual([]);
    });
  });

  it('gives no command while another is open, and goes on waiting for that', () => {
    holds((moves) => {
      const open = moves.filter((move) => isBusy(move.before) && !settles(move));
      expect(open.filter(({ commands }) => commands.length > 0)).toEqual([]);
      expect(open.map(({ after }) => after.phase)).toEqual(open.map(({ before }) => before.phase));
    });
  });

  it('waits for exactly what it asked for', () => {
    holds((moves) => {
      const asked = moves.filter(({ commands }) => commands.length > 0);
      expect(asked.map(({ after }) => after.phase.state)).toEqual(
        asked.flatMap(({ commands }) => commands.map(({ type }) => WAITS_FOR[type])),
      );
      const silent = moves.filter(({ commands }) => commands.length === 0);
      const started = silent.filter(({ before, after }) => isBusy(after) && !isBusy(before));
      expect(started).toEqual([]);
    });
  });

  it('changes nothing by an input that it ignores', () => {
    holds((moves) => {
      const ignored = moves.filter((move) => !isTaken(move));
      expect(ignored.filter(({ before, after }) => before !== after)).toEqual([]);
      expect(ignored.filter(({ commands }) => commands.length > 0)).toEqual([]);
      expect(ignored.filter(({ events }) => events.length > 1)).toEqual([]);
    });
  });

  it('loses no message, but for a marker that is rolled back', () => {
    holds((moves) => {
      const lost = moves.flatMap((move) => lostIds(move).filter((id) => !isRolledBack(id, move)));
      expect(lost).toEqual([]);
    });
  });

  it('takes every message in, once', () => {
    holds((moves) => {
      const given = moves.filter(isTaken).filter(({ input, after }) => {
        return isMessage(input) && !after.history.includes(input.message);
      });
      expect(given).toEqual([]);
      const ids = moves.map(({ after }) => idsOf(after.history));
      expect(ids.map((list) => new Set(list).size)).toEqual(ids.map((list) => list.length));
    });
  });

  it('keeps the order of the messages that it has', () => {
    holds((moves) => {
      expect(moves.map(({ before, after }) => commonIds(after, before))).toEqual(
        moves.map(({ before, after }) => commonIds(before, after)),
      );
    });
  });

  it('changes no message that it has, but for what a prune marks', () => {
    holds((moves) => {
      const quiet = moves.filter(({ input }) => input.type !== 'turn-ended');
      const changed = quiet.flatMap(({ before, after }) => {
        const kept = new Set(commonIds(before, after));
        return before.history.filter((message) => {
          return kept.has(message.id) && !after.history.includes(message);
        });
      });
      expect(changed).toEqual([]);
    });
  });

  it('queues one compaction for a step, a refusal or a wish, and no more', () => {
    holds((moves) => {
      const causes = moves.filter(isTaken).filter(({ input }) => CAUSES.includes(input.type));
      expect(eventsOf(moves, 'marker-queued').length).toBeLessThanOrEqual(causes.length);
      const twice = moves.filter((move) => eventsOf([move], 'marker-queued').length > 1);
      expect(twice).toEqual([]);
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
      const requests = moves.flatMap(({ after, commands }) =>
        commands.flatMap((command) => (command.type === 'request' ? [{ after, command }] : [])),
      );
      const blind = requests.filter(({ after, command }) => {
        const newest = after.history.findLast(({ role }) => role === 'user');
        return newest === undefined || !idsOf(command.view).includes(newest.id);
      });
      expect(blind).toEqual([]);
      expect(requests.map(({ command }) => idsOf(command.view))).toEqual(
        requests.map(({ after }) => idsOf(viewOf(after))),
      );
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
        expect(eventsOf(moves, 'pruned')).toEqual([]);
        const queued = moves.filter((move) => eventsOf([move], 'marker-queued').length > 0);
        expect(queued.filter(({ input }) => input.type !== 'compact')).toEqual([]);
      }),
    );
  });
});

const WAITS_FOR = { request: 'requested', summarise: 'summarising', stop: 'waiting' } as const;
/** Inputs of which each may queue one compaction. */
const CAUSES: readonly LoopInput['type'][] = ['step-finished', 'step-refused', 'compact'];

function isBusy({ phase }: LoopState): boolean {
  return phase.state !== 'waiting';
}

/** Whether an input answers or withdraws what the loop waits for. */
function settles({ input: { type }, before: { phase } }: Move): boolean {
  if (type === 'aborted') return true;
  if (phase.state === 'summarising')
    return type === 'summary-finished' || type === 'summary-failed';
  return type === 'step-finished' || type === 'step-refused' || type === 'turn-ended';
}

function isTaken(move: Move): boolean {
  return eventsOf([move], 'ignored').length === 0;
}

function lostIds({ before, after }: Move): readonly string[] {
  const ids = idsOf(after.history);
  return idsOf(before.history).filter((id) => !ids.includes(id));
}

/** Whether a preset takes the marker of this attempt back, which only one that has ended allows. */
function isRolledBack(id: string, { before, after }: Move): boolean {
  const { phase, policy } = before;
  if (policy.summary.onFailure === 'keep' || phase.state !== 'summarising') return false;
  return phase.markerId === id && after.phase.state === 'waiting';
}

/** Ids of the messages of one state that another has too, in the order of the first. */
function commonIds(one: LoopState, other: LoopState): readonly string[] {
  const ids = new Set(idsOf(other.history));
  return idsOf(one.history).filter((id) => ids.has(id));
}

function isMessage(
  input: LoopInput,
): input is LoopInput & { readonly message: Message | AssistantMessage } {
  return input.type === 'user-message' || input.type === 'step-finished';
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
