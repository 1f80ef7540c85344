import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterEach } from 'vitest';
import type { RunRecord } from '../../src/simulator/metrics/record.ts';
import { type Block, untrusted } from '../../src/simulator/report/document.ts';
import { renderHtml } from '../../src/simulator/report/html/render-html.ts';
import { formats } from '../../src/simulator/report/runs.ts';
import { tuneFormats } from '../../src/simulator/report/tune.ts';
import { useChromium } from '../support/chromium.ts';
import { sampleEvents } from '../support/sample-events.ts';
import { sampleMetrics, sampleReport, sampleRun } from '../support/sample-report.ts';
import { sampleTuneReport } from '../support/sample-tune-report.ts';
import { sampleView } from '../support/sample-view.ts';
import { createFolder, writeFile } from '../support/session-files.ts';

/** What a session can hold. */
export const HOSTILE =
  '</script><script>window.hacked=1</script><img src=x onerror="window.hacked=2">\ufffe\uffff\u202e\u001b[31m<!--\u2028"\'&#x41;';
/** What a file name can hold. */
export const MARKUP = '<img src=x onerror="window.hacked=3">&lt;';
/** The sessions of the sample, the last of which is hostile. */
export const SESSIONS = ['sessions/one.jsonl', 'sessions/two.jsonl', HOSTILE];
const POLICIES = ['none', 'opencode-1.2.16'];

type PageOptions = Parameters<Browser['newPage']>[0] & { readonly at?: string };

/** Pages for the tests of one file: a report of runs, one of thirteen arms, a search for settings, and a document. */
export function useReportPages() {
  const folder = createFolder();
  const browser = useChromium();
  const pages: Page[] = [];
  const addressOf = (name: string, page: string) =>
    pathToFileURL(writeFile(folder, name, page)).href;
  const file = addressOf('report.html', renderRuns(POLICIES));
  afterEach(async () => {
    await Promise.all(pages.splice(0).map((page) => page.close()));
  });
  /** A page, with everything that it said and asked for. */
  const open = async (hash = '', { at = file, ...options }: PageOptions = {}) => {
    const page = await browser().newPage({ viewport: { width: 1200, height: 900 }, ...options });
    pages.push(page);
    page.setDefaultTimeout(240_000);
    const said: string[] = [];
    const requested: string[] = [];
    page.on('console', (message) => said.push(message.text()));
    page.on('pageerror', (error) => said.push(String(error)));
    page.on('request', (request) => requested.push(request.url()));
    await page.goto(`${at}${hash}`);
    await page.locator('section.shown h1').waitFor();
    return { page, said, requested };
  };
  const arms = Array.from({ length: 13 }, (_, index) => `document-002 protect=${index + 1}0000`);
  return {
    folder,
    file,
    crowded: addressOf('crowded.html', renderRuns(arms)),
    tuned: addressOf('tuned.html', renderTuned()),
    told: addressOf('told.html', renderTold()),
    open,
  };
}

/** Policies over the sample's sessions; the first exceeds the window in one of them. */
function renderRuns(policies: readonly string[]): string {
  const runs = SESSIONS.flatMap((session, index) =>
    policies.map((policy, at) =>
      sampleRun({
        session,
        policy,
        ...(at === 0 && index === 0 && { impossible: 'step 9 holds more than the window' }),
        metrics: { ...sampleMetrics, costUsd: 1 + index + at / 10, misses: 20 - at, steps: 40 },
      }),
    ),
  );
  return formats.html.render(sampleReport({ runs }), { colors: false, eventsOf, viewOf });
}

/** A search for settings over three objectives, of which today's break a constraint. */
function renderTuned(): string {
  const { cells, today, objectives } = sampleTuneReport();
  const cell = (reserved: number, values: readonly number[], isKnee = false) => ({
    settings: { reserved },
    values,
    isToday: false,
    isKnee,
  });
  const [first, second] = objectives;
  return tuneFormats.html(
    sampleTuneReport({
      policy: HOSTILE,
      objectives: first && second ? [first, second, { ...second, label: 'Third' }] : objectives,
      cells: { ...cells, feasible: [cell(30, [3, 900, 1]), cell(40, [2, 800, 5], true)] },
      today: { ...today, state: 'infeasible', values: [3.03, 650, 2] },
    }),
  );
}

/** A document, of which nothing that came from outside is markup. */
function renderTold(): string {
  const bar = { name: HOSTILE, value: 0.5, low: 0.25, high: 0.75 };
  const blocks: readonly Block[] = [
    { type: 'heading', level: 2, text: 'What to change' },
    { type: 'lines', lines: ['Nothing.', ['Not ', untrusted(HOSTILE)]] },
    {
      type: 'plot',
      plot: {
        kind: 'bars',
        title: 'Kept',
        unit: 'ratio',
        bars: [bar, { ...bar, value: null, low: null, high: null }],
      },
    },
    {
      type: 'table',
      columns: [{ title: 'Change' }, { title: 'Cost' }, { title: 'Verdict', holds: 'words' }],
      rows: [
        [untrusted(HOSTILE), '-$1.00', 'no difference that matters'],
        ['two', '$10.00', 'failed'],
        ['three', '≥ $9.00', 'passed'],
      ],
      isBad: [false, true, false],
      note: untrusted(MARKUP),
    },
    { type: 'list', title: 'Left out', items: [untrusted(MARKUP)] },
    { type: 'snippet', where: 'Write:', code: HOSTILE },
  ];
  return renderHtml(blocks);
}

function viewOf({ session, policy }: RunRecord) {
  const hasTexts = session === HOSTILE;
  const pivotEvery = policy === 'none' ? 100 : 15;
  return sampleView({ pivotEvery, mark: hasTexts ? HOSTILE : '', hasTexts });
}

/** The control never compacts. */
function eventsOf({ session, policy }: RunRecord) {
  return sampleEvents({
    session,
    policy,
    pivotEvery: policy === 'none' ? 100 : 15,
    mark: session === HOSTILE ? HOSTILE : '',
  });
}
