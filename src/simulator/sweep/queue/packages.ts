import type * as Bullmq from 'bullmq';
import type * as Ioredis from 'ioredis';
import { badOption } from '../../errors.ts';
import { faultCode } from '../../system-fault.ts';

/** What talks to Redis; optional, and loaded when a queue is named. */
export interface QueuePackages {
  readonly bullmq: typeof Bullmq;
  readonly ioredis: typeof Ioredis;
}

const ABSENT = new Set(['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND']);

/** Loads the packages of a queue. Throws `HarnessError` where they are not installed. */
export async function loadPackages(
  load: () => Promise<QueuePackages> = importPackages,
): Promise<QueuePackages> {
  try {
    return await load();
  } catch (error) {
    if (!ABSENT.has(faultCode(error))) throw error;
    throw badOption(
      "Expected the packages 'bullmq' and 'ioredis' for '--queue', but they are not installed: npm install bullmq ioredis.",
      { cause: error },
    );
  }
}

async function importPackages(): Promise<QueuePackages> {
  return { bullmq: await import('bullmq'), ioredis: await import('ioredis') };
}
