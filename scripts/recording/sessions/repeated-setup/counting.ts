import {
  act,
  answer,
  bash,
  grep,
  list,
  read,
  say,
  skill,
  think,
  todos,
  turn,
  write,
} from '../../script.ts';
import { fixtureProbe } from './probes.ts';

const RUNNER = 'node_modules/@vitest/runner/dist/chunk-artifact.js';

/** Runs the tests and counts the lines of the work log. */
export const COUNT = 'sort work.log | uniq -c; rm work.log';

/** The question, and the first count. */
export const counting = turn(
  `Our test run got slow. I suspect that it does the same work several times: loadPrices() takes seconds in the real project, here it only writes a line to work.log. Find out what runs how often, and who decides that. Do not guess from the docs; read the runner in node_modules.

Constraints: no timings, I want counts. src/prices.ts keeps its interface. No retries or time-outs to paper over anything.`,
  [
    think(
      'Counts, not times. There may be project skills; list first.',
      list('.'),
      read('vitest.config.ts'),
    ),
    act(skill('test-triage')),
    act(
      read('test/setup.ts'),
      read('src/prices.ts'),
      read('src/basket.ts'),
      todos({
        'Count what runs how often': 'in_progress',
        'Find who decides it, with file and line': 'pending',
        'Propose one change at a time': 'pending',
      }),
    ),
    act(bash(`vitest run; ${COUNT}`)),
    say(
      `Counted, one line of work.log for each piece of work, 4 test files with 8 tests:

| work | runs | needed |
|---|---|---|
| setup file | 4 | ? |
| beforeAll of setup | 4 | ? |
| beforeEach of setup | 8 | 8, one a test |
| load prices | 4 | 1 |

So everything in the setup file runs once a *test file*, and prices are loaded as often. Also seen: the configuration has \`retry: 2\`, which you said you do not want; nothing retries at the moment, so it does no harm yet. Next: who decides "once a file".`,
    ),
  ],
);

/** Who decides. */
export const deciding = turn('Right, that is the table I wanted. Now the "who decides" column.', [
  act(grep('runSetupFiles|setupFiles|collectTests', 'node_modules/@vitest/runner/dist')),
  act(read(RUNNER, 2404, 110)),
  think(
    'collectTests loops over specs and for each spec runs all setup files through runner.importFile(path, "setup"). So setup is per spec (file), by the runner itself, isolation or not. Whether the *modules* behind it are fresh depends on the worker. Now the hooks: callSuiteHook and where hooks of the setup file are attached.',
    read(RUNNER, 2506, 145),
  ),
  act(read(RUNNER, 3105, 200)),
  answer(
    'Be careful to separate: setup re-import per file is in the runner. Fresh module state per file is not in this package.',
    `From @vitest/runner 4.1.12, dist/chunk-artifact.js:

| work | who decides | where |
|---|---|---|
| setup file: once a test file | \`collectTests\` loops over the files and runs all setup files for each | 2431, 2447–2450 |
| in which order | one after the other, or all at once with \`sequence.setupFiles: "parallel"\` | 2414–2421 |
| beforeAll of setup: once a test file | hooks called at top level belong to the default suite, whose hooks are merged into the *file* | 2462–2464 |
| beforeEach of setup: once an attempt of a test | \`callSuiteHook\` walks up to the file and calls the parents' hooks first | 2612–2615 |
| a file runs alone, one after the other | \`runFiles\` | 3232–3245 |

Not decided here: whether \`src/prices.ts\` is *the same module* in the next file. \`cached\` lives in the module, so "load prices: 4" means that each file got fresh modules. That is isolation, and it is the worker's business, not the runner's.`,
  ),
]);

/** Hooks in detail. */
export const hooking = turn(
  'Does a beforeAll in the setup file really behave like one in the test file? What about the describe blocks in discount.test.ts, do they get it again?',
  [
    act(read(RUNNER, 575, 345)),
    act(grep('getHooks|setHooks|createSuiteHooks|mergeHooks', RUNNER)),
    say(
      'A probe will tell: the hook in the setup file against one at each level.',
      write(
        'test/probe.test.ts',
        `import { beforeAll, beforeEach, describe, it } from 'vitest';
import { note } from '../src/work-log.ts';

beforeAll(() => note('beforeAll of file'));
beforeEach(() => note('beforeEach of file'));

describe('outer', () => {
  beforeAll(() => note('beforeAll of outer'));
  beforeEach(() => note('beforeEach of outer'));
  it('first', () => note('test'));
  describe('inner', () => {
    beforeEach(() => note('beforeEach of inner'));
    it('second', () => note('test'));
  });
});
`,
      ),
      bash('vitest run test/probe.test.ts; cat work.log; rm work.log'),
    ),
    say(
      `It does, and describe blocks do not get it again. The order in work.log: the hook of the setup file, then that of the file, then that of \`outer\`; and before each test from the outside in, setup first. A \`describe\` has its own list of hooks (createSuiteHooks, one for each suite), and the setup file's hooks are in the list of the file only.

I leave the probe in place for the next question and delete it afterwards.`,
    ),
  ],
);

/** Fixtures with a wider scope. */
export const scoping = turn(
  'A colleague says: use test.extend with a fixture of scope "worker" for the prices, then they load once. True? Look at how these scopes are implemented before you try.',
  [
    act(grep('scope', RUNNER)),
    act(read(RUNNER, 62, 430)),
    think(
      'resolveScopeFixtureValue: worker scope keeps its value in the worker context of the TestFixtures class; file scope in a WeakMap by file. With isolation every file has its own worker, so worker scope = file scope. Check types too: what is documented.',
      read('node_modules/@vitest/runner/dist/tasks.d-DEYaIMIu.d.ts'),
    ),
    act(
      write('test/probe.test.ts', fixtureProbe),
      write('test/probe-two.test.ts', fixtureProbe),
      bash(`vitest run test/probe.test.ts test/probe-two.test.ts; ${COUNT}`),
    ),
    act(bash(`vitest run --no-isolate test/probe.test.ts test/probe-two.test.ts; ${COUNT}`)),
    answer(
      'Count decides: with isolation 2 each, without isolation: worker?',
      `Not with our configuration. \`resolveScopeFixtureValue\` keeps a worker value in the context of the worker and a file value in one of the file (chunk-artifact.js:387–415), and with isolation each file has a worker of its own, so "worker" means "file". The counts of the two probes, two tests each, are above: with isolation both scopes are set up once a file.

Without isolation the modules stay, and the count of the worker fixture is the one to look at. But the two probe files call \`test.extend\` separately, and each call makes its own fixture; only a fixture *exported from one module* could be shared.

So the colleague's idea needs \`isolate: false\` first. And with that, the plain \`cached\` variable in src/prices.ts does the same without any fixture.`,
    ),
  ],
  { idleMinutes: 7 },
);
