import { describe, expect, it } from 'vitest';
import { policies, type Policy, resolvePolicy } from '../../../src/engine/index.ts';
import { type RefusalName, refusals } from '../../../src/simulator/provider/refusals.ts';
import type { DialectName } from '../../../src/simulator/provider/usage.ts';
import { file, user } from '../../support/history.ts';
import {
  answer,
  ask,
  call,
  chat,
  eventsOf,
  modelOf,
  roomy,
  run,
  traceOf,
  wordsOf,
  work,
} from './lab.ts';

const startsWith = (name: string) => (line: string) => line.startsWith(name);
/** A window of which the policy is told twice as much. */
const narrow = { model: modelOf({ trueContextTokens: 5_000 }), summaryModel: roomy };
const opencode = policies['opencode-1.2.16'];
const document = policies['document-002'];
const VLLM =
  "This model's maximum context length is 5000 tokens. However, you requested 0 output tokens and your prompt contains at least 6540 input tokens, for a total of at least 6540 tokens. Please reduce the length of the input prompt or the number of requested output tokens.";

/** Whether 1.2.16 and 1.18 know the words; most are known to both. */
const KNOWN: Partial<Record<RefusalName, readonly [boolean, boolean]>> = {
  'anthropic-max-tokens': [false, false],
  zai: [false, true],
  'litellm-wrapper': [false, true],
  'litellm-no-model': [false, false],
  dashscope: [false, false],
  'llama.cpp-context': [false, false],
  mistral: [false, true],
  ollama: [false, true],
};

describe('a request over the true window', () => {
  it('leads to a compaction where the policy knows the error, and is sent again', () => {
    const { lines, history } = run(chat(4, 2_000), narrow);
    expect(lines).toEqual([
      'step 1',
      'step 2',
      'step 3',
      'refused 4',
      'overflow refused',
      'summary answered',
      'pivot auto, replay',
      'step 4',
      'completed',
    ]);
    expect(history).toBe('u1 s1 u2 s2 u3 s3 u4 marker summary replay s4');
  });

  it('tells what it held, what the window is, and the status', () => {
    const { events } = run(chat(4, 2_000), narrow);
    expect(eventsOf(events, 'step-refused')).toEqual([
      {
        type: 'step-refused',
        step: 4,
        contextTokens: 6_540,
        windowTokens: 5_000,
        statusCode: 400,
        isRecognised: true,
      },
    ]);
  });

  it('is refused twice where the policy does not know the error, and ends the run', () => {
    const { lines, history } = run(chat(4, 2_000), { ...narrow, policy: document });
    expect(lines.slice(3)).toEqual([
      'refused 4, not known as an overflow',
      'refused 4, not known as an overflow',
      `refused: step refused twice: ${VLLM} (not known as an overflow)`,
    ]);
    expect(history).toBe('u1 s1 u2 s2 u3 s3 u4 failed-1 failed-2');
  });

  it('is refused twice where a compaction does not help, and ends the run', () => {
    const policy = resolvePolicy(opencode, { summary: { onFailure: 'roll-back' } });
    const { lines } = run(chat(4, 2_000), { ...narrow, policy, summaryModel: undefined });
    expect(lines.filter((line) => line.startsWith('refused 4'))).toHaveLength(2);
    expect(lines.at(-1)).toBe(`refused: step refused twice: ${VLLM}`);
  });

  it('is none at the window itself', () => {
    const exact = modelOf({ trueContextTokens: 6_540 });
    expect(run(chat(4, 2_000), { model: exact }).lines).not.toContain('refused 4');
    const less = modelOf({ trueContextTokens: 6_539 });
    expect(run(chat(4, 2_000), { model: less }).lines).toContain('refused 4');
  });

  it('is measured by a cap on input where the provider has one', () => {
    const model = modelOf({ trueInputTokens: 5_000 });
    const { events } = run(chat(4, 2_000), { model, summaryModel: roomy });
    expect(eventsOf(events, 'step-refused')[0]?.windowTokens).toBe(5_000);
  });

  it('is never met by the control', () => {
    const { lines } = run(chat(9, 2_000), { ...narrow, policy: policies.none });
    expect(lines).toEqual([...Array.from({ length: 9 }, (_, i) => `step ${i + 1}`), 'completed']);
  });

  it('makes the control impossible, and no run that was refused', () => {
    const endOf = (policy: Policy) => run(chat(9, 2_000), { ...narrow, policy }).events.at(-1);
    expect(endOf(policies.none)).toMatchObject({
      state: 'completed',
      impossible: 'step 4 holds 6540 tokens, and the window 5000',
    });
    expect(endOf(policies['opencode-1.2.16'])).not.toHaveProperty('impossible');
  });

  const refusing = (Object.keys(refusals) as RefusalName[]).filter(
    (name) => refusals[name].kind === 'refuses',
  );
  it.each(refusing)('is known by its words as the releases know them: %s', (refusal) => {
    const model = modelOf({ trueContextTokens: 5_000, refusal });
    const known = (['opencode-1.2.16', 'opencode-1.18'] as const).map((name) => {
      const policy = policies[name];
      const { events } = run(chat(4, 2_000), { model, summaryModel: roomy, policy });
      return eventsOf(events, 'step-refused')[0]?.isRecognised;
    });
    expect(known).toEqual(KNOWN[refusal] ?? [true, true]);
  });
});

describe('the guard that learns the window', () => {
  const learning = resolvePolicy(opencode, { guards: { learnWindow: true } });
  const refusalsOf = (policy: typeof learning) =>
    eventsOf(run(chat(12, 1_000), { ...narrow, policy }).events, 'step-refused').map(
      ({ step }) => step,
    );

  it('is refused once; the trigger sees to the rest', () => {
    expect(refusalsOf(opencode)).toEqual([6, 11]);
    expect(refusalsOf(learning)).toEqual([6]);
    const { lines } = run(chat(12, 1_000), { ...narrow, policy: learning });
    expect(lines.filter((line) => line.startsWith('overflow'))).toEqual([
      'overflow refused',
      'overflow after-step',
    ]);
  });

  it('sets the limit of the state', () => {
    const { state } = run(chat(12, 1_000), { ...narrow, policy: learning });
    expect(state.limits).toEqual({ contextTokens: 5_000, outputTokens: 1_000 });
  });

  it('learns nothing from words that it does not know for a refusal', () => {
    const policy = resolvePolicy(document, { guards: { learnWindow: true } });
    expect(run(chat(4, 2_000), { ...narrow, policy }).state.limits.contextTokens).toBe(10_000);
  });
});

describe('a request of too many bytes', () => {
  const picture = file('f1', 'image/png', { url: `data:image/png;base64,${'A'.repeat(50_000)}` });
  const messages = [
    ...chat(1, 100),
    user('u2', wordsOf(10), picture),
    answer('s2', 100, { parentId: 'u2' }),
  ];

  it('is answered with a 413, and goes without its media after a compaction', () => {
    const { lines, events, state } = run(messages, { model: modelOf({ maxRequestBytes: 40_000 }) });
    expect(lines).toEqual([
      'step 1',
      'refused 2',
      'overflow refused',
      'summary answered',
      'pivot auto, replay',
      'step 2',
      'completed',
    ]);
    expect(eventsOf(events, 'step-refused')[0]).toMatchObject({ statusCode: 413 });
    const replay = state.history.at(-2);
    expect(replay?.parts.map(({ type }) => type)).toEqual(['text', 'text']);
    expect(JSON.stringify(replay)).toContain('image/png');
    expect(JSON.stringify(replay)).not.toContain('AAAA');
  });

  const linesUnder = (maxRequestBytes: number) =>
    run(messages, { model: modelOf({ maxRequestBytes }) }).lines;

  it('is none up to the cap', () => {
    const bytes = 4 * (10 + 100 + 10) + picture.url.length;
    expect(linesUnder(bytes)).toEqual(['step 1', 'step 2', 'completed']);
    expect(linesUnder(bytes - 1)).toContain('refused 2');
  });
});

describe('a malformed request', () => {
  const alternating = { model: modelOf({ checks: ['roles-alternate'] }), summaryModel: roomy };
  const long = [...chat(5, 2_000), ask('u6', 10), answer('s6', 10)];

  it('ends the run with what was wrong', () => {
    const { lines } = run(long, alternating);
    expect(lines.slice(-4)).toEqual([
      'summary answered',
      'pivot auto',
      'malformed 6: Message 3 has the role user after a user message.',
      'failed: malformed request: Message 3 has the role user after a user message.',
    ]);
  });

  it('is not held against a policy where the recording is so by itself', () => {
    const twice = [...long, ask('u7', 10), ask('u8', 10), answer('s8', 10)];
    expect(traceOf(twice).ownFaults).toEqual(['roles-alternate']);
    expect(run(twice, alternating).lines.at(-1)).toBe('completed');
  });

  it('is none for the control', () => {
    const unanswered = traceOf([ask('u0', 10), ...long], { ownFaults: [] });
    expect(run(unanswered, alternating).lines.at(-1)).toMatch(/^failed: malformed request/);
    const control = run(unanswered, { ...alternating, policy: policies.none });
    expect(control.lines.at(-1)).toBe('completed');
  });

  it('is seen also where a view only grew', () => {
    const orphan = [ask('u1', 10), call('s1', 10), call('s2', 10, { id: 's1b' })];
    const model = modelOf({ checks: ['ids-unique'] });
    const trace = { ...traceOf(orphan), ownFaults: [] };
    expect(run(trace, { model }).lines.at(-1)).toBe('completed');
    const again = [...work(2, 10), { ...call('s1', 10), id: 's3' }, answer('s4', 10)];
    const clash = { ...traceOf(again), ownFaults: [] };
    expect(run(clash, { model }).lines.at(-1)).toMatch(/^failed: malformed request: Message \d+ /);
  });
});

describe('a provider that cuts a request without a word', () => {
  const silent = modelOf({ refusal: 'ollama-silent', dialect: 'ollama', trueContextTokens: 5_000 });

  it('goes on, and tells only what it kept', () => {
    const { lines, steps } = run(chat(5, 2_000), { model: silent });
    expect(lines).toEqual([
      'step 1',
      'step 2',
      'step 3',
      'truncated 4: 2502 of 6540',
      'step 4',
      'truncated 5: 2502 of 8550',
      'step 5',
      'completed',
    ]);
    expect(steps.map(({ reported }) => reported?.input)).toEqual([510, 2_520, 4_530, 2_502, 2_502]);
    expect(steps.filter(({ isCold, lostTokens }) => isCold || lostTokens)).toEqual([]);
  });

  it.each<DialectName>(['anthropic', 'openai'])('tells what was sent where %s does', (dialect) => {
    const model = modelOf({ refusal: 'ollama-silent', dialect, trueContextTokens: 5_000 });
    const { lines, steps } = run(chat(5, 2_000), { model, summaryModel: roomy });
    const contexts = steps.map(({ contextTokens }) => contextTokens);
    expect(contexts.slice(0, 5)).toEqual([510, 2_520, 4_530, 6_540, 8_550]);
    expect(steps.map(({ reported }) => reported?.input)).toEqual(contexts);
    expect(lines).toContain('truncated 5: 2502 of 8550');
    expect(lines).toContain('overflow after-step');
  });

  it('never lets the trigger fire', () => {
    const { lines } = run(chat(20, 2_000), { model: silent });
    expect(lines.filter(startsWith('overflow'))).toEqual([]);
    expect(lines.filter(startsWith('truncated'))).toHaveLength(17);
  });

  it('is found out by the guards, which check an estimate', () => {
    const policy = resolvePolicy(opencode, {
      guards: { ignoreImplausibleUsage: true, estimateMissingUsage: true },
    });
    const { lines } = run(chat(7, 2_000), { model: silent, policy, summaryModel: roomy });
    expect(lines).toContain('ignored s4: 4502 tokens of about 8540 that were sent');
    expect(lines.filter(startsWith('overflow'))).toEqual(['overflow after-step']);
    expect(lines.at(-1)).toBe('completed');
  });
});

describe('a summary request over the window of its model', () => {
  const small = modelOf({ trueContextTokens: 2_000 }, { id: 'lab/small' });

  it('fails as an overflow', () => {
    const { lines } = run(chat(5, 2_000), { summaryModel: small, policy: document });
    expect(lines).toContainEqual(
      expect.stringMatching(/^summary failed: This model's maximum context length is 2000 tokens/),
    );
  });

  it('is asked again smaller as often as the policy wants, which is one compaction only', () => {
    const policy = resolvePolicy(document, { guards: { shrinkSummaryRequest: true } });
    const { lines } = run(chat(14, 700), { summaryModel: small, policy });
    const answered = lines.filter((line) => line === 'summary answered');
    expect(lines.filter((line) => line === 'repeated: too-large')).toHaveLength(2);
    expect(lines.filter((line) => line === 'repeated: next-chunk')).toHaveLength(11);
    expect(answered).toHaveLength(12);
    expect(lines.slice(-4)).toEqual(['pivot auto', 'step 13', 'step 14', 'completed']);
  });
});
