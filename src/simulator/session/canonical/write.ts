import {
  type AssistantMessage,
  type FilePart,
  type Message,
  type Part,
  type ToolState,
} from '../../../engine/index.ts';
import { sortKeys } from '../../../engine/internal.ts';
import type { ImportReport, Session } from '../session.ts';
import {
  compactionShape,
  costShape,
  errorShape,
  headerShape,
  MARK,
  promptShape,
  reportShape,
  sideSessionShape,
  stepShape,
  usageShape,
  VERSION,
} from './lines.ts';
import { factShape } from './facts.ts';
import { partShapes, stateShapes } from './parts.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Where a step stands. */
interface StepPlace {
  readonly session: Session;
  readonly index: number;
  /** The user message before it. */
  readonly promptId: string | undefined;
}

/** The name of the format in a session that was written down in it at first. */
export const OWN_NAME = 'canonical';

/** The session as lines of a file, each with its end; the same bytes for the same session. Its name is not among them. */
export function* writeSession(session: Session): Generator<string, void, void> {
  yield toLine(headerShape, headerOf(session));
  let promptId: string | undefined;
  for (const [index, message] of session.messages.entries()) {
    if (message.role === 'user') promptId = message.id;
    yield message.role === 'user'
      ? toLine(promptShape, { type: 'message', ...message, parts: partsOf(message) })
      : toLine(stepShape, stepOf(message, { session, index, promptId }));
  }
  for (const compaction of session.recordedCompactions) {
    yield toLine(compactionShape, { type: 'compaction', ...compaction });
  }
  yield toLine(reportShape, reportOf(session.report));
}

function headerOf(session: Session): object {
  const { format, sideSessions, facts } = session;
  return {
    ...session,
    [MARK.key]: MARK.value,
    version: VERSION,
    format: format === OWN_NAME ? undefined : format,
    sideSessions: sideSessions?.map((link) => inOrder(sideSessionShape, link)),
    facts: facts?.map((fact) => inOrder(factShape, fact)),
  };
}

/** What follows from the place of a step is left out. */
function stepOf(step: AssistantMessage, { session, index, promptId }: StepPlace): object {
  const cost = session.recordedCosts?.get(step.id);
  const usual = session.messages[index + 1]?.role === 'assistant' ? 'tool-calls' : 'stop';
  return {
    type: 'message',
    ...step,
    parentId: step.parentId === promptId ? undefined : step.parentId,
    finish: step.finish === usual ? undefined : (step.finish ?? null),
    error: step.error && inOrder(errorShape, step.error),
    usage: step.usage && inOrder(usageShape, step.usage),
    cost: cost && inOrder(costShape, cost),
    parts: partsOf(step),
  };
}

function partsOf({ id: messageId, parts }: Message): readonly Fields[] {
  return parts.map((part, index) => toPart(part, `${messageId}-${index + 1}`));
}

function toPart(part: Part, usualId: string): Fields {
  const fields = inOrder(partShapes[part.type], withoutUsual(part, usualId));
  if (part.type !== 'tool') return fields;
  const callId = part.callId === `${part.id}-call` ? undefined : part.callId;
  return inOrder(partShapes.tool, { ...fields, callId, state: toState(part.state, part.id) });
}

function toState(state: ToolState, partId: string): Fields {
  const files = state.status === 'completed' ? state.attachments : undefined;
  const attachments = files?.map((file, index) => toFile(file, `${partId}-file-${index + 1}`));
  return inOrder(stateShapes[state.status], { ...state, attachments });
}

function toFile(file: FilePart, usualId: string): Fields {
  return inOrder(partShapes.file, withoutUsual(file, usualId));
}

function withoutUsual(value: Part, usualId: string): object {
  return value.id === usualId ? { ...value, id: undefined } : value;
}

function reportOf({ dropped, repaired }: ImportReport): object {
  return { type: 'report', dropped: sortKeys(dropped), repaired: sortKeys(repaired) };
}

function toLine(shape: object, value: object): string {
  return `${JSON.stringify(inOrder(shape, value))}\n`;
}

/** The fields that a shape has, in its order; absent ones are left out. */
function inOrder(shape: object, value: object): Fields {
  const fields: readonly [string, unknown][] = Object.keys(shape).map((key) => [
    key,
    Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined,
  ]);
  return Object.fromEntries(fields.filter(([, field]) => field !== undefined));
}
