import { type ModelMessage, pruneMessages } from 'ai';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Message,
  type Part,
  policies,
  type Policy,
  render,
  resolvePolicy,
} from '../../../src/engine/index.ts';
import { toArray } from '../../../src/engine/history.ts';
import { passByMessage } from '../../../src/engine/prune/by-message.ts';
import { markOutputs } from '../../../src/engine/prune/plan.ts';
import type { ByMessageOptions, CallRule } from '../../../src/engine/prune-policy.ts';
import { step, text, tool, toolIn, user } from '../../support/history.ts';
import { assertReaching } from '../../support/reaching.ts';

type PruneOptions = Omit<Parameters<typeof pruneMessages>[0], 'messages'>;
type ToolCalls = NonNullable<PruneOptions['toolCalls']>;
type Content = Extract<ModelMessage, { readonly role: 'assistant' | 'tool' }>['content'];

const RUNS = 1_000;
const NOW = 7;
const TOOLS = ['read', 'bash', 'task'] as const;
const preset = policies['vercel-prune-messages'];

const reasoningParts = fc.constantFrom('why', 'because').map(
  (words) =>
    (id: string): Part => ({ type: 'reasoning', id, text: words }),
);
const textParts = fc.tuple(fc.constantFrom('', 'so'), fc.boolean()).map(
  ([words, synthetic]) =>
    (id: string): Part =>
      text(id, words, { synthetic }),
);
const stepStarts = fc.constant((id: string): Part => ({ type: 'step-start', id }));
const results = fc.tuple(fc.constantFrom(...TOOLS), fc.nat({ max: 5 }));
const toolParts = results.map(([name, kind]) => (id: string): Part => {
  if (kind === 0) return toolIn(id, { status: 'pending', input: {} }, name);
  if (kind === 1) return toolIn(id, { status: 'error', input: {}, error: 'no' }, name);
  return tool(id, 40, { tool: name });
});
const stepParts = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: toolParts },
    { weight: 4, arbitrary: reasoningParts },
    { weight: 2, arbitrary: textParts },
    { weight: 1, arbitrary: stepStarts },
  ),
  { minLength: 1, maxLength: 6 },
);
const histories: fc.Arbitrary<readonly Message[]> = fc
  .array(
    fc.oneof({ weight: 1, arbitrary: fc.constant(undefined) }, { weight: 4, arbitrary: stepParts }),
    { minLength: 1, maxLength: 8 },
  )
  .map((shapes) =>
    shapes.map((parts, index) =>
      parts === undefined
        ? user(`m${index}`)
        : step(
            `m${index}`,
            parts.map((part, place) => part(`m${index}-${place}`)),
          ),
    ),
  );

const depths = fc.constantFrom(
  'all' as const,
  'before-last-message' as const,
  ...[0, 1, 2, 3, 5].map((count) => `before-last-${count}-messages` as const),
);
const toolCalls: fc.Arbitrary<ToolCalls> = fc.oneof(
  fc.constant('none' as const),
  depths,
  fc.array(
    fc.record({ type: depths, tools: fc.subarray([...TOOLS]) }, { requiredKeys: ['type'] }),
    { maxLength: 3 },
  ),
);
const options: fc.Arbitrary<Required<PruneOptions>> = fc.record({
  reasoning: fc.constantFrom('all' as const, 'before-last-message' as const, 'none' as const),
  toolCalls,
  emptyMessages: fc.constantFrom('keep' as const, 'remove' as const),
});

/** The same options in the words of a policy. */
function policyOf({ reasoning, toolCalls: calls, emptyMessages }: Required<PruneOptions>): Policy {
  return resolvePolicy(preset, {
    prune: { byMessage: { reasoning, toolCalls: rulesOf(calls) } },
    ...(emptyMessages === 'keep' && { render: { emptyMessages: 'keep' } }),
  });
}

function rulesOf(calls: ToolCalls): readonly CallRule[] {
  if (calls === 'none') return [];
  if (typeof calls === 'string') return [{ ...depthOf(calls) }];
  return calls.map(({ type, tools }) => ({ ...depthOf(type), ...(tools && { tools }) }));
}

function depthOf(type: string): CallRule {
  if (type === 'all') return {};
  return { keepMessages: type === 'before-last-message' ? 1 : Number(type.split('-')[2]) };
}

function pruned(history: readonly Message[], policy: Policy): readonly Message[] {
  const { prune } = policy;
  const placed = passByMessage(history, prune.byMessage as ByMessageOptions, policy);
  return toArray(markOutputs(history, placed, NOW));
}

/** As messages of the AI SDK; calls of the tool `task` needed an approval, which came with the results. */
function toSdk(history: readonly Message[], policy: Policy): readonly ModelMessage[] {
  return render(history, policy.render).map(({ role, content }): ModelMessage => {
    if (role === 'user')
      return { role, content: content.map(() => ({ type: 'text', text: 'go' })) };
    const parts = content.flatMap((one): readonly unknown[] => {
      if (one.type === 'tool-call') {
        const { callId: toolCallId, tool: toolName, input } = one;
        const call = { type: one.type, toolCallId, toolName, input };
        const request = {
          type: 'tool-approval-request',
          approvalId: `ok-${toolCallId}`,
          toolCallId,
        };
        return toolName === 'task' ? [call, request] : [call];
      }
      if (one.type !== 'tool-result') return [one];
      const { callId: toolCallId, tool: toolName, output: value } = one;
      const output = { type: 'text', value };
      const response = {
        type: 'tool-approval-response',
        approvalId: `ok-${toolCallId}`,
        approved: true,
      };
      const result = { type: one.type, toolCallId, toolName, output };
      // A call that was approved and has not run yet has its approval alone.
      if (toolName !== 'task') return [result];
      return one.isError ? [response] : [response, result];
    });
    return { role, content: parts as Content } as ModelMessage;
  });
}

describe('vercel-prune-messages', () => {
  it('leaves the messages that pruneMessages of the AI SDK leaves, whatever the options', () => {
    const met = new Map<string, number>();
    const meet = (name: string, isMet = true) =>
      met.set(name, (met.get(name) ?? 0) + Number(isMet));
    assertReaching(
      fc.property(histories, options, (history, chosen) => {
        const policy = policyOf(chosen);
        const before = toSdk(history, policy);
        const expected = pruneMessages({ messages: [...before], ...chosen });
        expect(toSdk(pruned(history, policy), policy)).toEqual(expected);

        const parts = expected.flatMap(({ content }) => content as readonly { type: string }[]);
        const all = before.flatMap(({ content }) => content as readonly { type: string }[]);
        const lost = (type: string) =>
          all.filter((part) => part.type === type).length -
          parts.filter((part) => part.type === type).length;
        meet(`reasoning ${chosen.reasoning}`, lost('reasoning') > 0);
        const kind =
          typeof chosen.toolCalls === 'string' ? chosen.toolCalls.replace(/\d/, 'N') : 'list';
        meet(`calls ${kind}`, lost('tool-call') > 0);
        meet(`empty ${chosen.emptyMessages}`, parts.length < all.length);
        meet('approvals', lost('tool-approval-response') > 0);
        meet(
          'kept and lost',
          lost('tool-call') > 0 && parts.some(({ type }) => type === 'tool-call'),
        );
        meet('thought goes with its call', chosen.reasoning === 'none' && lost('reasoning') > 0);
        meet(
          'empty message kept',
          expected.some(({ content }) => content.length === 0),
        );
        meet(
          'by tool',
          Array.isArray(chosen.toolCalls) &&
            chosen.toolCalls.some(({ tools }) => tools) &&
            lost('tool-call') > 0,
        );
      }),
      { numRuns: RUNS },
    );
    const rare = [...met].filter(([name, times]) => times < 10 && !name.endsWith('none'));
    expect(rare).toEqual([]);
    expect([...met.keys()].toSorted()).toEqual([
      'approvals',
      'by tool',
      'calls all',
      'calls before-last-N-messages',
      'calls before-last-message',
      'calls list',
      'calls none',
      'empty keep',
      'empty message kept',
      'empty remove',
      'kept and lost',
      'reasoning all',
      'reasoning before-last-message',
      'reasoning none',
      'thought goes with its call',
    ]);
  });

  it('takes out a thought when the last of its calls goes, whichever rule took the others', () => {
    const history = [
      step('s', [
        { type: 'reasoning', id: 'r', text: 'why' },
        tool('a', 4, { tool: 'read' }),
        tool('b', 4, { tool: 'bash' }),
      ]),
    ];
    const policy = policyOf({
      reasoning: 'none',
      toolCalls: [
        { type: 'all', tools: ['read'] },
        { type: 'all', tools: ['bash'] },
      ],
      emptyMessages: 'remove',
    });
    expect(render(pruned(history, policy), policy.render)).toEqual([]);
  });

  it('leaves of a history that grew after a prune what it leaves of all of it', () => {
    let grown = 0;
    assertReaching(
      fc.property(histories, options, fc.nat({ max: 7 }), (history, chosen, length) => {
        const policy = policyOf(chosen);
        const start = history.slice(0, length);
        const once = pruned(start, policy);
        const twice = pruned([...once, ...history.slice(length)], policy);
        expect(twice).toEqual(pruned(history, policy));
        const isChanged = once.some((message, index) => message !== start[index]);
        grown += Number(
          isChanged && twice.some((message, index) => index < length && message !== once[index]),
        );
      }),
      { numRuns: RUNS },
    );
    expect(grown).toBeGreaterThan(5);
  });

  it('keeps what it takes out in the history', () => {
    assertReaching(
      fc.property(histories, options, (history, chosen) => {
        const once = pruned(history, policyOf(chosen));
        const stored = once.flatMap(({ parts }) =>
          parts.map((part) => ('stored' in part && part.stored ? part.stored.part : part)),
        );
        expect(stored).toEqual(history.flatMap(({ parts }) => parts));
      }),
    );
  });
});
