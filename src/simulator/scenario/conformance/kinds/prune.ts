import * as z from 'zod';
import {
  isPruneOn,
  type Message,
  planByAge,
  type PruneRuleName,
  pruneRules,
  type ToolPart,
  type ToolState,
} from '../../../../engine/index.ts';
import { Environment, isDisabled } from '../environment.ts';
import { createKind } from '../kind.ts';
import { expectedByRule, ruleNamed } from '../profiles.ts';

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

/** Which tool outputs does a prune clear, newest first? */
export const prune = createKind({
  schema: PruneVector,
  expected: ({ expected, expectedMarkedByProfile }) =>
    expectedByRule(
      { expected: expected?.marked, expectedByProfile: expectedMarkedByProfile },
      NEWEST,
    ),
  ruleOf: (profile) => ruleNamed(pruneRules, profile),
  evaluate: ({ messages, config, env }, rule) => {
    const isOff = isDisabled(env, 'OPENCODE_DISABLE_PRUNE');
    if (!isPruneOn(rule, isOff ? false : config?.compaction?.prune)) return [];
    const plan = planByAge(messages.map(toMessage), pruneRules[rule].byAge, ESTIMATOR);
    return plan.state === 'fire' ? plan.partIds : [];
  },
});

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
