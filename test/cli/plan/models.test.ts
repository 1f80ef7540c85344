import { describe, expect, it } from 'vitest';
import {
  describeUnasked,
  type ModelOptions,
  parseModelOptions,
} from '../../../src/cli/plan/models.ts';
import { openRegistry } from '../../../src/cli/plan/live.ts';

/** Options that a command has besides. */
const ofOthers = { seed: '1', policy: ['none'], retries: undefined };

describe('describeUnasked', () => {
  it.each<[string, ModelOptions, readonly string[], readonly string[]]>([
    ['nothing where nothing is given', {}, ['extractive'], []],
    ['nothing of a dry run, which is an error', { dryRun: true }, ['extractive'], []],
    [
      'one option',
      { budgetUsd: '2' },
      ['extractive', 'scripted:fail'],
      ["'--budget-usd' changes nothing: no real model is asked."],
    ],
    [
      'all options',
      { stream: true, timeout: '5', cassette: 'folder' },
      ['extractive'],
      ["'--stream', '--timeout' and '--cassette' change nothing: no real model is asked."],
    ],
    ['nothing of what is no option of a model', ofOthers, ['extractive'], []],
    ['nothing where one is asked', { budgetUsd: '2' }, ['lead', 'ai:openai/gpt-5-mini'], []],
    ['nothing where a cassette answers', { timeout: '5' }, ['cassette:folder'], []],
  ])('tells %s', (_, options, answerers, told) => {
    expect(describeUnasked(options, answerers)).toEqual(told);
  });
});

describe('--cassette-redact', () => {
  const options = { cassette: 'folder', cassetteRedact: true } as const;

  it('is a setting of recordings', () => {
    expect(parseModelOptions(options, {})).toMatchObject({ redactsCassette: true });
    expect(parseModelOptions({ cassette: 'folder' }, {})).not.toHaveProperty('redactsCassette');
  });

  it('is refused where summaries are judged by their words', () => {
    expect(() => openRegistry(options, {}, { needsWords: true })).toThrow('judged by their words');
    expect(openRegistry(options, {}).settings.redactsCassette).toBe(true);
  });
});
