/** A test file that counts how often fixtures of each scope are set up. */
export const fixtureProbe = `import { test as base } from 'vitest';
import { note } from '../src/work-log.ts';

const test = base.extend<{ perTest: string; $file: { perFile: string }; $worker: { perWorker: string } }>({
  perTest: async ({}, use) => {
    note('fixture per test');
    await use('test');
  },
  perFile: [
    async ({}, use) => {
      note('fixture per file');
      await use('file');
    },
    { scope: 'file' },
  ],
  perWorker: [
    async ({}, use) => {
      note('fixture per worker');
      await use('worker');
    },
    { scope: 'worker' },
  ],
});

test('first', ({ perTest, perFile, perWorker }) => {
  note(['test with', perTest, perFile, perWorker].join(' '));
});

test('second', ({ perTest, perFile, perWorker }) => {
  note(['test with', perTest, perFile, perWorker].join(' '));
});
`;

/** A test file with a stored snapshot. */
export const snapshotProbe = `import { expect, it } from 'vitest';
import { prices, loadPrices } from '../src/prices.ts';

it('matches the stored list', () => {
  expect([...prices()]).toMatchSnapshot();
});

it('matches the list in the file', () => {
  expect([...prices().keys()].join()).toMatchInlineSnapshot('"apple,pear,quince"');
});
`;

/** A test that fails when a price leaks from one file to another. */
export const leakTests = `import { expect, it } from 'vitest';

it('starts from the list as it was loaded', () => {
  expect([...prices()]).toEqual([...loadPrices()]);
});
`;

/** A test that fails at one element of a long list. */
export const longTest = `import { expect, it } from 'vitest';

it('counts', () => {
  const counted = Array.from({ length: 120 }, (_, index) => ({ index, square: index * index }));
  const expected = counted.with(90, { index: 90, square: 8101 });
  expect(counted).toEqual(expected);
});
`;
