import * as fc from 'fast-check';
import {
  ALL_GUARDS,
  type EngineEvent,
  type Move,
  type Policy,
  resolvePolicy,
} from '../../src/engine/index.ts';
import { assertReaching } from './reaching.ts';
import { inputsWith, limits, movesOf, prompts } from './sessions.ts';
import { smallPresets } from './small-presets.ts';

const SESSIONS = 50;

/** Every preset by its name, in the size of sessions. */
export const presets = smallPresets.map((preset) => [preset.name, preset] as const);
/** Every preset as it is, and with all guards. */
export const guarded = presets.flatMap(([name, preset]) => [
  [name, preset] as const,
  [`${name}, guarded`, resolvePolicy(preset, { guards: ALL_GUARDS })] as const,
]);
const sessions = fc.tuple(limits, inputsWith(prompts));

/** Checks what a policy does in many sessions, and gives all of their moves. */
export function play(
  policy: Policy,
  check: (moves: readonly Move[]) => void,
  list = sessions,
): readonly Move[] {
  const played: Move[] = [];
  assertReaching(
    fc.property(list, ([first, shapes]) => {
      const moves = movesOf(policy, first, shapes);
      check(moves);
      played.push(...moves);
    }),
    { numRuns: SESSIONS },
  );
  return played;
}

/** The events of one type that some moves tell. */
export function eventsOf<Type extends EngineEvent['type']>(moves: readonly Move[], type: Type) {
  return moves
    .flatMap(({ next }) => next.events)
    .filter((event): event is EngineEvent & { readonly type: Type } => event.type === type);
}

/** Whether a preset says that it breaks a law. */
export function lists({ breaks }: Policy, law: string): boolean {
  return breaks.some((broken) => broken.law === law);
}
