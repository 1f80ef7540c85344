import { describe, expect, it } from 'vitest';
import { manifest, note, read, textOf } from '../manifest.ts';
import { toolsOf } from '../tools-of.ts';

const FILE = 'openhands/multi_swe_bench-output.jsonl';
const FAILED = /"exit_code": ?[1-9]/g;
const REFUSED = /"content": ?"ERROR:\\n/g;

describe.skipIf(manifest.length === 0)(`recorded instances${note}`, () => {
  it('have a failed call for each command that ended with another code than 0, and for each refusal of an editor', () => {
    const lines = textOf(FILE).split('\n').filter(Boolean);
    const count = (pattern: RegExp) => lines.map((line) => line.match(pattern)?.length ?? 0);
    const codes = count(FAILED);
    const refusals = count(REFUSED);
    const failed = read(FILE).map((session) =>
      toolsOf(session).filter(({ state }) => state.status === 'error'),
    );
    expect(codes).toEqual([5, 2, 12]);
    expect(refusals).toEqual([1, 11, 12]);
    const either = codes.map((code, index) => code + refusals[index]!);
    expect(failed.map(({ length }) => length)).toEqual(either);
  });
});
