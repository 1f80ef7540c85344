import { describe, expect, it } from 'vitest';
import { type Message, policies, type Policy, resolvePolicy } from '../../../src/engine/index.ts';
import { explainRun, type Moment } from '../../../src/simulator/metrics/explain.ts';
import { CARRIED_SHARE } from '../../../src/simulator/replay/references/watch.ts';
import type { RunOptions } from '../../../src/simulator/replay/run-trace.ts';
import {
  describeHappenings,
  renderOverview,
  renderOverviewJson,
  renderStep,
  renderStepJson,
} from '../../../src/simulator/report/explain.ts';
import { findSummarizer } from '../../../src/simulator/summarizer/summarizers.ts';
import { user } from '../../support/history.ts';
import { edit, read } from '../replay/references/sessions.ts';
import {
  answer,
  ask,
  call,
  chat,
  fixed,
  LIMITS,
  modelOf,
  roomy,
  summarizerOf,
  traceOf,
  wordsOf,
} from '../replay/lab.ts';

const ORIGIN = {
  version: '0',
  catalog: { source: 'shipped', hash: '0' },
  tokenizers: {},
  settings: {},
} as const;
const ABOUT = { origin: ORIGIN, diagnosis: { sessions: 1, found: [] } };

/** A run told step by step. */
function tell(messages: readonly Message[], policy: Policy, options: Partial<RunOptions> = {}) {
  const story = explainRun(traceOf(messages), {
    policy,
    model: modelOf(),
    summarizer: fixed,
    seed: 1,
    ...options,
  });
  return { ...story, ...ABOUT };
}

/** What happened at the steps at which anything did, without numbers of tokens. */
const happeningsIn = ({ steps }: ReturnType<typeof tell>): readonly string[] =>
  steps.flatMap((step) => {
    const happened = describeHappenings(step);
    const told = happened.map((one) => one.replaceAll(/\d+,\d+/g, 'N')).join('; ');
    return told === '' ? [] : [`${step.step} ${told}`];
  });

/** What a step is told of in a section, without numbers of tokens. */
function sectionOf(story: ReturnType<typeof tell>, at: number, title: string): readonly string[] {
  const step = story.steps.find((one) => one.step === at);
  const text = step === undefined ? '' : renderStep(story, step, { colors: false, details: true });
  const [section = ''] = text.split(`${title}\n`)[1]?.split('\n\n') ?? [];
  return section.split('\n').map((line) => line.trim().replaceAll(/\d+,\d+/g, 'N'));
}

/** The provider takes less than the policy was told. */
const narrow = { model: modelOf({ trueContextTokens: 5_000 }), summaryModel: roomy };

describe('what is told of losses', () => {
  it('is how the recording stood to each, with what is expected, and apart what is no loss', () => {
    const chance = Number((1 - CARRIED_SHARE.file).toFixed(1));
    const lines = [1, 2, 3].map((nth) => `Line ${nth} of the file about the shop.`).join('\n');
    const messages = [
      user('u1'),
      read('s1', 'f', lines),
      read('s2', 'g', 'Line of the other file.'),
      user('u2'),
      read('s3', 'f', lines),
      read('s4', 'f', lines),
      edit('s5', 'f', 'Line 1 of the file about the shop.'),
      edit('s6', 'g', 'Line of the other file.'),
    ];
    const recordedCompactions = [
      { kind: 'full', messageIndex: 2, firstKeptMessageIndex: 2 },
    ] as const;
    const trace = traceOf(messages, { format: 'claude-code', recordedCompactions });
    const options = {
      policy: policies['opencode-1.2.16'],
      model: roomy,
      summarizer: findSummarizer('scripted:tokens=20'),
      faults: [3, 4].map((step) => ({ on: 'compact' as const, step })),
      seed: 1,
    };
    const story = explainRun(trace, options);
    const page = renderOverview({ ...story, ...ABOUT }, { colors: false, details: true });
    const [, told = ''] = page.split('Lost and needed later: ');
    expect(told.split('\n\n').slice(0, 2).join('\n').split('\n')).toEqual([
      `about ${1 + chance} (expected) to be read again, 0 for good:`,
      '- step 3  f, read again: 26 tokens of step 1 (compaction, gone when recorded, too)',
      `- step 6  g, lines that an edit needs: 6 tokens of step 2 (compaction, held when recorded, counts ${chance})`,
      'Gone too, and not counted: 1 read again anyway.',
    ]);
    const needless = explainRun(trace, { ...options, faults: [], mode: 'closed-loop' });
    const closed = renderOverview({ ...needless, ...ABOUT }, { colors: false });
    expect(closed).toContain('5 steps replayed, 1 left out');
  });
});

describe('what is told of the steps of a run', () => {
  it('is what left the view behind a window, which no move of the policy does', () => {
    const policy = resolvePolicy(policies['rolling-window'], { windowMessages: 4 });
    const story = tell(chat(4, 30), policy, { model: roomy });
    const told = ['1 part left the view (window)', '2 parts left the view (window)'];
    expect(happeningsIn(story)).toEqual([`3 ${told[0]}`, `4 ${told[1]}`]);
    expect(sectionOf(story, 2, 'Before the step')).toEqual(['nothing']);
    expect(sectionOf(story, 3, 'Before the step')).toEqual([told[0]]);
    const { steps } = JSON.parse(renderOverviewJson(story));
    expect(steps).toMatchObject([
      { step: 3, happened: [told[0]] },
      { step: 4, happened: [told[1]] },
    ]);
    const slid = story.steps.map((step) => JSON.parse(renderStepJson(story, step)).slidParts);
    expect(slid).toEqual([0, 0, 1, 2]);
  });

  it('is told in its order: a refusal, what was done about it, and the next one', () => {
    const story = tell([ask('u1', 6_000), answer('s1', 10)], policies['opencode-1.18'], {
      ...narrow,
      summarizer: summarizerOf(() => ({
        state: 'finished',
        text: wordsOf(6_000),
        finish: 'stop',
      })),
    });
    const told = ['refused N > window N', 'compaction N → N'];
    expect(happeningsIn(story)).toEqual([`1 ${[...told, ...told].join('; ')}`]);
    const lines = sectionOf(story, 1, 'Before the step');
    const order = lines.flatMap((line) => /^refused N|^compaction/.exec(line)?.[0] ?? []);
    expect(order).toEqual(['refused N', 'compaction', 'refused N', 'compaction']);
    const { before } = JSON.parse(renderStepJson(story, story.steps[0]!));
    const inputs = before.map(({ input, refusal }: Moment) => (refusal ? 'refusal' : input));
    expect(inputs).toEqual([
      'user-message',
      'refusal',
      'summary-finished',
      'refusal',
      'summary-finished',
    ]);
  });

  it('is how many messages moved to a memory', () => {
    const policy = resolvePolicy(policies['external-memory'], { memory: { keepMessages: 1 } });
    const story = tell(chat(3, 4_300), policy);
    expect(happeningsIn(story)).toEqual([
      '2 overflow N (usable N); 3 messages moved out',
      '3 overflow N (usable N); 2 messages moved out',
    ]);
    const { steps } = JSON.parse(renderOverviewJson(story));
    expect(steps[0].happened).toContain('3 messages moved out');
  });
});

describe('what is told of a trigger with conditions', () => {
  const policy = resolvePolicy(policies['langchain-clauses'], {
    trigger: {
      anyOf: [
        [
          { unit: 'tokens', atLeast: 5_000 },
          { unit: 'messages', atLeast: 4 },
        ],
        [{ unit: 'messages', atLeast: 9 }],
      ],
    },
    cut: { keep: 'nothing' },
  });

  it('is the list that fired, with its counts, and every list where none did', () => {
    const steps = [call('s1', 2_500), call('s2', 2_500), answer('s3', 10)];
    const story = tell([ask('u1', 10), ...steps], policy, { model: roomy });
    expect(happeningsIn(story)[0]).toMatch(
      /^2 overflow N tokens ≥ N and 5 messages ≥ 4; compaction N → \S+$/,
    );
    const after = (at: number) => sectionOf(story, at, 'After the step').join('\n');
    expect(after(1)).toMatch(
      /count N .*: no condition holds → go on\nN tokens < N and 3 messages < 4\n3 messages < 9\n/,
    );
    expect(after(2)).toMatch(/^N tokens ≥ N and 5 messages ≥ 4 → compact\ncount N/);
  });

  it('has no number of tokens in its event where messages alone were the reason', () => {
    const byMessages = resolvePolicy(policy, {
      trigger: { anyOf: [[{ unit: 'messages', atLeast: 3 }]] },
    });
    const eventOf = (each: Policy) =>
      tell([ask('u1', 10), call('s1', 5_500), call('s2', 10), answer('s3', 10)], each, {
        model: roomy,
      })
        .steps.flatMap(({ after }) => after.flatMap(({ events }) => events))
        .find(({ type }) => type === 'overflow');
    expect(eventOf(byMessages)).toEqual({ type: 'overflow', path: 'before-request' });
    expect(eventOf(policy)).toMatchObject({ usableTokens: 5_000 });
  });
});

describe('what is told of a step', () => {
  const stays = 'nothing to summarise but what stays';
  it.each<[name: string, policy: Policy, sizes: readonly number[], why: string, told: string]>([
    ['of a summary', policies['gemini-cli'], [5_500, 10], stays, `→ go on: ${stays}`],
    ['of a summary of a refused prompt', policies.pi, [9_600], stays, `stopped: refused, ${stays}`],
    [
      'of a memory',
      policies['external-memory'],
      [9_200, 10],
      'nothing to move out but what stays',
      '→ go on: nothing to move out but what stays',
    ],
    [
      'of a prune',
      policies['selective-pruning'],
      [9_200, 10],
      'the policy never compacts',
      '→ prune, then stop (finished): the policy never compacts',
    ],
  ])('is why an overflow came to nothing: %s', (_, policy, [asked = 0, ...sizes], why, told) => {
    const model = modelOf({}, { limits: LIMITS });
    const steps = sizes.map((size, index) => call(`s${index + 1}`, size));
    const story = tell([ask('u1', asked), ...steps, answer('s9', 10)], policy, { model });
    expect(happeningsIn(story).join('\n')).toContain(why);
    const sections = story.steps.flatMap(({ step }) =>
      ['Before the step', 'After the step'].flatMap((title) => sectionOf(story, step, title)),
    );
    expect(sections.filter((line) => line.includes(why))[0]).toContain(told);
  });
});
