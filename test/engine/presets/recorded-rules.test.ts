import { describe, expect, it } from 'vitest';
import {
  isContextOverflow,
  isRetried,
  type LoopInput,
  overflowRules,
  type OverflowErrorRuleName,
  policies,
  type PolicyName,
  type PolicyOverrides,
  render,
  resolvePolicy,
  resumeTexts,
  type Usage,
  viewOf,
} from '../../../src/engine/index.ts';
import { drive } from '../../support/drive.ts';
import { step, tool, usage } from '../../support/history.ts';
import { final, refused, said, stepped, summarised, summaryFailed } from '../../support/script.ts';

/** Shapes of runs of real agents (2026-11), and what each did. */
const LIMITS = { contextTokens: 200_000, outputTokens: 20_000 };
const EDGES = {
  pi: 183_616,
  'pi-0.84': 183_616,
  'pi-1.6': 183_616,
  'codex-local-0.53': 180_000,
  'codex-local-0.79': 180_000,
  'codex-local': 180_000,
  'kimi-code-0.30': 150_000,
  'kimi-code': 150_000,
  kilo: 180_000,
  'opencode-1.14.21': 180_000,
  'gemini-cli': 100_000,
  'qwen-code': 167_000,
} satisfies Partial<Record<PolicyName, number>>;
type Agent = keyof typeof EDGES;

const told = (id: string, spent: Partial<Usage>, outputs: readonly number[] = [4]): LoopInput => ({
  type: 'step-finished',
  message: step(
    id,
    outputs.map((chars, index) => tool(`${id}-${index}`, chars)),
    { finish: 'tool-calls', usage: usage(spent) },
  ),
});
const overflown: LoopInput = { ...summaryFailed, isOverflow: true } as LoopInput;
const begin = [said('u1'), stepped('s1', 1_000), stepped('s2', 2_000)];
const lastOf = (name: PolicyName, inputs: readonly LoopInput[], limits = LIMITS) =>
  drive(policies[name], limits, inputs).lines.at(-1)?.join(', ') ?? '';
const compacts = (...given: Parameters<typeof lastOf>) =>
  /overflow|background/.test(lastOf(...given));

describe('a count', () => {
  it.each<[Agent, boolean]>([
    ['pi-1.6', true],
    ['codex-local-0.79', true],
    ['codex-local', true],
    ['kimi-code-0.30', true],
    ['kimi-code', true],
    ['qwen-code', true],
    ['kilo', true],
    ['opencode-1.14.21', true],
    ['codex-local-0.53', false],
    ['gemini-cli', false],
  ])('of %s has reasoning of an answer: %s', (name, isCounted) => {
    const spent = { input: EDGES[name] - 1_000, output: 100, reasoning: 1_900 };
    const limits = { ...LIMITS, ...(name === 'kilo' && { contextTokens: 200_000 }) };
    expect(compacts(name, [...begin, told('s3', spent)], limits)).toBe(isCounted);
  });

  it.each<[Agent, boolean]>([
    ['pi-1.6', false],
    ['kimi-code-0.30', false],
    ['qwen-code', true],
    ['kilo', false],
    ['opencode-1.14.21', false],
    ['codex-local', true],
    ['codex-local-0.53', true],
  ])("of %s is the provider's total: %s", (name, isTrusted) => {
    const spent = { input: 10_000, total: EDGES[name] + 1_000 };
    expect(compacts(name, [...begin, told('s3', spent)])).toBe(isTrusted);
  });

  it.each<[Agent, boolean]>([
    ['qwen-code', true],
    ['codex-local', false],
  ])('of %s is at least the prompt, whatever total is told: %s', (name, isCounted) => {
    const spent = { input: EDGES[name] + 1_000, total: 10_000 };
    expect(compacts(name, [...begin, told('s3', spent)])).toBe(isCounted);
  });

  it.each<[Agent, boolean]>([
    ['codex-local', false],
    ['kimi-code', false],
    ['kimi-code-0.30', true],
    ['qwen-code', true],
  ])('of %s goes on from the usage before one of 0: %s', (name, goesOn) => {
    const before = told('s3', { input: EDGES[name] - 100 });
    expect(compacts(name, [...begin, before, told('s4', {}, [4_000])])).toBe(goesOn);
  });

  it.each<[Agent, boolean]>([
    ['codex-local-0.53', false],
    ['codex-local-0.79', true],
    ['codex-local', true],
  ])('of %s has sealed reasoning of earlier turns, and no other: %s', (name, isCounted) => {
    const sealed = (id: string) => step(id, [], { finish: 'stop', sealedTokens: 7_000 });
    const after = (id: string) => [{ type: 'step-finished', message: sealed(id) } as LoopInput];
    const edge = told('s4', { input: EDGES[name] - 4_000 });
    expect(compacts(name, [said('u1'), ...after('s1'), said('u2'), edge])).toBe(isCounted);
    expect(compacts(name, [...begin, ...after('s3'), edge])).toBe(false);
  });

  it.each<[Agent, boolean]>([
    ['pi', false],
    ['pi-1.6', false],
    ['codex-local', false],
    ['kimi-code', true],
  ])('of %s has a prompt of 119,000 characters: %s', (name, isCounted) => {
    const inputs = [...begin, final('s3', EDGES[name] - 10_000), said('u2', 'x'.repeat(119_000))];
    expect(compacts(name, inputs)).toBe(isCounted);
  });
});

describe('what stays', () => {
  it.each<[PolicyName, string]>([
    ['pi-0.84', 'overflow before-request, request u1 s1 s2 s3'],
    ['pi-1.6', 'overflow before-request, marker-queued auto, summarise u1 s1 s2'],
  ])('of %s behind two outputs as large as it keeps', (name, line) => {
    const parallel = told('s3', { input: 170_000 }, [40_000, 40_000]);
    expect(lastOf(name, [...begin, parallel])).toBe(line);
  });

  it.each<[PolicyName, string, LoopInput]>([
    ['kilo', 'compacted auto replay, request marker summary replay', summarised()],
    ['kilo', 'summary-repeated too-large, summarise u1 s1 s2 s3 s4', overflown],
  ])('of a prompt behind a full turn in %s: %s', (name, line, ended) => {
    const inputs = [
      ...begin,
      told('s3', { input: 100 }),
      final('s4', EDGES.kilo),
      said('u2'),
      ended,
    ];
    expect(lastOf(name, inputs)).toBe(line);
  });

  it.each<[PolicyName, string, readonly LoopInput[]]>([
    ['cline', 'compacted auto, request u1 marker summary s3', [summaryFailed]],
    ['continue-cli', 'request marker summary s4 replay', [summarised(), final('s4', 10)]],
  ])('of a turn that was compacted in %s: %s', (name, line, ended) => {
    const full = [1, 2, 3].map((nth) => told(`s${nth}`, { input: nth * 10_000 }, [230_000]));
    expect(lastOf(name, [said('u1'), ...full, ...ended])).toBe(line);
  });

  it.each<PolicyName>(['kimi-code-0.30', 'kimi-code'])('of a long prompt in %s', (name) => {
    const prompt = `${'a'.repeat(59_500)}${'z'.repeat(59_500)}`;
    const inputs = [...begin, final('s3', 140_000), said('u2', prompt), summarised()];
    const { state, lines } = drive(policies[name], LIMITS, inputs);
    expect(lines.at(-1)).toEqual(['compacted auto', 'request marker replay replay summary']);
    const shown = render(viewOf(state), policies[name].render).flatMap(({ content }) => content);
    const texts = shown.flatMap((piece) => (piece.type === 'text' ? [piece.text] : []));
    expect(texts.slice(0, 2).map(({ length }) => length)).toEqual([8_000, 72_000]);
  });

  it.each<[PolicyName, number, number]>([
    ['codex-local', 40_000, 10_000],
    ['codex-local-0.79', 40_000, 10_000],
    ['codex-local-0.53', 40_000, 5_000],
    ['codex-remote', 40_000, 40_000],
    ['qwen-code', 40_000, 4_500],
    ['qwen-code-0.15', 40_000, 25_000],
    ['opencode-1.0.154', 40_000, 30_000],
    ['opencode-1.0.224', 40_000, 40_000],
    ['pi', 200_000, 51_200],
    ['pi-1.6', 40_000, 40_000],
    ['kimi-code', 50_000, 50_000],
    ['kimi-code', 50_001, 5_400],
    ['kimi-code-0.39', 200_000, 200_000],
  ])('in %s of an output of %i characters', (name, length, chars) => {
    const { state } = drive(policies[name], LIMITS, [said('u1'), told('s1', {}, [length])]);
    const [part] = viewOf(state).at(-1)?.parts ?? [];
    const output = part?.type === 'tool' && part.state.status === 'completed' && part.state.output;
    expect(String(output).replaceAll(/[^x]/g, '')).toHaveLength(chars);
  });
});

describe('a request for a summary', () => {
  const asked = (name: PolicyName, inputs: readonly LoopInput[], limits = LIMITS) => {
    const { phase } = drive(policies[name], limits, inputs).state;
    if (phase.state !== 'summarising') throw new Error('expected a request for a summary');
    const ids = phase.asked.map(({ id }) => id).filter((id) => /^[us]\d/.test(id));
    return [ids.join(' '), phase.form];
  };
  const upTo = (edgeTokens: number) => [
    said('u1'),
    ...[1, 2, 3, 4].map((nth) => told(`s${nth}`, { input: nth * 5_000 }, [40_000])),
    told('s5', { input: edgeTokens }),
  ];

  it.each<[Agent, string, object]>([
    ['kimi-code-0.30', 's3 s4 s5', { kind: 'fresh', tools: true }],
    ['kimi-code', 's3 s4 s5', { kind: 'fresh', tools: true }],
    ['qwen-code', 'u1 s1 s2 s3 s4 s5', { kind: 'fresh', tools: false }],
    ['kilo', 'u1 s1 s2 s3', { kind: 'fresh', tools: false }],
  ])('of %s that was refused is made again', (name, ids, form) => {
    expect(asked(name, [...upTo(EDGES[name]), overflown])).toMatchObject([ids, form]);
  });

  it.each<[PolicyName, string, object | undefined]>([
    ['kimi-code', 's2 s3 s4 s5', { kind: 'fresh', tools: true }],
    ['kimi-code-0.30', 'u1 s1 s2 s3 s4 s5', undefined],
  ])('of %s in a window of 48,000', (name, ids, form) => {
    const limits = { contextTokens: 48_000, outputTokens: 4_000 };
    const [told, built] = asked(name, upTo(40_800), limits);
    expect(told).toBe(ids);
    expect(built).toEqual(form && { ...form, verifies: false });
  });
});

it.each<[number, string]>([
  [2, 'u1 s1'],
  [3, 's1'],
  [4, ''],
])('Codex asks without the oldest after %i refusals', (times, ids) => {
  const refusals = Array.from({ length: times }, () => ({ ...summaryFailed, isOverflow: true }));
  const inputs = [said('u1'), told('s1', { input: 180_000 }), ...(refusals as LoopInput[])];
  expect(lastOf('codex-local', inputs)).toBe(`summary-repeated too-large, summarise ${ids}`);
});

it('a share of 95 % is 90 % in Codex', () => {
  const { trigger } = resolvePolicy(policies['codex-local'], { trigger: { windowShare: 0.95 } });
  expect(overflowRules[trigger.overflow].usable(LIMITS, trigger)).toBe(180_000);
});

describe('a small window', () => {
  it.each<[PolicyName, number, number]>([
    ['kimi-code-0.30', 48_000, 40_800],
    ['kimi-code-0.20', 48_000, 40_800],
    ['kimi-code', 50_000, 42_500],
    ['kimi-code', 60_000, 10_000],
  ])('of %s and %i tokens', (name, contextTokens, edgeTokens) => {
    const limits = { contextTokens, outputTokens: 4_000 };
    const at = (input: number) => [said('u1'), told('s1', { input }, [])];
    expect(compacts(name, at(edgeTokens - 1), limits)).toBe(false);
    expect(compacts(name, at(edgeTokens), limits)).toBe(true);
  });
});

it('a lower share of Kimi Code 2 compacts in the background', () => {
  const overrides: PolicyOverrides = { trigger: { windowShare: 0.6 } };
  const inputs = [...begin, told('s3', { input: 130_000 })];
  const shared = resolvePolicy(policies['kimi-code'], overrides);
  expect(drive(shared, LIMITS, inputs).lines.at(-1)?.[1]).toBe('background-started');
  expect(compacts('kimi-code', [...begin, told('s3', { input: 150_000 })])).toBe(true);
});

it.each<[PolicyName, boolean, boolean]>([
  ['kimi-code-0.30', false, true],
  ['cline', false, false],
  ['pi-0.86', false, false],
  ['pi-1.6', true, false],
  ['kimi-code-0.20', false, false],
  ['qwen-code', true, false],
  ['qwen-code-0.21.10', false, false],
  ['pi-0.84', false, false],
])('HTTP 413 is an overflow in %s: %s; is sent again: %s', (name, isOverflow, isAgain) => {
  const { overflowErrors, retries } = policies[name].reading;
  const error = { message: 'Payload Too Large', statusCode: 413 };
  const rule = overflowErrors as OverflowErrorRuleName;
  expect(isContextOverflow(error, rule)).toBe(isOverflow);
  expect(isRetried({ name: 'APIError', statusCode: 413, isRetryable: false }, retries)).toBe(
    isAgain,
  );
});

describe('Qwen Code', () => {
  const full = told('s3', { input: EDGES['qwen-code'] });

  it.each<[PolicyName, string]>([
    ['qwen-code-0.21', 'stop summary-failed'],
    ['qwen-code', 'request u1 s1 s2 s3'],
  ])('of %s after requests for a summary that fail', (name, line) => {
    const failures = name === 'qwen-code' ? [summaryFailed, summaryFailed] : [summaryFailed];
    expect(lastOf(name, [...begin, full, ...failures])).toContain(line);
  });

  it.each<[string, readonly LoopInput[]]>([
    ['right after a compaction', [full, summarised(), refused]],
    ['twice with a step between', [refused, summarised(), told('s4', { input: 9 }), refused]],
  ])('compacts where a request is refused %s', (_, inputs) => {
    expect(lastOf('qwen-code', [...begin, ...inputs])).toContain('marker-queued');
    expect(lastOf('qwen-code', [...begin, ...inputs, summarised(), refused])).toContain('stop');
  });
});

it('OpenCode 1.0.61 goes on with a text of 89 characters', () => {
  const { continueText = 'none' } = policies['opencode-0.10'].resume;
  expect(resumeTexts[continueText]).toHaveLength(89);
});
