import { sum } from '../../../lib/collections.ts';
import { TODO_STATES, type TodoState } from '../../../session/facts.ts';
import { shareOf } from '../../metric.ts';
import type { FactMatch } from '../match/match-fact.ts';
import type { Occurrence, TextIndex } from '../text/text-index.ts';
import { nearestCue } from './nearest-cue.ts';
import { isStruckOut } from './struck-out.ts';
import { STATE_CUES } from './todo-cues.ts';

/** What a text tells of a task; `absent` where it tells no state. */
export type ToldTodo = TodoState | 'absent';

/** How often a task in a state is told to be in which. */
export type TodoConfusion = Readonly<Record<TodoState, Readonly<Record<ToldTodo, number>>>>;

/** What a text tells of tasks. */
export interface TodoScore {
  readonly confusion: TodoConfusion;
  /** Mean over the states that are or are told; `null` where there are no tasks. */
  readonly macroF1: number | null;
  /** Share of the done tasks that are told to be pending, so that they would be done again. */
  readonly doneAsPending: number | null;
}

/** What a text tells of each task, against how far it has come. */
export function scoreTodos(index: TextIndex, matches: readonly FactMatch[]): TodoScore {
  const pairs = matches.flatMap((match) => {
    const { todoState } = match.fact;
    return todoState === undefined ? [] : [[todoState, toldState(index, match)] as const];
  });
  const count = (state: TodoState, told: ToldTodo) =>
    pairs.filter(([own, other]) => own === state && other === told).length;
  const rowOf = (state: TodoState) =>
    Object.fromEntries(
      [...TODO_STATES, 'absent' as const].map((told) => [told, count(state, told)]),
    );
  const done = pairs.filter(([state]) => state === 'done').length;
  return {
    confusion: Object.fromEntries(
      TODO_STATES.map((state) => [state, rowOf(state)]),
    ) as TodoConfusion,
    macroF1: macroF1(pairs),
    doneAsPending: shareOf(count('done', 'pending'), done),
  };
}

/** What is said last holds. */
function toldState(index: TextIndex, { occurrences }: FactMatch): ToldTodo {
  const inOrder = occurrences.toSorted((a, b) => b.start - a.start);
  for (const place of inOrder) {
    const state = stateAt(index, place);
    if (state !== undefined) return state;
  }
  return 'absent';
}

/** What is struck out is no longer to be done, unless something says that it was. */
function stateAt(index: TextIndex, place: Occurrence): TodoState | undefined {
  const state = nearestCue(index, place, STATE_CUES);
  const isOpen = state === undefined || state === 'pending';
  return isOpen && isStruckOut(index, place) ? 'cancelled' : state;
}

function macroF1(pairs: readonly (readonly [TodoState, ToldTodo])[]): number | null {
  const scores = TODO_STATES.flatMap((state) => {
    const own = pairs.filter(([is]) => is === state).length;
    const told = pairs.filter(([, as]) => as === state).length;
    const both = pairs.filter(([is, as]) => is === state && as === state).length;
    return own + told === 0 ? [] : [(2 * both) / (own + told)];
  });
  return scores.length === 0 ? null : shareOf(sum(scores), scores.length);
}
