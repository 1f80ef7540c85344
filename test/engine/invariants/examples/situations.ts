import {
  createState,
  type LawName,
  type LoopState,
  type Message,
  policies,
  type PolicyOverrides,
  resolvePolicy,
  type ToolPart,
  type Violation,
} from '../../../../src/engine/index.ts';
import { frozen } from '../../../../src/engine/values.ts';
import { marker, step, summary, text, user } from '../../../support/history.ts';

/** Messages in order. */
export type History = readonly Message[];
/** A law, a situation in a sentence, and what the checks of its moment say. */
export type Example = readonly [law: LawName, situation: string, violations: readonly Violation[]];
/** The same with the messages that the law is to name. */
export type Counterexample = readonly [...Example, messageIds: readonly string[]];

/** A session that waits for nothing. */
export const stateOf = (history: History, overrides: PolicyOverrides = {}): LoopState =>
  frozen({
    ...createState(resolvePolicy(policies['document-002'], overrides), { contextTokens: 0 }),
    history,
  });
/** A session whose newest marker is being worked off. */
export const summarising = (history: History): LoopState => {
  const markerId = history.findLast(({ parts }) => parts[0]?.type === 'compaction')!.id;
  const phase = { state: 'summarising', insertAt: history.length, markerId, parentId: markerId };
  return frozen({ ...stateOf(history), phase }) as LoopState;
};

/** What makes the model go on after a pivot. */
export const continued = user('go', text('go-0', 'Continue', { synthetic: true }));
/** Requests of a person. */
export const [u1, u2, u3] = [user('u1'), user('u2'), user('u3')];
/** Steps that did something. */
export const [s1, s2] = [step('s1', [text('s1-0', 'done')]), step('s2', [text('s2-0', 'done')])];
/** Markers of a trigger with their summaries. */
export const [c1, x1, c2, x2] = [
  marker('c1'),
  summary('x1', 'c1'),
  marker('c2'),
  summary('x2', 'c2'),
];
/** A marker that a person set. */
export const byHand = marker('c2', { auto: false });
/** A summary that failed. */
export const failed = summary('x1', 'c1', {
  parts: [],
  finish: undefined,
  error: { name: 'E', message: '' },
});

/** A marker that keeps what follows `tailStartId`. */
export const keeping = (id: string, tailStartId: string) =>
  user(id, { type: 'compaction', id: `${id}-0`, auto: true, tailStartId });
/** A summary without text. */
export const empty = (id: string, parentId: string) => summary(id, parentId, { parts: [] });
/** A step that called tools. */
export const outputs = (id: string, ...parts: readonly ToolPart[]) => step(id, parts);
