import type {
  AssistantMessage,
  FilePart,
  Message,
  Part,
  ToolState,
  Usage,
  UserMessage,
} from '../../engine/index.ts';
import type { TokenBasis } from '../events.ts';
import type { CheckName } from '../provider/checks.ts';
import type { RecordedCompaction } from '../session/session.ts';
import type { CountText } from './count.ts';
import type { References } from './references/reference.ts';

/** One recorded model request, ready to be replayed. */
export interface TraceStep {
  /** The answer and its tool results; its recorded usage is taken off. */
  readonly message: AssistantMessage;
  /** True tokens of what the model wrote. */
  readonly outputTokens: number;
  /** Those of them that it thought. */
  readonly reasoningTokens: number;
  /** The context as the recording agent's provider reported it; absent where it reported none. */
  readonly recordedContextTokens?: number;
}

/** A user message and the steps until the next one. */
export interface TraceTurn {
  readonly message: UserMessage;
  readonly steps: readonly TraceStep[];
}

/** A session compiled for replay, as if nobody had compacted. */
export interface Trace {
  readonly session: string;
  readonly format: string;
  readonly isPartial: boolean;
  readonly turns: readonly TraceTurn[];
  readonly basis: TokenBasis;
  readonly count: CountText;
  /** What its steps need of what came before them; found when first asked for. */
  readonly references: () => References;
  /** Checks of form that the recording does not pass by itself, so that no policy is held to them. */
  readonly ownFaults: readonly CheckName[];
  /** What the recording agent did, kept aside as ground truth. */
  readonly recordedCompactions: readonly RecordedCompaction[];
}

/** Steps of all turns. */
export function countSteps({ turns }: Trace): number {
  return turns.reduce((total, { steps }) => total + steps.length, 0);
}

/** How often the recording agent replaced its history, and how often it cleared outputs only. */
export function countRecorded({ recordedCompactions }: Trace): {
  readonly recordedCompactions: number;
  readonly recordedMicrocompactions: number;
} {
  const full = recordedCompactions.filter(({ kind }) => kind === 'full').length;
  return {
    recordedCompactions: full,
    recordedMicrocompactions: recordedCompactions.length - full,
  };
}

/**
 * A message in the one form of its kind: the same fields in the same order, in its parts as well, however its recorder
 * wrote it down. Texts and inputs are the same ones.
 */
export function inSameForm(message: Message): Message {
  const { id, createdAt } = message;
  const parts = message.parts.map(partInSameForm);
  return message.role === 'user'
    ? { id, role: 'user', createdAt, parts }
    : withUsage({ ...message, parts }, message.usage);
}

/**
 * A step with what was reported of it. All of its fields are written down, also those that it has not: whoever reads
 * messages of more than four forms has to search each of them.
 */
export function withUsage(
  { id, role, createdAt, parts, parentId, finish, model, error, summary }: AssistantMessage,
  usage: Usage | undefined,
): AssistantMessage {
  return { usage, id, role, createdAt, parts, parentId, finish, model, error, summary };
}

function partInSameForm(part: Part): Part {
  const { id } = part;
  switch (part.type) {
    case 'text':
      return withFields({ type: 'text', id, text: part.text }, part, ['synthetic', 'ignored']);
    case 'reasoning':
      return withFields({ type: 'reasoning', id, text: part.text }, part, ['signedBy']);
    case 'tool': {
      const { callId, tool } = part;
      return { type: 'tool', id, callId, tool, state: stateInSameForm(part.state) };
    }
    case 'file':
      return fileInSameForm(part);
    case 'step-start':
      return withFields({ type: 'step-start', id }, part, ['snapshot']);
    case 'step-finish':
      return withFields({ type: 'step-finish', id, reason: part.reason }, part, ['snapshot']);
    case 'compaction':
      return withFields({ type: 'compaction', id, auto: part.auto }, part, [
        'overflow',
        'tailStartId',
      ]);
    case 'subtask':
      return { type: 'subtask', id, prompt: part.prompt };
  }
}

/** A new value with those of some fields that another one of its kind has. */
function withFields<Value extends object>(
  value: Value,
  from: Value,
  names: readonly (keyof Value)[],
): Value {
  for (const name of names) {
    if (from[name] !== undefined) value[name] = from[name];
  }
  return value;
}

function stateInSameForm(state: ToolState): ToolState {
  const { status, input } = state;
  switch (status) {
    case 'completed': {
      const { output, attachments } = state;
      const completed = withFields({ status, input, output }, state, ['compactedAt']);
      return attachments === undefined
        ? completed
        : { ...completed, attachments: attachments.map(fileInSameForm) };
    }
    case 'error':
      return withFields({ status, input, error: state.error }, state, ['partialOutput']);
    default:
      return { status, input };
  }
}

function fileInSameForm(part: FilePart): FilePart {
  const { id, mime, url } = part;
  return withFields({ type: 'file', id, mime, url }, part, ['filename']);
}
