import { gzipSync } from 'node:zlib';
import type { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { MOST_SESSION_BYTES, readText } from '../../../../src/simulator/sweep/queue/run-queued.ts';

const ref = { name: 'tea', file: 'tea', index: 0, hash: 'h' };

/** A server that holds one packed text. */
const holding = (packed: Buffer | null) => ({ hgetBuffer: async () => packed }) as unknown as Redis;

describe('readText', () => {
  it('unpacks what a sweep has sent', async () => {
    expect(await readText(holding(gzipSync('käse')), 'q', ref)).toBe('käse');
    expect(await readText(holding(null), 'q', ref)).toBeUndefined();
  });

  it('unpacks no more than a session may weigh', async () => {
    const packed = gzipSync(Buffer.alloc(MOST_SESSION_BYTES + 1), { level: 1 });
    expect(packed.length).toBeLessThan(2_000_000);
    await expect(readText(holding(packed), 'q', ref)).rejects.toThrow(/larger than 268435456/);
  });
});
