import { type Message, type Move, type RenderPolicy, viewOf } from '../../../engine/index.ts';
import { commonLength, itemsFrom } from '../../../engine/internal.ts';
import type { RunEvent } from '../../events.ts';
import type { Trace } from '../../replay/trace.ts';
import { nameLosses } from '../../metrics/tell-loss.ts';
import {
  createPartReader,
  PART_STATES,
  type PartChange,
  type PartState,
  type ReadParts,
  type RunView,
  type ShownPart,
  type Standing,
} from './shapes.ts';

/** How views are read. */
export interface ViewLogOptions {
  readonly read: ReadParts;
  /** Checks whether a message stands in the session and is not the policy's own. */
  readonly isRecorded: (messageId: string) => boolean;
  readonly hasTexts: boolean;
}

/** Writes down what came to a view and what became of it. */
export interface ViewLog {
  /** Takes in the next request. */
  add(request: ShownRequest): void;
  end(): RunView;
}

/** A request with all that it might have shown. */
interface ShownRequest {
  readonly view: readonly Message[];
  readonly history: readonly Message[];
  /** A pivot came since the request before. */
  readonly hasPivot: boolean;
  /** Time of the recording, in ms. */
  readonly sentAt: number;
}

/** A part that some request has shown. */
interface Known {
  readonly index: number;
  /** Its tokens when it came. */
  readonly wholeTokens: number;
  state: PartState;
  tokens: number;
}

/** One part that changes. */
interface Change {
  readonly known: Known;
  readonly state: PartState;
  readonly tokens: number;
  /** -1 where it is hidden, or texts are not kept. */
  readonly text: number;
}

/** The log so far. */
interface Growing {
  readonly known: Map<string, Known>;
  readonly kinds: Pool;
  readonly kind: number[];
  readonly tokens: number[];
  readonly came: number[];
  readonly changes: PartChange[];
  readonly pauses: number[];
  /** Absent where texts are not kept. */
  readonly texts:
    | { readonly pool: Pool; readonly parts: number[]; readonly changes: number[] }
    | undefined;
  seen: readonly Message[];
  /** All messages up to the newest request, shown or not. */
  history: readonly Message[];
  /** When the newest request was sent. */
  newest?: number;
}

/** Each text once, by its place. */
interface Pool {
  readonly items: readonly string[];
  readonly indexOf: (text: string) => number;
}

/** Watches a run for what its requests show. */
export interface ViewWatch {
  readonly onTransition: (move: Move) => void;
  /** The views of its requests, given the events of the whole run. */
  readonly tell: (events: readonly RunEvent[]) => RunView;
}

/** Options of a watch. */
export interface WatchOptions {
  readonly render: RenderPolicy;
  /** Texts are kept, too. */
  readonly hasTexts: boolean;
}

/** A request that was answered. */
interface Shot extends Omit<ShownRequest, 'hasPivot'> {
  readonly messageId: string;
}

/** A log without requests. */
export function createViewLog(options: ViewLogOptions): ViewLog {
  const log: Growing = {
    known: new Map(),
    kinds: createPool(),
    kind: [],
    tokens: [],
    came: [],
    changes: [],
    pauses: [],
    texts: options.hasTexts ? { pool: createPool(), parts: [], changes: [] } : undefined,
    seen: [],
    history: [],
  };
  return {
    add: (request) => {
      const before = log.known.size;
      const found = findChanges(log, request, options);
      for (const { row, text } of mergeChanges(found)) {
        log.changes.push([log.pauses.length, ...row]);
        log.texts?.changes.push(text);
      }
      log.came.push(log.known.size - before);
      addPause(log, request.sentAt);
      log.seen = request.view;
      log.history = request.history;
    },
    end: () => toRunView(log),
  };
}

/** A watch over one run of a trace. */
export function watchView(
  trace: Pick<Trace, 'basis' | 'count' | 'sizes' | 'references'>,
  { render, hasTexts }: WatchOptions,
): ViewWatch {
  const shots: Shot[] = [];
  const recorded = new Set<string>();
  return {
    onTransition: ({ before, input }) => {
      if (input.type !== 'user-message' && input.type !== 'step-finished') return;
      const { id: messageId, createdAt: sentAt } = input.message;
      recorded.add(messageId);
      if (input.type !== 'step-finished') return;
      shots.push({ messageId, sentAt, view: viewOf(before), history: before.history });
    },
    tell: (events) => {
      const read = createPartReader(trace, render);
      const log = createViewLog({ read, isRecorded: (id) => recorded.has(id), hasTexts });
      let [next, hasPivot] = [0, false];
      for (const event of events) {
        if (event.type === 'pivot') hasPivot = true;
        if (event.type !== 'step-end') continue;
        // A request that failed in between is no step.
        const at = shots.findIndex(
          ({ messageId }, index) => index >= next && messageId === event.messageId,
        );
        const shot = shots[at];
        if (shot === undefined) continue;
        next = at + 1;
        log.add({ ...shot, hasPivot });
        hasPivot = false;
        // An answer to nothing but a need for what was lost brings it back.
        if (event.reread !== undefined) recorded.delete(event.messageId);
      }
      return withLosses(log.end(), () => nameLosses(events, trace.references()));
    },
  };
}

function withLosses({ texts, ...sizes }: RunView, losses: () => readonly string[]): RunView {
  return texts === undefined ? sizes : { ...sizes, texts: { ...texts, losses: losses() } };
}

function createPool(): Pool {
  const places = new Map<string, number>();
  const items: string[] = [];
  return {
    items,
    indexOf: (text: string): number => {
      const place = places.get(text);
      if (place !== undefined) return place;
      places.set(text, items.length);
      items.push(text);
      return items.length - 1;
    },
  };
}

/** Finds changes; the part that a view shares with the one before is skipped. */
function findChanges(
  log: Growing,
  { view, history, hasPivot }: ShownRequest,
  { read, isRecorded }: ViewLogOptions,
): readonly Change[] {
  const partsOf = (messages: readonly Message[]) =>
    messages.flatMap((message) => {
      const isOwn = !isRecorded(message.id);
      return read(message, { isOwn }).map((part) => ({ part, isOwn }));
    });
  const from = commonLength(log.seen, view);
  const shown = partsOf(itemsFrom(view, from));
  const keys = new Set(shown.map(({ part }) => part.key));
  const hidden = partsOf(itemsFrom(log.seen, from)).flatMap(({ part }) =>
    keys.has(part.key) ? [] : (log.known.get(part.key) ?? []),
  );
  const state = hasPivot ? PART_STATES.summarised : PART_STATES.left;
  const gone = hidden.map((known): Change => ({ known, state, tokens: 0, text: -1 }));
  const came = partsOf(itemsFrom(history, commonLength(log.history, history)));
  // Parts that a pivot took before any request could show them.
  const unseen = came.flatMap(({ part }): readonly Change[] =>
    keys.has(part.key) || log.known.has(part.key)
      ? []
      : [{ known: admit(log, part), state, tokens: 0, text: -1 }],
  );
  const other = shown.flatMap(({ part, ...standing }): readonly Change[] => {
    const known = log.known.get(part.key) ?? admit(log, part);
    const next = stateOf(part, known, standing);
    if (known.state === next && known.tokens === part.tokens) return [];
    return [{ known, state: next, tokens: part.tokens, text: textOf(log, part) }];
  });
  return [...gone, ...other, ...unseen];
}

function admit(log: Growing, part: ShownPart): Known {
  const { tokens } = part;
  const known = { index: log.known.size, wholeTokens: tokens, state: PART_STATES.kept, tokens };
  log.known.set(part.key, known);
  log.kind.push(log.kinds.indexOf(part.kind));
  log.tokens.push(tokens);
  log.texts?.parts.push(textOf(log, part));
  return known;
}

function textOf({ texts }: Growing, part: ShownPart): number {
  return texts === undefined ? -1 : texts.pool.indexOf(part.text());
}

function stateOf(part: ShownPart, known: Known, { isOwn }: Standing): PartState {
  const { kept, pruned, injected, summary, summarised, left } = PART_STATES;
  if (part.kind === 'summary' || part.kind === 'summary question') return summary;
  if (part.isCleared) return pruned;
  const isBack = [summarised, left, injected].some((state) => state === known.state);
  if (isOwn || isBack) return injected;
  return part.tokens === known.wholeTokens ? kept : pruned;
}

/** Merges neighbours that change alike, and notes the new state of each part. */
function mergeChanges(found: readonly Change[]) {
  const merged: { row: [PartState, number, number, number]; text: number }[] = [];
  for (const { known, state, tokens, text } of found.toSorted(byIndex)) {
    Object.assign(known, { state, tokens });
    const last = merged.at(-1);
    const [lastState, first, count, lastTokens] = last?.row ?? [];
    const isNext = first !== undefined && count !== undefined && first + count === known.index;
    if (last && isNext && lastState === state && lastTokens === tokens && last.text === text) {
      last.row[2] += 1;
    } else merged.push({ row: [state, known.index, 1, tokens], text });
  }
  return merged;
}

function byIndex(a: Change, b: Change): number {
  return a.known.index - b.known.index;
}

/** Clocks of recordings may run backwards; no pause does. */
function addPause(log: Growing, sentAt: number): void {
  const { newest = sentAt } = log;
  log.pauses.push(Math.max(0, sentAt - newest));
  log.newest = Math.max(sentAt, newest);
}

function toRunView({ kinds, kind, tokens, came, changes, pauses, texts }: Growing): RunView {
  const lists = { kinds: kinds.items, kind, tokens, came, changes, pauses };
  return texts === undefined ? lists : { ...lists, texts: { ...texts, pool: texts.pool.items } };
}
