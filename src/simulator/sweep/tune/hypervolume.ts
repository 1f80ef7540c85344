import { paretoFront, type Point } from './front.ts';

/** Volume of all that points dominate up to a reference point; less is better, and a point beyond it adds nothing. */
export function hypervolume(points: readonly Point[], reference: Point): number {
  const inside = points.filter((point) =>
    reference.every((limit, axis) => (point[axis] ?? limit) < limit),
  );
  return inside.length === 0 ? 0 : volumeOf(inside, reference);
}

/** In slices along the last axis, each as thick as it is up to the next point. */
function volumeOf(points: readonly Point[], reference: Point): number {
  const axis = reference.length - 1;
  const limit = reference[axis] ?? 0;
  const ordered = points.toSorted((a, b) => (a[axis] ?? 0) - (b[axis] ?? 0));
  if (axis === 0) return limit - (ordered[0]?.[0] ?? limit);
  return ordered.reduce((volume, point, index) => {
    const depth = (ordered[index + 1]?.[axis] ?? limit) - (point[axis] ?? limit);
    if (depth <= 0) return volume;
    const slice = ordered.slice(0, index + 1).map((one) => one.slice(0, axis));
    const front = paretoFront(slice).flatMap((member) => slice.slice(member, member + 1));
    return volume + depth * volumeOf(front, reference.slice(0, axis));
  }, 0);
}
