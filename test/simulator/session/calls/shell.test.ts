import { describe, expect, it } from 'vitest';
import { findTouches, isLooking } from '../../../../src/simulator/session/calls/shell.ts';

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
