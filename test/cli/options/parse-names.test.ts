import { describe, expect, it } from 'vitest';
import { parseNames } from '../../../src/cli/options/parse-names.ts';
import { EXIT } from '../../../src/cli/process/io.ts';
import { callMain } from '../../support/command.ts';

const parse = (...values: readonly string[]) => parseNames('--policy', values, 'names of presets');

describe('parseNames', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['nothing', [], []],
    ['one name', ['none'], ['none']],
    ['names with commas between, whatever blanks are around them', [' a , b'], ['a', 'b']],
    ['names of an option that comes again', ['a,b', 'c'], ['a', 'b', 'c']],
  ])('reads %s', (...[, values, names]) => {
    expect(parse(...values)).toEqual(names);
  });

  it.each<[string, readonly string[], string]>([
    ['no name at all', [''], "to be names of presets separated by commas, got ''."],
    ['a blank behind a comma', ['a,'], "to be names of presets separated by commas, got 'a,'."],
    ['a blank between two', ['a, ,b'], "to be names of presets separated by commas, got 'a, ,b'."],
    ['a name twice', ['a,b,a'], "to have each value once, got 'a' again."],
    ['a name in two values', ['a', 'a'], "to have each value once, got 'a' again."],
  ])('refuses %s', (...[, values, message]) => {
    expect(() => parse(...values)).toThrow(`Expected '--policy' ${message}`);
  });
});

describe('a name that comes again', () => {
  it.each<[string, string, readonly string[]]>([
    ['run', '--policy', ['run', '--policy', 'none,none']],
    ['sweep', '--policy', ['sweep', '--policy', 'none,none']],
    ['sweep', '--summarizer', ['sweep', '--summarizer', 'tail', '--summarizer', 'tail']],
    ['whatif', '--model', ['whatif', 'x.json', '--model', 'a/b,a/b']],
    ['summarizers', '--summarizers', ['summarizers', '--summarizers', 'tail,tail']],
    ['summarizers', '--prompts', ['summarizers', '--prompts', 'policy,policy']],
    ['summarizers', '--judge', ['summarizers', '--probes', '--judge', 'ai:a/b,ai:a/b']],
    ['tune', '--objective', ['tune', '--objective', 'cost,cost']],
  ])('is wrong use of %s %s', async (_, option, argv) => {
    const { code, stderr } = await callMain(argv);
    expect({ code, stderr }).toEqual({
      code: EXIT.wrongUse,
      stderr: expect.stringMatching(
        new RegExp(`^Expected '${option}' to have each value once, got '.*' again\\.\\n$`),
      ),
    });
  });
});
