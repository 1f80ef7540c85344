import { drawBars } from '../../picture.ts';
import {
  act,
  answer,
  bash,
  edit,
  failing,
  grep,
  read,
  say,
  think,
  todos,
  turn,
  write,
} from '../../script.ts';
import { COUNT } from './counting.ts';
import { leakTests, longTest, snapshotProbe } from './probes.ts';

const RUNNER = 'node_modules/@vitest/runner/dist/chunk-artifact.js';

/** Without isolation. */
export const sharing = turn(
  'Then try isolate: false, in the configuration. Remove the probes first. I know that it shares state; I want to see what breaks.',
  [
    act(
      bash('rm test/probe.test.ts test/probe-two.test.ts && ls test'),
      edit('vitest.config.ts', '    retry: 2,\n', '    isolate: false,\n    retry: 2,\n'),
    ),
    act(bash('vitest run', 1), bash(COUNT)),
    think(
      'One failure: prices.test.ts sees 99 from season.test.ts. [1/3] in the output: the error was recorded three times, so it was tried three times: that is retry: 2, and beforeEach ran 10 times instead of 8. Where does the runner do this? runTest.',
      read(RUNNER, 2840, 220),
    ),
    act(read('test/season.test.ts'), read('test/prices.test.ts')),
    say(
      `It breaks one test, for a good reason, and the log shows a second thing:

1. **Leak.** test/season.test.ts:6 writes \`apple: 99\` into the list that everybody shares now; test/prices.test.ts:5 comes later and finds it. Prices are loaded **once** (4 before), the setup file and its beforeAll still run 4 times, as the runner decides.
2. **Retry.** beforeEach ran 10 times for 8 tests: the failing test was tried three times (\`retry: 2\`), each time with the hooks again (chunk-artifact.js:2935–2948), each time in vain, since the state stays. The failure is listed three times for the same reason.

I would repair the leak in the season test and remove \`retry\`. Shall I?`,
    ),
  ],
);

/** The repair. */
export const repairing = turn(
  'Yes, both. And a test that fails if anything leaks again; the skill asks for one, does it not?',
  [
    act(
      failing(
        edit(
          'test/season.test.ts',
          "  prices().set('apple', 99);\n\n  expect(totalCents({ apple: 1 })).toBe(99);\n",
          "  prices().set('apple', 99);\n  expect(totalCents({ apple: 1 })).toBe(99);\n  prices().set('apple', 120);\n",
        ),
      ),
      edit('vitest.config.ts', '    retry: 2,\n', ''),
    ),
    act(
      write(
        'test/season.test.ts',
        `import { afterEach, expect, it } from 'vitest';
import { totalCents } from '../src/basket.ts';
import { prices } from '../src/prices.ts';

const usual = new Map(prices());

afterEach(() => {
  prices().clear();
  for (const [name, cents] of usual) prices().set(name, cents);
});

it('takes a seasonal price', () => {
  prices().set('apple', 99);
  expect(totalCents({ apple: 1 })).toBe(99);
});
`,
      ),
      write('test/leak.test.ts', leakTests),
      bash('vitest run', 0),
      bash(COUNT),
    ),
    think(
      'Green; but does leak.test.ts catch it? Order: files are sorted by size without a cache, larger first; leak is small, comes late. Break season on purpose.',
      bash(
        "cp test/season.test.ts season.bak && sed -i '/^afterEach/,/^});/d' test/season.test.ts && vitest run; mv season.bak test/season.test.ts; rm work.log",
      ),
    ),
    act(
      todos({
        'Count what runs how often': 'completed',
        'Find who decides it, with file and line': 'completed',
        'Repair the leak, prove the test': 'completed',
        'Remove retry': 'completed',
      }),
    ),
    say(
      `Done. The season test restores the list after itself, \`retry\` is gone, and test/leak.test.ts compares the shared list with a fresh one. With the restoring taken out on purpose both prices.test.ts and leak.test.ts fail, so the guard guards; it must only run after the culprit, which it does because files without a cache are run from the largest to the smallest.

My first edit failed, I had not read the line break exactly; I rewrote the file instead.`,
    ),
  ],
);

/** Snapshots. */
export const snapshotting = turn(
  'The real project has many snapshot tests. The bars are our files by number of snapshots (four packages). Does anything in the snapshot code depend on a fresh module per file? I mean state that isolate: false would now share.',
  [
    think(
      'Read @vitest/snapshot: SnapshotClient keeps a Map of states by file path? Check.',
      read('node_modules/@vitest/snapshot/dist/index.js'),
    ),
    act(
      read('node_modules/@vitest/snapshot/dist/manager.js'),
      read('node_modules/@vitest/snapshot/dist/index.d.ts'),
    ),
    act(
      write('test/list.test.ts', snapshotProbe),
      bash('vitest run && cat test/__snapshots__/list.test.ts.snap', 0),
      bash('vitest run --reporter=dot', 0),
      bash('rm -r work.log test/list.test.ts test/__snapshots__; ls test'),
    ),
    answer(
      'Client state map keyed by testPath; setup/finish per file. So safe.',
      `No, as far as the code goes. The client keeps its states in a map by test file path: \`setup()\` makes the state of a file, \`finish()\` packs it and deletes it, and every assertion looks up the state of its own file. Nothing counts across files, also not the numbers behind snapshot names, which belong to the state of the file.

Observed with one stored and one inline snapshot under \`isolate: false\`: written in the first run, matched in the second. I removed the probe and its snapshot again.

What *would* be shared are custom serializers added in a test file with \`addSerializer\`: they go into a list of the module, and with shared modules they stay for the files after. If a package adds serializers in single test files, move that to the setup file.

In your chart the second package has by far the most snapshots; I would switch that one last.`,
    ),
  ],
  { image: drawBars('snapshots-by-package.png', [8, 28, 5, 12]), idleMinutes: 21 },
);

/** How much of a failure is printed. */
export const printing = turn(
  'Related annoyance: one wrong number in a long list and our log gets a few hundred lines of diff. Who decides how much is printed, and can we bound it without hiding which element is wrong?',
  [
    act(
      grep('truncateThreshold|contextLines|expand\\b', 'node_modules/@vitest/utils/dist/diff.js'),
    ),
    act(read('node_modules/@vitest/utils/dist/diff.js', 1310, 360)),
    think(
      'Defaults here: expand false, five lines of context, no truncation. That does not give hundreds of lines for one wrong number. A list of 120 with one difference at 90: first as configured here, then with expand, as their project may have it.',
      write('test/long.test.ts', longTest),
      bash('vitest run test/long.test.ts', 1),
    ),
    act(
      edit(
        'vitest.config.ts',
        '    isolate: false,\n',
        '    isolate: false,\n    diff: { expand: true },\n',
      ),
      bash('vitest run test/long.test.ts', 1),
    ),
    say(
      'There it is: with `expand` the whole list is printed. Bounding it by truncation:',
      edit('vitest.config.ts', '{ expand: true }', '{ truncateThreshold: 20 }'),
      bash('vitest run test/long.test.ts', 1),
    ),
    say(
      'That hides the very line. The default, with less context:',
      edit('vitest.config.ts', '{ truncateThreshold: 20 }', '{ contextLines: 2 }'),
      bash('vitest run test/long.test.ts', 1),
      bash('rm work.log test/long.test.ts'),
    ),
    say(
      `Three settings decide, with different effects (@vitest/utils/dist/diff.js):

- \`expand: true\` prints everything that is equal, too (1580, 1473): hundreds of lines for one wrong number. It is off by default (1508), so look for it in the configuration of the real project.
- \`truncateThreshold\` cuts both sides to their first N lines *before* they are compared (1628–1631): with 20, a difference at element 90 is not shown at all.
- \`contextLines\` bounds the surroundings of each difference, 5 by default (1490): with 2 the fourth run still shows the wrong element.

I left \`diff: { contextLines: 2 }\` in the configuration and removed the probe.`,
    ),
  ],
  { idleMinutes: 4 },
);

/** How tests are collected. */
export const collecting = turn(
  'One more: with isolate: false, can a test file that throws while it is imported take the others with it? I have seen that with another runner.',
  [
    act(read(RUNNER, 1629, 330)),
    act(read(RUNNER, 2425, 82)),
    act(
      write(
        'test/broken.test.ts',
        "import { it } from 'vitest';\n\nit('is never reached', () => {});\n\nthrow new TypeError('broken on import');\n",
      ),
      bash('vitest run', 1),
      bash('rm work.log test/broken.test.ts'),
    ),
    say(
      `No. The import of a file and the collection of its suites are inside one try for each file; what is thrown becomes the result of that file, state "fail" (chunk-artifact.js:2443–2486), and the loop goes on. The run above: the broken file fails with its TypeError and without a test, the other five pass.

The collector's context is cleared at the start of each file (2446), so tests registered before the throw do not end up in the next file either.`,
    ),
  ],
);

/** The end. */
export const closing = turn(
  'Good, we will do it. Write it down in docs/test-run.md, with both tables (before, after) and the one risk. Then a last full run with counts.',
  [
    act(read('vitest.config.ts'), bash(`vitest run && ${COUNT}`)),
    act(
      write(
        'docs/test-run.md',
        `# What our test run does how often

Counted in work.log, vitest 4.1.12, lines of @vitest/runner/dist/chunk-artifact.js.

| work | isolated, 4 files | shared, 5 files | decided in |
|---|---|---|---|
| setup file | 4 | 5 | collectTests, 2447 |
| beforeAll of setup | 4 | 5 | hooks of the file, 2462 |
| beforeEach of setup | 8 | 9 | once an attempt, 2935 |
| load prices | 4 | 2 | module state; one of the two is the leak test itself |

Configuration: \`isolate: false\`, no \`retry\`.

Risk: what a test changes in shared state stays. test/leak.test.ts fails when the price list does not come
back; it sees only files that ran before it.

Not looked at: several workers, browser mode, mocks of modules.
`,
      ),
      bash('wc -l docs/test-run.md; ls docs test'),
    ),
    say(
      `docs/test-run.md is written, all tests pass. Loading went from once a file to once a run; the second line in the log is the leak test, which loads a fresh list to compare with. Setup file and its beforeAll still run once a file, by decision of the runner; they are cheap now, because \`prices()\` finds its list.`,
    ),
  ],
);
