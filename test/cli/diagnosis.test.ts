import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { callMain } from '../support/command.ts';

const root = join(import.meta.dirname, '../..');
const fixture = (name: string) => join(root, 'test/fixtures/diagnosis', name);
const scenario = (name: string) => join(root, 'scenarios', `${name}.yaml`);

const WRONG =
  /compactions? (?:were|filled|in \d+ steps (?:each )?left)|summar\w+ (?:failed|is|are)|Pictures|cache is broken/;

async function told(...argv: readonly string[]) {
  const { stdout } = await callMain([...argv, '-q']);
  return stdout.replaceAll(/\s+/g, ' ');
}

describe('what is wrong is said first', () => {
  it.each<[string, RegExp]>([
    [
      'floor',
      /3 compactions in \d+ steps each left room for \d steps: system prompt and tools fill 15\d,\d+ of the 167,000 at which it compacts\. Only a shorter system prompt, fewer tools or a larger window help\./,
    ],
    [
      'refilled',
      /2 of 3 compactions filled up again within 3 steps: the output of Bash \(logs\/night\.log\) of step 4 adds 129,000 tokens, of 137,000 free\. Cap or split/,
    ],
    [
      'summary',
      /1 of 1 summary is larger than what it replaces: 13,\d+ tokens for 7,\d+\. Limit the length/,
    ],
    [
      'media',
      /Pictures or other media fill the context before 2 of 2 compactions: 1\d\d,\d+ tokens, all else [\d,]+\. Strip media/,
    ],
    [
      'cache',
      /The cache is broken at 12 of 12 steps, from step 2 on, by a rule that the recording does not tell: 396,000 tokens are written anew, for \$2\.28\. Find what changes/,
    ],
  ])('of what was recorded: %s', async (name, words) => {
    expect(await told('answer', fixture(`${name}.jsonl`))).toMatch(words);
  });

  it.each<[string, readonly string[], RegExp]>([
    [
      'floor',
      ['check', scenario('kept-tail-above-trigger')],
      /^.{0,40}\d+ compactions in \d+ steps each left room for \d+ steps?: (?:what is kept word for word|system prompt and tools) fill/,
    ],
    [
      'refilled',
      ['run', fixture('refilled.yaml')],
      /filled up again within 3 steps: the output of read/,
    ],
    ['summary', ['check', scenario('summary-service-down')], /summaries failed/],
    [
      'media',
      ['check', scenario('screenshots-over-byte-limit'), '--details'],
      /Pictures or other media fill/,
    ],
    [
      'cache',
      ['run', fixture('cache.yaml')],
      /^The cache is broken at \d+ of \d+ steps, from step \d+ on, by clearing the output of read/,
    ],
  ])('of a scenario: %s', async (_, argv, words) => {
    expect(await told(...argv)).toMatch(words);
  });

  it.each([
    ['answer', fixture('healthy.jsonl')],
    ['explain', fixture('healthy.yaml')],
    ['run', fixture('healthy.yaml')],
  ])('and nothing where nothing is: %s', async (command, file) => {
    const text = await told(command, file, '--details');
    expect(text).not.toMatch(WRONG);
    expect(text).not.toBe('');
  });
});
