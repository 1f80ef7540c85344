import { describe, expect, it } from 'vitest';
import {
  ALL_GUARDS,
  createState,
  type GuardsPolicy,
  type LoopInput,
  NO_GUARDS,
  type PolicyName,
  transition,
} from '../../src/engine/index.ts';
import { frozen } from '../../src/engine/values.ts';
import { answered, guarded, lastLines, linesOf, overflown } from '../support/guarded.ts';
import { text } from '../support/history.ts';
import {
  compact,
  final,
  LIMITS,
  OVER,
  overfilled,
  play,
  said,
  stepped,
  summarised,
  summaryFailed,
} from '../support/script.ts';
import { testTools } from '../support/tools.ts';

describe('guards', () => {
  it('are all on or all off in the two ready sets', () => {
    expect(Object.keys(ALL_GUARDS)).toEqual(Object.keys(NO_GUARDS));
    expect(Object.values(NO_GUARDS).filter(Boolean)).toEqual([]);
    expect(Object.values(ALL_GUARDS).filter((value) => !value)).toEqual([]);
  });
});

type Rejected = [string, keyof GuardsPolicy, LoopInput, string];
const cutOffs = ['length', 'content-filter', 'error', 'max_tokens'].map(
  (finish): Rejected => [
    `cut off by ${finish}`,
    'rejectTruncatedSummary',
    answered('All', finish),
    `the summary was cut off (${finish})`,
  ],
);
const calls = [
  '<tool_call>{}</tool_call>',
  ' \n</function_call>',
  '```json\n {"name": "bash", "arguments": {}}',
  '[TOOL_CALL]',
  '{ "tool_call" : "bash"}',
].map(
  (text): Rejected => [text, 'rejectToolCallSummary', answered(text), 'the summary is a tool call'],
);

describe('a summary that is rejected', () => {
  it.each<Rejected>([
    ['empty', 'rejectEmptySummary', answered(' \n'), 'the summary is empty'],
    ...cutOffs,
    [
      'a finished call',
      'rejectToolCallSummary',
      answered('All', 'tool-calls'),
      'the summary is a tool call',
    ],
    ...calls,
    [
      'as large as what it replaces',
      'rejectLargerSummary',
      answered('x'.repeat(120)),
      'the summary (30 tokens) is not smaller than what it replaces (30)',
    ],
  ])('%s: only with its guard', (_, guard, answer, reason) => {
    const inputs = [...overflown, answer];
    expect(lastLines(guarded('opencode-1.2.16', { [guard]: true }), inputs)).toEqual([
      `summary-rejected: ${reason}`,
      'stop summary-failed',
    ]);
    expect(lastLines(guarded('opencode-1.2.16'), inputs)?.[0]).toBe('compacted auto');
  });

  it.each<[string, keyof GuardsPolicy, LoopInput]>([
    ['a word of text', 'rejectEmptySummary', answered('a')],
    ['an ordinary finish', 'rejectTruncatedSummary', answered('All', 'end_turn')],
    ['a call that is only spoken of', 'rejectToolCallSummary', answered('I wrote <tool_call>.')],
    ['a JSON object of other things', 'rejectToolCallSummary', answered('{"goal": "mend"}')],
    ['a token less than what it replaces', 'rejectLargerSummary', answered('x'.repeat(117))],
  ])('is none with %s', (_, guard, answer) => {
    const policy = guarded('opencode-1.2.16', { [guard]: true });
    expect(lastLines(policy, [...overflown, answer])?.[0]).toBe('compacted auto');
  });

  it.each<PolicyName>(['opencode-1.2.16', 'document-002'])('leaves nothing behind: %s', (name) => {
    const policy = guarded(name, { rejectEmptySummary: true });
    const before = play(policy, [[said('u1')], [final('s1', 1)]]).state;
    const after = play(policy, [[said('u1')], [final('s1', 1)], [compact], [answered('')]]).state;
    expect(JSON.stringify(after.history)).toBe(JSON.stringify(before.history));
    expect(after.phase).toEqual(before.phase);
  });
});

const leap = (chars: number) => [
  said('u1'),
  final('s1', 80_000),
  said('u2', 'x'.repeat(chars)),
  stepped('s2', 170_001),
];

describe('usage that is not believed', () => {
  it('was measured before the newest pivot', () => {
    expect(
      lastLines(guarded('opencode-1.14.40', { ignoreStaleUsage: true }), [
        ...overfilled,
        summarised(),
      ]),
    ).toEqual([
      'compacted auto',
      'usage-ignored s3: measured before the newest pivot',
      'request marker summary u2 s2 u3 s3 continue',
    ]);
    expect(lastLines(guarded('opencode-1.14.40'), [...overfilled, summarised()])?.[1]).toBe(
      'overflow before-request',
    );
  });

  it('was not measured before a pivot where a summary failed', () => {
    const policy = guarded('opencode-1.14.40', { ignoreStaleUsage: true });
    const lines = lastLines(policy, [...overfilled, summaryFailed, said('u4')]);
    expect(lines?.[0]).toBe('overflow before-request');
  });

  it('is above the window', () => {
    const inputs = [said('u1'), stepped('s1', 151)];
    expect(lastLines(guarded('document-002', { ignoreImplausibleUsage: true }), inputs)).toEqual([
      'usage-ignored s1: 151 tokens on a window of 150',
      'request u1 s1',
    ]);
    expect(lastLines(guarded('document-002'), inputs)?.[0]).toBe('overflow after-step');
    const filled = [said('u1'), stepped('s1', 150)];
    expect(lastLines(guarded('document-002', { ignoreImplausibleUsage: true }), filled)?.[0]).toBe(
      'overflow after-step',
    );
  });

  it('leaps without text that would explain it', () => {
    const limits = { contextTokens: 200_000, outputTokens: 32_000 };
    const policy = guarded('document-002', { ignoreImplausibleUsage: true });
    expect(linesOf(policy, leap(10), limits)[3]).toEqual([
      'usage-ignored s2: 170001 tokens after 80000',
      'request u1 s1 u2 s2',
    ]);
    expect(linesOf(policy, leap(90_001), limits)[3]?.[0]).toBe('overflow after-step');
    const edge = [final('s1', 80_000), stepped('s2', 170_000)];
    expect(linesOf(policy, [said('u1'), ...edge], limits)[2]?.[0]).toBe('overflow after-step');
    const steady = [said('u1'), final('s1', 80_001), said('u2'), stepped('s2', 170_001)];
    expect(linesOf(policy, steady, limits)[3]?.[0]).toBe('overflow after-step');
  });

  it('is explained by as many characters as it grew by tokens, to the character', () => {
    const limits = { contextTokens: 200_000, outputTokens: 32_000 };
    const policy = guarded('document-002', { ignoreImplausibleUsage: true });
    const frame = JSON.stringify([[text('s1-0', 's1')], [text('u2-0', '')]]).length;
    const [enough, short] = [90_001 - frame, 90_000 - frame];
    expect(linesOf(policy, leap(enough), limits)[3]?.[0]).toBe('overflow after-step');
    expect(linesOf(policy, leap(short), limits)[3]?.[0]).toMatch(/^usage-ignored s2/);
  });
});

/** What a policy asks for after a step over the limit, with a prompt of 20 tokens. */
const overflowWith = (guards: Partial<GuardsPolicy>, overheadTokens: number) => {
  const policy = guarded('document-002', guards);
  const tools = testTools();
  const state = createState(policy, LIMITS, { overheadTokens });
  const asked = transition(frozen(state), said('u1', 'x'.repeat(80)), tools);
  return transition(frozen(asked.state), stepped('s1', OVER), tools).commands;
};

describe('the irreducible floor', () => {
  it('stops with a reason that names the sizes', () => {
    expect(overflowWith({ stopIrreducible: true }, 80)).toEqual([
      {
        type: 'stop',
        reason: 'irreducible',
        detail: 'system and tools 80 + newest request 20 ≥ usable 100 tokens',
      },
    ]);
  });

  it('is looked at with its guard only, and stops nothing above it', () => {
    expect(overflowWith({}, 80)).toMatchObject([{ type: 'summarise' }]);
    expect(overflowWith({ stopIrreducible: true }, 79)).toMatchObject([{ type: 'summarise' }]);
  });
});

describe('the reminder of missing headings', () => {
  const policy = guarded('opencode-1.2.16', { remindMissingHeadings: true });

  it('is sent once', () => {
    expect(policy).toPlay([
      [said('u1'), 'request u1'],
      [stepped('s1', OVER), 'overflow after-step', 'marker-queued auto', 'summarise u1 s1 marker'],
      [answered('All of it.'), 'summary-repeated no-headings', 'summarise u1 s1 marker'],
      [
        answered('All of it.'),
        'summary-rejected: the summary has none of the headings that were asked for, also after a reminder',
        'stop summary-failed',
      ],
    ]);
  });

  it('is enough when the second answer has them', () => {
    const answers = [answered('All of it.'), answered('## Goal\nMend it.')];
    expect(lastLines(policy, [...overflown, ...answers])?.[0]).toBe('compacted auto');
  });

  it.each(['## Goal\nMend it.', 'Well:\n## Accomplished  \nAll.'])(
    'is not sent after %j',
    (summary) => {
      expect(lastLines(policy, [...overflown, answered(summary)])?.[0]).toBe('compacted auto');
    },
  );

  it('is not sent where no headings were asked for', () => {
    const plain = guarded('document-002', { remindMissingHeadings: true });
    expect(lastLines(plain, [...overflown, answered('All.')])?.[0]).toBe('compacted auto');
  });

  it('is not sent for a summary that is rejected anyway', () => {
    const strict = guarded('opencode-1.2.16', {
      remindMissingHeadings: true,
      rejectEmptySummary: true,
    });
    expect(lastLines(strict, [...overflown, answered('')])?.[0]).toMatch(/^summary-rejected/);
  });
});
