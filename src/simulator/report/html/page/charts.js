import { button, el } from './elements.js';
import { createSteps, describe } from './steps.js';

/** @typedef {import('../../plots.ts').TimelineRun} TimelineRun */
/** @typedef {{ option: any, height: number, runs?: readonly TimelineRun[], axes?: readonly any[] }} ChartData */
/** @typedef {{ show?: (step: number) => void }} LiveChart */

/** Pixels below which a plane has no room for labels beside every point. */
const NARROW = 520;

/**
 * Makes a picture a chart that can be pointed at, zoomed and picked from.
 * @param {HTMLElement} figure
 * @param {ChartData} data
 * @returns {LiveChart}
 */
export function drawLive(figure, { option, height, runs, axes }) {
  const place = /** @type {HTMLElement} */ (figure.querySelector('.drawing'));
  place.replaceChildren();
  const { echarts } = /** @type {any} */ (window);
  const chart = echarts.init(place, null, { renderer: 'svg', height });
  chart.setOption(option);
  chart.setOption({
    tooltip: { ...TOOLTIP, formatter: (/** @type {any} */ at) => tipOf(at, runs) },
  });
  if (place.clientWidth < NARROW && runs === undefined) {
    const label = { width: 110, overflow: 'truncate', fontSize: 11 };
    chart.setOption({
      series: option.series.map((/** @type {any} */ { type }) =>
        type === 'scatter' ? { label } : {},
      ),
    });
  }
  new ResizeObserver(() => chart.resize()).observe(place);
  figure.append(saveButton(figure, chart));
  if (axes !== undefined) figure.prepend(axisChoice(chart, option, axes));
  if (runs === undefined) return {};
  const last = Math.max(1, ...runs.map(({ context }) => context.length));
  const steps = createSteps(runs, {
    onStep: (step) =>
      chart.dispatchAction({ type: 'showTip', seriesIndex: 0, dataIndex: step - 1 }),
    onZoom: (factor, step) => zoom(chart, { factor, step, last }),
  });
  chart.getZr().on('click', (/** @type {any} */ { offsetX, offsetY }) => {
    const [step] = chart.convertFromPixel({ gridIndex: 0 }, [offsetX, offsetY]);
    steps.show(Math.round(step));
  });
  figure.append(steps.element);
  return steps;
}

const TOOLTIP = {
  backgroundColor: 'var(--card)',
  borderColor: 'var(--line)',
  textStyle: { color: 'var(--ink)' },
  className: 'tip',
};

/**
 * The words on a point: an element of text, so that nothing in it is markup.
 * @param {any} at
 * @param {readonly TimelineRun[] | undefined} runs
 */
function tipOf(at, runs) {
  const [first] = [at].flat();
  const step = first?.dataIndex ?? 0;
  const text =
    runs === undefined
      ? (first?.data?.tip ?? '')
      : [`Step ${step + 1}`, ...runs.map((run) => describe(run, step))].join('\n');
  return el('div', { class: 'tip-text' }, text);
}

/** @param {any} chart @param {{ factor: number, step: number, last: number }} to */
function zoom(chart, { factor, step, last }) {
  const [{ startValue = 1, endValue = last } = {}] = chart.getOption().dataZoom ?? [];
  const half = Math.max(2, ((endValue - startValue) * factor) / 2);
  const isAll = half * 2 >= last;
  chart.dispatchAction({
    type: 'dataZoom',
    startValue: isAll ? 1 : Math.max(1, step - half),
    endValue: isAll ? last : Math.min(last, step + half),
  });
}

/** @param {any} chart @param {any} option @param {readonly any[]} axes */
function axisChoice(chart, option, axes) {
  const pick = (/** @type {string} */ label, /** @type {number} */ first) => {
    const options = axes.map(({ name }, place) =>
      el('option', { value: `${place}`, ...(place === first && { selected: '' }) }, name),
    );
    return /** @type {HTMLSelectElement} */ (el('select', { 'aria-label': label }, ...options));
  };
  const [across, up] = [pick('Across', 0), pick('Up', 1)];
  const redraw = () => {
    const [x, y] = [Number(across.value), Number(up.value)];
    chart.setOption({
      xAxis: axes[x],
      yAxis: axes[y],
      series: option.series.map(() => ({ encode: { x, y } })),
    });
  };
  for (const select of [across, up]) select.addEventListener('change', redraw);
  return el('p', { class: 'axes' }, 'Across ', across, ' up ', up);
}

/** @param {HTMLElement} figure @param {any} chart */
function saveButton(figure, chart) {
  return el(
    'p',
    { class: 'save' },
    button('Save as SVG', () => {
      const svg = chart
        .renderToSVGString()
        .replaceAll(/var\((--\w+)\)/g, (/** @type {string} */ _, /** @type {string} */ name) =>
          getComputedStyle(figure).getPropertyValue(name),
        );
      const link = el('a', {
        href: URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' })),
        download: `${figure.id}.svg`,
      });
      link.click();
    }),
  );
}
