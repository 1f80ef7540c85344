/** Shapes of the lines of a canonical file. */

import { z } from 'zod';
import type { AssistantMessage, MessageError, Usage, UserMessage } from '../../../engine/index.ts';
import type {
  ImportReport,
  RecordedCompaction,
  RecordedCost,
  Session,
  SideSessionLink,
} from '../session.ts';
import { factShape } from './facts.ts';
import { Moment, PartValue, type ShapeOf } from './parts.ts';

/** What of a session stands in its header. */
type HeaderKey = Exclude<
  keyof Session,
  'name' | 'messages' | 'recordedCompactions' | 'recordedCosts' | 'report'
>;

/** The key by which a header is told from everything else, and its value. */
export const MARK = { key: 'compaction-bench', value: 'session' } as const;

/** The version that is written; later ones are refused. */
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
  model: Text.describe('provider/model of the first step that names one.'),
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

/** Why a request ended without an answer. */
export const errorShape = {
  name: z.string(),
  message: z.string(),
} satisfies ShapeOf<MessageError>;

/** What a step cost, in nano-dollars. */
export const costShape = {
  inputNanoUsd: NanoUsd,
  outputNanoUsd: NanoUsd,
} satisfies ShapeOf<RecordedCost>;

const messageShape = {
  type: z.literal('message'),
  role: z.enum(['user', 'assistant']),
  id: Text.describe('Unique among messages, parts and files; "message-1", … if absent.'),
  createdAt: Moment.exactOptional().describe('ms since 1970; 0, unknown, if absent.'),
};
const parts = z.array(PartValue).exactOptional();

/** What a person asked, or what a program put in their place. */
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
} satisfies ShapeOf<AssistantMessage> & ShapeOf<typeof messageShape> & { cost: z.ZodType };

/** Something that the recording agent did to its own context. */
export const compactionShape = {
  type: z.literal('compaction'),
  kind: z.enum(['full', 'micro']).describe('History replaced by a summary, or outputs cleared.'),
  trigger: z.enum(['auto', 'manual']).exactOptional(),
  messageIndex: z.int().min(1).describe('How many messages came before it.'),
  tokensBefore: z.int().exactOptional(),
  tokensAfter: z.int().exactOptional(),
  summary: Text,
  clearedCallIds: z.array(z.string()).exactOptional(),
  firstKeptMessageIndex: Count.exactOptional().describe('First message that stayed verbatim.'),
} satisfies ShapeOf<RecordedCompaction> & { type: z.ZodType };

/** What was dropped and repaired when the session was read from its recording. */
export const reportShape = {
  type: z.literal('report'),
  dropped: z.record(z.string(), Count).describe('How many, by reason.'),
  repaired: z.record(z.string(), Count).describe('How many, by reason.'),
} satisfies ShapeOf<ImportReport> & { type: z.ZodType };

/** The lines by what they are. */
export const HeaderLine = z.object(headerShape);
export const PromptLine = z.object(promptShape);
export const StepLine = z.object(stepShape);
export const CompactionLine = z.object(compactionShape);
export const ReportLine = z.object(reportShape);

/** What other programs need to check a line of a session file. */
export function toJsonSchema(): Record<string, unknown> {
  const line = z
    .union([HeaderLine, PromptLine, StepLine, CompactionLine, ReportLine])
    .describe('One line of a session file of compaction-bench.');
  return z.toJSONSchema(line, { io: 'output' });
}
