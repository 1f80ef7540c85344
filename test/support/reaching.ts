import * as fc from 'fast-check';

/** Not the seed of a build, whose free draws would be these. */
const SEED = 2;
const RUNS = 100;

/**
 * Checks a property on draws half of which are always the same. A count of what they meet that the same ones bring
 * above its bound is above it whatever the free ones meet.
 */
export function assertReaching<Values extends [unknown, ...unknown[]]>(
  property: fc.IPropertyWithHooks<Values>,
  { numRuns = RUNS }: { readonly numRuns?: number } = {},
): void {
  const examples = fc.sample(property, { numRuns: Math.ceil(numRuns / 2), seed: SEED });
  fc.assert(property, { numRuns, examples });
}
