import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterEach } from 'vitest';
import type { RunRecord } from '../../src/simulator/metrics/record.ts';
import { untrusted } from '../../src/simulator/report/document.ts';
import { renderHtml } from '../../src/simulator/report/html/page-of-document.ts';
import { html, toPageOfRuns, toValues } from '../../src/simulator/report/html/page-of-runs.ts';
import { toPageOfTune } from '../../src/simulator/report/html/page-of-tune.ts';
import { renderPage } from '../../src/simulator/report/html/render-page.ts';
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
/** The sessions of the sample. */
export const SESSIONS = ['sessions/one.jsonl', 'sessions/two.jsonl', HOSTILE];
const POLICIES = ['none', 'opencode-1.2.16'];

/** The address of a session in a page. */
export const sessionHash = (name: string) => `#/session/${encodeURIComponent(name)}`;

type PageOptions = Parameters<Browser['newPage']>[0] & { readonly at?: string };

/**
 * Pages for the tests of one file: a report, one of what was compared, one of policies that completed other runs, one
 * of sessions of which two are of one family, one of many cells, one of a search for settings.
 */
export function useReportPages() {
  const folder = createFolder();
  const browser = useChromium();
  const pages: Page[] = [];
  const addressOf = (name: string, page: string) =>
    pathToFileURL(writeFile(folder, name, page)).href;
  const file = addressOf('report.html', renderReport());
  afterEach(async () => {
    await Promise.all(pages.splice(0).map((page) => page.close()));
  });
  /** A page, with everything that it said and asked for. */
  const open = async (hash = '', { at = file, ...options }: PageOptions = {}) => {
    const page = await browser().newPage({ viewport: { width: 1200, height: 900 }, ...options });
    pages.push(page);
    page.setDefaultTimeout(5_000);
    const said: string[] = [];
    const requested: string[] = [];
    page.on('console', (message) => said.push(message.text()));
    page.on('pageerror', (error) => said.push(String(error)));
    page.on('request', (request) => requested.push(request.url()));
    await page.goto(`${at}${hash}`);
    await page.locator('h1').waitFor();
    return { page, said, requested };
  };
  return {
    folder,
    file,
    compared: addressOf('compared.html', renderCompared()),
    uneven: addressOf('uneven.html', renderUneven()),
    forked: addressOf('forked.html', renderForked()),
    impossible: addressOf('impossible.html', renderImpossible()),
    crowded: addressOf('crowded.html', renderCrowded()),
    tuned: addressOf('tuned.html', renderTuned()),
    told: addressOf('told.html', renderTold()),
    open,
  };
}

function renderReport(): string {
  const runs = SESSIONS.flatMap((session, index) =>
    POLICIES.map((policy, at) =>
      sampleRun({
        session,
        policy,
        metrics: { ...sampleMetrics, costUsd: 1 + index + at / 10, steps: 40 + index },
      }),
    ),
  );
  return html.render(sampleReport({ runs }), { colors: false, eventsOf, viewOf });
}

/** A page of everything that stands in the place of runs, or comes with a sweep. */
function renderCompared(): string {
  const runs = POLICIES.map((policy, at) =>
    sampleRun({
      policy,
      metrics: { ...sampleMetrics, costUsd: 7.25 + at, hitRate: 0.9 - at / 10, misses: 16 - at },
    }),
  );
  const page = toPageOfRuns(sampleReport({ runs }), {});
  const bar = { name: HOSTILE, value: 0.5, low: 0.25, high: 0.75, sessions: 12 };
  return renderPage({
    ...page,
    noTimeline: HOSTILE,
    grid: {
      rowKey: 'protect',
      columnKey: HOSTILE,
      rows: ['10000', '20000'],
      columns: ['a', 'b'],
      cells: [
        [0, 1],
        [1, null],
      ],
    },
    bars: [
      { title: 'Retention', unit: 'ratio', better: 'higher', bars: [bar, { ...bar, value: null }] },
      { title: 'Less', unit: 'ratio', bars: [{ ...bar, value: -0.5, low: -1, high: -0.1 }] },
      {
        title: 'Tokens less',
        unit: 'tokens',
        bars: [{ ...bar, value: -2e8, low: -4e8, high: -1 }],
      },
    ],
    diffs: [
      {
        title: HOSTILE,
        facts: 'rule',
        lines: [
          [' ', HOSTILE],
          ['-', 'old'],
          ['+', 'new'],
        ],
      },
    ],
    tables: [
      {
        id: 'scenarios',
        title: 'Scenarios',
        caption: 'runs',
        columns: [{ title: 'Scenario' }, { title: 'Steps', isNumber: true }, { title: 'Chart' }],
        rows: [
          [HOSTILE, 9, { text: 'chart', drawing: HOSTILE }],
          [{ text: 'other', isBad: true }, 1_234, ''],
        ],
      },
    ],
  });
}

/** Twelve cells that miss nearly the same, in pairs that are the same. */
function renderCrowded(): string {
  const page = toPageOfRuns(sampleReport({ runs: [sampleRun({})] }), {});
  const cells = Array.from({ length: 12 }, (_, index) => Math.floor(index / 2));
  return renderPage({
    ...page,
    groupTitles: ['policy', 'protect', 'contextTokens'],
    groups: cells.map((pair, index) => ({
      names: ['opencode-1.2.16', `${index}0000`, '120000'],
      runs: 1,
      completedRuns: 1,
      values: toValues({ ...sampleMetrics, costUsd: 60 + 8 * pair, regretUsd: 20 - pair / 5 }),
    })),
    peers: cells.map(() => true),
    arms: {
      over: 'one run each',
      rows: cells.map((pair) => ({
        costUsd: 60 + 8 * pair,
        losses: 20 - pair / 5,
        compactions: 2,
        failed: 0,
        why: '',
        says: 'not enough data',
      })),
    },
  });
}

const tunedCell = (reserved: number, values: readonly number[], isKnee = false) => ({
  settings: { reserved },
  values,
  isToday: false,
  isKnee,
});

/** A search for settings: three cells close together and far from nothing, one that is no better, and today's, which break a constraint. */
function renderTuned(): string {
  const { cells, today, advice, verdict } = sampleTuneReport();
  const feasible = [
    tunedCell(30, [3.02, 900]),
    tunedCell(40, [3, 800], true),
    tunedCell(50, [2.98, 700]),
    tunedCell(60, [3.01, 750]),
  ];
  return renderPage(
    toPageOfTune(
      sampleTuneReport({
        policy: HOSTILE,
        cells: { ...cells, feasible },
        front: [
          {
            ...tunedCell(30, [3.02, 900]),
            settings: { contextTokens: 128_000 },
            misses: { mean: 2, bestKnown: 1 },
          },
        ],
        today: { ...today, state: 'infeasible', values: [3.03, 650] },
        tried: [{ setting: HOSTILE, matters: false, isVaried: true, leastCost: null }],
        verdict: { ...verdict, state: 'better', change: { reserved: 40, [HOSTILE]: 1 } },
        advice: { ...advice, state: 'change', settings: { reserved: 40, [HOSTILE]: 1 } },
      }),
    ),
  );
}

/** A policy that completed less than the others, and so cost less; the bound regrets something in one session alone. */
function renderUneven(): string {
  const runs = SESSIONS.flatMap((session, index) =>
    [...POLICIES, 'document-002'].map((policy, at) =>
      sampleRun({
        session,
        policy,
        state: at === 2 && index === 0 ? 'refused' : 'completed',
        metrics: {
          ...sampleMetrics,
          costUsd: 4 - at,
          regretUsd: 0,
          costAboveBoundUsd: 2,
          competitiveRatio: index === 1 ? 1.5 : null,
        },
      }),
    ),
  );
  return renderPage({
    ...toPageOfRuns(sampleReport({ runs }), {}),
    grid: {
      rowKey: 'protect',
      columnKey: 'window',
      rows: ['10000'],
      columns: ['a', 'b', 'c'],
      cells: [[0, 1, 2]],
    },
  });
}

/** A document, of which nothing that came from outside is markup. */
function renderTold(): string {
  return renderHtml([
    { type: 'heading', level: 2, text: 'What to change' },
    { type: 'lines', lines: ['Nothing.', ['Not ', untrusted(HOSTILE)]] },
    {
      type: 'table',
      columns: [{ title: 'Change' }, { title: 'Cost' }, { title: 'Verdict', holds: 'words' }],
      rows: [[untrusted(HOSTILE), '-$1.00', 'no difference that matters']],
      note: untrusted(MARKUP),
    },
    { type: 'list', title: 'Left out', items: [untrusted(MARKUP)] },
    { type: 'snippet', where: 'Why it cost that:', code: HOSTILE },
  ]);
}

/** The control exceeds the window in one session. */
function renderImpossible(): string {
  const runs = SESSIONS.flatMap((session, index) =>
    ['claude-code', 'opencode-1.2.16', 'none'].map((policy, at) =>
      sampleRun({
        session,
        policy,
        ...(at === 2 && index === 0 && { impossible: 'step 9 holds more than the window' }),
        metrics: {
          ...sampleMetrics,
          costUsd: 2 + at,
          ...(at === 2 && { misses: 0, unrecoverableMisses: 0, compactions: 0 }),
        },
      }),
    ),
  );
  return html.render(sampleReport({ runs }), { colors: false, eventsOf, viewOf });
}

function renderForked(): string {
  const [first, fork] = SESSIONS;
  const runs = SESSIONS.flatMap((session, index) =>
    POLICIES.map((policy, at) =>
      sampleRun({
        session,
        ...((session === first || session === fork) && { family: first }),
        policy,
        metrics: { ...sampleMetrics, costUsd: 1 + index + at, costAboveBoundUsd: 2 },
      }),
    ),
  );
  return html.render(sampleReport({ runs }), { colors: false });
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
