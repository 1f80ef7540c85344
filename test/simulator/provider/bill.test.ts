import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { retold } from '../../support/retold.ts';
import {
  type Bill,
  billRequest,
  DEFAULT_LATENCY,
  latencyMs,
  type Prices,
  toPrices,
} from '../../../src/simulator/provider/prices.ts';
import { type CacheName, cacheRules } from '../../../src/simulator/provider/behaviours.ts';
import type { CacheSplit } from '../../../src/simulator/provider/prompt.ts';

const sonnet = toPrices({ input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 });

function splitOf(readTokens: number, writeTokens: number, freshTokens: number): CacheSplit {
  return { readTokens, writeTokens, freshTokens, lostTokens: 0, isCold: false };
}

/** Read, write, fresh and output tokens. */
type Taken = readonly [read: number, write: number, fresh: number, output: number];

function bill([read, write, fresh, outputTokens]: Taken, prices: Prices, cache: CacheName): Bill {
  return billRequest(
    { split: splitOf(read, write, fresh), outputTokens },
    prices,
    cacheRules[cache],
  );
}

/** Fresh, read, write and output lines. */
function linesOf({ freshNanoUsd, cacheReadNanoUsd, cacheWriteNanoUsd, outputNanoUsd }: Bill) {
  return [freshNanoUsd, cacheReadNanoUsd, cacheWriteNanoUsd, outputNanoUsd];
}

it('bills what it billed: fresh, read, written and output, all of it, and what was assumed', async () => {
  const path = join(import.meta.dirname, '../../fixtures/bills.txt');
  const text = retold(path, (line) => {
    const [, cache, taken = '', prices = ''] = /^(\S+) (\S+) (.*)$/.exec(line) ?? [];
    const billed = bill(
      JSON.parse(taken) as Taken,
      JSON.parse(prices) as Prices,
      cache as CacheName,
    );
    return [
      `${linesOf(billed).join(' ')} = ${billed.totalNanoUsd} ${billed.assumed.join(' ')}`.trim(),
    ];
  });
  await expect(text).toMatchFileSnapshot(path);
});

const tokens = fc.nat({ max: 1_000_000 });
const takens = fc.tuple(tokens, tokens, tokens, tokens);
/** In steps of a millionth of a dollar per million tokens, as catalogs write them. */
const usd = fc.nat({ max: 100_000_000 }).map((micro) => micro / 1_000_000);
const costs = fc.record({ input: usd, output: usd, cache_read: usd, cache_write: usd });

describe('a bill', () => {
  it('is exact to the rounding of each line', () => {
    fc.assert(
      fc.property(takens, costs, (taken, cost) => {
        const prices = toPrices(cost);
        const { cacheReadPicoUsd = 0, cacheWritePicoUsd = 0, inputPicoUsd, outputPicoUsd } = prices;
        const [read, write, fresh, output] = taken.map(BigInt) as [bigint, bigint, bigint, bigint];
        const pico = [
          fresh * BigInt(inputPicoUsd),
          read * BigInt(cacheReadPicoUsd),
          write * BigInt(cacheWritePicoUsd),
          output * BigInt(outputPicoUsd),
        ];
        const rounded = pico.map((line) => (line + 500n) / 1_000n);
        expect(linesOf(bill(taken, prices, 'anthropic-5m')).map(BigInt)).toEqual(rounded);
      }),
    );
  });

  it('of many requests is the sum of the lines', () => {
    fc.assert(
      fc.property(fc.array(takens, { minLength: 1, maxLength: 20 }), costs, (requests, cost) => {
        const bills = requests.map((taken) => bill(taken, toPrices(cost), 'anthropic-5m'));
        const totals = bills.reduce((sum, { totalNanoUsd }) => sum + totalNanoUsd, 0);
        const lines = bills.flatMap(linesOf).reduce((sum, line) => sum + line, 0);
        expect(totals).toBe(lines);
      }),
    );
  });

  it('of two requests and of both in one differ by a nano-dollar a line at most', () => {
    fc.assert(
      fc.property(takens, takens, costs, (some, others, cost) => {
        const prices = toPrices(cost);
        const both = some.map((count, index) => count + others[index]!) as unknown as Taken;
        const [one, two, whole] = [some, others, both].map((taken) =>
          linesOf(bill(taken, prices, 'anthropic-5m')),
        );
        for (const [index, line] of whole!.entries())
          expect(Math.abs(line - one![index]! - two![index]!)).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('of a million steps is still exact', () => {
    const step = bill([900_001, 99_999, 1, 64_000], sonnet, 'anthropic-5m').totalNanoUsd;
    let total = 0;
    for (let count = 0; count < 1_000_000; count++) total += step;
    expect(total).toSatisfy(Number.isSafeInteger);
    expect(BigInt(total)).toBe(BigInt(step) * 1_000_000n);
  });
});

const rates = {
  firstTokenMs: 100,
  prefillTokensPerSecond: 1_000,
  cachedTokensPerSecond: 10_000,
  decodeTokensPerSecond: 10,
};

function requestOf([readTokens, writeTokens, freshTokens, outputTokens]: Taken) {
  return {
    split: { readTokens, writeTokens, freshTokens, lostTokens: 0, isCold: false },
    outputTokens,
  };
}

describe('latencyMs', () => {
  it.each<[what: string, taken: Taken, ms: number]>([
    ['the first token for nothing else', [0, 0, 0, 0], 100],
    ['fresh input', [0, 0, 500, 0], 600],
    ['written input like fresh', [0, 500, 0, 0], 600],
    ['cached input', [500, 0, 0, 0], 150],
    ['output', [0, 0, 0, 5], 600],
    ['all of it, in whole ms', [16, 1, 1, 1], 204],
  ])('counts %s', (_, taken, ms) => {
    expect(latencyMs(requestOf(taken), rates)).toBe(ms);
  });

  it('takes about 49 s for a summary of 2,000 tokens, beside its input', () => {
    const seconds = (latencyMs(requestOf([0, 0, 0, 2_000])) - DEFAULT_LATENCY.firstTokenMs) / 1_000;
    expect(seconds).toBeCloseTo(49.1, 1);
  });

  const tokens = fc.nat({ max: 1_000_000 });
  it('is never longer for a cached request', () => {
    fc.assert(
      fc.property(tokens, tokens, tokens, (some, more, output) => {
        const cached = latencyMs(requestOf([some, 0, more, output]));
        expect(cached).toBeLessThanOrEqual(latencyMs(requestOf([0, 0, some + more, output])));
        expect(cached).toSatisfy(Number.isSafeInteger);
      }),
    );
  });
});
