import {
  canonicalJson,
  type FilePart,
  type Message,
  planCut,
  policies,
  type ToolPart,
} from '../../../engine/index.ts';
import { addToGroup } from '../../lib/collections.ts';
import { claimOfRecording } from '../../scenario/recording-agents.ts';
import { GENERATED, type RecordedCompaction, type Session } from '../../session/session.ts';
import { outputOf } from '../../session/tool-calls.ts';
import { isChange } from '../../session/touches.ts';
import {
  type Activity,
  type Content,
  isOutput,
  partOf,
  type RecordedUse,
  type Reference,
  type References,
  type Side,
  sideOf,
  type StaleOutput,
} from './reference.ts';
import type { Touches } from './calls.ts';

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

interface Course {
  readonly answers: Map<string, { readonly output: string; times: number }>;
  readonly reads: Map<string, ToolPart[]>;
  row: { readonly key: string; calls: number; isSame: boolean } | undefined;
}

/** Identical calls that make a loop. Source: evaluation design, section 9.3. */
const LOOP_CALLS = 3;

/** Formats that name what a compaction kept wherever it kept anything. */
const TELLING =
  /^(?:claude-code|claude-agent-sdk|opencode-\w+|kimi-cli|cline|pi|gemini-cli|openhands|canonical)$/;
const NO_LIMITS = { contextTokens: 0 };

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
  const course: Course = { answers: new Map(), reads: new Map(), row: undefined };
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
