import * as z from 'zod';
import {
  type CheckpointRuleName,
  checkpointRules,
  type CompactionPart,
  DEFAULT_CHECKPOINT_BUFFER_TOKENS,
  filterCompacted as filterHistory,
  isCompactionRequired,
  type Message,
  planByAge,
  preserveBudget as budgetOf,
  type PruneRuleName,
  pruneRules,
  selectCheckpointTail,
  selectTail as tailOf,
  type TailRule,
  type TailRuleName,
  tailRules,
  type ToolPart,
  type ToolState,
  type ViewRuleName,
  viewRules,
} from '../../../src/engine/index.ts';
import {
  createKind,
  Environment,
  expectedByRule,
  expectedByVersion,
  isDisabled,
  ruleNamed,
  ruleSince,
} from './vector.ts';

type TailVector = z.infer<typeof TailVector>;
type StoredMessage = z.infer<typeof StoredMessage>;
type RequiredVector = z.infer<typeof RequiredVector>;

const NEWEST: PruneRuleName = 'v1.14.19';
const ESTIMATOR = { charsPerToken: 4, rounding: 'round' } as const;

const Tool = z.looseObject({
  id: z.string(),
  tool: z.string().default('bash'),
  status: z.enum(['completed', 'error', 'pending', 'running']).default('completed'),
  outputChars: z.int().nonnegative().default(0),
  compacted: z.boolean().optional(),
});

const PruneMessage = z.looseObject({
  id: z.string(),
  role: z.enum(['user', 'assistant']),
  summary: z.boolean().optional(),
  tools: z.array(Tool).default([]),
});

const Ids = z.array(z.string());

const PruneVector = z.looseObject({
  messages: z.array(PruneMessage),
  config: z
    .looseObject({ compaction: z.looseObject({ prune: z.boolean().optional() }).optional() })
    .optional(),
  env: Environment.optional(),
  expected: z.looseObject({ marked: Ids }).optional(),
  expectedMarkedByProfile: z.record(z.string(), Ids).optional(),
});

/** Vectors of the tool outputs that a prune clears, newest first. */
const prune = createKind({
  schema: PruneVector,
  expected: ({ expected, expectedMarkedByProfile }) =>
    expectedByRule(
      { expected: expected?.marked, expectedByProfile: expectedMarkedByProfile },
      NEWEST,
    ),
  ruleOf: (profile) => ruleNamed(pruneRules, profile),
  evaluate: ({ messages, config, env }, rule) => {
    const isOff = isDisabled(env, 'OPENCODE_DISABLE_PRUNE');
    const isOn = config?.compaction?.prune ?? pruneRules[rule].isOnByDefault;
    if (isOff || !isOn) return [];
    const plan = planByAge(messages.map(toMessage), pruneRules[rule].byAge, ESTIMATOR);
    return plan.state === 'fire' ? plan.partIds : [];
  },
});

const SizedMessage = z.looseObject({ id: z.string(), size: z.number() });

const TailVector = z.looseObject({
  version: z.string().optional(),
  turns: z.array(z.looseObject({ messages: z.array(SizedMessage).min(1) })),
  budget: z.number(),
  tailTurns: z.number().nullish(),
  unlimited: z.boolean().optional(),
  split: z.boolean().optional(),
  expected: z.looseObject({ tail_start_id: z.string().nullable() }),
});

/** Vectors of the message at which the kept tail starts. */
const selectTail = createKind({
  schema: TailVector,
  expected: expectedByVersion,
  ruleOf: (version) => ruleSince(Object.keys(tailRules) as TailRuleName[], version),
  evaluate: (vector, rule) => {
    const messages = vector.turns.flatMap(({ messages: turn }) => turn.map(toMessageOfTail));
    const sizes = new Map(vector.turns.flatMap((turn) => turn.messages.map((m) => [m.id, m.size])));
    const sizeOf = (slice: readonly Message[]) =>
      slice.reduce((sum, { id }) => sum + (sizes.get(id) ?? 0), 0);
    const tail = tailOf(messages, toOptions(vector, rule), sizeOf);
    return { tail_start_id: tail?.startId ?? null };
  },
});

const BudgetVector = z.looseObject({
  version: z.string().optional(),
  usable: z.number(),
  max: z.number(),
  preserve_recent_tokens: z.number().nullish(),
  expected: z.number(),
});

/** Vectors of the token budget of the kept tail. */
const preserveBudget = createKind({
  schema: BudgetVector,
  expected: expectedByVersion,
  ruleOf: () => 'every release',
  evaluate: ({ usable, max, preserve_recent_tokens: preserveRecentTokens }) =>
    budgetOf(usable, {
      maximumBudgetTokens: max,
      preserveRecentTokens: preserveRecentTokens ?? undefined,
    }),
});

const NEWEST_OF_VIEW: ViewRuleName = 'v1.14.40';

const Marker = z.looseObject({
  auto: z.boolean().default(false),
  tail_start_id: z.string().nullish(),
});

const StoredMessage = z.looseObject({
  id: z.string(),
  role: z.enum(['user', 'assistant']),
  compaction: Marker.optional(),
  parentID: z.string().default(''),
  summary: z.boolean().optional(),
  finish: z.string().nullish(),
  error: z.unknown().optional(),
});

const ViewVector = z.looseObject({
  messagesChronological: z.array(StoredMessage),
  expected: Ids.optional(),
  expectedByProfile: z.record(z.string(), Ids).optional(),
});

/** Vectors of the messages that the model still sees, in order. */
const filterCompacted = createKind({
  schema: ViewVector,
  expected: (vector) => expectedByRule(vector, NEWEST_OF_VIEW),
  ruleOf: (profile) => ruleNamed(viewRules, profile),
  evaluate: ({ messagesChronological }, rule) =>
    filterHistory(messagesChronological.map(toMessageOfView), rule).map(({ id }) => id),
});

/** The state that measures a request before it is sent; later ones take the last measured usage. */
const ESTIMATING_RULE: CheckpointRuleName = 'core-2026-06-05';

const RequiredVector = z.looseObject({
  version: z.string().optional(),
  limit: z.looseObject({
    context: z.number().nullish(),
    output: z.number().nullish(),
    input: z.number().nullish(),
  }),
  requestEstimate: z.number().optional(),
  used: z.number().optional(),
  config: z.looseObject({ auto: z.boolean().optional(), buffer: z.number().optional() }).optional(),
  lastIsCompaction: z.boolean().optional(),
  expected: z.boolean(),
});

/** Vectors of when the 2.0 engine compacts. */
const v2Required = createKind({
  schema: RequiredVector,
  expected: expectedByVersion,
  ruleOf: (version) => ruleSince(Object.keys(checkpointRules) as CheckpointRuleName[], version),
  evaluate: (vector, rule) =>
    isCompactionRequired(countOf(vector, rule), toLimits(vector.limit), {
      rule,
      auto: vector.config?.auto ?? true,
      bufferTokens: vector.config?.buffer ?? DEFAULT_CHECKPOINT_BUFFER_TOKENS,
      isAfterCheckpoint: vector.lastIsCompaction ?? false,
    }),
});

/** Entries without a text of their own in a checkpoint. */
const TEXTLESS_TYPES: readonly string[] = ['compaction', 'system'];
/** States of the 2.0 engine whose tail starts at an entry rather than inside one. */
const TAIL_RULES = ['core-2026-07-10'] as const;

const SelectVector = z.looseObject({
  version: z.string().optional(),
  entries: z.array(z.looseObject({ type: z.string(), size: z.number().nullish() })),
  keepTokens: z.number(),
  previousRecent: z.union([z.boolean(), z.string()]).nullish(),
  expected: z.looseObject({ tailStart: z.number().nullable() }),
});

/** Vectors of the entry at which a checkpoint's tail starts. */
const v2SelectTail = createKind({
  schema: SelectVector,
  expected: expectedByVersion,
  ruleOf: (version) => ruleSince(TAIL_RULES, version),
  evaluate: ({ entries, keepTokens, previousRecent }) => {
    const options = { keepTokens, hasPreviousTail: Boolean(previousRecent) };
    return { tailStart: selectCheckpointTail(entries.map(toEntry), options) ?? null };
  },
});

/** Kinds of vectors about messages: prune, kept tails, views and checkpoints. */
export const historyKinds = {
  prune,
  selectTail,
  preserveBudget,
  filterCompacted,
  v2Required,
  v2SelectTail,
};

function toMessage(message: z.infer<typeof PruneMessage>): Message {
  const { id, role, summary } = message;
  const base = { id, createdAt: 0, parts: message.tools.map(toPart) };
  if (role === 'user') return { ...base, role };
  return { ...base, role, parentId: '', ...(summary && { summary }) };
}

function toPart(tool: z.infer<typeof Tool>): ToolPart {
  return { type: 'tool', id: tool.id, callId: tool.id, tool: tool.tool, state: toState(tool) };
}

function toState({ status, outputChars, compacted }: z.infer<typeof Tool>): ToolState {
  const input = {};
  if (status === 'error') return { status, input, error: '' };
  if (status !== 'completed') return { status, input };
  return { status, input, output: 'x'.repeat(outputChars), ...(compacted && { compactedAt: 0 }) };
}

/** The first message of a turn is the prompt that began it. */
function toMessageOfTail({ id }: z.infer<typeof SizedMessage>, index: number): Message {
  const base = { id, createdAt: 0, parts: [] };
  return index === 0 ? { ...base, role: 'user' } : { ...base, role: 'assistant', parentId: '' };
}

function toOptions({ budget, tailTurns, unlimited, split }: TailVector, rule: TailRuleName) {
  const { turns, splitsTurns }: TailRule = tailRules[rule];
  return {
    budgetTokens: budget,
    turns: unlimited ? undefined : (tailTurns ?? turns),
    splitsTurns: split ?? splitsTurns,
  };
}

function toMessageOfView(message: StoredMessage): Message {
  const { id, role, compaction, parentID, summary, finish, error } = message;
  const base = {
    id,
    createdAt: 0,
    parts: compaction === undefined ? [] : [toPartOfView(id, compaction)],
  };
  if (role === 'user') return { ...base, role };
  return {
    ...base,
    role,
    parentId: parentID,
    ...(summary && { summary }),
    ...(finish && { finish }),
    ...(Boolean(error) && { error: { name: 'Error', message: '' } }),
  };
}

function toPartOfView(messageId: string, marker: z.infer<typeof Marker>): CompactionPart {
  const { auto, tail_start_id: tailStartId } = marker;
  const part = { type: 'compaction', id: messageId, auto } as const;
  return typeof tailStartId === 'string' ? { ...part, tailStartId } : part;
}

function countOf({ used, requestEstimate }: RequiredVector, rule: CheckpointRuleName): number {
  const counts = rule === ESTIMATING_RULE ? [requestEstimate, used] : [used, requestEstimate];
  return counts.find((tokens) => tokens !== undefined) ?? 0;
}

function toLimits({ context, output, input }: RequiredVector['limit']) {
  return { contextTokens: context ?? 0, outputTokens: output ?? 0, inputTokens: input ?? 0 };
}

function toEntry({ type, size }: z.infer<typeof SelectVector>['entries'][number]) {
  const isUser = type === 'user';
  const hasText = typeof size === 'number' && !TEXTLESS_TYPES.includes(type);
  return hasText ? { isUser, sizeTokens: size } : { isUser };
}
