import { describe, expect, it } from 'vitest';
import { manifest, note, read, textOf } from '../manifest.ts';
import { toolsOf } from '../tools-of.ts';

const FILE = 'openhands/multi_swe_bench-output.jsonl';
const FAILED = /"exit_code": ?[1-9]/g;

describe.skipIf(manifest.length === 0)(`recorded instances${note}`, () => {
  it('have a failed call for each command that ended with another code than 0', () => {
    const lines = textOf(FILE).split('\n').filter(Boolean);
    const codes = lines.map((line) => line.match(FAILED)?.length ?? 0);
    const failed = read(FILE).map((session) =>
      toolsOf(session).filter(({ state }) => state.status === 'error'),
    );
    expect(codes).toEqual([5, 2, 12]);
    expect(failed.map(({ length }) => length)).toEqual(codes);
  });
});
