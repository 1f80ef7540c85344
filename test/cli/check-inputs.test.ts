import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CheckInputs, takeShard } from '../../src/cli/check-gate.ts';

const inputsOf = (files: readonly string[]): CheckInputs => ({
  files,
  unread: [],
  nameOf: (path) => path,
});
const names = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,8}$/), { maxLength: 20 });
const files = names.map((all) => all.map((name) => `scenarios/${name}.yaml`));
const checkOf = (all: readonly string[], options: object) =>
  takeShard(inputsOf(all), '1/2', { ...options }).shard?.check;

describe('the shards of a check', () => {
  it('have each scenario exactly once, by its name alone', () => {
    fc.assert(
      fc.property(files, fc.integer({ min: 1, max: 9 }), (all, count) => {
        const shards = Array.from({ length: count }, (_, index) =>
          takeShard(inputsOf(all), `${index + 1}/${count}`, {}),
        );
        expect(shards.flatMap(({ inputs }) => inputs.files).toSorted()).toEqual(all.toSorted());
        for (const { inputs, isHere } of shards) {
          const here = all.filter((file) => isHere?.(file.slice('scenarios/'.length, -5)));
          expect(inputs.files).toEqual(here);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('know what they are parts of: other scenarios or options are another check', () => {
    const check = checkOf(['a.yaml'], { repeat: '2' });
    expect(checkOf(['a.yaml'], { repeat: '2', only: undefined })).toBe(check);
    expect(checkOf(['a.yaml', 'b.yaml'], { repeat: '2' })).not.toBe(check);
    expect(checkOf(['a.yaml'], { repeat: '3' })).not.toBe(check);
  });

  it('are none where all is checked in one go', () => {
    expect(takeShard(inputsOf(['a.yaml']), undefined, {})).toEqual({
      inputs: expect.objectContaining({ files: ['a.yaml'] }),
    });
  });
});
