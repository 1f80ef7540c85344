import { describe, expect, it } from 'vitest';
import {
  findMentions,
  findNames,
  type Name,
  withoutLineNumbers,
} from '../../../../src/simulator/summarizer/extractive/mentions.ts';
import { calls, says, section } from './sections.ts';

const run = (command: string) => calls('bash', { command });
const commandsOf = (...args: Parameters<typeof findMentions>) =>
  findMentions(...args).commands.map(({ command }) => command);

describe('findNames', () => {
  it.each<[text: string, names: readonly (readonly [Name['type'], string])[]]>([
    ['Plain words, and a Name.', []],
    ['See src/a.ts:12, lib/ and b/c.', [['path', 'src/a.ts']]],
    ['It is parse.ts.', [['path', 'parse.ts']]],
    [
      'parseLine throws a TypeError, E_BAD or ENOENT',
      [
        ['symbol', 'parseLine'],
        ['error', 'TypeError'],
        ['error', 'E_BAD'],
        ['error', 'ENOENT'],
      ],
    ],
    [
      '#12 is cfg-9x and 4a5b6c7',
      [
        ['id', '#12'],
        ['id', 'cfg-9x'],
        ['id', '4a5b6c7'],
      ],
    ],
    [
      '12 ms, 1.5 seconds, 12 apes, 4096 and 1.2.3',
      [
        ['number', '12 ms'],
        ['number', '1.5 seconds'],
        ['number', '4096'],
        ['number', '1.2.3'],
      ],
    ],
    ['https://a.example/b?c=1.', [['url', 'https://a.example/b']]],
    ['用 read_all 读 docs/设计.md', [['symbol', 'read_all']]],
    ['x'.repeat(161) + '_y', []],
    ['', []],
  ])('in %j are %j', (text, names) => {
    expect(findNames(text).map(({ type, text: name }) => [type, name])).toEqual(names);
  });
});

describe('withoutLineNumbers', () => {
  it.each([
    ['   12→const a = 1;\n   13→', 'const a = 1;\n'],
    ['1234\tline', 'line'],
    ['1234:const a\n1235-  b', 'const a\n  b'],
    [' 7 | x', ' x'],
    ['12:34:56 started', '12:34:56 started'],
    ['2026-01-05 at 4096', '2026-01-05 at 4096'],
    ['take 1234: it', 'take 1234: it'],
  ])('of %j is %j', (output, expected) => {
    expect(withoutLineNumbers(output)).toBe(expected);
  });
});

describe('findMentions', () => {
  const nothing = { previous: [], isListed: () => false };

  it('knows commands that ran more than once, the newest first', () => {
    const messages = [run('npm test'), run('make a'), run('make a'), run('npm test'), run('ls')];
    expect(commandsOf(messages, nothing)).toEqual(['npm test', 'make a']);
    const [first, second] = findMentions(messages, nothing).commands;
    expect(first!.weight).toBeGreaterThan(second!.weight);
  });

  it.each([
    ['once', 'Ran `npm test`: ok (7 passed)', ['npm test']],
    ['often', 'Ran more than once: `make a`', ['make a']],
    ['another', 'Ran `make b`: ok', []],
  ])('counts what an earlier summary tells to have run %s', (_, line, expected) => {
    const messages = [run('npm test')];
    expect(commandsOf(messages, { ...nothing, previous: [line] })).toEqual(expected);
  });

  it('has commands of several lines in one, with no mark that ends the quotation', () => {
    const command = 'cat <<E\nuse `x`\nE';
    expect(commandsOf([run(command), run(command)], nothing)).toEqual(["cat <<E use 'x' E"]);
  });
});

describe('names of a summary', () => {
  it('leave out what other lines say, and numbers of lines', () => {
    const output = '1234→readAll(\n1235→writeAll(\n1236→end';
    const looks = Array.from({ length: 12 }, () => calls('bash', { command: 'show' }, output));
    const names = section('Discoveries', [
      ...looks,
      says('It turns out that the problem is readAll.'),
    ]).filter((line) => line.startsWith('Names'));
    expect(names.join()).toContain('writeAll');
    expect(names.join()).not.toMatch(/readAll|1234|1235/);
  });
});
