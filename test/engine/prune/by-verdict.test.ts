import { describe, expect, it } from 'vitest';
import {
  explainPrune,
  isWithout,
  type Message,
  type OutputVerdict,
  policies,
  type Policy,
  render,
  resolvePolicy,
  type ScoredOutput,
  scorers,
  storedPart,
} from '../../../src/engine/index.ts';
import { toArray } from '../../../src/engine/history.ts';
import type { ByVerdictOptions } from '../../../src/engine/prune-policy.ts';
import { passByVerdict } from '../../../src/engine/prune/keep-last.ts';
import { markOutputs } from '../../../src/engine/prune/plan.ts';
import { frozen } from '../../../src/engine/values.ts';
import { step, summary, tool, toolIn, user } from '../../support/history.ts';

const estimator = { charsPerToken: 4, rounding: 'round' } as const;
const short = { outputs: 0, scorer: 'size-and-age', headChars: 4, tailChars: 4 } as const;
const failed = toolIn('e1', { status: 'error', input: {}, error: 'no' });
const history: readonly Message[] = frozen([
  user('u1'),
  step('s1', [tool('a', 400), tool('b', 400, { tool: 'Read' })]),
  step('s2', [tool('c', 40), failed, tool('d', 400)]),
]);
const TABLE = { bash: 'shorten', read: 'drop' } as const;

function prune(
  messages: readonly Message[],
  options: ByVerdictOptions,
): readonly [plan: string, messages: readonly Message[]] {
  const placed = passByVerdict(messages, options, estimator);
  const { state, partIds, estimatedTokens } = placed.plan;
  const pruned = toArray(markOutputs(messages, placed, 7));
  return [[state, ...partIds, estimatedTokens].join(' '), pruned];
}

const sent = (messages: readonly Message[]) =>
  render(messages, policies['verdict-scored'].render)
    .flatMap(({ content }) => content)
    .flatMap((one) => (one.type === 'tool-result' ? [one.output] : []));

describe('the scorer by size and age', () => {
  const judge = (length: number, newerOutputs: number) =>
    scorers['size-and-age'].judge({
      tool: 'bash',
      input: {},
      output: 'x'.repeat(length),
      newerOutputs,
    });

  it.each<[chars: number, newer: number, verdict: OutputVerdict]>([
    [4_000, 19, 'keep'],
    [4_001, 0, 'shorten'],
    [1, 20, 'drop'],
    [4_001, 20, 'drop'],
  ])('%i characters with %i newer outputs: %s', (chars, newer, verdict) => {
    expect(judge(chars, newer)).toBe(verdict);
  });
});

describe('the pass by verdict', () => {
  it('drops, shortens and keeps by a table of tools, and asks the scorer for others', () => {
    const [plan, pruned] = prune(history, { ...short, byTool: TABLE });
    // What is left of a shortened output is its two ends and a line between them; 40 characters are fewer than that.
    const left = 'xxxx\n[392 characters removed to save context]\nxxxx';
    expect(plan).toBe(`fire d b a ${100 + 2 * (100 - Math.round(left.length / 4))}`);
    expect(sent(pruned)).toEqual([
      left,
      '[Old tool result content cleared]',
      'x'.repeat(40),
      'no',
      left,
    ]);
  });

  it('asks a scorer of the host what it knows of each output, newest first', () => {
    const asked: ScoredOutput[] = [];
    const judge = (output: ScoredOutput) => {
      asked.push(output);
      return output.tool === 'Read' ? ('drop' as const) : ('keep' as const);
    };
    expect(prune(history, { ...short, outputs: 1, judge })[0]).toBe('fire b 100');
    expect(asked.map(({ output, ...known }) => [known, output.length])).toEqual([
      [{ tool: 'bash', input: { id: 'c' }, newerOutputs: 1 }, 40],
      [{ tool: 'Read', input: { id: 'b' }, newerOutputs: 2 }, 400],
      [{ tool: 'bash', input: { id: 'a' }, newerOutputs: 3 }, 400],
    ]);
  });

  it('shortens once, may drop what it shortened, and leaves what is behind a summary', () => {
    const [, once] = prune(history, { ...short, byTool: TABLE });
    expect(prune(once, { ...short, byTool: TABLE })[0]).toBe('nothing 0');
    const [plan, dropped] = prune(once, { ...short, byTool: { bash: 'drop' } });
    expect(plan).toMatch(/^fire d c a /);
    expect(sent(dropped).filter((text) => text.startsWith('x'))).toEqual([]);
    const behind = [...history, summary('m', 'u1')];
    expect(prune(behind, { ...short, byTool: TABLE })[0]).toBe('nothing 0');
  });

  it('keeps the original, and cuts no character in two', () => {
    const output = `abc${'😀'.repeat(200)}abc`;
    const messages = [step('s1', [tool('a', output)])];
    const [, pruned] = prune(messages, { ...short, byTool: { bash: 'shorten' } });
    const part = pruned[0]!.parts[0]!;
    expect(sent(pruned)[0]).toBe('abc\n[398 characters removed to save context]\n😀abc');
    expect(isWithout(part, 'middle')).toBe(true);
    expect(storedPart(part)).toBe(messages[0]!.parts[0]);
  });

  it('tells its verdict on every output', () => {
    const policy: Policy = resolvePolicy(policies['verdict-scored'], {
      prune: { byVerdict: { outputs: 1, byTool: { bash: 'keep', read: 'shorten', grep: 'drop' } } },
    });
    const old = step('s0', [tool('z', 40, { tool: 'grep' }), tool('y', 4, { compactedAt: 7 })]);
    const long = step('s1', [tool('x', 9_000, { tool: 'read' })]);
    const { judgements } = explainPrune(policy, [old, long, ...history.slice(2)]);
    expect(
      judgements.map((judged) => judged.type === 'output' && `${judged.part.id} ${judged.verdict}`),
    ).toEqual([
      'd among-kept',
      'e1 not-completed',
      'c kept-by-verdict',
      'x shortened',
      'y already-cleared',
      'z dropped',
    ]);
  });
});
