import { describe, expect, it } from 'vitest';
import {
  createState,
  type LoopInput,
  NO_GUARDS,
  policies,
  type Policy,
  resolvePolicy,
  type SummaryRequest,
  transition,
} from '../../src/engine/index.ts';
import { frozen } from '../../src/engine/values.ts';
import { answered, guarded } from '../support/guarded.ts';
import { step, text, tool, usage } from '../support/history.ts';
import { said, stepped, summaryFailed, summaryOverflowed } from '../support/script.ts';
import { testTools } from '../support/tools.ts';

const idsOf = ({ messages }: SummaryRequest) => messages.map(({ id }) => id);
const sizeOf = ({ messages }: SummaryRequest) => JSON.stringify(messages).length;

describe('the ladder of smaller summary requests', () => {
  const limits = { contextTokens: 4_000, outputTokens: 1_000 };
  /** A session of many turns with long outputs, over the limit. */
  const rounds = Array.from({ length: 12 }, (_, index): LoopInput[] => {
    const id = String(index);
    const parts = [
      text(`a${id}`, 'y'.repeat(400)),
      tool(`t${id}`, 'x'.repeat(index < 2 ? 9_000 : 600)),
    ];
    const message = step(`s${id}`, parts, { finish: 'stop', usage: usage({ input: 1 }) });
    return [said(`u${id}`), { type: 'step-finished', message }];
  }).flat();
  const session = [...rounds, said('last'), stepped('over', 3_001)];

  /** All requests of an attempt that answers each with `answers`, newest last. */
  function climb(policy: Policy, answers: readonly LoopInput[]) {
    const tools = testTools();
    let state = createState(policy, limits);
    const requests: SummaryRequest[] = [];
    const told: string[] = [];
    for (const input of [...session, ...answers]) {
      const next = transition(frozen(state), input, tools);
      state = next.state;
      told.push(...next.events.map((event) => ('because' in event ? event.because : event.type)));
      requests.push(
        ...next.commands.flatMap((command) =>
          command.type === 'summarise' ? [command.request] : [],
        ),
      );
    }
    return { state, requests, told };
  }

  const shrinking = guarded('opencode-1.2.16', { shrinkSummaryRequest: true });

  it('cuts outputs, then drops the oldest, then folds chunk after chunk, then fails', () => {
    const overflows = Array.from({ length: 4 }, () => summaryOverflowed);
    const { requests, told } = climb(shrinking, overflows);
    expect(told.slice(-4)).toEqual(['too-large', 'too-large', 'too-large', 'summary-failed']);
    const [all, cut, dropped, folded] = requests;
    expect(idsOf(cut!)).toEqual(idsOf(all!));
    expect(sizeOf(cut!)).toBeLessThan(sizeOf(all!));
    expect(JSON.stringify(cut)).toContain('omitted 7000 chars');
    expect(idsOf(all!).slice(-idsOf(dropped!).length)).toEqual(idsOf(dropped!));
    expect(sizeOf(dropped!)).toBeLessThan(sizeOf(cut!));
    expect(idsOf(all!).slice(0, idsOf(folded!).length)).toEqual(idsOf(folded!));
    expect(sizeOf(folded!)).toBeLessThan(sizeOf(dropped!));
  });

  it('folds every message into one summary, each chunk with the summary of those before', () => {
    const overflows = Array.from({ length: 3 }, () => summaryOverflowed);
    const chunks = Array.from({ length: 20 }, (_, index) => answered(`Part ${index}.`));
    const { requests, state, told } = climb(shrinking, [...overflows, ...chunks]);
    const folded = requests.slice(3);
    expect(folded.length).toBeGreaterThan(2);
    expect(folded.flatMap(idsOf)).toEqual(idsOf(requests[0]!));
    expect(folded.slice(1).map(({ prompt }) => /Part \d+\./.exec(prompt)?.[0])).toEqual(
      folded.slice(1).map((_, index) => `Part ${index}.`),
    );
    expect(told.filter((word) => word === 'compacted')).toEqual(['compacted']);
    expect(
      JSON.stringify(state.history.findLast((message) => message.role === 'assistant')),
    ).toContain(`Part ${folded.length - 1}.`);
  });

  it('gives up when a chunk is too large', () => {
    const overflows = Array.from({ length: 3 }, () => summaryOverflowed);
    const { told } = climb(shrinking, [...overflows, answered('Part 0.'), summaryOverflowed]);
    expect(told.at(-1)).toBe('summary-failed');
  });

  it('is not climbed without its guard, nor for other failures', () => {
    expect(climb(guarded('opencode-1.2.16'), [summaryOverflowed]).told.at(-1)).toBe(
      'summary-failed',
    );
    expect(climb(shrinking, [summaryFailed]).told.at(-1)).toBe('summary-failed');
  });

  it('asks about no chunk of which nothing is sent, such as the marker alone', () => {
    const guards = { ...NO_GUARDS, shrinkSummaryRequest: true };
    const anchored = resolvePolicy(policies['opencode-1.18'], { guards, cut: { keep: 'nothing' } });
    const long = step('long', [text('l', 'y'.repeat(8_000))], {
      finish: 'tool-calls',
      usage: usage({ input: 5_000 }),
    });
    const tools = testTools();
    let state = createState(anchored, limits);
    const requests: SummaryRequest[] = [];
    const chunks = Array.from({ length: 30 }, (_, index) => answered(`Part ${index}.`));
    const finished = { type: 'step-finished', message: long } as const;
    for (const input of [...rounds, finished, summaryOverflowed, summaryOverflowed, ...chunks]) {
      const next = transition(state, input, tools);
      state = next.state;
      for (const command of next.commands)
        if (command.type === 'summarise') requests.push(command.request);
    }
    expect(requests.slice(2).flatMap(idsOf)).toEqual(idsOf(requests[0]!));
    expect(requests.map(({ messages }) => messages.length)).not.toContain(0);
  });

  it('starts with dropping the oldest where outputs are short already', () => {
    const anchored = resolvePolicy(shrinking, { summary: { toolOutputChars: 2_000 } });
    const { requests } = climb(anchored, [summaryOverflowed]);
    expect(idsOf(requests[1]!).length).toBeLessThan(idsOf(requests[0]!).length);
  });

  it.each(Object.values<Policy>(policies))(
    'never sends the same request twice: $name',
    (policy) => {
      const every = resolvePolicy(policy, { guards: { ...NO_GUARDS, shrinkSummaryRequest: true } });
      const { requests } = climb(
        every,
        Array.from({ length: 6 }, () => summaryOverflowed),
      );
      const sizes = requests.map(sizeOf);
      expect(sizes).toEqual([...new Set(sizes)].toSorted((one, other) => other - one));
    },
  );
});
