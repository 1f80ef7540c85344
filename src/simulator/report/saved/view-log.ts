import {
  checkpointText,
  isCheckpoint,
  isCleared,
  isSent,
  isSummary,
  markerOf,
  type Message,
  type ModelContent,
  type Move,
  type Part,
  renderPart,
  type RenderPolicy,
  viewOf,
} from '../../../engine/index.ts';
import { commonLength, itemsFrom } from '../../../engine/internal.ts';
import type { RunEvent } from '../../events.ts';
import { keepIn } from '../../lib/collections.ts';
import { nameLosses } from '../../metrics/explain.ts';
import { countPart } from '../../replay/count.ts';
import type { Trace } from '../../replay/trace.ts';
import { PART_STATES, type PartState, type RunView } from '../plots.ts';

export interface ShownPart {
  /** The same in whatever form it is shown. */
  readonly key: string;
  readonly kind: string;
  readonly tokens: number;
  readonly isCleared: boolean;
  /** The policy put it there, and not the session. */
  readonly isOwn: boolean;
  readonly text: () => string;
}

type ReadParts = (message: Message) => readonly ShownPart[];

interface ShownRequest {
  readonly view: readonly Message[];
  readonly history: readonly Message[];
  /** Time of the recording, in ms. */
  readonly sentAt: number;
}

interface Known {
  readonly index: number;
  /** Its tokens when it came. */
  readonly wholeTokens: number;
  state: PartState;
  tokens: number;
}

/** Its text is -1 where it is hidden, or texts are not kept. */
interface Change {
  readonly known: Known;
  readonly state: PartState;
  readonly tokens: number;
  readonly text: number;
}

const KINDS: Readonly<Record<Exclude<Part['type'], 'tool'>, string>> = {
  text: 'answer',
  reasoning: 'reasoning',
  file: 'file',
  'step-start': 'note',
  'step-finish': 'note',
  compaction: 'summary question',
  subtask: 'note',
};

export function watchView(
  trace: Pick<Trace, 'basis' | 'count' | 'sizes' | 'references'>,
  { render, hasTexts }: { readonly render: RenderPolicy; readonly hasTexts: boolean },
) {
  const shots: (ShownRequest & { readonly messageId: string })[] = [];
  const recorded = new Set<string>();
  const onTransition = ({ before, input }: Move): void => {
    if (input.type !== 'user-message' && input.type !== 'step-finished') return;
    const { id: messageId, createdAt: sentAt } = input.message;
    recorded.add(messageId);
    if (input.type !== 'step-finished') return;
    shots.push({ messageId, sentAt, view: viewOf(before), history: before.history });
  };
  const tell = (events: readonly RunEvent[]): RunView => {
    const read = createPartReader(trace, render);
    const log = createViewLog((message) => read(message, !recorded.has(message.id)), hasTexts);
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
      log.add(shot, hasPivot);
      hasPivot = false;
      // An answer to nothing but a need for what was lost brings it back.
      if (event.reread !== undefined) recorded.delete(event.messageId);
    }
    const { texts, ...sizes } = log.end();
    if (texts === undefined) return sizes;
    return { ...sizes, texts: { ...texts, losses: nameLosses(events, trace.references()) } };
  };
  return { onTransition, tell };
}

/** Writes down what came to a view and what became of it, request by request. */
export function createViewLog(read: ReadParts, hasTexts: boolean) {
  const parts = createParts(read, hasTexts);
  const sizes = { came: numbers(), pauses: numbers() };
  const changes: [number, PartState, number, number, number][] = [];
  const texts = numbers();
  let seen: ShownRequest = { view: [], history: [], sentAt: 0 };
  let newest: number | undefined;
  /** Joins changes of neighbours that change alike. */
  const note = ({ known, state, tokens, text }: Change) => {
    Object.assign(known, { state, tokens });
    const step = sizes.pauses.length;
    const last = changes.at(-1);
    const isAlike =
      last?.[0] === step &&
      last[1] === state &&
      last[2] + last[3] === known.index &&
      last[4] === tokens &&
      texts.at(-1) === text;
    if (isAlike) last[3] += 1;
    else {
      changes.push([step, state, known.index, 1, tokens]);
      texts.push(text);
    }
  };
  return {
    add: (request: ShownRequest, hasPivot: boolean): void => {
      const before = parts.known.size;
      const state = hasPivot ? PART_STATES.summarised : PART_STATES.left;
      const found = parts.findChanges(seen, request, state);
      for (const one of found.toSorted((a, b) => a.known.index - b.known.index)) note(one);
      const { sentAt } = request;
      sizes.came.push(parts.known.size - before);
      // Clocks of recordings may run backwards; no pause does.
      sizes.pauses.push(Math.max(0, sentAt - (newest ?? sentAt)));
      newest = Math.max(sentAt, newest ?? sentAt);
      seen = request;
    },
    end: (): RunView => {
      const { kinds, kind, tokens, pool, texts: partTexts } = parts;
      const { came, pauses } = sizes;
      const all = { kinds: [...kinds.keys()], kind, tokens, came, changes, pauses };
      if (!hasTexts) return all;
      return { ...all, texts: { pool: [...pool.keys()], parts: partTexts, changes: texts } };
    },
  };
}

export function createPartReader(
  { basis, count, sizes }: Pick<Trace, 'basis' | 'count' | 'sizes'>,
  render: RenderPolicy,
) {
  const toTrue = (counted: number) => Math.round(basis.factor * counted);
  return (message: Message, isOwn: boolean): readonly ShownPart[] => {
    const keyOf = (partId: string) => JSON.stringify([message.id, partId]);
    if (isCheckpoint(message, render)) {
      const whole = checkpointText(message, render);
      const tokens = toTrue(count(whole));
      const text = () => whole;
      return [{ key: keyOf(''), kind: 'summary', tokens, isCleared: false, isOwn, text }];
    }
    if (!isSent(message)) return [];
    return message.parts.flatMap((part): readonly ShownPart[] => {
      const contents = renderPart(part, message.role, render);
      if (contents.length === 0) return [];
      const whole = sizes.get(part)?.whole;
      return [
        {
          key: keyOf(part.id),
          kind: kindOf(part, message, isOwn),
          tokens: whole ?? toTrue(countPart(part, message.role, { render, count })),
          isCleared: isCleared(part),
          isOwn,
          text: () => contents.map(textOfContent).join('\n'),
        },
      ];
    });
  };
}

function createParts(read: ReadParts, hasTexts: boolean) {
  const known = new Map<string, Known>();
  const kinds = new Map<string, number>();
  const pool = new Map<string, number>();
  const lists = { kind: numbers(), tokens: numbers(), texts: numbers() };
  const textOf = (part: ShownPart) => (hasTexts ? keepIn(pool, part.text(), () => pool.size) : -1);
  const admit = (part: ShownPart): Known => {
    const { key, tokens } = part;
    const one = { index: known.size, wholeTokens: tokens, state: PART_STATES.kept, tokens };
    known.set(key, one);
    lists.kind.push(keepIn(kinds, part.kind, () => kinds.size));
    lists.tokens.push(tokens);
    lists.texts.push(textOf(part));
    return one;
  };
  /** Skips what a view shares with the one before. */
  const findChanges = (last: ShownRequest, next: ShownRequest, hidden: PartState) => {
    const from = commonLength(last.view, next.view);
    const shown = itemsFrom(next.view, from).flatMap(read);
    const keys = new Set(shown.map(({ key }) => key));
    const gone = itemsFrom(last.view, from)
      .flatMap(read)
      .flatMap(({ key }) => (keys.has(key) ? [] : (known.get(key) ?? [])));
    // Parts that a pivot took before any request could show them.
    const unseen = itemsFrom(next.history, commonLength(last.history, next.history))
      .flatMap(read)
      .flatMap((part) => (keys.has(part.key) || known.has(part.key) ? [] : [admit(part)]));
    const other = shown.flatMap((part): readonly Change[] => {
      const { tokens } = part;
      const one = known.get(part.key) ?? admit(part);
      const state = stateOf(part, one);
      if (one.state === state && one.tokens === tokens) return [];
      return [{ known: one, state, tokens, text: textOf(part) }];
    });
    const away = [...gone, ...unseen].map(
      (one): Change => ({ known: one, state: hidden, tokens: 0, text: -1 }),
    );
    return [...away, ...other];
  };
  return { known, kinds, pool, ...lists, findChanges };
}

function numbers(): number[] {
  return [];
}

function stateOf(part: ShownPart, known: Known): PartState {
  const { kept, pruned, injected, summary, summarised, left } = PART_STATES;
  if (part.kind === 'summary' || part.kind === 'summary question') return summary;
  if (part.isCleared) return pruned;
  const isBack = [summarised, left, injected].some((state) => state === known.state);
  if (part.isOwn || isBack) return injected;
  return part.tokens === known.wholeTokens ? kept : pruned;
}

function kindOf(part: Part, message: Message, isOwn: boolean) {
  if (part.type === 'tool') return `tool ${part.tool}`;
  if (isSummary(message)) return 'summary';
  if (markerOf(message) !== undefined) return 'summary question';
  if (isOwn) return 'resumption';
  if (part.type !== 'text') return KINDS[part.type];
  if (part.synthetic === true) return 'note';
  return message.role === 'user' ? 'request' : 'answer';
}

function textOfContent(content: ModelContent) {
  switch (content.type) {
    case 'text':
    case 'reasoning':
      return content.text;
    case 'file':
      return `[${content.mime}${content.filename === undefined ? '' : ` ${content.filename}`}]`;
    case 'tool-call':
      return `${content.tool} ${JSON.stringify(content.input) ?? ''}`;
    case 'tool-result':
      return [content.output, ...content.attachments.map(({ mime }) => `[${mime}]`)].join('\n');
  }
}
