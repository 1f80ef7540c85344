import type { MadeCall, Scene } from '../scene.ts';
import { type CallPlan, pieceOf } from '../plan.ts';
import { compose } from '../text/compose.ts';
import { lineSource } from '../text/lines.ts';
import { kindOf } from './kinds.ts';
import { spendRepeat } from './read-budget.ts';

/** Calls of a tool that are kept to be made again. */
const MOST_KEPT = 50;

/** A call with what it is given and what it gives, or an earlier one of the tool again. */
export function makeCall(scene: Scene, call: CallPlan): MadeCall {
  const kind = kindOf(call.tool);
  const made = scene.made.get(call.tool) ?? [];
  const again = call.isRepeat && !call.isError ? findCurrent(scene, made) : undefined;
  if (again !== undefined) {
    if (kind.isRead) spendRepeat(scene.reads);
    return again;
  }
  const own = kind.make(scene, call);
  const isKept = kind.isRepeatable && !call.isError && holdsNothing(call);
  if (isKept && made.length < MOST_KEPT) scene.made.set(call.tool, [...made, own]);
  return call.isError && !kind.tellsErrors ? { ...own, output: failure(scene, call) } : own;
}

function findCurrent({ draw }: Scene, made: readonly MadeCall[]): MadeCall | undefined {
  return draw.one(made.filter(({ isCurrent }) => isCurrent?.() ?? true));
}

/** What a fact stands in is not said twice. */
function holdsNothing({ arguments: given, output }: CallPlan): boolean {
  return given.holds.length === 0 && output.holds.length === 0;
}

function failure({ project }: Scene, { output }: CallPlan): string {
  const source = lineSource('trace', project.words, [`Not found: ${project.words.noun()}`]);
  return compose({ ...pieceOf(0), characters: output.characters }, source);
}
