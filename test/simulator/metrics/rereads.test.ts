import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../../src/simulator/events.ts';
import { addCarried, countRereads, poolRereads } from '../../../src/simulator/metrics/fidelity.ts';
import { partOf } from '../../../src/simulator/replay/references/reference.ts';
import { CARRIED_SHARE } from '../../../src/simulator/replay/references/watch.ts';
import type { Trace } from '../../../src/simulator/replay/trace.ts';
import { user } from '../../support/history.ts';
import { edit, read, write } from '../replay/references/sessions.ts';
import { traceOf } from '../replay/lab.ts';

const LINES = [1, 2, 3, 4].map((nth) => `Line ${nth} of the file about the shop.`);

/** A step by letter: `a` to `e` read a file, `A` to `E` edit it, a dot writes another one; a bar is a compaction. */
function traceWith(letters: string): Trace {
  const steps = Array.from(letters.replaceAll('|', '')).map((letter, index) => {
    const id = `s${index + 1}`;
    const path = letter.toLowerCase();
    if (letter === '.') return write(id, `other-${index}`, 'x');
    const lines = LINES.map((line) => `${path}: ${line}`);
    return letter === path ? read(id, path, lines.join('\n')) : edit(id, path, lines[0]!);
  });
  const messageIndices = Array.from(letters).flatMap((letter, index) =>
    letter === '|' ? [index + 1 - (letters.slice(0, index).match(/\|/g)?.length ?? 0)] : [],
  );
  return traceOf([user('u1', 'Go on.'), ...steps], {
    format: 'claude-code',
    recordedCompactions: messageIndices.map((messageIndex) => ({ kind: 'full', messageIndex })),
  });
}

/** A run that compacts after that step, and holds nothing of it from then on. */
const compactingAfter = (trace: Trace, step: number): readonly RunEvent[] => [
  { type: 'step-end', step } as RunEvent,
  { type: 'pivot' } as RunEvent,
  ...trace
    .references()
    .all.filter((need) => need.step > step)
    .map((need) => {
      const partId = trace.references().parts[partOf(need.sources[0]!)]!.part.id;
      return { ...need, type: 'reference', missedBy: 'pivot', partId } as unknown as RunEvent;
    }),
];

const dots = (count: number) => '.'.repeat(count);
/** A second read of `a`, twenty calls after its first, and a compaction of forty calls. */
const START = `ab${dots(19)}a${dots(18)}`;

describe('countRereads', () => {
  it.each<[what: string, letters: string, after: number[][], elsewhere: number[]]>([
    // From the second to the twentieth of 21 places.
    ['a file once', `${START}|aab${dots(37)}`, [[2], []], [19 / 21, 0]],
    ['no new file', `${START}|cc${dots(38)}`, [[0], []], [19 / 21, 0]],
    ['no file beyond', `${START}|${dots(20)}a${dots(19)}`, [[0], []], [20 / 21, 0]],
    ['only whole stretches', `${START}|a${dots(19)}`, [[1], []], [19 / 20, 0]],
    ['none that is compacted again', `${START}|a${dots(9)}|b${dots(30)}`, [[1], []], [19 / 20, 0]],
  ])('counts %s', (_, letters, after, elsewhere) => {
    const { rereads = [] } = countRereads(traceWith(letters), []);
    expect(rereads.map((one) => one.calls)).toEqual([20, 40]);
    expect(rereads.map((one) => one.after)).toEqual(after);
    expect(rereads.map((one) => one.elsewhere)).toEqual(elsewhere);
  });

  it('counts nothing where nothing compacts', () => {
    expect(countRereads(traceWith(START), [])).toEqual({});
  });

  it.each<[what: string, letters: string, step: number, lacked: number[][]]>([
    ['files that were gone on from', `abc${dots(7)}ABA${dots(40)}`, 10, [[2], [2]]],
    ['no file that was read again', `abc${dots(7)}a${dots(41)}`, 10, [[0], [0]]],
    ['only the next calls', `abc${dots(27)}A${dots(9)}`, 10, [[0], []]],
    ['nothing near a recorded compaction', `abc${dots(17)}A${dots(9)}|${dots(30)}`, 15, [[], []]],
  ])('predicts %s', (_, letters, step, lacked) => {
    const trace = traceWith(letters);
    const { rereads = [] } = countRereads(trace, compactingAfter(trace, step));
    expect(rereads.map((one) => one.lacked)).toEqual(lacked);
  });

  it('counts by its first need what a compaction had removed', () => {
    const { carried } = countRereads(traceWith(`abcde${dots(5)}|AaBcC${dots(40)}dD`), []);
    expect(carried).toEqual({ file: { hits: 2, of: 3 }, output: NONE, said: NONE });
    expect(addCarried([carried!, carried!]).file).toEqual({ hits: 4, of: 6 });
  });
});

const NONE = { hits: 0, of: 0 };

describe('poolRereads', () => {
  const sessionsOf = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      session: `${index}`,
      rereads: [
        { calls: 20, after: index === 0 ? [4, 4] : [2], elsewhere: 1, lacked: [1] },
        { calls: 40, after: [], elsewhere: 0, lacked: [] },
      ],
    }));

  it('weighs each compaction alike, and has an interval from ten sessions on', () => {
    const [twenty, forty] = poolRereads(sessionsOf(10));
    expect(twenty).toMatchObject({ after: 26 / 11, elsewhere: 1 });
    expect(twenty!.observed).toMatchObject({ compactions: 11, sessions: 10, value: 15 / 11 });
    expect(twenty!.observed.interval!.low).toBeLessThan(15 / 11);
    expect(twenty!.predicted.value).toBeCloseTo(1 - CARRIED_SHARE.file, 9);
    expect(forty).toMatchObject({ after: null, observed: { compactions: 0, value: null } });
    expect(poolRereads(sessionsOf(9))[0]!.observed).toMatchObject({ interval: null });
  });
});
