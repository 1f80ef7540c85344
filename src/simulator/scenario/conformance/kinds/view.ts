import * as z from 'zod';
import {
  type CompactionPart,
  filterCompacted as filterHistory,
  type Message,
  type ViewRuleName,
  viewRules,
} from '../../../../engine/index.ts';
import { createKind } from '../kind.ts';
import { expectedByRule, ruleNamed } from '../profiles.ts';

const NEWEST: ViewRuleName = 'v1.14.40';

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
type StoredMessage = z.infer<typeof StoredMessage>;

const Ids = z.array(z.string());

const ViewVector = z.looseObject({
  messagesChronological: z.array(StoredMessage),
  expected: Ids.optional(),
  expectedByProfile: z.record(z.string(), Ids).optional(),
});

/** Which messages does the model still see, in which order? */
export const filterCompacted = createKind({
  schema: ViewVector,
  expected: (vector) => expectedByRule(vector, NEWEST),
  ruleOf: (profile) => ruleNamed(viewRules, profile),
  evaluate: ({ messagesChronological }, rule) =>
    filterHistory(messagesChronological.map(toMessage), rule).map(({ id }) => id),
});

function toMessage(message: StoredMessage): Message {
  const { id, role, compaction, parentID, summary, finish, error } = message;
  const base = {
    id,
    createdAt: 0,
    parts: compaction === undefined ? [] : [toPart(id, compaction)],
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

function toPart(messageId: string, marker: z.infer<typeof Marker>): CompactionPart {
  const { auto, tail_start_id: tailStartId } = marker;
  const part = { type: 'compaction', id: messageId, auto } as const;
  return typeof tailStartId === 'string' ? { ...part, tailStartId } : part;
}
