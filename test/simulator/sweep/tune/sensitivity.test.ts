import { describe, expect, it } from 'vitest';
import type { ElasticityLack } from '../../../../src/simulator/report/tune-report.ts';
import type { SettingValues } from '../../../../src/simulator/scenario/settings.ts';
import {
  elasticityOf,
  findLack,
  groupByOthers,
  type SensedCell,
} from '../../../../src/simulator/sweep/tune/sensitivity.ts';

/** So many that their resamples vary as they should. */
const FAMILIES = 100_000;

const cell = (
  settings: SettingValues,
  value: number,
  resampled: readonly number[] = [value],
): SensedCell => ({ settings, value, resampled });

describe('elasticityOf', () => {
  it('is the power to which an amount goes with a setting, whatever else differs', () => {
    const cells = [1, 10].flatMap((minimum) =>
      [1_000, 2_000, 4_000].map((protect) => cell({ protect, minimum }, minimum * protect ** 2)),
    );
    expect(elasticityOf('protect', cells, FAMILIES)!.value).toBeCloseTo(2, 9);
    expect(elasticityOf('minimum', cells, FAMILIES)!.value).toBeCloseTo(1, 9);
  });

  it('leaves out what has no logarithm', () => {
    const cells = [cell({ protect: 0 }, 9), cell({ protect: 5 }, 5), cell({ protect: 10 }, 10)];
    expect(
      elasticityOf('protect', [...cells, cell({ protect: 20 }, 0)], FAMILIES)!.value,
    ).toBeCloseTo(1, 9);
  });

  it('has the range of its resamples, of which those tell nothing that came to nothing', () => {
    const cells = [1_000, 2_000].map((protect) =>
      cell({ protect }, protect, [protect, protect ** 3, 0]),
    );
    const { interval } = elasticityOf('protect', cells, FAMILIES)!;
    // From 1 to 3, without a twentieth of it.
    expect(interval!.low).toBeCloseTo(1.05, 5);
    expect(interval!.high).toBeCloseTo(2.95, 5);
  });

  it.each<[what: string, lack: ElasticityLack, cells: readonly SensedCell[]]>([
    ['one number', 'one value', [cell({ protect: 1 }, 1), cell({ protect: 1 }, 2)]],
    [
      'one that is not 0',
      'one value',
      [1, 2, 3].flatMap((minimum) =>
        [0, 5].map((protect) => cell({ protect, minimum }, protect + 1)),
      ),
    ],
    [
      'one that is no word',
      'few above zero',
      [cell({ protect: 'off' }, 1), cell({ protect: 5 }, 2)],
    ],
    ['words', 'no number', [cell({ prune: true }, 1), cell({ prune: false }, 2)]],
    [
      'one that comes to anything',
      'few above zero',
      [cell({ protect: 1 }, 0), cell({ protect: 5 }, 2)],
    ],
    [
      'one that comes to a known amount',
      'few above zero',
      [cell({ protect: 1 }, Number.NaN), cell({ protect: 5 }, 2)],
    ],
    [
      'one beside each other setting',
      'never alone',
      [cell({ protect: 1, minimum: 1 }, 1), cell({ protect: 2, minimum: 2 }, 2)],
    ],
    [
      'one, and a cell without any',
      'few above zero',
      [cell({ minimum: 1 }, 1), cell({ protect: 2, minimum: 1 }, 2)],
    ],
    ['one cell', 'few cells', [cell({ protect: 2 }, 2)]],
    ['none', 'few cells', []],
  ])('is unknown of a setting of which there is but %s: %s', (_, lack, cells) => {
    const setting = cells.some(({ settings }) => 'prune' in settings) ? 'prune' : 'protect';
    expect(elasticityOf(setting, cells, FAMILIES)).toBeNull();
    expect(findLack(setting, cells)).toBe(lack);
  });
});

describe('groupByOthers', () => {
  it('holds all other settings, in whichever order they are given', () => {
    const cells = [
      { settings: { protect: 1, minimum: 1, reserved: 1 } },
      { settings: { reserved: 1, minimum: 1, protect: 2 } },
      { settings: { protect: 1, minimum: 2, reserved: 1 } },
      { settings: { minimum: 1, reserved: 1 } },
    ];
    expect(groupByOthers('protect', cells)).toEqual([[cells[0], cells[1]], [cells[2]]]);
  });
});
