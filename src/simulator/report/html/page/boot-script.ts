/** Reads the data of a page, and shows what the address asks for. */
export const bootScript = String.raw`
const main = document.getElementById('content');

async function readData() {
  const holder = document.getElementById('data');
  if (holder.type === 'application/json') return JSON.parse(holder.textContent);
  const text = atob(holder.textContent.trim());
  const packed = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) packed[at] = text.charCodeAt(at);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return JSON.parse(await new Response(stream).text());
}

function show(isMoved) {
  const { parts, params } = address();
  const session = parts[0] === 'session' ? data.sessions.findIndex((name, index) => key(name, index) === parts[1]) : -1;
  const step = parts[2] === 'step' ? Number(parts[3]) - 1 : undefined;
  const group = parts[0] === 'policy' ? data.groups.findIndex((_, index) => key(groupName(index), index) === parts[1]) : -1;
  const isLost = parts.length > 0 && group < 0 && (session < 0 || (step !== undefined && !(step >= 0)));
  const content = isLost ? [el('h1', {}, 'Not in this report'), el('p', {}, 'The address names no session, policy or step of this page.'), el('p', {}, el('a', { href: '#/' }, 'To the overview'))]
    : group >= 0 ? policyPage(group, params) : session < 0 ? overview(params) : step === undefined ? sessionPage(session, params) : stepPage(session, step, params);
  main.replaceChildren(...content);
  const where = group >= 0 ? shown(groupLabel(group)) : session < 0 ? '' : shown(data.sessions[session]) + (step === undefined ? '' : ', step ' + (step + 1));
  document.getElementById('where').textContent = where;
  document.title = (where === '' ? shown(data.title) : where) + ' – compaction-bench';
  if (!isMoved) return;
  window.scrollTo(0, 0);
  main.focus({ preventScroll: true });
}

// Served pages look now and then whether there is a newer one; saved ones never do.
function watch() {
  const tag = document.documentElement.dataset.tag;
  if (!tag) return;
  const look = async () => {
    try {
      const answer = await window.fetch('/version', { cache: 'no-store' });
      if (answer.ok && (await answer.text()) !== tag) { location.reload(); return; }
    } catch (error) {
      // The server has gone; what is shown stays.
      return;
    }
    window.setTimeout(look, 1500);
  };
  window.setTimeout(look, 1500);
}

document.querySelector('.skip').addEventListener('click', (event) => { event.preventDefault(); main.focus(); });
readData().then((read) => {
  data = read;
  const maker = data.facts.find(({ label }) => label === 'Made by');
  document.getElementById('footer').textContent = shown(maker ? maker.value : 'compaction-bench');
  window.addEventListener('hashchange', () => show(true));
  show(false);
  watch();
}, () => { main.replaceChildren(el('h1', {}, 'This page is damaged'), el('p', {}, 'Its data cannot be read; a recent browser is needed.')); });
`;
