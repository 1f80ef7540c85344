import { expect, it } from 'vitest';
import { createIdleWatch } from '../../../../src/simulator/sweep/queue/connection.ts';

const isNever = () => false;

/** The looks at which a watch speaks, where somebody is at work at some of them, and some find rows. */
async function spoken(
  looks: number,
  at: { atWork?: (look: number) => boolean; rows?: (look: number) => boolean } = {},
): Promise<readonly number[]> {
  const { atWork = isNever, rows = isNever } = at;
  const told: number[] = [];
  let look = 1;
  const watch = createIdleWatch(
    () => Promise.resolve(atWork(look)),
    (message) => {
      expect(message).toContain('No worker has a task in hand');
      told.push(look);
    },
  );
  for (; look <= looks; look++) {
    if (rows(look)) watch.sawRows();
    else await watch.sawNothing();
  }
  return told;
}

it.each<[string, Parameters<typeof spoken>, readonly number[]]>([
  ['is quiet at first', [24], []],
  ['speaks when nobody has worked for a while', [25], [25]],
  ['speaks again whenever that has lasted twice as long', [450], [25, 50, 100, 200, 400]],
  ['is quiet where somebody works', [200, { atWork: () => true }], []],
  ['speaks when the last worker is gone', [80, { atWork: (look) => look < 30 }], [50, 75]],
  ['begins anew where there were rows', [80, { rows: (look) => look === 30 }], [25, 55, 80]],
])('a watch %s', async (_, given, told) => {
  expect(await spoken(...given)).toEqual(told);
});
