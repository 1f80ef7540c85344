import { describe, expect, it } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };
import * as engine from '../src/engine/index.ts';
import * as simulator from '../src/simulator/index.ts';

/** Names that are values; types are checked by those who use them. */
describe('the public names', () => {
  it('of the package are its entry points', () => {
    expect(Object.keys(packageJson.exports)).toMatchInlineSnapshot();
  });

  it('of ./engine', () => {
    expect(Object.keys(engine).toSorted()).toMatchInlineSnapshot();
  });

  it('of ./simulator', () => {
    expect(Object.keys(simulator).toSorted()).toMatchInlineSnapshot();
  });
});
