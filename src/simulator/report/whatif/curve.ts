import { type MissBounds, missesAt } from '../../metrics/miss-curve.ts';
import { alignBlocks } from '../align-blocks.ts';
import { formatCount, formatShare, UNKNOWN } from '../numbers.ts';
import type { Terminal } from '../report.ts';
import { shownText } from '../shown-text.ts';
import { fitProse } from '../wrap-prose.ts';
import { modelsOf, windowOf } from './lines.ts';
import type { CurveResult, VariantResult } from './what-if-report.ts';

/** What the table is of. */
export const CURVE_CAPTION =
  'Misses per reference against the protect window, from one pass over the session; its pivots stay, which another window may move';

/** Protect windows that a table shows; the distances in the JSON document give all others. */
const WINDOWS = [0, 5_000, 10_000, 20_000, 40_000, 80_000, 160_000];

/** The misses of some protect windows. */
export function curvePoints(curve: CurveResult): readonly MissBounds[] {
  const { minimumTokens } = curve;
  return WINDOWS.map((protectTokens) => missesAt(curve, { protectTokens, minimumTokens }));
}

/** Misses against the protect window, a column for each variant. */
export function renderCurves(variants: readonly VariantResult[], terminal: Terminal): string {
  return [
    fitProse(`${CURVE_CAPTION}:`, terminal),
    alignBlocks([curveTitles(variants, shownText), ...curveRows(variants)], terminal),
  ].join('\n');
}

/** What the columns of the curves are: a variant each, and of how many references its shares are. */
export function curveTitles(
  variants: readonly VariantResult[],
  show: (name: string) => string,
): readonly string[] {
  const hasModels = modelsOf(variants).length > 1;
  return [
    'Protect',
    ...variants.map(({ model, limits, curve }) => {
      const window = `window ${windowOf(limits)}: ${headOf(curve)}`;
      return hasModels ? `${show(model)}, ${window}` : window;
    }),
  ];
}

/** A row for each of some protect windows, with a cell for each variant. */
export function curveRows(variants: readonly VariantResult[]): readonly (readonly string[])[] {
  const points = variants.map(({ curve }) => (curve === undefined ? [] : curvePoints(curve)));
  return WINDOWS.map((window, index) => [
    formatCount(window),
    ...variants.map(({ curve }, column) => cellOf(curve, points[column]?.[index])),
  ]);
}

function headOf(curve: CurveResult | undefined): string {
  return curve === undefined ? 'no such curve' : `of ${formatCount(curve.references)}`;
}

function cellOf(curve: CurveResult | undefined, point: MissBounds | undefined): string {
  if (curve === undefined || point === undefined) return UNKNOWN;
  const [fewest, most] = [point.fewest, point.most].map((misses) =>
    formatShare(misses, curve.references),
  );
  return fewest === most ? `${fewest}` : `${fewest} to ${most}`;
}
