import { z } from 'zod';
import type {
  AssistantMessage,
  FilePart,
  Message,
  MessageError,
  Part,
  ToolState,
  Usage,
  UserMessage,
} from '../../../engine/index.ts';
import { sortKeys } from '../../../engine/internal.ts';
import {
  FACT_KINDS,
  FACT_ROLES,
  FILE_OPERATIONS,
  type PlantedFact,
  TODO_STATES,
} from '../facts.ts';
import { LATEST_MS } from '../reading/lenient.ts';
import type {
  ImportReport,
  RecordedCompaction,
  RecordedCost,
  RecordedWindow,
  Session,
  SideSessionLink,
} from '../session.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The position of a step. */
interface StepPlace {
  readonly session: Session;
  readonly index: number;
  /** The user message before it. */
  readonly promptId: string | undefined;
}

/** Keys of a session that its header holds. */
type HeaderKey = Exclude<
  keyof Session,
  'name' | 'messages' | 'recordedCompactions' | 'recordedCosts' | 'report'
>;

/** One schema per key of a type, so that none is missing. */
export type ShapeOf<Value> = Readonly<Record<keyof Value, z.ZodType>>;

/** One schema per key of a part, without the content that a prune stored during a run. */
type PartOf<Type extends Part['type']> = Omit<
  ShapeOf<Extract<Part, { readonly type: Type }>>,
  'stored'
>;
type StateOf<Status extends ToolState['status']> = ShapeOf<
  Extract<ToolState, { readonly status: Status }>
>;

/** The format name of sessions that were never recorded in another format. */
export const OWN_NAME = 'canonical';

/** The key and value that mark a header. */
export const MARK = { key: 'compaction-bench', value: 'session' } as const;

/** The version that is written and read. */
export const VERSION = 1;

const Text = z.string().exactOptional();
const Tokens = z.int().min(0);
const Count = z.int().min(0);
const NanoUsd = z.int().min(0);

/** A call that a sub-agent answered. */
export const sideSessionShape = {
  callId: z.string().describe('The call of this session.'),
  sessionId: z.string().describe("The recorder's own id of the sub-agent's session."),
} satisfies ShapeOf<SideSessionLink>;

/** A window that the recording states. */
const windowShape = {
  messageIndex: Count.describe('The first message that it holds for.'),
  contextTokens: z.int().min(1),
} satisfies ShapeOf<RecordedWindow>;

const Step = z.int().min(1);

/** Planted facts of a generated session. */
export const factShape = {
  id: z.string(),
  serial: z.int().exactOptional().describe('The larger of two about the same holds.'),
  role: z.enum(FACT_ROLES).exactOptional().describe('What it is where it is not to be kept.'),
  about: z.string().exactOptional().describe('The fact that it resembles, or wants left out.'),
  kind: z.enum(FACT_KINDS),
  subject: z.string().describe('What the value belongs to; stands in the same sentence.'),
  value: z.string().describe('What has to be kept to the letter.'),
  sentence: z
    .string()
    .exactOptional()
    .describe('The sentence that states it, where a user gave it.'),
  aliases: z.array(z.string()).exactOptional().describe('Other ways to write the value.'),
  polarity: z.enum(['do', 'dont']).describe('dont: the value is not to be used.'),
  criticality: z.enum(['must', 'should', 'nice']),
  weight: z.number().positive().exactOptional().describe('How much it counts among others.'),
  source: z.enum(['user', 'assistant', 'tool']),
  step: Step.describe('The step that says it, from 1; of a user, the step that answers.'),
  posPct: z.number().min(0).max(100).describe('Where in the content it stands, in percent.'),
  supersedes: z.string().exactOptional().describe('The id of the fact that it replaces.'),
  todoState: z.enum(TODO_STATES).exactOptional().describe('How far the task has come.'),
  operation: z.enum(FILE_OPERATIONS).exactOptional().describe('What was done to the file.'),
  dependsOn: z.array(z.string()).exactOptional().describe('Facts on which it rests.'),
  neededAt: z.array(Step).describe('Later steps that use the value.'),
} satisfies ShapeOf<PlantedFact>;

/** The first line of a session. */
export const headerShape = {
  [MARK.key]: z.literal(MARK.value),
  version: z.literal(VERSION),
  format: Text.describe('The recorded format that it was read from; absent where it was not.'),
  sessionId: Text.describe("The recorder's own id; growing copies share it."),
  isSide: z.boolean().exactOptional().describe('The session of a sub-agent; false if absent.'),
  parentSessionId: Text.describe('The session whose sub-agent this is.'),
  sideSessions: z
    .array(z.object(sideSessionShape))
    .exactOptional()
    .describe('Which calls were answered by sub-agents.'),
  isPartial: z
    .boolean()
    .exactOptional()
    .describe('What lies before the first message is not there; false if absent.'),
  model: Text.describe('provider/model of most steps; the first of equals.'),
  folder: Text.describe('The folder that the agent worked in.'),
  isRedacted: z.boolean().exactOptional().describe('Its texts are filler; false if absent.'),
  system: Text.describe('The system prompt.'),
  isOutputFinal: z
    .boolean()
    .exactOptional()
    .describe('Recorded output tokens are final counts; false if absent.'),
  isCacheUnknown: z
    .boolean()
    .exactOptional()
    .describe('No usage tells what was read from a cache; false if absent.'),
  cacheTtlMs: z.number().min(0).exactOptional().describe('How long prompts were to stay cached.'),
  recordedWindows: z
    .array(z.object(windowShape))
    .exactOptional()
    .describe('Windows that the recording states, each only where it changes.'),
  ownCostUsd: z.number().min(0).exactOptional().describe("The file's own cost of the session."),
  restarts: z
    .array(Count)
    .exactOptional()
    .describe('Numbers of messages before which the agent was started anew.'),
  release: z
    .array(Count)
    .exactOptional()
    .describe('The release of the recording agent, as numbers.'),
  facts: z
    .array(z.object(factShape))
    .exactOptional()
    .describe('What a generated session says that later steps may need.'),
} satisfies Record<HeaderKey | typeof MARK.key | 'version', z.ZodType>;

/** Tokens of one request as its provider reported them. */
export const usageShape = {
  input: Tokens.describe('Read fresh: without cache reads and writes.'),
  output: Tokens,
  reasoning: Tokens,
  cacheRead: Tokens,
  cacheWrite: Tokens,
  total: Tokens.exactOptional().describe("The provider's own sum."),
} satisfies ShapeOf<Usage>;

/** The error that ended a request without an answer. */
export const errorShape = {
  name: z.string(),
  message: z.string(),
} satisfies ShapeOf<MessageError>;

/** The cost of a step, in nano-dollars. */
export const costShape = {
  inputNanoUsd: NanoUsd,
  outputNanoUsd: NanoUsd,
} satisfies ShapeOf<RecordedCost>;

/** A time in ms since 1970. */
const Moment = z.number().min(0).max(LATEST_MS);

const messageShape = {
  type: z.literal('message'),
  role: z.enum(['user', 'assistant']),
  id: Text.describe('Unique among messages, parts and files; "message-1", … if absent.'),
  createdAt: Moment.exactOptional().describe('ms since 1970; 0, unknown, if absent.'),
};

const Id = z
  .string()
  .exactOptional()
  .describe('Unique among messages, parts and files; by default the id of its message and "-1", …');

const Flag = z.boolean().exactOptional();

const text = {
  type: z.literal('text'),
  id: Id,
  text: z.string(),
  synthetic: Flag.describe('Written by a program, not by whose message it stands in.'),
  ignored: Flag.describe('Stored but never sent to a model.'),
} satisfies PartOf<'text'>;

const reasoning = {
  type: z.literal('reasoning'),
  id: Id,
  text: z.string(),
  signedBy: z.string().exactOptional().describe('The provider that signed it.'),
} satisfies PartOf<'reasoning'>;

const file = {
  type: z.literal('file'),
  id: Id,
  mime: z.string(),
  filename: z.string().exactOptional(),
  url: z.string().describe('A data:, file: or https: address.'),
} satisfies ShapeOf<FilePart>;

const Input = z.unknown().describe('What the tool was given.');

const waiting = { input: Input };
const pending = { status: z.literal('pending'), ...waiting } satisfies StateOf<'pending'>;
const running = { status: z.literal('running'), ...waiting } satisfies StateOf<'running'>;

const completed = {
  status: z.literal('completed'),
  input: Input,
  output: z.string(),
  attachments: z.array(z.object(file)).exactOptional(),
  compactedAt: Moment.exactOptional().describe('When the output was cleared, ms since 1970.'),
} satisfies StateOf<'completed'>;

const failed = {
  status: z.literal('error'),
  input: Input,
  error: z.string(),
  partialOutput: z.string().exactOptional().describe('What an interrupted tool had printed.'),
} satisfies StateOf<'error'>;

const tool = {
  type: z.literal('tool'),
  id: Id,
  callId: z.string().exactOptional().describe('Unique among calls; by default the id and "-call".'),
  tool: z.string(),
  state: z.discriminatedUnion('status', [
    z.object(pending),
    z.object(running),
    z.object(completed),
    z.object(failed),
  ]),
} satisfies PartOf<'tool'>;

const Snapshot = z.string().exactOptional().describe('Names the state of the files.');

const stepStart = {
  type: z.literal('step-start'),
  id: Id,
  snapshot: Snapshot,
} satisfies PartOf<'step-start'>;

const stepFinish = {
  type: z.literal('step-finish'),
  id: Id,
  reason: z.string(),
  snapshot: Snapshot,
} satisfies PartOf<'step-finish'>;

const compaction = {
  type: z.literal('compaction'),
  id: Id,
  auto: z.boolean().describe('Queued by a trigger, not by hand.'),
  overflow: Flag.describe('The provider had refused the request.'),
  tailStartId: z.string().exactOptional().describe('First message that was to stay verbatim.'),
  headEndId: z
    .string()
    .exactOptional()
    .describe('Last of the first messages that were to stay verbatim.'),
} satisfies PartOf<'compaction'>;

const subtask = {
  type: z.literal('subtask'),
  id: Id,
  prompt: z.string(),
} satisfies PartOf<'subtask'>;

/** A part of a message as written. */
export const PartValue = z.discriminatedUnion('type', [
  z.object(text),
  z.object(reasoning),
  z.object(file),
  z.object(tool),
  z.object(stepStart),
  z.object(stepFinish),
  z.object(compaction),
  z.object(subtask),
]);

const parts = z.array(PartValue).exactOptional();

/** A user message, written by a person or by a program. */
export const promptShape = {
  ...messageShape,
  role: z.literal('user'),
  parts,
} satisfies ShapeOf<UserMessage> & ShapeOf<typeof messageShape>;

/** One model request with its answer and the results of the tools it called. */
export const stepShape = {
  ...messageShape,
  role: z.literal('assistant'),
  parentId: Text.describe('The user message that it answers; the one before it if absent.'),
  summary: z.boolean().exactOptional().describe('Marks the message that replaced history.'),
  finish: z
    .string()
    .nullable()
    .exactOptional()
    .describe('Why the model stopped; null if it never did; by what follows if absent.'),
  error: z.object(errorShape).exactOptional(),
  usage: z.object(usageShape).exactOptional(),
  model: Text.describe('provider/model that wrote it.'),
  cost: z.object(costShape).exactOptional().describe('What it cost, in nano-dollars.'),
  parts,
} satisfies ShapeOf<Omit<AssistantMessage, 'unseenTokens'>> &
  ShapeOf<typeof messageShape> & { cost: z.ZodType };

/** A compaction by the recording agent. */
export const compactionShape = {
  type: z.literal('compaction'),
  kind: z.enum(['full', 'micro']).describe('History replaced by a summary, or outputs cleared.'),
  trigger: z.enum(['auto', 'manual']).exactOptional(),
  messageIndex: Count.describe('How many messages came before it.'),
  tokensBefore: z.int().exactOptional(),
  tokensAfter: z.int().exactOptional(),
  summary: Text,
  summaryUsage: z.object(usageShape).exactOptional().describe('Of the request that wrote it.'),
  clearedCallIds: z.array(z.string()).exactOptional(),
  firstKeptMessageIndex: Count.exactOptional().describe('First message that stayed verbatim.'),
} satisfies ShapeOf<RecordedCompaction> & { type: z.ZodType };

/** Counts of dropped and repaired records from the import. */
export const reportShape = {
  type: z.literal('report'),
  dropped: z.record(z.string(), Count).describe('How many, by reason.'),
  repaired: z.record(z.string(), Count).describe('How many, by reason.'),
} satisfies ShapeOf<ImportReport> & { type: z.ZodType };

/** The header line. */
export const HeaderLine = z.object(headerShape);
export const PromptLine = z.object(promptShape);
export const StepLine = z.object(stepShape);
export const CompactionLine = z.object(compactionShape);
export const ReportLine = z.object(reportShape);

/** Keys of parts, files and tool states, in their written order. */
export const partShapes = {
  text,
  reasoning,
  file,
  tool,
  'step-start': stepStart,
  'step-finish': stepFinish,
  compaction,
  subtask,
} satisfies Record<Part['type'], object>;

/** Keys of tool states, by status. */
export const stateShapes = { pending, running, completed, error: failed } satisfies Record<
  ToolState['status'],
  object
>;

/** The lines of a session file, each with its end: the same bytes for the same session, without its name. */
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

/** The JSON Schema of one line of a session file. */
export function toJsonSchema(): Record<string, unknown> {
  const line = z
    .union([HeaderLine, PromptLine, StepLine, CompactionLine, ReportLine])
    .describe('One line of a session file of compaction-bench.');
  return z.toJSONSchema(line, { io: 'output' });
}

function toLine(shape: object, value: object): string {
  return `${JSON.stringify(inOrder(shape, value))}\n`;
}

/** The fields of a value in the order of its shape, without absent ones. */
function inOrder(shape: object, value: object): Fields {
  const fields: readonly [string, unknown][] = Object.keys(shape).map((key) => [
    key,
    Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined,
  ]);
  return Object.fromEntries(fields.filter(([, field]) => field !== undefined));
}

function headerOf(session: Session): object {
  const { format, sideSessions, recordedWindows, facts } = session;
  return {
    ...session,
    [MARK.key]: MARK.value,
    version: VERSION,
    format: format === OWN_NAME ? undefined : format,
    sideSessions: sideSessions?.map((link) => inOrder(sideSessionShape, link)),
    recordedWindows: recordedWindows?.map((window) => inOrder(windowShape, window)),
    facts: facts?.map((fact) => inOrder(factShape, fact)),
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

function withoutUsual(value: Part, usualId: string): object {
  return value.id === usualId ? { ...value, id: undefined } : value;
}

function toState(state: ToolState, partId: string): Fields {
  const files = state.status === 'completed' ? state.attachments : undefined;
  const attachments = files?.map((file, index) => toFile(file, `${partId}-file-${index + 1}`));
  return inOrder(stateShapes[state.status], { ...state, attachments });
}

function toFile(file: FilePart, usualId: string): Fields {
  return inOrder(partShapes.file, withoutUsual(file, usualId));
}

/** The fields of a step, without those that its position implies. */
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

function reportOf({ dropped, repaired }: ImportReport): object {
  return { type: 'report', dropped: sortKeys(dropped), repaired: sortKeys(repaired) };
}
