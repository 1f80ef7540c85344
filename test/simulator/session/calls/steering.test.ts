import { describe, expect, it } from 'vitest';
import type { Span } from '../../../../src/simulator/session/calls/span.ts';
import {
  findSteering,
  findSteeringInList,
} from '../../../../src/simulator/session/calls/steering.ts';

const shown = (text: string, spans: readonly Span[]): string =>
  spans.map(({ start, end }) => text.slice(start, end)).join(' ');

describe('findSteering', () => {
  it.each<[string, string, string]>([
    ['a program that shows files', 'cat src/a.ts', 'cat'],
    ['a program that is not listed, but not what it is given', 'kettle cat src/a.ts', ''],
    ['a program inside of a longer name', '/usr/bin/cat cats.ts cat-a', ''],
    ['each program of a row', 'cd web && ls -l | head -5; rm a.ts', 'cd ls head rm'],
    ['a program in quotes', '"cat" a.ts', 'cat'],
    ['a program behind what runs it', 'sudo env KEY=cat sed x', 'sudo env sed'],
    ['no word that only runs', 'kettle sudo', ''],
    ['switches of sed', "sed -n '1,5p' -i.bak --in-place a.ts", 'sed -n -i --in-place'],
    ['no switches of others', 'grep -n kettle a.ts', 'grep'],
    ['no switch of sed that goes on', 'sed -insulin a.ts', 'sed'],
    ['what git is told', 'git rm a.ts; git -C status log; git push kettle', 'git rm git git'],
    ['a stream and a device', 'kettle 2>/dev/null >a.log', '2 /dev/'],
    ['nothing of a number of two digits', 'kettle 12>a.log', ''],
    ['nothing of the body of a here-document', "cat > a <<'EOF'\ncat b\nrm c\nEOF\nls", 'cat ls'],
    ['what an editor is told', 'str_replace', 'str_replace'],
    ['nothing of an editor in a sentence', 'view str_replace', ''],
    [
      'the lines of a patch',
      "apply_patch <<'P'\n*** Add File: cat.ts\n+rm a\nP",
      'apply_patch Add File',
    ],
    ['no commands in a patch', 'apply_patch *** Begin Patch\ncat a.ts', 'apply_patch'],
    ['nothing of a line that is none of a patch', '*** Kettle File: a.ts', ''],
  ])('finds in a command %s', (_, command, expected) => {
    expect(shown(command, findSteering(command, 'command'))).toBe(expected);
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
});

describe('findSteeringInList', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['a script', ['bash', '-lc', 'cat a.ts'], ['', '-lc', 'cat']],
    ['no switch that is not listed', ['bash', '-secretc', 'cat a.ts'], ['', '', 'cat']],
    ['words that are one command', ['sed', '-n', '5p', 'a.ts'], ['sed', '-n', '', '']],
    ['the program only', ['grep', 'cat', 'a.ts'], ['grep', '', '']],
    [
      'a patch',
      ['apply_patch', '*** Begin Patch\n*** Add File: a\ncat b'],
      ['apply_patch', 'Begin Patch Add File'],
    ],
    ['nothing in no words', [], []],
    ['the program only, where they are no commands', ['cat a.ts', 'rm b.ts'], ['cat', '']],
  ])('finds in words %s', (_, words, expected) => {
    const spans = findSteeringInList(words, 'command');
    expect(words.map((word, index) => shown(word, spans[index] ?? []))).toEqual(expected);
  });

  it('finds in commands the program of each', () => {
    const commands = ['cat a.ts', 'rm b.ts'];
    const spans = findSteeringInList(commands, 'commands');
    const found = commands.map((command, index) => shown(command, spans[index] ?? []));
    expect(found).toEqual(['cat', 'rm']);
  });
});
