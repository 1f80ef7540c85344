/** The project of the session: a price list whose tests do the same work again and again. */
export const files = {
  'package.json': `{
  "name": "price-list",
  "private": true,
  "type": "module",
  "scripts": { "test": "vitest run" }
}
`,
  'vitest.config.ts': `import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    cache: false,
    fileParallelism: false,
    slowTestThreshold: 60_000,
    setupFiles: ['./test/setup.ts'],
    retry: 2,
  },
});
`,
  'src/work-log.ts': `import { appendFileSync } from 'node:fs';

/** Notes a piece of work in work.log, to be counted after a run. */
export function note(work: string): void {
  appendFileSync('work.log', \`\${work}\\n\`);
}
`,
  'src/prices.ts': `import { note } from './work-log.ts';

export type Prices = Map<string, number>;

/** Builds the price list; in production this takes seconds. */
export function loadPrices(): Prices {
  note('load prices');
  return new Map([
    ['apple', 120],
    ['pear', 150],
    ['quince', 410],
  ]);
}

let cached: Prices | undefined;

/** The price list, built on first use. */
export function prices(): Prices {
  cached ??= loadPrices();
  return cached;
}
`,
  'src/basket.ts': `import { prices } from './prices.ts';

export function totalCents(basket: Record<string, number>): number {
  return Object.entries(basket).reduce((sum, [name, count]) => {
    const price = prices().get(name);
    if (price === undefined) throw new RangeError(\`Unknown article '\${name}'.\`);
    return sum + price * count;
  }, 0);
}

export function discountedCents(cents: number, percent: number): number {
  return Math.round((cents * (100 - percent)) / 100);
}
`,
  'test/setup.ts': `import { beforeAll, beforeEach } from 'vitest';
import { note } from '../src/work-log.ts';

note('setup file');

beforeAll(() => {
  note('beforeAll of setup');
  prices();
});

beforeEach(() => {
  note('beforeEach of setup');
});
`,
  'test/basket.test.ts': `import { expect, it } from 'vitest';
import { totalCents, discountedCents } from '../src/basket.ts';

it('adds up', () => {
  expect(totalCents({ apple: 2, pear: 1 })).toBe(390);
});

it('is zero when empty', () => {
  expect(totalCents({})).toBe(0);
});

it('refuses what has no price', () => {
  expect(() => totalCents({ stone: 1 })).toThrow("Unknown article 'stone'.");
});
`,
  'test/discount.test.ts': `import { describe, expect, it } from 'vitest';

describe('a discount', () => {
  it('takes its share', () => {
    expect(discountedCents(totalCents({ quince: 1 }), 10)).toBe(369);
  });

  describe('of nothing', () => {
    it('changes nothing', () => {
      expect(discountedCents(500, 0)).toBe(500);
    });
  });
});
`,
  'test/prices.test.ts': `import { expect, it } from 'vitest';

it('knows the apple', () => {
  expect(prices().get('apple')).toBe(120);
});

it('lists three articles', () => {
  expect(prices().size).toBe(3);
});
`,
  'test/season.test.ts': `import { expect, it } from 'vitest';
import { prices } from '../src/prices.ts';

it('takes a seasonal price', () => {
  prices().set('apple', 99);
  expect(totalCents({ apple: 1 })).toBe(99);
});
`,
  'skills/test-triage/SKILL.md': `# Triage of a slow or noisy test run

Count before you time. Times differ from run to run and from machine to machine; counts do not.

1. Make the work visible: one line in a log for each piece of work, then \`sort | uniq -c\`.
2. For each line ask three questions: how often does it run, how often must it run, who decides that.
3. Look up "who decides" in the sources of the runner. Note file and line.
4. Change one thing, count again, keep the two tables side by side.
5. A change that saves work by sharing state needs a test that fails when the state leaks.

Never raise a time-out or add a retry to make a run pass.
`,
} satisfies Record<string, string>;
