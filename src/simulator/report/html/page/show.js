import { address } from './address.js';
import { el } from './elements.js';
import { groupLabel, sessionName } from './names.js';
import { overview } from './overview.js';
import { policyView } from './policy-view.js';
import { routeOf } from './route.js';
import { sessionView } from './session-view.js';
import { shown } from './shown.js';
import { stepView } from './step-view.js';

/** @import { PageData } from '../page-data.ts' */
/** @import { Route } from './route.js' */

/**
 * Shows what the address asks for.
 * @param {PageData} report
 * @param {HTMLElement} main
 */
export function show(report, main) {
  const { parts, params } = address();
  const route = routeOf(report, parts);
  main.replaceChildren(...viewOf(report, route, params));
  const where = shown(whereOf(report, route));
  document.querySelector('#where')?.replaceChildren(where);
  document.title = `${where === '' ? shown(report.title) : where} – compaction-bench`;
}

/**
 * @param {PageData} report
 * @param {Route} route
 * @param {URLSearchParams} params
 */
function viewOf(report, route, params) {
  switch (route.view) {
    case 'overview':
      return overview(report, params);
    case 'policy':
      return policyView(report, route.group, params);
    case 'session':
      return sessionView(report, route.session, params);
    case 'step':
      return stepView(report, route, params);
    case 'nowhere':
      return nowhere();
  }
}

function nowhere() {
  return [
    el('h1', {}, 'Not in this report'),
    el('p', {}, 'The address names no session, policy or step of this page.'),
    el('p', {}, el('a', { href: '#/' }, 'To the overview')),
  ];
}

/**
 * @param {PageData} report
 * @param {Route} route
 */
function whereOf(report, route) {
  if (route.view === 'policy') return groupLabel(report, route.group);
  const session = 'session' in route ? sessionName(report, route.session) : '';
  return route.view === 'step' ? `${session}, step ${route.step + 1}` : session;
}
