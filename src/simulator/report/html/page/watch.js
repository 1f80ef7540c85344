const MS_BETWEEN_LOOKS = 1_500;

/** Looks now and then whether what is served is newer than this page, and shows that; a saved page never does. */
export function watch() {
  const { tag } = document.documentElement.dataset;
  if (tag !== undefined) window.setTimeout(() => void look(tag), MS_BETWEEN_LOOKS);
}

/** @param {string} tag */
async function look(tag) {
  const served = await fetchTag();
  if (served === undefined) return;
  if (served === tag) watch();
  else location.reload();
}

async function fetchTag() {
  try {
    const answer = await fetch('/version', { cache: 'no-store' });
    return answer.ok ? await answer.text() : document.documentElement.dataset['tag'];
  } catch {
    // The server has gone; what is shown stays.
    return undefined;
  }
}
