import type { KnobEffect } from '../../report/sweep/sweep-report.ts';
import type { Axis } from '../grid/axes.ts';

/** Follows which axes of a grid ever change what happens. */
export interface KnobWatch {
  /** What each cell came to in one trial of one session; empty where it was not run. */
  add(digests: readonly string[]): void;
  /** By axis, given what cells that run alike share. */
  effects(keys: readonly string[]): readonly KnobEffect[];
}

/** A watch over a full grid whose last axis changes fastest. */
export function watchKnobs(axes: readonly Axis[]): KnobWatch {
  const isLive = axes.map(() => false);
  const wasCompared = axes.map(() => false);
  const strides = axes.map((_, index) =>
    axes.slice(index + 1).reduce((product, { values }) => product * values.length, 1),
  );
  /** The cell that differs from this one in nothing but that it has the first value on the axis. */
  const baseOf = (cell: number, axis: number): number => {
    const stride = strides[axis] ?? 1;
    const size = axes[axis]?.values.length ?? 1;
    return cell - (Math.floor(cell / stride) % size) * stride;
  };
  const compare = (axis: number, digests: readonly string[]): void => {
    const firsts = new Map<number, string>();
    for (const [cell, digest] of digests.entries()) {
      // The first value may be one that was not run.
      if (digest === '') continue;
      const base = baseOf(cell, axis);
      const first = firsts.get(base);
      if (first === undefined) firsts.set(base, digest);
      wasCompared[axis] ||= first !== undefined;
      isLive[axis] ||= first !== undefined && first !== digest;
    }
  };
  return {
    add: (digests) => {
      for (const axis of axes.keys()) compare(axis, digests);
    },
    effects: (keys) =>
      axes.map(({ values }, axis) => {
        if (values.length < 2 || !wasCompared[axis]) return 'unknown';
        if (isLive[axis]) return 'some';
        const isRead = keys.some((key, cell) => key !== keys[baseOf(cell, axis)]);
        return isRead ? 'none' : 'unread';
      }),
  };
}
