import { describe, expect, it } from 'vitest';
import {
  findSteering,
  findSteeringInList,
  findTouches,
  isLooking,
  type Span,
} from '../../../src/simulator/session/shell.ts';

describe('findTouches', () => {
  it.each<[string, string]>([
    ['cat src/a.ts', 'read src/a.ts'],
    ['cat src/a.ts src/b.ts | head -5', 'read src/a.ts, read src/b.ts'],
    ['cd web && head -n 20 web/a.css; tail -f log/x.log', 'read web/a.css, read log/x.log'],
    [
      'cd /w && cat src/a.ts; cd src && rm b.ts /x/c.ts',
      'read /w/src/a.ts, deleted /w/src/b.ts, deleted /x/c.ts',
    ],
    ['cd /w/ && cat ../a.ts > b.ts && cat ~/c.ts', 'created /w/b.ts, read /w/../a.ts, read ~/c.ts'],
    ['cd /w && cd $OTHER && cat src/a.ts', 'read src/a.ts'],
    ['(cd /w && make) && cat src/a.ts', 'read src/a.ts'],
    ['cat "src/a.ts"', 'read src/a.ts'],
    ["sed -n '1,5p' src/a.ts", 'read src/a.ts'],
    ["sed -i 's/a/b/' src/a.ts", 'edited src/a.ts'],
    ["sed --in-place 's/a/b/' a.ts", 'edited a.ts'],
    ["sed -i '' 's/a/b/' src/a.ts src/b.ts", 'edited src/a.ts, edited src/b.ts'],
    ["sed -n -e '1,5p' -e 's/a/b/' src/a.ts src/b.ts", 'read src/a.ts, read src/b.ts'],
    ["sed --expression='s/a/b/' src/a.ts", 'read src/a.ts'],
    ['sed -nf cut.sed src/a.ts', 'read src/a.ts'],
    ["git log | sed 's/a/b/'", ''],
    ["cat src/a.ts  # It's read in src/b.ts, too\nrm src/c.ts", 'read src/a.ts, deleted src/c.ts'],
    ['# src/a.ts -> src/b.ts\ncat src/c.ts;#src/d.ts', 'read src/c.ts'],
    ['cat "# no comment.md" src/a#1.ts', 'read src/a#1.ts'],
    ['rm -rf dist/a.js b.txt', 'deleted dist/a.js, deleted b.txt'],
    ['git rm src/a.ts', 'deleted src/a.ts'],
    ['git mv src/a.ts src/b.ts', 'deleted src/a.ts, created src/b.ts'],
    ['mv a.ts b.ts', 'deleted a.ts, created b.ts'],
    ['cp a.ts src/b.ts', 'created src/b.ts'],
    ['cp a.ts lib/b.ts src/', 'created src/a.ts, created src/b.ts'],
    ['cp a.ts b.ts src/lib', 'created src/lib/a.ts, created src/lib/b.ts'],
    ['mv lib/a.ts src/', 'deleted lib/a.ts, created src/a.ts'],
    ['mv lib tests src/', ''],
    ['touch src/a.ts', 'created src/a.ts'],
    ['echo x > notes.md', 'created notes.md'],
    ['echo x >> notes.md', 'edited notes.md'],
    ['npm test 2> errors.log > out.log 2>&1', 'created out.log'],
    ['npm test > /dev/null', ''],
    ['cat > a.md <<EOF\nrm src/z.ts\nEOF\ntouch b.md', 'created a.md, created b.md'],
    ["tee a.md <<'END'\ncat b.md\nEND", 'created a.md'],
    ['NODE_ENV=test sudo cat src/a.ts', 'read src/a.ts'],
    ['cat $HOME/a.ts src/*.ts "src/${x}.ts"', ''],
    ['cat https://example.org/a.ts', ''],
    ['cat --number -n', ''],
    ['node src/a.ts', ''],
    ['cat "src/never closed', ''],
    ['', ''],
  ])('%j: %s', (command, expected) => {
    const touches = findTouches(command).map(({ path, operation }) => `${operation} ${path}`);
    expect(touches.join(', ')).toBe(expected);
  });
});

describe('isLooking', () => {
  it.each([
    ['ls -la', true],
    ['cat a.ts | grep x && git diff', true],
    ['sed -n 1p a.ts', true],
    ['sed -i s/a/b/ a.ts', false],
    ['git commit -m x', false],
    ['cat a.ts && npm test', false],
    ['echo x > a.ts', false],
    ['echo x > /dev/null', true],
    ['cat a.ts 2>&1 | head', true],
    ['npm test 2>&1', false],
    ['', true],
  ])('%j: %s', (command, expected) => {
    expect(isLooking(command)).toBe(expected);
  });
});

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
