import { z } from 'zod';
import type * as engine from '../../../engine/index.ts';
import { sortKeys } from '../../../engine/internal.ts';
import { known } from '../../lib/collections.ts';
import { factShape } from '../facts.ts';
import { LATEST_MS } from '../reading/fields.ts';
import type * as sessions from '../session.ts';

type HeaderKey = Exclude<
  keyof sessions.Session,
  'name' | 'messages' | 'recordedCompactions' | 'recordedCosts' | 'report'
>;

/** One schema per key of a type, so that none is missing. */
export type ShapeOf<Value> = Readonly<Record<keyof Value, z.ZodType>>;

/** One schema per key of a part, without the content that a prune stored during a run. */
type PartOf<Type extends engine.Part['type']> = Omit<
  ShapeOf<Extract<engine.Part, { readonly type: Type }>>,
  'stored'
>;
type StateOf<Status extends engine.ToolState['status']> = ShapeOf<
  Extract<engine.ToolState, { readonly status: Status }>
>;

/** The format name of sessions that were never recorded in another format. */
export const OWN_NAME = 'canonical';

/** The key and value that mark a header. */
export const MARK = { key: 'compaction-bench', value: 'session' } as const;

/** The version that is written and read. */
export const VERSION = 1;

const Count = z.int().min(0);
const Text = z.string().exactOptional();
const Label = z.union([z.string(), z.number(), z.boolean()]);
const Flag = z.boolean().exactOptional();
const Moment = z.number().min(0).max(LATEST_MS);

const SideSession = z.object({
  callId: z.string().describe('The call of this session.'),
  sessionId: z.string().describe("The recorder's own id of the sub-agent's session."),
} satisfies ShapeOf<sessions.SideSessionLink>);

const Window = z.object({
  messageIndex: Count.describe('The first message that it holds for.'),
  contextTokens: z.int().min(1),
} satisfies ShapeOf<sessions.RecordedWindow>);

/** The first line of a session. */
export const HeaderLine = z.object({
  [MARK.key]: z.literal(MARK.value),
  version: z.literal(VERSION),
  format: Text.describe('The recorded format that it was read from; absent where it was not.'),
  sessionId: Text.describe("The recorder's own id; growing copies share it."),
  isSide: Flag.describe('The session of a sub-agent; false if absent.'),
  parentSessionId: Text.describe('The session whose sub-agent this is.'),
  sideSessions: maybe(z.array(SideSession), 'Which calls were answered by sub-agents.'),
  isPartial: Flag.describe('What lies before the first message is not there; false if absent.'),
  model: Text.describe('provider/model of most steps; the first of equals.'),
  folder: Text.describe('The folder that the agent worked in.'),
  labels: maybe(z.record(z.string(), Label), 'What a data set says of the session, by column.'),
  isRedacted: Flag.describe('Its texts are filler; false if absent.'),
  system: Text.describe('The system prompt.'),
  definitions: maybe(
    z.array(z.object({ tool: z.string(), chars: Count })),
    'Definitions of tools that its requests carried, in characters.',
  ),
  isOutputFinal: Flag.describe('Recorded output tokens are final counts; false if absent.'),
  isCacheUnknown: Flag.describe('No usage tells what was read from a cache; false if absent.'),
  cacheTtlMs: maybe(z.number().min(0), 'How long prompts were to stay cached.'),
  recordedWindows: maybe(
    z.array(Window),
    'Windows that the recording states, each only where it changes.',
  ),
  ownCostUsd: maybe(z.number().min(0), "The file's own cost of the session."),
  restarts: maybe(z.array(Count), 'Numbers of messages before which the agent was started anew.'),
  release: maybe(z.array(Count), 'The release of the recording agent, as numbers.'),
  facts: maybe(
    z.array(z.object(factShape)),
    'What a generated session says that later steps may need.',
  ),
} satisfies Record<HeaderKey | typeof MARK.key | 'version', z.ZodType>);

const UsageValue = z.object({
  input: Count.describe('Read fresh: without cache reads and writes.'),
  output: Count,
  reasoning: Count,
  cacheRead: Count,
  cacheWrite: Count,
  total: maybe(Count, "The provider's own sum."),
} satisfies ShapeOf<engine.Usage>);

const ErrorValue = z.object({
  name: z.string(),
  message: z.string(),
} satisfies ShapeOf<engine.MessageError>);

const Cost = z.object({
  inputNanoUsd: Count,
  outputNanoUsd: Count,
} satisfies ShapeOf<sessions.RecordedCost>);

const messageShape = {
  type: z.literal('message'),
  role: z.enum(['user', 'assistant']),
  id: Text.describe('Unique among messages, parts and files; "message-1", … if absent.'),
  createdAt: maybe(Moment, 'ms since 1970; 0, unknown, if absent.'),
};

const Id = Text.describe(
  'Unique among messages, parts and files; by default the id of its message and "-1", …',
);
const Input = z.unknown().describe('What the tool was given.');
const Snapshot = Text.describe('Names the state of the files.');

const FileValue = z.object({
  type: z.literal('file'),
  id: Id,
  mime: z.string(),
  filename: Text,
  url: z.string().describe('A data:, file: or https: address.'),
} satisfies ShapeOf<engine.FilePart>);

const StateValue = z.discriminatedUnion('status', [
  z.object({ status: z.literal('pending'), input: Input } satisfies StateOf<'pending'>),
  z.object({ status: z.literal('running'), input: Input } satisfies StateOf<'running'>),
  z.object({
    status: z.literal('completed'),
    input: Input,
    output: z.string(),
    attachments: z.array(FileValue).exactOptional(),
    compactedAt: maybe(Moment, 'When the output was cleared, ms since 1970.'),
  } satisfies StateOf<'completed'>),
  z.object({
    status: z.literal('error'),
    input: Input,
    error: z.string(),
    partialOutput: Text.describe('What an interrupted tool had printed.'),
  } satisfies StateOf<'error'>),
]);

/** A part of a message as written. */
export const PartValue = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('text'),
    id: Id,
    text: z.string(),
    synthetic: Flag.describe('Written by a program, not by whose message it stands in.'),
    ignored: Flag.describe('Stored but never sent to a model.'),
  } satisfies PartOf<'text'>),
  z.object({
    type: z.literal('reasoning'),
    id: Id,
    text: z.string(),
    signedBy: Text.describe('The provider that signed it.'),
  } satisfies PartOf<'reasoning'>),
  FileValue,
  z.object({
    type: z.literal('tool'),
    id: Id,
    callId: Text.describe('Unique among calls; by default the id and "-call".'),
    tool: z.string(),
    state: StateValue,
  } satisfies PartOf<'tool'>),
  z.object({
    type: z.literal('step-start'),
    id: Id,
    snapshot: Snapshot,
  } satisfies PartOf<'step-start'>),
  z.object({
    type: z.literal('step-finish'),
    id: Id,
    reason: z.string(),
    snapshot: Snapshot,
  } satisfies PartOf<'step-finish'>),
  z.object({
    type: z.literal('compaction'),
    id: Id,
    auto: z.boolean().describe('Queued by a trigger, not by hand.'),
    overflow: Flag.describe('The provider had refused the request.'),
    tailStartId: Text.describe('First message that was to stay verbatim.'),
    headEndId: Text.describe('Last of the first messages that were to stay verbatim.'),
  } satisfies PartOf<'compaction'>),
  z.object({ type: z.literal('subtask'), id: Id, prompt: z.string() } satisfies PartOf<'subtask'>),
]);

const parts = z.array(PartValue).exactOptional();

/** A user message, written by a person or by a program. */
export const PromptLine = z.object({
  ...messageShape,
  role: z.literal('user'),
  parts,
} satisfies ShapeOf<engine.UserMessage> & ShapeOf<typeof messageShape>);

/** One model request with its answer and the results of the tools it called. */
export const StepLine = z.object({
  ...messageShape,
  role: z.literal('assistant'),
  parentId: Text.describe('The user message that it answers; the one before it if absent.'),
  summary: Flag.describe('Marks the message that replaced history.'),
  finish: maybe(
    z.string().nullable(),
    'Why the model stopped; null if it never did; by what follows if absent.',
  ),
  error: ErrorValue.exactOptional(),
  usage: UsageValue.exactOptional(),
  model: Text.describe('provider/model that wrote it.'),
  cost: maybe(Cost, 'What it cost, in nano-dollars.'),
  sealedTokens: maybe(Count, 'Tokens of encrypted reasoning, as the agent takes them.'),
  parts,
} satisfies ShapeOf<Omit<engine.AssistantMessage, 'unseenTokens'>> &
  ShapeOf<typeof messageShape> & { cost: z.ZodType });

/** A compaction by the recording agent. */
export const CompactionLine = z.object({
  type: z.literal('compaction'),
  kind: z.enum(['full', 'micro']).describe('History replaced by a summary, or outputs cleared.'),
  trigger: z.enum(['auto', 'manual']).exactOptional(),
  messageIndex: Count.describe('How many messages came before it.'),
  tokensBefore: z.int().exactOptional(),
  tokensAfter: z.int().exactOptional(),
  summary: Text,
  summaryUsage: maybe(UsageValue, 'Of the request that wrote it.'),
  clearedCallIds: z.array(z.string()).exactOptional(),
  firstKeptMessageIndex: maybe(Count, 'First message that stayed verbatim.'),
} satisfies ShapeOf<sessions.RecordedCompaction> & { type: z.ZodType });

/** Counts of dropped and repaired records from the import. */
export const ReportLine = z.object({
  type: z.literal('report'),
  dropped: z.record(z.string(), Count).describe('How many, by reason.'),
  repaired: z.record(z.string(), Count).describe('How many, by reason.'),
} satisfies ShapeOf<sessions.ImportReport> & { type: z.ZodType });

/** The lines of a session file: the same bytes for the same session, without its name. */
export function* writeSession(session: sessions.Session): Generator<string, void, void> {
  const { format, messages, recordedCosts, report } = session;
  const mark = { [MARK.key]: MARK.value, version: VERSION };
  yield toLine(HeaderLine, {
    ...session,
    ...mark,
    format: format === OWN_NAME ? undefined : format,
  });
  let promptId: string | undefined;
  for (const [index, message] of messages.entries()) {
    const told = { type: 'message', ...message, parts: partsOf(message) };
    if (message.role === 'user') {
      promptId = message.id;
      yield toLine(PromptLine, told);
      continue;
    }
    // A step is written without what its position implies.
    const usual = messages[index + 1]?.role === 'assistant' ? 'tool-calls' : 'stop';
    yield toLine(StepLine, {
      ...told,
      parentId: message.parentId === promptId ? undefined : message.parentId,
      finish: message.finish === usual ? undefined : (message.finish ?? null),
      cost: recordedCosts?.get(message.id),
    });
  }
  for (const compaction of session.recordedCompactions) {
    yield toLine(CompactionLine, { type: 'compaction', ...compaction });
  }
  const [dropped, repaired] = [sortKeys(report.dropped), sortKeys(report.repaired)];
  yield toLine(ReportLine, { type: 'report', dropped, repaired });
}

/** The JSON Schema of one line of a session file. */
export function toJsonSchema(): Record<string, unknown> {
  const line = z
    .union([HeaderLine, PromptLine, StepLine, CompactionLine, ReportLine])
    .describe('One line of a session file of compaction-bench.');
  return z.toJSONSchema(line, { io: 'output' });
}

function maybe<Schema extends z.ZodType>(schema: Schema, meaning: string) {
  return schema.exactOptional().describe(meaning);
}

function toLine(schema: z.ZodType, value: object): string {
  const fields = known(value);
  return `${JSON.stringify(schema.safeParse(fields).data ?? fields)}\n`;
}

function partsOf({ id: messageId, parts: all }: engine.Message) {
  return all.map((part, index) => {
    const own = withoutUsual(part, `${messageId}-${index + 1}`);
    if (part.type !== 'tool') return own;
    const { state, callId } = part;
    const files = state.status === 'completed' ? state.attachments : undefined;
    const attachments = files?.map((file, at) => withoutUsual(file, `${part.id}-file-${at + 1}`));
    return known({
      ...own,
      callId: callId === `${part.id}-call` ? undefined : callId,
      state: known({ ...state, attachments }),
    });
  });
}

function withoutUsual({ id, ...value }: engine.Part, usualId: string) {
  return id === usualId ? value : { id, ...value };
}
