import {
  canonicalJson,
  type FilePart,
  type Message,
  type Part,
  planCut,
  policies,
  type ToolPart,
} from '../../../engine/index.ts';
import { addToGroup } from '../../lib/collections.ts';
import { claimOfRecording } from '../../scenario/recording-agents.ts';
import { GENERATED, type RecordedCompaction, type Session } from '../../session/session.ts';
import { outputOf } from '../../session/tool-calls.ts';
import { isChange } from '../../session/shell.ts';
import type { Touches } from './calls.ts';

/**
 * How a step shows that it needs something: a generated session declares it, a reading call gives lines again, an edit stands on
 * lines, a file is opened; or, weaker, the step writes a rare name or a sentence, or copies lines of code.
 */
export type ReferenceKind = 'declared' | 'given-back' | 'anchor' | 'path' | 'name' | 'phrase';

/**
 * A later use of earlier content, by what the recording itself held: it reads the content again though it held it, or because
 * its own compaction had removed it; it goes on from what it held, or from what only its summary can have told; or nobody knows.
 */
export type RecordedUse = 'habit' | 'caused' | 'used' | 'carried' | 'unknown';

/** The kinds of content that a step needs: what was read of a file, another output, or a text or call. */
export type Content = 'file' | 'output' | 'said';

/**
 * One side of a part by number: twice the number of its part is what it says, a text or a call; one more is the
 * output of the call.
 */
export type Side = number;

/** The oldest part of a session has number 0. */
export interface NumberedPart {
  readonly part: Part;
  readonly messageId: string;
  /** Step that wrote it, or that followed the user's message; from 1. */
  readonly step: number;
}

/** A step that needs earlier content. */
export interface Reference {
  readonly step: number;
  readonly messageId: string;
  readonly kind: ReferenceKind;
  /** Number of the content; a file is one content, however often it is read. */
  readonly document: number;
  /** True if an action of the agent brings the content back. */
  readonly isRecoverable: boolean;
  readonly pieces: readonly number[];
  readonly leastMissing: number;
  /** Parts from this number on are not earlier. */
  readonly before: number;
  /** The newest sides that hold most of the pieces, the largest first. */
  readonly sources: readonly Side[];
  readonly isFile: boolean;
  /** The call that brings the content back; absent where the step makes it itself, or where there is none. */
  readonly call?: ToolPart | undefined;
  readonly use: RecordedUse;
  /** Of its largest source. */
  readonly content: Content;
}

/** A read output that a later write made useless. */
export interface StaleOutput {
  readonly side: Side;
  readonly tokens: number;
}

/** Numbers of a session's messages that are not about needs. */
export interface Activity {
  readonly fileReads: number;
  /** Reads of files that give what an earlier read gave, with no write in between. */
  readonly fileRereads: number;
  /** Contents asked for the third time by the same call, and rows of three identical calls that gave anything else. */
  readonly loops: number;
  readonly stale: readonly StaleOutput[];
}

/** A wish of the user, what a generated session declares as one, or a file of the work: they should not get lost. */
export interface StandingItem {
  readonly id: string;
  readonly kind: 'constraint' | 'path';
  /** Stays on this machine: events name it by its id. */
  readonly text: string;
}

/** Standing items, and the sides that name them. */
export interface Standing {
  readonly items: readonly StandingItem[];
  readonly itemsOf: readonly (readonly number[])[];
  /** Indices of the items that a text of the policy's own carries. */
  readonly itemsIn: (text: string) => readonly number[];
}

/** The earlier content that each step of a session needs. */
export interface References {
  /** Of the session, in order. */
  readonly messages: readonly Message[];
  readonly all: readonly Reference[];
  readonly byMessage: ReadonlyMap<string, readonly Reference[]>;
  readonly parts: readonly NumberedPart[];
  readonly partNumbers: ReadonlyMap<string, number>;
  /** Pieces of each side that any step needs, each once. */
  readonly piecesOf: readonly (readonly number[])[];
  /** Sides that hold each piece, oldest first. */
  readonly holders: readonly (readonly Side[])[];
  /** Pieces of a text that any step needs, each once. */
  readonly piecesIn: (text: string) => readonly number[];
  /** The words of a piece; they stay on this machine. */
  readonly wordsOf: (piece: number) => string;
  /** True tokens of a side. */
  readonly tokensOf: (side: Side) => number;
  readonly activity: ReadonlyMap<string, Activity>;
  readonly standing: Standing;
}

/** The compactions of a recording, and who recorded it. */
export type Recorded = Pick<Session, 'format' | 'release' | 'recordedCompactions'>;

type Need = Omit<Reference, 'use' | 'content'>;

interface Given extends Pick<References, 'messages' | 'parts' | 'partNumbers' | 'holders'> {
  readonly touches: Touches;
  readonly recorded?: Recorded | undefined;
}

/** Numbers of messages before which a side left the recording's view; absent where it stayed. */
interface RecordedView {
  readonly from: number;
  readonly goneAt: (number | undefined)[];
  readonly doubtAt: (number | undefined)[];
}

interface ActivityInput extends Pick<References, 'partNumbers'> {
  readonly touches: Touches;
  readonly weigh: (part: ToolPart, of: 'output') => number;
}

type Course = ReturnType<typeof startCourse>;

/** Identical calls that make a loop. Source: evaluation design, section 9.3. */
const LOOP_CALLS = 3;

/** Formats that name what a compaction kept wherever it kept anything. */
const TELLING =
  /^(?:claude-code|claude-agent-sdk|opencode-\w+|kimi-cli|cline|pi|gemini-cli|openhands|canonical)$/;
const NO_LIMITS = { contextTokens: 0 };

/** The number of a side's part. */
export function partOf(side: Side): number {
  return side >> 1;
}

/** Tests if a side is an output. */
export function isOutput(side: Side): boolean {
  return (side & 1) === 1;
}

/** The side of a part that a model wrote, or its output. */
export function sideOf(part: number, of: 'said' | 'output'): Side {
  return of === 'said' ? 2 * part : 2 * part + 1;
}

/** Adds to each need how the recording stood to it, and the kind of its content. */
export function withUses(needs: readonly Need[], given: Given): readonly Reference[] {
  const { messages, recorded } = given;
  const places = new Map(messages.map(({ id }, index) => [id, index]));
  // What a generated session needs does not come of what its compactions removed.
  const isCompacted = recorded?.format !== GENERATED && recorded?.recordedCompactions.length;
  const view = isCompacted ? followRecording(given, recorded) : undefined;
  return needs.map((need) => ({
    ...need,
    use: useOf(need, { view, given, place: places.get(need.messageId) ?? 0 }),
    content: contentOf(need.sources[0], given),
  }));
}

/** Reads, loops and outputs that become useless, by the messages that they come with. */
export function findActivity(
  messages: readonly Message[],
  input: ActivityInput,
): ReadonlyMap<string, Activity> {
  const course = startCourse();
  const found = new Map<string, Activity>();
  for (const message of messages) {
    if (message.role === 'user') course.row = undefined;
    const activity = { fileReads: 0, fileRereads: 0, loops: 0, stale: [] as StaleOutput[] };
    for (const part of message.parts)
      if (part.type === 'tool') addCall(course, activity, { part, input });
    if (activity.fileReads + activity.loops + activity.stale.length > 0)
      found.set(message.id, activity);
  }
  return found;
}

function startCourse() {
  return {
    answers: new Map<string, { readonly output: string; times: number }>(),
    reads: new Map<string, ToolPart[]>(),
    row: undefined as { readonly key: string; calls: number; isSame: boolean } | undefined,
  };
}

function useOf(
  need: Need,
  at: { readonly view: RecordedView | undefined; readonly given: Given; readonly place: number },
): RecordedUse {
  const { view, given, place } = at;
  const { kind, isRecoverable, call, before } = need;
  // A declared need that the step meets by itself has no other call.
  const isReadAgain =
    kind === 'given-back' || (kind === 'declared' && isRecoverable && call === undefined);
  const lacks = (...times: readonly RecordedView['goneAt'][]) => {
    const isShown = (side: Side) =>
      side < before && times.every((of) => (of[side] ?? Infinity) > place);
    const missing = need.pieces.filter((piece) => {
      const [oldest = before, ...others] = given.holders[piece] ?? [];
      return oldest < before && !isShown(oldest) && !others.some(isShown);
    });
    return missing.length >= need.leastMissing;
  };
  const isHeld = view === undefined || place < view.from || !lacks(view.goneAt, view.doubtAt);
  if (isHeld) return isReadAgain ? 'habit' : 'used';
  if (!lacks(view.goneAt)) return 'unknown';
  return isReadAgain ? 'caused' : 'carried';
}

function contentOf(side: Side | undefined, { parts, touches }: Given): Content {
  const part = side === undefined ? undefined : parts[partOf(side)]?.part;
  if (side === undefined || part === undefined || !isOutput(side)) return 'said';
  return touches.of(part).some(({ operation }) => operation === 'read') ? 'file' : 'output';
}

function followRecording(given: Given, recorded: Recorded): RecordedView {
  const { messages, parts, partNumbers } = given;
  const { recordedCompactions } = recorded;
  const from = recordedCompactions[0]?.messageIndex ?? Infinity;
  const view: RecordedView = { from, goneAt: [], doubtAt: [] };
  const sidesOf = (seen: readonly Message[]) =>
    seen.flatMap((message) =>
      message.parts.flatMap(({ id }) => {
        const part = partNumbers.get(id) ?? 0;
        return [sideOf(part, 'said'), sideOf(part, 'output')];
      }),
    );
  for (const compaction of recordedCompactions) {
    const { messageIndex, kind, clearedCallIds } = compaction;
    const seen = messages.slice(0, messageIndex);
    const isCleared = (side: Side) => {
      const part = parts[partOf(side)]?.part;
      return part?.type === 'tool' && isOutput(side) && clearedCallIds?.includes(part.callId);
    };
    const isInView = (message: Message) =>
      sidesOf([message]).some((side) => view.goneAt[side] === undefined);
    const head =
      kind === 'full'
        ? headOf(compaction, seen.filter(isInView), { recorded, messages })
        : undefined;
    const left =
      kind === 'micro' ? clearedCallIds && sidesOf(seen).filter(isCleared) : head && sidesOf(head);
    const doubted = kind === 'micro' ? sidesOf(seen).filter(isOutput) : sidesOf(seen);
    for (const side of left ?? doubted) (left ? view.goneAt : view.doubtAt)[side] ??= messageIndex;
  }
  return view;
}

/** The messages that a compaction replaced: as recorded, else as the release's preset does it; else unknown. */
function headOf(
  { firstKeptMessageIndex, messageIndex }: RecordedCompaction,
  view: readonly Message[],
  { recorded, messages }: { readonly recorded: Recorded; readonly messages: readonly Message[] },
): readonly Message[] | undefined {
  if (firstKeptMessageIndex !== undefined || TELLING.test(recorded.format)) {
    const kept = new Set(messages.slice(firstKeptMessageIndex ?? messageIndex));
    return view.filter((message) => !kept.has(message));
  }
  const claim = claimOfRecording(recorded);
  if (claim === undefined || claim.outsideOf !== undefined) return undefined;
  const { head, quoted = [] } = planCut(
    { view, parentId: '', mayReplay: false },
    policies[claim.preset],
    NO_LIMITS,
  );
  const isQuoted = ({ role, parts }: Message) =>
    role === 'user' &&
    parts.every((part) => part.type === 'text' && quoted.some((text) => text.includes(part.text)));
  return head.filter((message) => !isQuoted(message));
}

function callKey({ tool, state }: ToolPart): string {
  return `${tool} ${canonicalJson(state.input)}`;
}

function addCall(
  course: Course,
  activity: { -readonly [Key in keyof Activity]: Activity[Key] } & { stale: StaleOutput[] },
  { part, input }: { readonly part: ToolPart; readonly input: ActivityInput },
): void {
  const key = callKey(part);
  const output = answerOf(part);
  const before = course.answers.get(key);
  const isSame = before !== undefined && before.output === output;
  const answer = isSame ? before : { output, times: 0 };
  answer.times += 1;
  // A call that failed gave no answer.
  if (part.state.status === 'completed') course.answers.set(key, answer);
  if (answer.times === LOOP_CALLS) activity.loops += 1;
  activity.loops += endsRow(course, key, isSame) ? 1 : 0;
  const touches = input.touches.of(part);
  const read = touches.filter(({ operation }) => operation === 'read');
  if (read.length > 0) {
    activity.fileReads += 1;
    if (isSame) activity.fileRereads += 1;
  }
  for (const { path } of read) addToGroup(course.reads, path, part);
  for (const { path } of touches.filter(isChange))
    activity.stale.push(...spoil(course, path, input));
}

function endsRow(course: Course, key: string, isSame: boolean): boolean {
  if (course.row?.key !== key) course.row = { key, calls: 0, isSame: true };
  const { row } = course;
  row.calls += 1;
  if (row.calls > 1 && !isSame) row.isSame = false;
  return row.calls === LOOP_CALLS && !row.isSame;
}

function spoil(course: Course, path: string, { partNumbers, weigh }: ActivityInput): StaleOutput[] {
  const parts = course.reads.get(path) ?? [];
  course.reads.delete(path);
  return [...new Set(parts)].map((part) => {
    course.answers.delete(callKey(part));
    return { side: sideOf(partNumbers.get(part.id) ?? 0, 'output'), tokens: weigh(part, 'output') };
  });
}

function answerOf(part: ToolPart): string {
  const { state } = part;
  const files: readonly FilePart[] = state.status === 'completed' ? (state.attachments ?? []) : [];
  return [outputOf(part) ?? '', ...files.map(({ mime, url }) => `${mime} ${url}`)].join('\n');
}
