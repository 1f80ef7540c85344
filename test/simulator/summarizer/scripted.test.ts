import { beforeAll, describe, expect, it } from 'vitest';
import type { Message } from '../../../src/engine/index.ts';
import { createRandom } from '../../../src/simulator/env.ts';
import { findSummarizer } from '../../../src/simulator/summarizer/summarizers.ts';
import { loadTokenizer, type Tokenizer } from '../../../src/simulator/tokens/tokenizer.ts';
import { step, text, tool, toolIn, user } from '../../support/history.ts';
import { counters, toolsWith } from './counters.ts';

const HEAD: readonly Message[] = [
  user('u1', 'Mend the login page.', text('s', 'a reminder', { synthetic: true })),
  step('s1', [
    { type: 'reasoning', id: 'r', text: 'Where is it?' },
    toolIn(
      't1',
      { status: 'completed', input: { path: 'src/login.ts', lines: [1, 2] }, output: 'code' },
      'read',
    ),
    tool('t2', 'a cleared output', { compactedAt: 1 }),
    toolIn('t3', { status: 'error', input: null, error: 'no such file' }, 'edit'),
    text('a', 'Mended.'),
  ]),
];

describe('scripted:echo', () => {
  it('answers with what was written, what tools were given and what the model still sees of their outputs', () => {
    expect(answer('scripted:echo', HEAD)).toMatchInlineSnapshot(`
      "Mend the login page.
      a reminder
      Where is it?
      read
      path
      src/login.ts
      lines
      1
      2
      bash
      id
      t2
      edit
      Mended.
      code
      no such file"
    `);
  });

  it('reads an input however deep and wide it is', () => {
    let input: unknown = Array.from({ length: 200_000 }, () => null).concat(['bottom'] as never[]);
    for (let depth = 0; depth < 50_000; depth++) input = [input];
    const head = [step('s', [toolIn('t', { status: 'completed', input, output: '' })])];
    expect(answer('scripted:echo', head)).toBe('bash\nbottom');
  });
});

describe('scripted:lossy', () => {
  const lines = Array.from({ length: 2_000 }, (_, index) => `line ${index}`);
  const head = [user('u', lines.join('\n'))];
  const keptBy = (name: string, prompt = '') => {
    const tools = { ...toolsWith(), random: createRandom(1) };
    const given = findSummarizer(name).summarise({ system: '', messages: head, prompt }, tools);
    return given.state === 'finished' ? given.text.split('\n') : [];
  };

  it.each([
    ['scripted:lossy', 0.7],
    ['scripted:lossy=0.25', 0.25],
    ['scripted:lossy=1', 1],
  ])('of %s keeps %d of the lines, in their order', (name, keep) => {
    const kept = keptBy(name);
    expect(Math.abs(kept.length / lines.length - keep)).toBeLessThan(0.03);
    expect(lines.filter((line) => kept.includes(line))).toEqual(kept);
  });

  it('loses lines of the summary that is to be brought up to date, too', () => {
    const previous = `<previous-summary>\n${lines.map((line) => `old ${line}`).join('\n')}\n</previous-summary>`;
    const kept = keptBy('scripted:lossy=0.5', `${previous}\n\n## Goal`);
    expect(kept[0]).toBe('## Goal');
    const old = kept.filter((line) => line.startsWith('old '));
    expect(Math.abs(old.length / lines.length - 0.5)).toBeLessThan(0.05);
  });
});

describe('scripted:ratio, scripted:grow and scripted:tokens', () => {
  let tokenizer: Tokenizer;
  beforeAll(async () => {
    tokenizer = await loadTokenizer('o200k_base');
  });

  const sizes = [1, 7, 100, 3_333, 20_000];
  const names = [
    'scripted:ratio',
    'scripted:ratio=0.25',
    'scripted:ratio=3',
    'scripted:grow',
  ] as const;
  const ratios = [0.1, 0.25, 3, 1.2] as const;

  it.each(
    sizes.flatMap((size) => names.map((name, index) => [name, size, ratios[index]!] as const)),
  )('%s answers a head of %i words with its share of tokens', (name, size, ratio) => {
    const head = [user('u', 'word '.repeat(size).trim())];
    const expected = Math.max(1, Math.round(tokenizer.count('word '.repeat(size).trim()) * ratio));
    const given = answer(name, head, (value) => tokenizer.count(value));
    expect(Math.abs(tokenizer.count(given) - expected)).toBeLessThanOrEqual(2);
  });

  it.each(['scripted:tokens=50', 'scripted:tokens=500', 'scripted:tokens=5000'])(
    '%s writes as many, the heading that is asked for included',
    (name) => {
      const prompt = 'Fill in:\n## Goal\n- …\n## Progress';
      const tools = toolsWith((value) => tokenizer.count(value));
      const given = findSummarizer(name).summarise({ system: '', messages: HEAD, prompt }, tools);
      const written = given.state === 'finished' ? given.text : '';
      expect(written).toMatch(/^## Goal\nriver stone/);
      expect(Math.abs(tokenizer.count(written) - Number(name.split('=')[1]))).toBeLessThanOrEqual(
        1,
      );
    },
  );

  it.each(['quarters', 'words'])('counts in %s as well', (name) => {
    const countTokens = counters[name]!;
    const head = [user('u', 'many words '.repeat(500))];
    const expected = countTokens('many words '.repeat(500)) / 10;
    const given = answer('scripted', head, countTokens);
    expect(Math.abs(countTokens(given) - expected)).toBeLessThanOrEqual(2);
  });

  it('ends with a counter that never counts anything', () => {
    expect(answer('scripted:grow', HEAD, () => 0)).toBe('');
    expect(answer('scripted:grow', HEAD, () => 5)).not.toBe('');
  });

  it('writes one token at least where the head has any', () => {
    expect(answer('scripted:ratio=0.01', [user('u', 'short')], counters['words'])).toBe('river');
    expect(answer('scripted:ratio=0.01', [])).toBe('');
  });

  it('writes plain words', () => {
    expect(answer('scripted', [user('u', 'x'.repeat(1_000))])).toMatchInlineSnapshot(
      `"river stone window garden paper light winter bridge table morning letter. island summer market"`,
    );
  });
});

function answer(name: string, messages: readonly Message[], countTokens = toolsWith().countTokens) {
  const given = findSummarizer(name).summarise(
    { system: '', messages, prompt: '' },
    toolsWith(countTokens),
  );
  return given.state === 'finished' ? given.text : given.reason;
}

describe('misbehaviour by script', () => {
  const head = [user('u1', 'Mend the login page.'), user('u2', 'Then run the tests.')];
  const prompt = '## Goal\n## Progress';

  it.each<[string, object]>([
    ['scripted:empty', { finish: 'stop', text: '' }],
    ['scripted:fail', { state: 'failed', isOverflow: false }],
    ['scripted:tool-call', { finish: 'tool-calls', text: expect.stringMatching(/^<tool_call>/) }],
    ['scripted:reasoning', { finish: 'stop', text: '', reasoningText: expect.stringMatching(/./) }],
    ['scripted:refuse', { finish: 'stop', text: expect.stringMatching(/can't help/) }],
    ['scripted:answer', { text: 'Sure, I will do that now: Then run the tests.' }],
    ['scripted:quote', { text: expect.stringMatching(/\n\nThe user said: "[^"]+"$/) }],
    ['scripted:language', { text: expect.stringMatching(/^\p{Script=Han}/u) }],
    ['scripted:cut', { finish: 'length' }],
    ['scripted:cut=7', { finish: 'length', text: '## Goal\nriver stone window' }],
    ['scripted:cut=2', { finish: 'length', text: 'river' }],
    ['scripted:slow', { call: { latencyMs: 120_000 } }],
    ['scripted:slow=1.5', { state: 'finished', call: { latencyMs: 1_500 } }],
    ['scripted:429', { state: 'failed', failure: { type: 'rate-limit' } }],
    ['scripted:429=30', { failure: { type: 'rate-limit', retryAfterMs: 30_000 } }],
    ['scripted:500', { state: 'failed', error: { statusCode: 500 }, failure: { type: 'fail' } }],
    ['scripted:500=503', { error: { statusCode: 503 } }],
    ['scripted:abort', { state: 'failed', failure: { type: 'abort', afterTokens: 100 } }],
    ['scripted:abort=7', { failure: { type: 'abort', afterTokens: 7 } }],
    ['scripted:overflow', { state: 'finished' }],
    ['scripted:overflow=10', { isOverflow: true, failure: { type: 'overflow', statusCode: 400 } }],
  ])('%s', (name, expected) => {
    const request = { system: '', messages: head, prompt };
    expect(findSummarizer(name).summarise(request, toolsWith())).toMatchObject(expected);
  });

  it('answers a Chinese session in English', () => {
    const request = {
      system: '',
      messages: [user('u', '请修复登录页面的错误。'.repeat(20))],
      prompt,
    };
    const given = findSummarizer('scripted:language').summarise(request, toolsWith());
    expect(given).toMatchObject({ text: expect.stringMatching(/^river stone/) });
  });
});
