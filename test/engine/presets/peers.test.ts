import { describe, expect, it } from 'vitest';
import {
  type LoopInput,
  policies,
  type Policy,
  type PolicyName,
  render,
  resolvePolicy,
  viewOf,
} from '../../../src/engine/index.ts';
import { step, text, tool, toolIn, usage } from '../../support/history.ts';
import {
  compact,
  final,
  OVER,
  play,
  refused,
  said,
  type Script,
  stepped,
  summarised,
} from '../../support/script.ts';

/** The preset with a trigger at 100 of the 150 tokens of these scripts. */
const narrow = (name: PolicyName): Policy =>
  resolvePolicy(policies[name], {
    trigger: { windowShare: 100 / 150 },
    // What these scripts replace is smaller than any summary.
    guards: { rejectLargerSummary: false },
  });
/** A step with an output, which wants to go on. */
const working = (id: string, tokens: number): LoopInput =>
  stepped(id, tokens, {
    parts: [tool(`${id}-0`, 4)],
    finish: 'tool-calls',
    usage: usage({ input: tokens }),
  });

/** A step that overflows, the summary of a head, and the view after it. */
const scriptOf = (name: PolicyName, head: string, view: string): Script => [
  [said('u1'), 'request u1'],
  [
    stepped('s1', OVER),
    `overflow ${name === 'crush' ? 'after-step' : 'before-request'}`,
    'marker-queued auto',
    `summarise ${head}`,
  ],
  [summarised(), 'compacted auto', `request ${view}`],
];
/** What the model is shown after a script, a line a message. */
const shown = (policy: Policy, script: Script) => {
  const { state } = play(policy, script);
  return render(viewOf(state), policy.render).map(({ role, content }) => {
    const texts = content.flatMap((each) => (each.type === 'text' ? [each.text] : [each.type]));
    return `${role}: ${texts.join(' | ')}`;
  });
};
/** A step that reads a file; the second one overflows. */
const read = (id: string, path: string): LoopInput => ({
  type: 'step-finished',
  message: step(
    id,
    [
      toolIn(
        `${id}-0`,
        { status: 'completed', input: { file_path: path }, output: `in ${path}` },
        'Read',
      ),
    ],
    { finish: 'tool-calls', usage: usage({ input: id === 's2' ? OVER : 1 }) },
  ),
});

describe('the triggers of other agents', () => {
  it('do not count the answer in Gemini CLI', () => {
    const told = usage({ input: 30, cacheRead: 30, cacheWrite: 39, output: 50, total: 149 });
    expect(narrow('gemini-cli')).toPlay([
      [said('u1'), 'request u1'],
      [stepped('s1', 0, { finish: 'stop', usage: told }), 'stop finished'],
      [said('u2'), 'request u1 s1 u2'],
    ]);
  });

  it.each([
    'claude-code-2.1',
    'claude-code',
    'qwen-code',
    'codex-local',
    'kimi-cli',
    'anthropic-compact',
  ] as const)('add what came after the measured step: %s', (name) => {
    const policy = narrow(name);
    const lines = (tokens: number) =>
      play(policy, [[said('u1')], [final('s1', 90)], [said('u2', 'word'.repeat(tokens))]])
        .played.at(-1)
        ?.at(1);
    expect([lines(5), lines(20)]).toEqual(['request u1 s1 u2', 'overflow before-request']);
  });
});

it('counts the newest usage alone in Claude Code 2.0', () => {
  expect(narrow('claude-code-2.0')).toPlay([
    [said('u1'), 'request u1'],
    [final('s1', 90), 'stop finished'],
    [said('u2', 'word'.repeat(50)), 'request u1 s1 u2'],
  ]);
});

describe('a compaction before a prompt is sent', () => {
  it.each<[PolicyName, string, string]>([
    ['claude-code-2.1', 'u1 s1 u2', 'marker summary'],
    ['claude-code', 'u1 s1 u2', 'marker summary u2'],
    ['qwen-code', 'u1 s1', 'marker summary u2'],
    ['gemini-cli', 'u1 s1', 'marker summary u2'],
    ['codex-local', 'u1 s1', 'marker replay summary u2'],
    ['codex-remote', 'u1 s1', 'marker replay summary u2'],
    ['kimi-cli', 'u1', 'marker summary s1 u2'],
    ['goose', 'u1 s1', 'marker summary u2'],
    ['anthropic-compact', 'u1 s1 u2', 'marker summary'],
  ])('%s summarises %s and shows %s', (name, head, view) => {
    expect(narrow(name)).toPlay([
      [said('u1'), 'request u1'],
      [final('s1', OVER), 'stop finished'],
      [said('u2'), 'overflow before-request', 'marker-queued auto', `summarise ${head}`],
      [summarised(), 'compacted auto', `request ${view}`],
    ]);
  });
});

describe('a compaction in the middle of a turn', () => {
  it.each<[PolicyName, string, string]>([
    ['claude-code-2.1', 'u1 s1', 'marker summary'],
    ['claude-code', 'u1 s1', 'marker summary s1'],
    ['qwen-code', 'u1 s1', 'marker summary'],
    ['codex-local', 'u1 s1', 'marker replay summary'],
    ['crush', 'u1 s1', 'marker summary continue'],
    ['anthropic-compact', 'u1 s1', 'marker summary'],
  ])('%s summarises %s and shows %s', (name, head, view) => {
    const script = scriptOf(name, head, view);
    expect(play(narrow(name), script).played).toEqual(script);
  });

  it.each(['gemini-cli', 'kimi-cli'] as const)('goes on where all would stay: %s', (name) => {
    expect(narrow(name)).toPlay([
      [said('u1'), 'request u1'],
      [working('s1', OVER), 'overflow before-request', 'request u1 s1'],
      [final('s2', 10), 'stop finished'],
    ]);
  });

  it('by hand, where all would stay, is ignored', () => {
    expect(narrow('pi')).toPlay([
      [said('u1'), 'request u1'],
      [final('s1', 10), 'stop finished'],
      [compact, 'ignored compact'],
    ]);
  });

  it('is none in pi, which looks at the end of turns and keeps what reaches its tokens, also without the prompt', () => {
    const policy = resolvePolicy(narrow('pi'), { cut: { keep: 'recent-messages', tokens: 2 } });
    expect(policy).toPlay([
      [said('u1'), 'request u1'],
      [stepped('s1', 1), 'request u1 s1'],
      [stepped('s2', OVER), 'request u1 s1 s2'],
      [final('s3', OVER), 'overflow after-step', 'marker-queued auto', 'summarise u1 s1'],
      [summarised(), 'compacted auto', 'stop finished'],
      [said('u2'), 'request marker summary s2 s3 u2'],
    ]);
  });

  it('is none in goose but after a refusal, which sends the prompt again once', () => {
    expect(narrow('goose')).toPlay([
      [said('u1'), 'request u1'],
      [final('s1', 1), 'stop finished'],
      [said('u2'), 'request u1 s1 u2'],
      [stepped('s2', OVER), 'request u1 s1 u2 s2'],
      [refused, 'overflow refused', 'marker-queued auto', 'summarise u1 s1 u2 s2'],
      [summarised(), 'compacted auto replay', 'request marker summary replay'],
      [refused, 'overflow refused', 'stop refused'],
    ]);
  });

  it('crush says nothing where the turn was over', () => {
    expect(narrow('crush')).toPlay([
      [said('u1'), 'request u1'],
      [final('s1', OVER), 'overflow after-step', 'marker-queued auto', 'summarise u1 s1'],
      [summarised(), 'compacted auto', 'stop finished'],
    ]);
  });
});

describe('what other agents show after a compaction', () => {
  const once: Script = [[said('u1', 'Do $& {request}.')], [stepped('s1', OVER)], [summarised()]];

  it('crush quotes the request as it was said, whatever came since and whatever is not sent', () => {
    const hidden = text('t', 'Hidden.', { ignored: true });
    const asked = said('u1', 'Do $& {request}.', hidden);
    const script: Script = [[asked], [stepped('s1', OVER)], [said('u2', 'New.')], [summarised()]];
    expect(shown(narrow('crush'), script).slice(1)).toEqual([
      'user: New.',
      expect.stringMatching(/^user: .*: Do \$& \{request\}\.$/),
    ]);
    expect(shown(narrow('crush'), once)).toEqual([
      expect.stringMatching(/^user: The conversation so far .*\n\nAll of it\.$/s),
      expect.stringMatching(/^user: .*: Do \$& \{request\}\.$/),
    ]);
  });

  it('codex shows prompts before the summary, those of earlier compactions too, and none twice', () => {
    const again: Script = [
      ...once,
      [final('s2', 10)],
      [said('u2')],
      [stepped('s3', OVER)],
      [summarised()],
    ];
    expect(shown(narrow('codex-local'), again)).toEqual([
      'user: Do $& {request}.',
      'user: u2',
      expect.stringMatching(/^user: .*All of it\.$/s),
    ]);
  });

  it('codex has a text in the place of an empty summary', () => {
    const empty: LoopInput = { type: 'summary-finished', result: { text: ' ', finish: 'stop' } };
    const told = shown(narrow('codex-local'), [...once.slice(0, 2), [empty]]);
    expect(told.at(-1)).toMatch(/\n\n\(no summary available\)$/);
  });

  it('Qwen Code keeps nothing after a refusal, and stops at a second one', () => {
    expect(narrow('qwen-code')).toPlay([
      [said('u1'), 'request u1'],
      [final('s1', 10), 'stop finished'],
      [said('u2'), 'request u1 s1 u2'],
      [refused, 'overflow refused', 'marker-queued auto', 'summarise u1 s1 u2'],
      [summarised(), 'compacted auto', 'request marker summary'],
      [refused, 'overflow refused', 'stop refused'],
    ]);
  });

  it('Qwen Code cuts long outputs as they come, to their beginning and end', () => {
    const long = step('s1', [tool('s1-0', 25_001)], { finish: 'tool-calls' });
    const { state } = play(policies['qwen-code'], [
      [said('u1'), 'request u1'],
      [{ type: 'step-finished', message: long }],
    ]);
    const [part] = state.history.at(-1)?.parts ?? [];
    const output =
      part?.type === 'tool' && part.state.status === 'completed' ? part.state.output : '';
    expect(output.length).toBeLessThan(4_600);
    expect(output).toContain('characters left out');
  });

  it('Claude Code gives the files again that were read last', () => {
    const [handover] = shown(narrow('claude-code'), [
      [said('u1')],
      [read('s1', 'a.ts')],
      [read('s2', 'b.ts')],
      [summarised()],
    ]);
    const files = /All of it\.\n\n.*b\.ts.*in b\.ts\n\n.*a\.ts.*in a\.ts$/s;
    expect(handover).toMatch(files);
    const [again] = shown(narrow('claude-code'), [
      [said('u1')],
      [read('s1', 'a.ts')],
      [read('s2', 'b.ts')],
      [summarised()],
      [stepped('s3', OVER)],
      [summarised()],
    ]);
    expect(again).toMatch(files);
  });
});
