import type { ToolPart } from '../../../engine/index.ts';
import type { ReuseSample } from './sample.ts';
import type { WeighedCall, WeighedMessage } from './weigh.ts';

/** A file, and whether a call read or changed it. */
export interface FileTouch {
  readonly path: string;
  readonly isChange: boolean;
}

/** The files that a call touches. */
export type TouchesOf = (part: ToolPart) => readonly FileTouch[];

interface State {
  /** Tokens of content so far. */
  position: number;
  /** Where the last touch of each file ended. */
  readonly ends: Map<string, number>;
  readonly readPaths: Set<string>;
  reads: number;
  repeatedReads: number;
  readonly rereads: number[];
  readonly changes: number[];
}

/**
 * How much content lay between touches of the same file: from behind the output of the earlier call to before
 * that of the later one. In a step, calls come before their outputs.
 */
export function sampleReuse(
  messages: readonly WeighedMessage[],
  touchesOf: TouchesOf,
): ReuseSample {
  const state: State = {
    position: 0,
    ends: new Map(),
    readPaths: new Set(),
    reads: 0,
    repeatedReads: 0,
    rereads: [],
    changes: [],
  };
  for (const { texts, calls } of messages) {
    for (const { tokens } of texts) state.position += tokens;
    for (const { input } of calls) state.position += input.tokens;
    for (const call of calls) addTouches(state, call, touchesOf(call.part));
  }
  const { reads, repeatedReads, rereads, changes } = state;
  return { reads, repeatedReads, rereads, changes };
}

function addTouches(state: State, { output }: WeighedCall, touches: readonly FileTouch[]): void {
  for (const touch of touches) {
    addDistance(state, touch);
    if (!touch.isChange) countRead(state, touch);
  }
  state.position += output?.tokens ?? 0;
  for (const { path } of touches) state.ends.set(path, state.position);
}

function addDistance(state: State, { path, isChange }: FileTouch): void {
  const end = state.ends.get(path);
  if (end === undefined) return;
  (isChange ? state.changes : state.rereads).push(state.position - end);
}

function countRead(state: State, { path }: FileTouch): void {
  state.reads += 1;
  if (state.readPaths.has(path)) state.repeatedReads += 1;
  state.readPaths.add(path);
}
