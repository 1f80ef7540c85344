/** Charts as the options of ECharts: plain data, so that the picture in a file and the chart in a page are one. */

import { groupBy } from '../../lib/collections.ts';
import { MS_PER_SECOND } from '../../lib/units.ts';
import { shownText } from '../markup.ts';
import { formatAmount, formatCount, joinEnds, percentOf } from '../numbers.ts';
import type { MomentKind, Plot, PlotAxis, PlotPoint, TimelineRun } from '../plots.ts';

type PlotOf<Kind extends Plot['kind']> = Extract<Plot, { readonly kind: Kind }>;
type Unit = PlotAxis['unit'];

const MOST_NAMED = 24;
/** A usable line that is farther above the largest request than this would flatten it. */
const MOST_HEADROOM = 4;
const HEIGHT = 380;
const BAR_HEIGHT = 28;
const LONGEST_LABEL = 44;
const LONGEST_SERIES = 64;
/** No multiple of each other, so that colour and symbol together tell forty series apart. */
const SERIES_COLORS = 8;
const SYMBOLS = ['circle', 'rect', 'triangle', 'diamond', 'roundRect'];
// Double quotes would end the attribute of a picture that it stands in.
const FONT = { fontFamily: "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif" };
const TEXT = { ...FONT, color: 'var(--ink)', fontSize: 13 };
const SOFT = { ...FONT, color: 'var(--soft)', fontSize: 12 };
const AXIS = {
  axisLine: { lineStyle: { color: 'var(--soft)' } },
  axisTick: { lineStyle: { color: 'var(--soft)' } },
  splitLine: { lineStyle: { color: 'var(--line)' } },
  nameTextStyle: TEXT,
};
const UP = { ...AXIS, nameTextStyle: { ...TEXT, align: 'left' } };
const INSIDE = { type: 'inside', filterMode: 'none', zoomOnMouseWheel: 'ctrl' };
const BAD = { itemStyle: { color: 'var(--bad)' } };
const CROSS = 'path://M1 0L5 4L9 0L10 1L6 5L10 9L9 10L5 6L1 10L0 9L4 5L0 1Z';
const MARKS: Readonly<Partial<Record<MomentKind, object>>> = {
  pivot: { symbol: 'triangle', symbolRotate: 180, symbolSize: 13, symbolOffset: [0, -10] },
  prune: { symbol: 'circle', symbolSize: 7, symbolOffset: [0, -7] },
  refusal: { symbol: CROSS, symbolSize: 11, ...BAD },
  failure: { symbol: 'rect', symbolSize: 9, ...BAD },
  miss: { symbol: 'diamond', symbolSize: 10, ...BAD },
};
const TEMPLATES: Readonly<Partial<Record<Unit, string>>> = {
  usd: '${value}',
  ratio: '{value} %',
  ms: '{value} s',
};

export function toOption(plot: Plot) {
  const common = { animation: false, textStyle: TEXT };
  if (plot.kind === 'scatter') return { ...common, ...scatterOption(plot) };
  return { ...common, ...(plot.kind === 'bars' ? barsOption(plot) : timelineOption(plot)) };
}

export function heightOf(plot: Plot) {
  return plot.kind === 'bars' ? BAR_HEIGHT * (plot.bars.length + 1) + 50 : HEIGHT;
}

export function axisOptions(axes: readonly PlotAxis[]): readonly object[] {
  return axes.map(({ label, unit }) => ({
    type: 'value',
    name: nameOfAxis(shownText(label), unit),
    scale: true,
    axisLabel: labelOfAxis(unit),
  }));
}

export function lookOf(place: number) {
  return {
    color: `var(--s${place % SERIES_COLORS})`,
    symbol: SYMBOLS[place % SYMBOLS.length] ?? 'circle',
  };
}

function scatterOption({ axes, points, lines = [] }: PlotOf<'scatter'>) {
  const isNamed = points.length <= MOST_NAMED;
  const [left, right] = endsOf(points, 0);
  const alike = groupBy(points, placeOf);
  const itemOf = (point: PlotPoint, color: string) => {
    const { values, mark, says = '', isHollow } = point;
    // Points at one place have their names in one label.
    const same = alike.get(placeOf(point)) ?? [];
    const label = same[0] === point ? same.map(nameOf).join(' = ') : '';
    const facts = axes.map(({ label: axis, unit }, at) => `${axis}: ${amountOf(values[at], unit)}`);
    return {
      name: cutName(label),
      value: values.map((value, at) => scaled(value, axes[at]?.unit ?? 'count')),
      tip: tipOf([nameOf(point), ...facts, says]),
      label: {
        show: label !== '' && (isNamed || mark !== undefined),
        position: (values[0] ?? 0) > (left + right) / 2 ? 'left' : 'right',
      },
      ...(isHollow && { itemStyle: { color: 'var(--card)', borderColor: color, borderWidth: 2 } }),
    };
  };
  const series = (isNamed ? points.map((point) => [point]) : [points]).map((own, place) => {
    const { color, symbol } = lookOf(place);
    return {
      type: 'scatter',
      symbol,
      symbolSize: isNamed ? 14 : 9,
      encode: { x: 0, y: 1 },
      itemStyle: { color, opacity: 0.9 },
      emphasis: { disabled: true },
      label: { ...TEXT, formatter: '{b}', textBorderWidth: 0 },
      labelLayout: { hideOverlap: true, moveOverlap: 'shiftY' },
      data: own.map((point) => itemOf(point, color)),
      ...(place === 0 && {
        markLine: {
          ...dashed('var(--soft)'),
          data: lines.map(({ name, at }) => ({ name: shownText(name), xAxis: at })),
        },
      }),
    };
  });
  return { ...planeOf(axes, endsOf(points, 1)), series };
}

function planeOf(axes: readonly PlotAxis[], [low, high]: readonly [number, number]) {
  const [across, up] = axisOptions(axes);
  return {
    grid: { left: 24, right: 32, top: 40, bottom: 40, containLabel: true },
    tooltip: { trigger: 'item', confine: true },
    xAxis: { ...across, ...AXIS, nameLocation: 'middle', nameGap: 30, boundaryGap: ['6%', '6%'] },
    yAxis: {
      ...up,
      ...UP,
      boundaryGap: ['12%', '12%'],
      // No amount is below nothing, though there is room below the least.
      ...(low >= 0 && low <= (high - low) / 4 && { min: 0 }),
    },
    dataZoom: [
      { ...INSIDE, xAxisIndex: 0 },
      { ...INSIDE, yAxisIndex: 0 },
    ],
  };
}

function timelineOption({ runs }: PlotOf<'timeline'>) {
  const steps = Math.max(1, ...runs.map(({ context }) => context.length));
  const largest = Math.max(1, ...runs.flatMap(({ context }) => context));
  const usable = runs.map((run) => run.usable ?? Infinity);
  const drawn = new Set(usable.filter((tokens) => tokens <= MOST_HEADROOM * largest));
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
      ...UP,
      type: 'value',
      name: 'Tokens in the context',
      axisLabel: { ...SOFT, showMaxLabel: false },
      max: Math.ceil((Math.max(largest, ...drawn) * 1.08) / 1_000) * 1_000,
    },
    dataZoom: [
      INSIDE,
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
    series: runs.map((run, place) => {
      const { color } = lookOf(place);
      const own = usable[place] ?? Infinity;
      // A line of several runs stands once, in the colour of none.
      const isFirst = drawn.has(own) && usable.indexOf(own) === place;
      return {
        ...runSeries(run, color),
        ...(runs.length === 1 && { areaStyle: { color, opacity: 0.12 } }),
        markLine: {
          ...dashed(drawn.size === 1 ? 'var(--bad)' : color),
          data: isFirst ? [{ name: `usable ${formatCount(own)}`, yAxis: own }] : [],
        },
      };
    }),
  };
}

function runSeries({ name, context, moments, isHollow = false }: TimelineRun, color: string) {
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
      data: moments.flatMap(([step, kind]) =>
        MARKS[kind] === undefined
          ? []
          : [{ coord: [step + 1, context[step] ?? 0], ...MARKS[kind] }],
      ),
    },
  };
}

function barsOption({ title, unit, bars }: PlotOf<'bars'>) {
  const known = bars.flatMap(({ value, low, high }) => [value ?? [], low ?? [], high ?? []].flat());
  return {
    grid: { left: 12, right: 40, top: 34, bottom: 8, containLabel: true },
    tooltip: { trigger: 'item', confine: true },
    xAxis: {
      ...AXIS,
      type: 'value',
      position: 'top',
      name: nameOfAxis(title, unit),
      nameLocation: 'middle',
      nameGap: 24,
      ...(known.every((value) => value >= 0) && { min: 0 }),
      axisLabel: labelOfAxis(unit),
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
        data: bars.map(({ name, value, low, high }, place) => {
          const amount = amountOf(value, unit);
          const ends =
            low === null || high === null
              ? 'too few sessions for an interval'
              : joinEnds(formatAmount(low, unit), formatAmount(high, unit));
          return {
            name: amount,
            value: scaled(value, unit),
            itemStyle: { color: lookOf(place).color, opacity: 0.75 },
            label: { position: high === null ? 'right' : 'insideLeft' },
            tip: tipOf([name, amount, ends]),
          };
        }),
        markLine: {
          symbol: ['rect', 'rect'],
          symbolSize: [2, 9],
          silent: true,
          label: { show: false },
          lineStyle: { color: 'var(--ink)', type: 'solid', width: 1.5 },
          data: bars.flatMap(({ low, high }, place) =>
            low === null || high === null
              ? []
              : [[low, high].map((end) => ({ coord: [scaled(end, unit), place] }))],
          ),
        },
      },
    ],
  };
}

function dashed(color: string) {
  return {
    symbol: 'none',
    silent: true,
    lineStyle: { color, type: 'dashed' },
    label: { ...SOFT, formatter: '{b}', position: 'insideEndTop' },
  };
}

function endsOf(points: readonly PlotPoint[], axis: number): readonly [number, number] {
  const known = points.flatMap(({ values }) => values[axis] ?? []);
  return [Math.min(...known), Math.max(...known)];
}

function placeOf({ values: [x, y] }: PlotPoint) {
  return `${x} ${y}`;
}

function nameOf({ name, mark }: PlotPoint) {
  return mark === undefined ? name : `${mark}: ${name}`;
}

function amountOf(value: number | null | undefined, unit: Unit) {
  return value === null || value === undefined ? 'unknown' : formatAmount(value, unit);
}

/** A number as its axis counts: milliseconds in seconds, shares in hundredths. */
function scaled(value: number | null, unit: Unit) {
  if (value === null) return null;
  if (unit === 'ms') return value / MS_PER_SECOND;
  return unit === 'ratio' ? percentOf(value) : value;
}

function labelOfAxis(unit: Unit) {
  return { ...SOFT, formatter: TEMPLATES[unit] ?? '{value}', hideOverlap: true };
}

function nameOfAxis(name: string, unit: Unit) {
  return unit === 'tokens' ? `${name} (tokens)` : name;
}

function cutName(name: string, most = LONGEST_LABEL) {
  const shown = shownText(name);
  return shown.length <= most ? shown : `${shown.slice(0, most - 1)}…`;
}

function tipOf(lines: readonly string[]) {
  return lines.flatMap((line) => (line === '' ? [] : shownText(line))).join('\n');
}
