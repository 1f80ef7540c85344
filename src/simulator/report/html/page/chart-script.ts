/** Charts as SVG: the saw-tooth of a session, with zoom and a cursor, and points in a plane. */
export const chartScript = String.raw`
const LEFT = 46, RIGHT = 12, UNIT = 44, TOP = 18, PLOT = 230, LANE = 17, BOTTOM = 22;
const LANES = [['overflow', 'Overflow'], ['prune', 'Prune'], ['pivot', 'Pivot'], ['refusal', 'Refusal'], ['failure', 'Failure'], ['miss', 'Miss'], ['law', 'Law'], ['cold', 'Idle gap']];

function ticks(most, wanted) {
  if (!(most > 0)) return [0];
  const raw = most / wanted, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= raw);
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, index) => index * step);
}

// The picture as a file looks as it does on the page.
const SVG_LOOK = ['fill', 'fill-opacity', 'stroke', 'stroke-opacity', 'stroke-width', 'stroke-dasharray', 'stroke-linecap', 'stroke-linejoin', 'opacity', 'display', 'visibility', 'paint-order', 'font-size', 'font-weight', 'font-family', 'text-anchor', 'dominant-baseline'];
function saveSvg(drawing, name) {
  const copy = drawing.cloneNode(true);
  const originals = [drawing, ...drawing.querySelectorAll('*')], copies = [copy, ...copy.querySelectorAll('*')];
  originals.forEach((original, index) => {
    const look = getComputedStyle(original);
    // Styles of the page name colours that only the page knows, and win over attributes.
    copies[index].removeAttribute('style');
    copies[index].removeAttribute('class');
    for (const property of SVG_LOOK) {
      copies[index].setAttribute(property, look.getPropertyValue(property));
    }
  });
  const box = drawing.viewBox.baseVal;
  copy.prepend(svg('rect', { width: box.width, height: box.height, fill: getComputedStyle(document.documentElement).backgroundColor }));
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  save(fileName(name) + '.svg', 'image/svg+xml', shownLines(new XMLSerializer().serializeToString(copy)));
}

const pauseAt = (detail, step) => detail.view ? detail.view.pauses[step] : undefined;
const coldWords = (pause) => (pause === undefined ? 'Idle gap' : 'Idle gap of ' + duration(pause)) + ': nothing of the session was left in the cache.';
const coldMoments = (detail) => detail.flags.flatMap((flag, step) => flag & 2 ? [[step, 'cold', coldWords(pauseAt(detail, step))]] : []);
// The rule of the policy by which something happened.
function ruleWords(run, kind) {
  const rule = (data.groups[run.g].rules || {})[kind];
  return rule === undefined ? '' : ' [' + rule + ']';
}
const momentsOf = (detail) => [...detail.moments, ...coldMoments(detail)];
function stepWords(run, step) {
  const detail = run.d;
  const context = detail.context[step], cached = detail.cached[step], written = detail.written[step];
  const head = groupName(run.g) + ': context ' + count(context) + ' (cached ' + count(cached) + ', written ' + count(written) + ', new ' + count(context - cached - written) + ')';
  const pause = pauseAt(detail, step);
  const sent = pause === undefined || step === 0 ? [] : ['Sent ' + duration(pause) + ' after the previous request'];
  return [head, ...sent, ...momentsOf(detail).filter((moment) => moment[0] === step).map((moment) => moment[2] + ruleWords(run, moment[1]))].join('\n');
}

// runs: the first is drawn as a stack, the others as lines over it. open: called with a step.
function sawtooth(runs, open) {
  const steps = Math.max(...runs.map((run) => run.d.context.length));
  const zoom = { from: 0, to: steps };
  let cursor = 0, dragFrom, width = 0;
  const canvas = svg('svg', { 'aria-hidden': 'true', focusable: 'false' });
  const tip = el('div', { class: 'tip', hidden: true });
  const plot = el('div', { class: 'plot', role: 'slider', tabindex: '0', 'aria-label': 'Step of the session', 'aria-valuemin': '1', 'aria-valuemax': String(steps) }, canvas, tip);
  const lanes = LANES.filter(([kind]) => runs.some((run) => momentsOf(run.d).some((moment) => moment[1] === kind)));
  const height = TOP + PLOT + lanes.length * LANE + BOTTOM;
  const x = (step) => LEFT + ((step - zoom.from) / (zoom.to - zoom.from)) * (width - LEFT - RIGHT);
  const stepAt = (pixel) => Math.max(0, Math.min(steps - 1, Math.floor(zoom.from + ((pixel - LEFT) / (width - LEFT - RIGHT)) * (zoom.to - zoom.from))));
  let y;

  function draw() {
    width = Math.max(280, plot.clientWidth || 800);
    canvas.setAttribute('viewBox', '0 0 ' + width + ' ' + height);
    canvas.setAttribute('height', height);
    const seen = (list) => list.slice(zoom.from, zoom.to);
    const peak = Math.max(1, ...runs.map((run) => seen(run.d.context).reduce((most, value) => Math.max(most, value), 0)));
    const lines = runs.map((run) => run.d.usable).filter((value) => value !== null && value <= peak * 1.6);
    const most = Math.max(peak, ...lines) * 1.06;
    y = (value) => TOP + PLOT - (value / most) * PLOT;
    canvas.replaceChildren(...axes(most), ...stack(runs[0]), ...runs.map(outline), ...runs.flatMap(usableLine), ...lanes.flatMap(drawLane), svg('line', { class: 'cursor', y1: TOP, y2: height - BOTTOM, id: 'cursor-line' }));
    moveCursor();
  }
  function axes(most) {
    const rows = ticks(most, 5).flatMap((value) => [
      svg('line', { class: 'axis', x1: LEFT, x2: width - RIGHT, y1: y(value), y2: y(value) }),
      svg('text', { x: LEFT - 6, y: y(value) + 4, 'text-anchor': 'end' }, short(value))]);
    const span = zoom.to - zoom.from;
    const marks = ticks(span, Math.min(10, width / 80)).filter((value) => Number.isInteger(value) && value < span && x(zoom.from + value + 0.5) < width - RIGHT - UNIT).map((value) =>
      svg('text', { x: x(zoom.from + value + 0.5), y: height - 6, 'text-anchor': 'middle' }, String(zoom.from + value + 1)));
    return [...rows, ...marks, svg('text', { x: LEFT, y: 11 }, 'tokens'), svg('text', { x: width - RIGHT, y: height - 6, 'text-anchor': 'end' }, 'step')];
  }
  function band(low, high) {
    const points = [];
    for (let step = zoom.from; step < Math.min(zoom.to, low.length); step++) points.push([x(step), x(step + 1), y(low[step]), y(high[step])]);
    if (points.length === 0) return '';
    const top = points.map(([left, right, , upper]) => 'L' + left.toFixed(1) + ' ' + upper.toFixed(1) + 'L' + right.toFixed(1) + ' ' + upper.toFixed(1)).join('');
    const back = points.reverse().map(([left, right, lower]) => 'L' + right.toFixed(1) + ' ' + lower.toFixed(1) + 'L' + left.toFixed(1) + ' ' + lower.toFixed(1)).join('');
    return 'M' + (top + back).slice(1) + 'Z';
  }
  function stack({ d }) {
    const zero = d.context.map(() => 0), written = d.context.map((_, step) => d.cached[step] + d.written[step]);
    return [['cached', zero, d.cached], ['written', d.cached, written], ['fresh', written, d.context]].map(([name, low, high]) =>
      svg('path', { class: 'area-' + name, d: band(low, high) }));
  }
  function outline({ d, g }) {
    let path = '';
    for (let step = zoom.from; step < Math.min(zoom.to, d.context.length); step++) {
      const level = y(d.context[step]).toFixed(1);
      path += (path === '' ? 'M' : 'L') + x(step).toFixed(1) + ' ' + level + 'L' + x(step + 1).toFixed(1) + ' ' + level;
    }
    return svg('path', { d: path, fill: 'none', style: 'stroke:' + colorOf(g), 'stroke-width': '1.5', 'stroke-linejoin': 'round' });
  }
  function usableLine({ d }, index, all) {
    if (d.usable === null || all.findIndex((other) => other.d.usable === d.usable) !== index) return [];
    if (d.usable < 0) return [svg('text', { class: 'usable-text', x: width - RIGHT, y: y(0) - 4, 'text-anchor': 'end' }, 'usable ' + short(d.usable) + ': below zero')];
    if (y(d.usable) < TOP) return [svg('text', { class: 'usable-text', x: width - RIGHT, y: 11, 'text-anchor': 'end' }, 'usable ' + short(d.usable) + ' is above the chart')];
    return [svg('line', { class: 'usable', x1: LEFT, x2: width - RIGHT, y1: y(d.usable), y2: y(d.usable) }),
      svg('text', { class: 'usable-text', x: width - RIGHT, y: y(d.usable) - 4, 'text-anchor': 'end' }, 'usable ' + short(d.usable))];
  }
  function drawLane([kind, label], index) {
    const middle = TOP + PLOT + index * LANE + LANE / 2 + 3;
    const dots = runs.flatMap((run, order) => momentsOf(run.d)
      .filter((moment) => moment[1] === kind && moment[0] >= zoom.from && moment[0] < zoom.to)
      .map((moment) => svg('circle', { cx: x(moment[0] + 0.5), cy: middle + (order - (runs.length - 1) / 2) * 3, r: 3.6, class: 'mark mark-' + kind, style: 'fill:' + colorOf(run.g) })));
    return [svg('text', { x: LEFT - 6, y: middle + 4, 'text-anchor': 'end', style: 'font-size:9px' }, label),
      svg('line', { class: 'axis', x1: LEFT, x2: width - RIGHT, y1: middle + LANE / 2, y2: middle + LANE / 2 }), ...dots, ...(kind === 'cold' ? gapLabels(middle) : [])];
  }
  // How long each gap was, where no other mark is in the way.
  function gapLabels(middle) {
    const steps = [...new Set(runs.flatMap((run) => coldMoments(run.d).map(([step]) => step)))].sort((a, b) => a - b);
    return steps.flatMap((step, index) => {
      const pause = pauseAt(runs[0].d, step), at = x(step + 0.5) + 6;
      if (pause === undefined || step < zoom.from || step >= zoom.to) return [];
      const words = duration(pause), end = at + words.length * 5;
      const next = index + 1 < steps.length ? x(steps[index + 1] + 0.5) - 5 : Infinity;
      return end > Math.min(next, width - RIGHT) ? [] : [svg('text', { x: at, y: middle + 4, style: 'font-size:9px' }, words)];
    });
  }
  function moveCursor() {
    const line = canvas.querySelector('#cursor-line');
    const at = x(cursor + 0.5);
    line.setAttribute('x1', at);
    line.setAttribute('x2', at);
    line.style.display = cursor < zoom.from || cursor >= zoom.to ? 'none' : '';
    plot.setAttribute('aria-valuenow', String(cursor + 1));
    const words = ['Step ' + (cursor + 1), ...runs.filter((run) => cursor < run.d.context.length).map((run) => stepWords(run, cursor))].map((text) => text.split('\n').map(shown).join('\n')).join('\n');
    plot.setAttribute('aria-valuetext', words);
    tip.textContent = words;
    if (tip.hidden) return;
    const left = at > width / 2 ? at - tip.offsetWidth - 12 : at + 12;
    tip.style.left = Math.max(0, Math.min(left, width - tip.offsetWidth)) + 'px';
    tip.style.top = TOP + 6 + 'px';
  }
  function go(step) {
    cursor = Math.max(0, Math.min(steps - 1, step));
    const span = zoom.to - zoom.from;
    if (cursor < zoom.from) setZoom(cursor, cursor + span);
    else if (cursor >= zoom.to) setZoom(cursor - span + 1, cursor + 1);
    else moveCursor();
  }
  function setZoom(from, to) {
    const span = Math.max(Math.min(5, steps), Math.min(steps, Math.round(to - from)));
    zoom.from = Math.max(0, Math.min(steps - span, Math.round(from)));
    zoom.to = zoom.from + span;
    draw();
  }
  function scale(factor, around) {
    const span = (zoom.to - zoom.from) * factor, share = (around - zoom.from) / (zoom.to - zoom.from);
    setZoom(around - share * span, around - share * span + span);
  }
  const pixelOf = (event) => event.clientX - canvas.getBoundingClientRect().left;
  const keys = {
    ArrowLeft: () => go(cursor - 1), ArrowRight: () => go(cursor + 1), PageUp: () => go(cursor - 10), PageDown: () => go(cursor + 10),
    Home: () => go(0), End: () => go(steps - 1), '+': () => scale(0.5, cursor), '=': () => scale(0.5, cursor), '-': () => scale(2, cursor),
    0: () => setZoom(0, steps), Enter: () => open(cursor), Escape: () => { tip.hidden = true; },
  };
  plot.addEventListener('keydown', (event) => {
    if (!Object.hasOwn(keys, event.key) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    tip.hidden = false;
    keys[event.key]();
  });
  plot.addEventListener('focus', () => { tip.hidden = false; moveCursor(); });
  plot.addEventListener('blur', () => { tip.hidden = true; });
  plot.addEventListener('pointermove', (event) => {
    tip.hidden = false;
    cursor = stepAt(pixelOf(event));
    moveCursor();
    if (dragFrom !== undefined) showBrush(pixelOf(event));
  });
  plot.addEventListener('pointerleave', () => { tip.hidden = document.activeElement !== plot; });
  plot.addEventListener('pointerdown', (event) => { if (event.pointerType === 'mouse' && event.button === 0) dragFrom = pixelOf(event); });
  plot.addEventListener('pointerup', (event) => {
    const from = dragFrom, to = pixelOf(event);
    dragFrom = undefined;
    const brush = canvas.querySelector('.brush');
    if (brush) brush.remove();
    if (from === undefined || event.button !== 0) return;
    if (Math.abs(to - from) < 5) open(stepAt(to));
    else setZoom(stepAt(Math.min(from, to)), stepAt(Math.max(from, to)) + 1);
  });
  plot.addEventListener('wheel', (event) => {
    if (!event.ctrlKey && !event.metaKey && document.activeElement !== plot) return;
    event.preventDefault();
    scale(event.deltaY < 0 ? 0.8 : 1.25, stepAt(pixelOf(event)));
  }, { passive: false });
  function showBrush(to) {
    const brush = canvas.querySelector('.brush') || canvas.appendChild(svg('rect', { class: 'brush', y: TOP, height: PLOT }));
    brush.setAttribute('x', Math.min(dragFrom, to));
    brush.setAttribute('width', Math.abs(to - dragFrom));
  }
  new ResizeObserver(() => { if (plot.clientWidth !== width) draw(); }).observe(plot);
  return { plot, canvas, draw, whole: () => setZoom(0, steps), closer: () => scale(0.5, cursor), wider: () => scale(2, cursor) };
}
`;
