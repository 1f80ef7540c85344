import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { retold } from '../../support/retold.ts';
import {
  findSteering,
  findSteeringInList,
  findTouches,
  isLooking,
  type Span,
} from '../../../src/simulator/session/shell.ts';

const shown = (text: string, spans: readonly Span[]): string =>
  spans.map(({ start, end }) => text.slice(start, end)).join(' ');

const TELLERS: Readonly<Record<string, (given: never) => string>> = {
  touches: (command: string) =>
    findTouches(command)
      .map(({ path, operation }) => `${operation} ${path}`)
      .join(', '),
  looks: (command: string) => String(isLooking(command)),
  command: (command: string) => shown(command, findSteering(command, 'command')),
  words: (words: readonly string[]) => {
    const spans = findSteeringInList(words, 'command');
    return words.map((word, index) => `[${shown(word, spans[index] ?? [])}]`).join(' ');
  },
};

describe('a command', () => {
  it('tells what it told', async () => {
    const path = join(import.meta.dirname, '../../fixtures/shell.txt');
    const text = retold(path, (line) => {
      const [name = ''] = line.split(' ', 1);
      return [TELLERS[name]?.(JSON.parse(line.slice(name.length)) as never) || 'nothing'];
    });
    await expect(text).toMatchFileSnapshot(path);
  });

  it.each<[string, string | undefined]>([
    ['alone', undefined],
    ['under a name', 'patchText'],
  ])('finds the lines of a patch %s, and no commands', (_, key) => {
    const patch =
      '*** Begin Patch\n*** Update File: a.ts\n*** Move to: b.ts\ncat c.ts\n*** End Patch';
    const expected = 'Begin Patch Update File Move to End Patch';
    expect(shown(patch, findSteering(patch, key))).toBe(expected);
  });

  it('finds no command under another name', () => {
    expect(findSteering('cat a.ts', 'patchText')).toEqual([]);
  });

  it('finds in commands the program of each', () => {
    const commands = ['cat a.ts', 'rm b.ts'];
    const spans = findSteeringInList(commands, 'commands');
    const found = commands.map((command, index) => shown(command, spans[index] ?? []));
    expect(found).toEqual(['cat', 'rm']);
  });
});
