/** Charts as the options of ECharts: plain data, so that the picture in a file and the chart in a page are one. */

import { groupBy } from '../../lib/collections.ts';
import { shownText } from '../markup.ts';
import { formatAmount, formatCount, percentOf } from '../numbers.ts';
import { MS_PER_SECOND } from '../../lib/units.ts';
import type {
  BarsPlot,
  MomentKind,
  Plot,
  PlotAxis,
  PlotPoint,
  ScatterPlot,
  TimelinePlot,
  TimelineRun,
} from '../plots.ts';
import { lookOf } from './colors.ts';

/** Options of a chart as ECharts takes them. */
export type ChartOption = Readonly<Record<string, unknown>>;

type Unit = PlotAxis['unit'];

/** Points that have a series, a name and a place in the legend each. */
const MOST_NAMED = 24;
/** A usable line that is farther above the largest request than this would flatten it. */
const MOST_HEADROOM = 4;
const HEIGHT = 380;
const BAR_HEIGHT = 28;
const LONGEST_LABEL = 44;
const LONGEST_SERIES = 64;

// Double quotes would end the attribute of a picture that it stands in.
const FONT = { fontFamily: "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif" };
const TEXT = { ...FONT, color: 'var(--ink)', fontSize: 13 };
const SOFT = { ...FONT, color: 'var(--soft)', fontSize: 12 };
const LINE = { color: 'var(--line)' };

const AXIS = {
  axisLine: { lineStyle: { color: 'var(--soft)' } },
  axisTick: { lineStyle: { color: 'var(--soft)' } },
  splitLine: { lineStyle: LINE },
  nameTextStyle: TEXT,
} as const;

const CROSS = 'path://M1 0L5 4L9 0L10 1L6 5L10 9L9 10L5 6L1 10L0 9L4 5L0 1Z';
/** How moments are marked on a line; others stand only in words. */
const MARKS: Readonly<Partial<Record<MomentKind, object>>> = {
  pivot: { symbol: 'triangle', symbolRotate: 180, symbolSize: 13, symbolOffset: [0, -10] },
  prune: { symbol: 'circle', symbolSize: 7, symbolOffset: [0, -7] },
  refusal: { symbol: CROSS, symbolSize: 11, itemStyle: { color: 'var(--bad)' } },
  failure: { symbol: 'rect', symbolSize: 9, itemStyle: { color: 'var(--bad)' } },
  miss: { symbol: 'diamond', symbolSize: 10, itemStyle: { color: 'var(--bad)' } },
};

/** The options of a chart. */
export function toOption(plot: Plot): ChartOption {
  const common = { animation: false, textStyle: TEXT };
  switch (plot.kind) {
    case 'scatter':
      return { ...common, ...scatterOption(plot) };
    case 'timeline':
      return { ...common, ...timelineOption(plot) };
    case 'bars':
      return { ...common, ...barsOption(plot) };
  }
}

/** The height of a chart in pixels. */
export function heightOf(plot: Plot): number {
  return plot.kind === 'bars' ? BAR_HEIGHT * (plot.bars.length + 1) + 50 : HEIGHT;
}

/** The axes of a plane among which a page chooses. */
export function axisOptions(axes: readonly PlotAxis[]): readonly ChartOption[] {
  return axes.map(({ label, unit }) => ({
    type: 'value',
    name: `${shownText(label)}${unitOf(unit)}`,
    scale: true,
    axisLabel: { ...SOFT, formatter: templateOf(unit), hideOverlap: true },
  }));
}

function scatterOption({ axes, points, lines = [] }: ScatterPlot): ChartOption {
  const [across, up] = axisOptions(axes);
  const isNamed = points.length <= MOST_NAMED;
  const known = points.flatMap(({ values: [x] }) => x ?? []);
  const middle = (Math.min(...known) + Math.max(...known)) / 2;
  const ups = points.flatMap(({ values: [, y] }) => y ?? []);
  const alike = groupBy(points, placeOf);
  const toItem = (point: PlotPoint) => {
    // Points at one place have their names in one label.
    const [first = point, ...others] = alike.get(placeOf(point)) ?? [];
    const label = first === point ? [point, ...others].map(nameOfPoint).join(' = ') : '';
    return pointItem(point, axes, { label, isNamed, isLeft: (point.values[0] ?? 0) > middle });
  };
  const series = isNamed
    ? points.map((point, place) => ({ ...lookOf(place), data: [toItem(point)] }))
    : [{ ...lookOf(0), data: points.map(toItem) }];
  return {
    grid: { left: 24, right: 32, top: 40, bottom: 40, containLabel: true },
    tooltip: { trigger: 'item', confine: true },
    xAxis: {
      ...across,
      ...AXIS,
      nameLocation: 'middle',
      nameGap: 30,
      boundaryGap: ['6%', '6%'],
    },
    yAxis: {
      ...up,
      ...AXIS,
      nameTextStyle: { ...TEXT, align: 'left' },
      boundaryGap: ['12%', '12%'],
      // No amount is below nothing, though there is room below the least.
      ...(isNear(ups) && { min: 0 }),
    },
    dataZoom: [
      { type: 'inside', xAxisIndex: 0, filterMode: 'none', zoomOnMouseWheel: 'ctrl' },
      { type: 'inside', yAxisIndex: 0, filterMode: 'none', zoomOnMouseWheel: 'ctrl' },
    ],
    series: series.map(({ color, symbol, data }, place) => ({
      type: 'scatter',
      symbol,
      symbolSize: isNamed ? 14 : 9,
      encode: { x: 0, y: 1 },
      itemStyle: { color, opacity: 0.9 },
      emphasis: { disabled: true },
      label: { ...TEXT, formatter: '{b}', textBorderWidth: 0 },
      labelLayout: { hideOverlap: true, moveOverlap: 'shiftY' },
      data: data.map(({ isHollow, ...item }) =>
        isHollow
          ? { ...item, itemStyle: { color: 'var(--card)', borderColor: color, borderWidth: 2 } }
          : item,
      ),
      ...(place === 0 && { markLine: verticals(lines) }),
    })),
  };
}

function pointItem(
  point: PlotPoint,
  axes: readonly PlotAxis[],
  {
    label,
    isNamed,
    isLeft,
  }: { readonly label: string; readonly isNamed: boolean; readonly isLeft: boolean },
) {
  const { values, mark, says = '', isHollow = false } = point;
  const told = nameOfPoint(point);
  const facts = axes.map(({ label, unit }, axis) => `${label}: ${amountOf(values[axis], unit)}`);
  return {
    name: cutName(label),
    value: values.map((value, axis) => scaled(value, axes[axis]?.unit ?? 'count')),
    tip: shownLines([told, ...facts, says]),
    label: {
      show: label !== '' && (isNamed || mark !== undefined),
      position: isLeft ? 'left' : 'right',
    },
    isHollow,
  };
}

function placeOf({ values: [x, y] }: PlotPoint): string {
  return `${x} ${y}`;
}

function nameOfPoint({ name, mark }: PlotPoint): string {
  return mark === undefined ? name : `${mark}: ${name}`;
}

function isNear(values: readonly number[]): boolean {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return low >= 0 && low <= (high - low) / 4;
}

function verticals(lines: NonNullable<ScatterPlot['lines']>) {
  return {
    symbol: 'none',
    silent: true,
    lineStyle: { color: 'var(--soft)', type: 'dashed' },
    label: { ...SOFT, formatter: '{b}', position: 'insideEndTop' },
    data: lines.map(({ name, at }) => ({ name: shownText(name), xAxis: at })),
  };
}

function timelineOption({ runs }: TimelinePlot): ChartOption {
  const steps = Math.max(1, ...runs.map(({ context }) => context.length));
  const largest = Math.max(1, ...runs.flatMap(({ context }) => context));
  const drawn = runs.map(({ usable }) =>
    usable !== null && usable <= MOST_HEADROOM * largest ? [usable] : [],
  );
  const usable = [...new Set(drawn.flat())];
  return {
    legend: { top: 0, left: 0, type: 'scroll', itemGap: 28, textStyle: TEXT },
    grid: { left: 24, right: 32, top: 56, bottom: 72, containLabel: true },
    tooltip: { trigger: 'axis', confine: true, axisPointer: { type: 'line' } },
    xAxis: {
      ...AXIS,
      type: 'value',
      min: 1,
      max: Math.max(2, steps),
      minInterval: 1,
      name: 'Step',
      nameLocation: 'middle',
      nameGap: 26,
      axisLabel: SOFT,
    },
    yAxis: {
      ...AXIS,
      type: 'value',
      name: 'Tokens in the context',
      nameTextStyle: { ...TEXT, align: 'left' },
      axisLabel: { ...SOFT, showMaxLabel: false },
      max: Math.ceil((Math.max(largest, ...usable) * 1.08) / 1_000) * 1_000,
    },
    dataZoom: [
      { type: 'inside', filterMode: 'none', zoomOnMouseWheel: 'ctrl' },
      {
        type: 'slider',
        filterMode: 'none',
        height: 18,
        bottom: 8,
        showDetail: false,
        borderColor: 'var(--line)',
        fillerColor: 'transparent',
        brushSelect: false,
      },
    ],
    series: runs.map((run, place) => ({
      ...runSeries(run, place),
      ...(runs.length === 1 && { areaStyle: { color: lookOf(place).color, opacity: 0.12 } }),
      markLine: usableLine(
        // A line of several runs stands once, in the colour of none.
        drawn
          .slice(0, place)
          .flat()
          .includes(drawn[place]?.[0] ?? 0)
          ? []
          : (drawn[place] ?? []),
        usable.length === 1 ? 'var(--bad)' : lookOf(place).color,
      ),
    })),
  };
}

function runSeries({ name, context, moments, isHollow = false }: TimelineRun, place: number) {
  const { color } = lookOf(place);
  const marks = moments.flatMap(([step, kind]) => {
    const look = MARKS[kind];
    return look === undefined ? [] : [{ coord: [step + 1, context[step] ?? 0], ...look }];
  });
  return {
    type: 'line',
    name: cutName(isHollow ? `${name} (impossible)` : name, LONGEST_SERIES),
    symbol: 'circle',
    showSymbol: context.length === 1,
    symbolSize: 7,
    color,
    lineStyle: { color, width: 2, type: isHollow ? 'dashed' : 'solid' },
    itemStyle: { color },
    emphasis: { disabled: true },
    data: context.map((tokens, index) => [index + 1, tokens]),
    markPoint: {
      silent: true,
      label: { show: false },
      itemStyle: { color, borderColor: 'var(--card)', borderWidth: 1 },
      data: marks,
    },
  };
}

function usableLine(usable: readonly number[], color: string) {
  return {
    symbol: 'none',
    silent: true,
    lineStyle: { color, type: 'dashed' },
    label: { ...SOFT, position: 'insideEndTop', formatter: '{b}' },
    data: usable.map((tokens) => ({ name: `usable ${formatCount(tokens)}`, yAxis: tokens })),
  };
}

function barsOption({ title, unit, bars }: BarsPlot): ChartOption {
  const known = bars.flatMap(({ value, low, high }) => [value, low, high].filter(isKnown));
  const at = (value: number | null, place: number) => ({ coord: [scaled(value, unit), place] });
  return {
    grid: { left: 12, right: 40, top: 34, bottom: 8, containLabel: true },
    tooltip: { trigger: 'item', confine: true },
    xAxis: {
      ...AXIS,
      type: 'value',
      position: 'top',
      name: `${title}${unitOf(unit)}`,
      nameLocation: 'middle',
      nameGap: 24,
      ...(known.every((value) => value >= 0) && { min: 0 }),
      axisLabel: { ...SOFT, formatter: templateOf(unit), hideOverlap: true },
    },
    yAxis: {
      ...AXIS,
      type: 'category',
      inverse: true,
      data: bars.map(({ name }) => cutName(name)),
      axisLabel: { ...SOFT, width: 220, overflow: 'truncate' },
    },
    series: [
      {
        type: 'bar',
        barMaxWidth: 14,
        emphasis: { disabled: true },
        label: { ...TEXT, show: true, position: 'right', formatter: '{b}' },
        data: bars.map(({ name, value, low, high }, place) => ({
          name: amountOf(value, unit),
          value: scaled(value, unit),
          itemStyle: { color: lookOf(place).color, opacity: 0.75 },
          label: { position: high === null ? 'right' : 'insideLeft' },
          tip: shownLines([name, amountOf(value, unit), endsOf(low, high, unit)]),
        })),
        markLine: {
          symbol: ['rect', 'rect'],
          symbolSize: [2, 9],
          silent: true,
          label: { show: false },
          lineStyle: { color: 'var(--ink)', type: 'solid', width: 1.5 },
          data: bars.flatMap(({ low, high }, place) =>
            low === null || high === null ? [] : [[at(low, place), at(high, place)]],
          ),
        },
      },
    ],
  };
}

function isKnown(value: number | null): value is number {
  return value !== null;
}

function endsOf(low: number | null, high: number | null, unit: Unit): string {
  if (low === null || high === null) return 'too few sessions for an interval';
  return `${formatAmount(low, unit)} … ${formatAmount(high, unit)}`;
}

function amountOf(value: number | null | undefined, unit: Unit): string {
  return value === null || value === undefined ? 'unknown' : formatAmount(value, unit);
}

/** A number as its axis counts: milliseconds in seconds, shares in hundredths. */
function scaled(value: number | null, unit: Unit): number | null {
  if (value === null) return null;
  if (unit === 'ms') return value / MS_PER_SECOND;
  return unit === 'ratio' ? percentOf(value) : value;
}

function templateOf(unit: Unit): string {
  const templates: Readonly<Partial<Record<Unit, string>>> = {
    usd: '${value}',
    ratio: '{value} %',
    ms: '{value} s',
  };
  return templates[unit] ?? '{value}';
}

function unitOf(unit: Unit): string {
  return unit === 'tokens' ? ' (tokens)' : '';
}

function cutName(name: string, most = LONGEST_LABEL): string {
  const shown = shownText(name);
  return shown.length <= most ? shown : `${shown.slice(0, most - 1)}…`;
}

function shownLines(lines: readonly string[]): string {
  return lines
    .filter((line) => line !== '')
    .map(shownText)
    .join('\n');
}
