/** A piece of a part that a prune may remove: the output or input of a call, the middle of its output, all of it, media, reasoning text. */
export type TakenOut = 'output' | 'input' | 'middle' | 'call' | 'media' | 'text';

/** A part as it was before clean-ups put another one in its place; it is kept, and not sent. */
export interface StoredPart {
  readonly part: Part;
  /** When the newest of them did, in ms. */
  readonly clearedAt: number;
  readonly without: readonly TakenOut[];
}

/** A text of a user or the model. */
export interface TextPart {
  readonly type: 'text';
  readonly id: string;
  readonly text: string;
  /** Written by a program, not by the person or model whose message it stands in. */
  readonly synthetic?: boolean;
  /** Stored but never sent to a model. */
  readonly ignored?: boolean;
  /** The file or call that the text stands for, where a prune took it out. */
  readonly stored?: StoredPart;
}

/** Reasoning of the model before its answer. */
export interface ReasoningPart {
  readonly type: 'reasoning';
  readonly id: string;
  readonly text: string;
  /** Namespace of the provider that signed it; absent where none is known. */
  readonly signedBy?: string;
  /** The original, where a clean-up removed its text. */
  readonly stored?: StoredPart;
}

/** An attached file, image or document. */
export interface FilePart {
  readonly type: 'file';
  readonly id: string;
  readonly mime: string;
  readonly filename?: string;
  /** A `data:`, `file:` or `https:` address. */
  readonly url: string;
}

/** Where a tool call stands, with what it was given and what it gave. */
export type ToolState =
  | { readonly status: 'pending' | 'running'; readonly input: unknown }
  | {
      readonly status: 'completed';
      readonly input: unknown;
      readonly output: string;
      readonly attachments?: readonly FilePart[];
      /** When the output was cleared from the model's view, in ms; absent while it is still sent. */
      readonly compactedAt?: number;
    }
  | {
      readonly status: 'error';
      readonly input: unknown;
      readonly error: string;
      /** Output that an interrupted tool had printed. */
      readonly partialOutput?: string;
    };

/** A tool call together with its result. */
export interface ToolPart {
  readonly type: 'tool';
  readonly id: string;
  /** The name under which call and result find each other; unique in a session. */
  readonly callId: string;
  readonly tool: string;
  readonly state: ToolState;
  /** The call with all that it was given and gave, where clean-ups took some of that out. */
  readonly stored?: StoredPart;
}

/** Where a model request began; `snapshot` names the state of the files. */
export interface StepStartPart {
  readonly type: 'step-start';
  readonly id: string;
  readonly snapshot?: string;
}

/** Where a model request ended. */
export interface StepFinishPart {
  readonly type: 'step-finish';
  readonly id: string;
  readonly reason: string;
  readonly snapshot?: string;
}

/** The marker: on a user message it queues a compaction. */
export interface CompactionPart {
  readonly type: 'compaction';
  readonly id: string;
  /** Queued by a trigger, not by hand. */
  readonly auto: boolean;
  /** The provider had refused the request. */
  readonly overflow?: boolean;
  /** First message that the pivot keeps verbatim. */
  readonly tailStartId?: string;
  /** Last of the first messages that the pivot keeps in front; absent where it keeps none. */
  readonly headEndId?: string;
}

/** A sub-agent task that a user message asks for. */
export interface SubtaskPart {
  readonly type: 'subtask';
  readonly id: string;
  readonly prompt: string;
}

/** One piece of a message. */
export type Part =
  | TextPart
  | ReasoningPart
  | FilePart
  | ToolPart
  | StepStartPart
  | StepFinishPart
  | CompactionPart
  | SubtaskPart;

/** Tokens of one request as its provider reported them, already split by kind. */
export interface Usage {
  /** Tokens read fresh, without cache reads and cache writes. */
  readonly input: number;
  readonly output: number;
  readonly reasoning: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** The provider's own sum; absent where it gives none. */
  readonly total?: number;
}

/** Why a request or a summary ended without an answer. */
export interface MessageError {
  readonly name: string;
  readonly message: string;
}

/** A message of a person, or of a program in their place. */
export interface UserMessage {
  readonly id: string;
  readonly role: 'user';
  readonly createdAt: number;
  readonly parts: readonly Part[];
}

/** One model request with its answer and the results of the tools it called. */
export interface AssistantMessage {
  readonly id: string;
  readonly role: 'assistant';
  readonly createdAt: number;
  readonly parts: readonly Part[];
  /** The user message that it answers. */
  readonly parentId: string;
  /** Marks the message that replaces everything before its marker. */
  readonly summary?: boolean | undefined;
  /** Why the model stopped: `stop`, `tool-calls`, `length`, …; absent when the request never finished. */
  readonly finish?: string | undefined;
  readonly error?: MessageError | undefined;
  /** Absent when the provider reported none. */
  readonly usage?: Usage | undefined;
  /** Tokens that came with its results and that no part shows; absent where none are known. */
  readonly unseenTokens?: number | undefined;
  /** The agent's estimate of reasoning that only the provider can read; absent means none. */
  readonly sealedTokens?: number | undefined;
  /** `provider/model` that wrote it; absent where that is not known. */
  readonly model?: string | undefined;
}

/** One entry of a session. */
export type Message = UserMessage | AssistantMessage;

/** A tool call that came back with an output. */
export type CompletedPart = ToolPart & {
  readonly state: ToolState & { readonly status: 'completed' };
};

const NOTHING_TAKEN: readonly TakenOut[] = [];
const storedIn = (part: Part) => ('stored' in part ? part.stored : undefined);

/** Tests if a part is a tool call that came back with an output, cleared or not. */
export function isCompleted(part: Part): part is CompletedPart {
  return part.type === 'tool' && part.state.status === 'completed';
}

/** Tests if a part is a tool call that has not come back. */
export function isOpenCall(part: Part): boolean {
  return (
    part.type === 'tool' && (part.state.status === 'pending' || part.state.status === 'running')
  );
}

/** Tests if a part is a tool call whose output was cleared. */
export function isCleared(part: Part): part is CompletedPart {
  return isCompleted(part) && part.state.compactedAt !== undefined;
}

/** Tests if a clean-up removed this piece of a part. */
export function isWithout(part: Part, what: TakenOut): boolean {
  return takenOutOf(part).includes(what);
}

/** The pieces that clean-ups removed from a part. */
export function takenOutOf(part: Part): readonly TakenOut[] {
  return storedIn(part)?.without ?? NOTHING_TAKEN;
}

/** A part in the place of another one. */
export function standIn<Changed extends TextPart | ReasoningPart | ToolPart>(
  changed: Changed,
  original: Part,
  { what, now }: { readonly what: TakenOut; readonly now: number },
): Changed {
  const before = storedIn(original);
  const stored: StoredPart = {
    part: before?.part ?? original,
    clearedAt: now,
    without: [...(before?.without ?? []), what],
  };
  return { ...changed, stored };
}

/** The part that another one stands for, or the part itself; with its output, also where that is cleared. */
export function storedPart(part: Part): Part {
  return storedIn(part)?.part ?? part;
}

/** The marker of a message that queues a compaction, if it is one. */
export function markerOf(message: Message): CompactionPart | undefined {
  if (message.role !== 'user') return undefined;
  for (const part of message.parts) if (part.type === 'compaction') return part;
  return undefined;
}

/** Tests if a message is a user message and no marker. */
export function isPrompt(message: Message): boolean {
  return message.role === 'user' && markerOf(message) === undefined;
}

/** Tests if a message is a summary, finished or not. */
export function isSummary(message: Message): message is AssistantMessage {
  return message.role === 'assistant' && message.summary === true;
}

/** Tests if a message is a summary that finished without an error. */
export function isComplete(message: Message): message is AssistantMessage {
  return isSummary(message) && Boolean(message.finish) && message.error === undefined;
}

/** Tests if a message is sent whole. */
export function isSentAsIs(message: Message): boolean {
  return message.role === 'user' || (message.error === undefined && message.summary !== true);
}
