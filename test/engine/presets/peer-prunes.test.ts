import { describe, expect, it } from 'vitest';
import {
  type LoopInput,
  policies,
  render,
  resolvePolicy,
  type ToolPart,
  viewOf,
} from '../../../src/engine/index.ts';
import { step, tool, toolIn, usage } from '../../support/history.ts';
import { final, play, refused, said, type Script, stepped } from '../../support/script.ts';

const outputs = (id: string, count: number, name = 'bash'): LoopInput => ({
  type: 'step-finished',
  message: step(
    id,
    Array.from({ length: count }, (_, index) => tool(`${id}-${index}`, 40, { tool: name })),
    { finish: 'tool-calls', usage: usage() },
  ),
});

/** A step of that many tokens with an output of ten, which wants to go on. */
const used = (id: string, input: number): LoopInput => ({
  type: 'step-finished',
  message: step(id, [tool(`${id}-0`, 40)], { finish: 'tool-calls', usage: usage({ input }) }),
});

/** A step with an output of that many characters, which wants to go on. */
const large = (id: string, chars: number): LoopInput => ({
  type: 'step-finished',
  message: step(id, [tool(`${id}-0`, chars)], { finish: 'tool-calls', usage: usage() }),
});

/** A step with one output of that many tokens, which ends its turn. */
const filling = (id: string, tokens: number): LoopInput => ({
  type: 'step-finished',
  message: step(id, [tool(`${id}-0`, 4 * tokens)], { usage: usage() }),
});

/** A step with one call, which wants to go on. */
const calling = (id: string, part: ToolPart): LoopInput => ({
  type: 'step-finished',
  message: step(id, [part], { finish: 'tool-calls', usage: usage() }),
});

/** A call of a tool that gave nothing to speak of. */
const given = (id: string, name: string, input: unknown): ToolPart =>
  toolIn(id, { status: 'completed', input, output: 'ok' }, name);

/** What Gemini CLI makes of an old output of that many tokens. */
const geminiPrune = (tokens: number) =>
  play(
    policies['gemini-cli'],
    [[said('u1')], [filling('s1', tokens)], [said('u2')], [filling('s2', 50_000)], [said('u3')]],
    { contextTokens: 0 },
  ).played.at(-1)?.[1];

describe('prunes of other agents', () => {
  it.each(['claude-code', 'qwen-code'] as const)(
    'keep the newest five outputs of some tools after an hour, and wait for a turn to end: %s',
    (name) => {
      const hour: LoopInput = { type: 'idle', sinceMs: 3_600_000 };
      const script: Script = [
        [said('u1'), 'request u1'],
        [outputs('s1', 3), 'request u1 s1'],
        [outputs('s2', 1, 'TodoWrite'), 'request u1 s1 s2'],
        [outputs('s3', 4, 'Read'), 'request u1 s1 s2 s3'],
        [hour],
        [final('s4', 1), 'stop finished'],
        [{ type: 'idle', sinceMs: 3_599_999 }],
        [hour, 'pruned fire s1-1 s1-0'],
        [hour, 'pruned nothing'],
      ];
      const policy = resolvePolicy(policies[name], { prune: { enabled: true } });
      expect(play(policy, script, { contextTokens: 0 }).played).toEqual(script);
    },
  );

  it('masks all but the newest ten before each request, and never compacts', () => {
    const script: Script = [
      [said('u1'), 'request u1'],
      [outputs('s1', 9), 'request u1 s1'],
      [outputs('s2', 2), 'pruned fire s1-0', 'request u1 s1 s2'],
      [outputs('s3', 1), 'pruned fire s1-1', 'request u1 s1 s2 s3'],
      [stepped('s4', 1_000_000), 'request u1 s1 s2 s3 s4'],
      [refused, 'overflow refused', 'stop refused'],
    ];
    const { played, state } = play(policies['last-n-observations'], script);
    expect(played).toEqual(script);
    const sent = JSON.stringify(render(viewOf(state), state.policy.render));
    expect(sent.split('Old environment output: (omitted)')).toHaveLength(3);
  });

  it("clears all but the newest three above 100,000 tokens, counted as if nothing was cleared: Anthropic's API", () => {
    const script: Script = [
      [said('u1'), 'request u1'],
      [outputs('s1', 3), 'request u1 s1'],
      [used('s2', 99_990), 'request u1 s1 s2'],
      [
        used('s3', 99_991),
        'overflow before-request',
        'pruned fire s1-1 s1-0',
        'request u1 s1 s2 s3',
      ],
      // 10 tokens are newer, and placeholders stand for 20 with 12.
      [used('s4', 99_982), 'request u1 s1 s2 s3 s4'],
      [
        used('s5', 99_983),
        'overflow before-request',
        'pruned fire s2-0 s1-2',
        'request u1 s1 s2 s3 s4 s5',
      ],
      [refused, 'overflow refused', 'stop refused'],
    ];
    const policy = policies['anthropic-clear-tool-uses'];
    expect(play(policy, script, { contextTokens: 200_000 }).played).toEqual(script);
  });

  it('goes by an estimate of its messages, whatever is reported: LangChain', () => {
    const script: Script = [
      [said('u1'), 'request u1'],
      [outputs('s1', 4), 'request u1 s1'],
      [used('s2', 190_000), 'request u1 s1 s2'],
      [
        large('s3', 400_000),
        'overflow before-request',
        'pruned fire s1-2 s1-1 s1-0',
        'request u1 s1 s2 s3',
      ],
    ];
    const policy = policies['langchain-clear-tool-uses'];
    const { played, state } = play(policy, script, { contextTokens: 200_000 });
    expect(played).toEqual(script);
    const sent = JSON.stringify(render(viewOf(state), state.policy.render));
    expect(sent.split('[cleared]')).toHaveLength(4);
  });

  it('takes calls with their results out of a request: the AI SDK', () => {
    const script: Script = [
      [said('u1'), 'request u1'],
      [outputs('s1', 2), 'request u1 s1'],
      [
        large('s2', 400_000),
        'overflow before-request',
        'pruned fire s1-1 s1-0',
        'request u1 s1 s2',
      ],
      // All that was taken out counts, as the SDK is given all messages each time.
      [outputs('s3', 1), 'overflow before-request', 'pruned fire s2-0', 'request u1 s1 s2 s3'],
      [outputs('s4', 1), 'overflow before-request', 'pruned fire s3-0', 'request u1 s1 s2 s3 s4'],
    ];
    const policy = policies['vercel-prune-messages'];
    const { played, state } = play(policy, script, { contextTokens: 200_000 });
    expect(played).toEqual(script);
    const sent = render(viewOf(state), state.policy.render);
    expect(sent.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
  });

  it('asks for verdicts above 100,000 tokens, and again when they are reached again', () => {
    expect(policies['verdict-scored']).toPlay([
      [said('u1'), 'request u1'],
      [large('s1', 8_000), 'request u1 s1'],
      [outputs('s2', 3), 'request u1 s1 s2'],
      [used('s3', 100_000), 'overflow before-request', 'pruned fire s1-0', 'request u1 s1 s2 s3'],
      [used('s4', 99_980), 'request u1 s1 s2 s3 s4'],
      [
        used('s5', 100_000),
        'overflow before-request',
        'pruned nothing',
        'request u1 s1 s2 s3 s4 s5',
      ],
    ]);
  });

  it('dcp clears what later messages made useless before each request, and no more', () => {
    const failed = toolIn('s1-0', {
      status: 'error',
      input: { command: 'ls', depth: 2 },
      error: 'no',
    });
    const script: Script = [
      [said('u1'), 'request u1'],
      [calling('s1', failed), 'request u1 s1'],
      [
        calling('s2', given('s2-0', 'write', { filePath: 'a.ts', content: 'one' })),
        'request u1 s1 s2',
      ],
      [
        calling('s3', given('s3-0', 'read', { filePath: 'a.ts' })),
        'pruned fire s2-0',
        'request u1 s1 s2 s3',
      ],
      [
        calling('s4', given('s4-0', 'read', { filePath: 'a.ts', limit: null })),
        'pruned fire s3-0',
        'request u1 s1 s2 s3 s4',
      ],
      [calling('s5', given('s5-0', 'task', {})), 'pruned fire s1-0', 'request u1 s1 s2 s3 s4 s5'],
      [calling('s6', given('s6-0', 'task', {})), 'request u1 s1 s2 s3 s4 s5 s6'],
    ];
    const { played, state } = play(policies.dcp, script, { contextTokens: 0 });
    expect(played).toEqual(script);
    const contents = render(viewOf(state), state.policy.render).flatMap(({ content }) => content);
    expect(contents.flatMap((one) => (one.type === 'tool-call' ? [one.input] : []))).toEqual([
      { command: '[input removed due to failed tool call]', depth: 2 },
      { filePath: 'a.ts', content: expect.stringContaining('this is not what was written') },
      { filePath: 'a.ts' },
      { filePath: 'a.ts', limit: null },
      {},
      {},
    ]);
    expect(contents.flatMap((one) => (one.type === 'tool-result' ? [one.output] : []))).toEqual([
      'no',
      'ok',
      '[Output removed to save context - information superseded or no longer needed]',
      'ok',
      'ok',
      'ok',
    ]);
  });

  it('Gemini CLI prunes before a request, from 30,000 tokens on', () => {
    expect([geminiPrune(29_999), geminiPrune(30_000)]).toEqual([
      'pruned below-minimum s1-0',
      'pruned fire s1-0',
    ]);
  });
});
