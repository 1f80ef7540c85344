import { expect, it } from 'vitest';
import { createScrubber } from '../../../scripts/recording/scrub.ts';

const scrubber = createScrubber({
  repositoryRoot: '/home/somebody/bench',
  scratchRoot: '/tmp/recording-a1b2',
});

it.each<[string, string, string]>([
  ['a file of the scratch folder', '/tmp/recording-a1b2/src/a.ts:3', 'src/a.ts:3'],
  ['the scratch folder itself', 'RUN /tmp/recording-a1b2', 'RUN .'],
  ['a package', '/home/somebody/bench/node_modules/zod/index.js', 'node_modules/zod/index.js'],
  [
    'a package as seen from the scratch folder',
    '../../home/somebody/bench/node_modules/zod/index.js',
    'node_modules/zod/index.js',
  ],
  ['a file URL', 'file:///home/somebody/bench/node_modules/a.js', 'node_modules/a.js'],
  ['a path elsewhere', '/usr/bin/env', '/usr/bin/env'],
])('takes the folders of the machine out of %s', (_, text, expected) => {
  expect(scrubber.paths(text)).toBe(expected);
});

it.each<[string, string, string]>([
  ['the time of day', '   Start at  10:22:33', '   Start at  -'],
  ['a duration with its parts', '   Duration  312ms (tests 4ms)', '   Duration  -'],
  ['a test file', ' ✓ test/a.test.ts (2 tests) 4ms', ' ✓ test/a.test.ts (2 tests)'],
  ['a failed test', '   × adds 1.2s', '   × adds'],
  ['a failed test that was retried', '   × adds 11ms (retry x2)', '   × adds (retry x2)'],
  ['the version of Node', 'Node.js v20.20.2', 'Node.js'],
  ['a frame inside Node', 'Error\n    at run (node:internal/run:1:2)\n\n', 'Error\n\n'],
])('takes what differs from run to run out of %s', (_, text, expected) => {
  expect(scrubber.times(text)).toBe(expected);
});

it.each<[string, string]>([
  ['a sentence', 'It took 300ms in production.'],
  ['a line of source', 'const DELAY = "300ms";'],
  ['a test that is named for a duration', ' ✓ waits 300ms before it goes on'],
])('leaves %s alone', (_, text) => {
  expect(scrubber.times(text)).toBe(text);
});
