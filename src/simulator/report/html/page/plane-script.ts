/** Points on two axes that the reader picks: policies, cells, or what the page names itself. */
export const planeScript = String.raw`
const AXES = ['costUsd', 'inputTokens', 'peakContextTokens', 'compactions', 'misses', 'missedTokens', 'regretUsd', 'hitRate', 'gonePaths'];

// Policies or cells by their sums.
function groupPlane(params) {
  const axes = AXES.map((name) => data.metrics[metricIndex(name)]).filter((metric) => metric && data.groups.some((group) => group.values[metricIndex(metric.name)] !== null));
  const points = data.groups.map((group, index) => ({ name: groupName(index), color: colorOf(index), isPeer: data.peers[index], values: axes.map(({ name }) => group.values[metricIndex(name)]) }));
  return plane({ axes, points, first: ['costUsd', 'regretUsd'], faint: 'completed other runs, cannot be compared' }, params);
}

// What the page was given as points.
function pointPlane(params) {
  if (!data.plane) return [];
  const { axes, points, faint } = data.plane;
  const colorOfMark = { today: colorOf(1), knee: colorOf(2) };
  const named = points.map(({ name, values, mark, isFaint }) => ({ name: mark ? name + ' (' + mark + ')' : name, values, isNamed: mark !== undefined, isPeer: !isFaint, color: colorOfMark[mark] || colorOf(0) }));
  return plane({ axes, points: named, first: axes.map(({ name }) => name), faint }, params);
}

// axes: name, label, unit, better. points: name, values by axis, color, isPeer, isNamed. first: names of the axes before anybody picks.
function plane({ axes, points, first, faint }, params) {
  if (points.length < 2 || axes.length < 2) return [];
  const has = (name) => axes.some((axis) => axis.name === name);
  const [x, y] = first.map((name, at) => has(name) ? name : axes[at].name);
  const state = { x: has(params.get('x')) ? params.get('x') : x, y: has(params.get('y')) ? params.get('y') : y };
  const figure = el('figure');
  let drawing;
  function draw() {
    const [a, b] = [state.x, state.y].map((name) => axes.findIndex((axis) => axis.name === name));
    const placed = points.map((point) => ({ ...point, x: point.values[a], y: point.values[b] })).filter((point) => point.x !== null && point.y !== null);
    const wanted = [axes[a], axes[b]];
    drawing = scatter(placed, wanted);
    const [across, up] = wanted.map(({ better }, axis) => better === 'higher' ? ['right', 'up'][axis] : ['left', 'down'][axis]);
    figure.replaceChildren(el('div', { class: 'plot still' }, drawing), el('figcaption', {}, 'Better lies to the ' + across + ' and further ' + up + '. Joined: what nothing else beats on both.' + (drawing.querySelectorAll('.label').length < placed.length ? ' Rest the pointer on a point for all names.' : '') + (placed.every(({ isPeer }) => isPeer) ? '' : ' Faint: ' + faint + '.')));
  }
  const options = axes.map(({ name, label }) => [name, label]);
  const pick = (axis) => choice(axis === 'x' ? 'Across' : 'Up', options, state[axis], (value) => { state[axis] = value; keep(axis, value); draw(); });
  draw();
  return [el('h2', {}, 'Trade-off'), el('div', { class: 'bar' }, pick('x'), pick('y'), el('span', { class: 'push' }, button('SVG', () => saveSvg(drawing, 'trade-off'), { 'aria-label': 'Save the trade-off as SVG' }))), figure];
}

// What a letter of a label takes at most, on average, in pixels.
const LABEL_UNIT = 7;

// Peers that no other beats on both metrics are joined.
function scatter(points, metrics) {
  const [titles, units] = [metrics.map(({ label }) => label), metrics.map(({ unit }) => unit)];
  const [signX, signY] = metrics.map(({ better }) => better === 'higher' ? -1 : 1);
  const beats = (one, other) => signX * (other.x - one.x) >= 0 && signY * (other.y - one.y) >= 0 && (one.x !== other.x || one.y !== other.y);
  const width = roomFor(760), height = 330, left = 62, bottom = 40, top = 16, right = 20;
  const [rangeX, rangeY] = [rangeOf(points.map((point) => point.x)), rangeOf(points.map((point) => point.y))];
  const share = (value, [from, to]) => (value - from) / (to - from);
  const x = (value) => left + share(value, rangeX) * (width - left - right);
  const y = (value) => height - bottom - share(value, rangeY) * (height - top - bottom);
  const lines = [...ticksWithin(rangeX, 6, units[0]).map(([value, words]) => svg('text', { x: x(value), y: height - bottom + 16, 'text-anchor': 'middle' }, words)),
    ...ticksWithin(rangeY, 5, units[1]).flatMap(([value, words]) => [svg('line', { class: 'axis', x1: left, x2: width - right, y1: y(value), y2: y(value) }), svg('text', { x: left - 6, y: y(value) + 4, 'text-anchor': 'end' }, words)])];
  const peers = points.filter(({ isPeer }) => isPeer);
  const front = peers.filter((point) => !peers.some((other) => beats(other, point))).sort((a, b) => a.x - b.x || a.y - b.y);
  const path = front.map((point, index) => (index === 0 ? 'M' : 'L') + x(point.x) + ' ' + y(point.y)).join('');
  const inFront = (point) => front.includes(point);
  const rank = (point) => point.isNamed ? 0 : inFront(point) ? 1 : 2;
  const places = placesOf(points.toSorted((a, b) => rank(a) - rank(b)), (point) => [x(point.x), y(point.y)]);
  const labelOf = labelPlacer({ right: width, bottom: height - bottom }, places.map(({ at }) => at));
  const drawn = places.map((place) => {
    const { at: [cx, cy], points: some } = place, [first] = some, isNamed = points.length <= 12 || rank(first) < 2;
    const dot = svg('circle', { cx, cy, r: rank(first) < 2 ? 6 : 4.5, opacity: some.some(({ isPeer }) => isPeer) ? 1 : 0.4, style: 'fill:' + first.color }, svg('title', {}, some.map((point) => shown(point.name) + ': ' + inUnit(point.x, units[0]) + ', ' + inUnit(point.y, units[1])).join('\n')));
    const others = some.length === 1 ? '' : ' and ' + count(some.length - 1) + ' more';
    return { dot, label: isNamed ? labelOf(place.at, brief(first.name, Math.floor(width / 16)) + others) : undefined };
  });
  const dots = [...drawn.map(({ dot }) => dot).reverse(), ...drawn.flatMap(({ label }) => label ?? [])];
  const names = 'Points of ' + titles[0] + ' against ' + titles[1] + '. On the front: ' + front.map((point) => shown(point.name)).join(', ') + '.';
  return svg('svg', { viewBox: '0 0 ' + width + ' ' + height, role: 'img', 'aria-label': names, style: 'max-width:' + width + 'px' },
    ...lines, svg('path', { class: 'front', d: path }), ...dots,
    svg('text', { x: width - right, y: height - 6, 'text-anchor': 'end' }, titles[0] + ' →'), svg('text', { x: 4, y: 11 }, '↑ ' + titles[1]));
}

// From where to where an axis goes: from nothing on, unless its points lie close together far from that, or below it.
function rangeOf(values) {
  if (values.length === 0) return [0, 1];
  const [least, most] = [Math.min(...values), Math.max(...values)], room = 0.12 * (most - least);
  if (room === 0) return least < 0 ? [1.12 * least, 0] : [0, 1.12 * most || 1];
  return [least < 0 || most - least < 0.4 * most ? least - room : 0, most + room];
}

// Round values of a range with their words, as exact as tells them apart.
function ticksWithin([from, to], wanted, unit) {
  const [first, second = to - from] = ticks(to - from, wanted), step = second - first;
  const start = Math.ceil(from / step - 1e-9) * step;
  const values = Array.from({ length: Math.floor((to - start) / step + 1e-9) + 1 }, (_, index) => start + index * step);
  const exact = (value, of) => String(Number((value / of).toFixed(Math.max(0, Math.ceil(-Math.log10(step / of) - 1e-9)))));
  const words = (value) => unit === 'usd' ? (value < 0 ? '-$' : '$') + exact(Math.abs(value), 1) : unit === 'ratio' ? exact(value, 0.01) + ' %' : Math.abs(value) >= 1e6 ? exact(value, 1e6) + 'M' : Math.abs(value) >= 1e3 ? exact(value, 1e3) + 'k' : exact(value, 1);
  return values.map((value) => [value, words(value)]);
}

// Points that are drawn on the same spot, as equal cells are, with where that is.
function placesOf(points, spotOf) {
  const places = new Map();
  for (const point of points) {
    const at = spotOf(point), key = at.map(Math.round).join();
    if (places.has(key)) places.get(key).points.push(point);
    else places.set(key, { at, points: [point] });
  }
  return [...places.values()];
}

// Puts labels beside their points, where neither another label nor a point is in the way; a label without room is left out.
function labelPlacer({ right, bottom }, spots) {
  const taken = spots.map(([x, y]) => ({ left: x - 5, right: x + 5, top: y - 5, bottom: y + 5 }));
  const isFree = (box) => box.left >= 0 && box.right <= right && box.top >= 0 && box.bottom <= bottom && !taken.some((other) => box.left < other.right && other.left < box.right && box.top < other.bottom && other.top < box.bottom);
  return ([x, y], words) => {
    const wide = LABEL_UNIT * [...words].length, sides = x > right * 0.7 ? [-1, 1] : [1, -1];
    const boxes = [0, -13, 13, -26, 26].flatMap((shift) => sides.map((side) => ({ side, left: side === 1 ? x + 9 : x - 9 - wide, right: side === 1 ? x + 9 + wide : x - 9, top: y + shift - 6.5, bottom: y + shift + 6.5 })));
    const box = boxes.find(isFree);
    if (box === undefined) return undefined;
    taken.push(box);
    return svg('text', { class: 'label', x: x + 9 * box.side, y: box.bottom - 2.5, 'text-anchor': box.side === 1 ? 'start' : 'end' }, words);
  };
}
`;
