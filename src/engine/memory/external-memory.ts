import {
  changeState,
  type EngineEvent,
  type ExternalMemory,
  historyOf,
  type LoopState,
  type Memory,
} from '../state.ts';
import type { Message, UserMessage } from '../message.ts';
import { findNewest, itemAt, type List, toArray } from '../history.ts';
import { entriesOf } from './entries.ts';
import { createMemory, recall, remember } from './memory.ts';
import type { MemoryPolicy, Policy } from '../policy.ts';
import { isRequest } from '../request.ts';

/** A memory into which nothing was moved yet. */
const EMPTY_MEMORY: ExternalMemory = { store: createMemory(), movedOut: new Set() };

/** The messages of a view that were not moved out, after what was recalled. */
export function withMemory(
  view: List<Message>,
  { movedOut, recalled }: ExternalMemory,
): List<Message> {
  if (movedOut.size === 0) return view;
  const kept = toArray(view).filter(({ id }) => !movedOut.has(id));
  return recalled === undefined ? kept : [recalled, ...kept];
}

/** Moves all but the newest messages of a view into the memory. */
export function moveOut(
  state: LoopState,
  policy: MemoryPolicy,
): { readonly next: LoopState; readonly event: EngineEvent } {
  const memory = state.memory ?? EMPTY_MEMORY;
  const visible = state.history.filter(({ id }) => !memory.movedOut.has(id));
  const leaving = visible.slice(0, Math.max(0, visible.length - policy.keepMessages));
  const store = remember(memory.store, leaving.flatMap(entriesOf));
  const movedOut = new Set([...memory.movedOut, ...leaving.map(({ id }) => id)]);
  return {
    next: changeState(state, { memory: { ...memory, store, movedOut } }),
    event: { type: 'moved-out', messageIds: leaving.map(({ id }) => id) },
  };
}

/** The memory of a session that has no other messages than these any more; the next request looks up its own. */
export function forget(
  { movedOut }: Pick<ExternalMemory, 'movedOut'>,
  history: List<Message>,
): ExternalMemory {
  const kept = toArray(history).filter(({ id }) => movedOut.has(id));
  return {
    store: remember(createMemory(), kept.flatMap(entriesOf)),
    movedOut: new Set(kept.map(({ id }) => id)),
  };
}

/** Looks up what the newest request, or the step that works on it, may need of what was moved out. */
export function recallForRequest(state: LoopState): LoopState {
  const { memory, policy } = state;
  if (memory === undefined || policy.memory === undefined) return state;
  const history = historyOf(state);
  const request = itemAt(history, findNewest(history, isRequest));
  const step = itemAt(
    history,
    findNewest(history, ({ role }) => role === 'assistant'),
  );
  const { recalled: _recalled, ...rest } = memory;
  const recalled = request && recalledMessage(memory.store, { request, step }, policy);
  return changeState(state, { memory: recalled === undefined ? rest : { ...rest, recalled } });
}

function recalledMessage(
  store: Memory,
  { request, step }: { readonly request: Message; readonly step: Message | undefined },
  { memory, estimator }: Policy,
): UserMessage | undefined {
  const query = [queryOf(request), step === undefined ? '' : queryOf(step)].join('\n');
  const limits = { limit: memory?.recallEntries ?? 0, maxTokens: memory?.recallTokens ?? 0 };
  const entries = recall(store, query, { ...limits, estimator });
  if (entries.length === 0) return undefined;
  const text = ['From earlier in this session:', ...entries.map((entry) => entry.text)].join(
    '\n\n',
  );
  const id = `recalled-for-${request.id}`;
  const part = { type: 'text', id: `${id}-text`, text, synthetic: true } as const;
  return { id, role: 'user', createdAt: request.createdAt, parts: [part] };
}

/** What a message asks about: what was said in it, and what its tools were called with. */
function queryOf({ parts }: Message): string {
  return parts
    .flatMap((part) => {
      if (part.type === 'text') return [part.text];
      return part.type === 'tool' ? [JSON.stringify(part.state.input) ?? ''] : [];
    })
    .join('\n');
}
