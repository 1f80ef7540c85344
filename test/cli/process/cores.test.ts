import { describe, expect, it } from 'vitest';
import { compilerFlags } from '../../../src/cli/process/cores.ts';

describe('compilerFlags', () => {
  it.each<[what: string, jobs: number, cores: number, isTold: boolean]>([
    ['one thread on the only core', 1, 1, true],
    ['one thread with a core to spare', 1, 2, false],
    ['a thread a core', 2, 2, true],
    ['a thread for two cores', 4, 8, false],
    ['a thread more than that', 5, 8, true],
  ])('has %s compile less or not', (_, jobs, cores, isTold) => {
    expect(compilerFlags({ jobs, cores }).length > 0).toBe(isTold);
  });
});
