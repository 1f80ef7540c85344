import { createHash } from 'node:crypto';
import pico from 'picocolors';
import { policies } from '../../engine/index.ts';
import type { RunEvent } from '../events.ts';
import { groupBy } from '../lib/collections.ts';
import { HarnessError } from '../lib/errors.ts';
import type { Metric } from '../metrics/metric-rows.ts';
import { combine, METRIC_NAMES, metrics, type MetricValues, titleOf } from '../metrics/metrics.ts';
import { countsAs, modeOf, type RunRecord } from '../metrics/record.ts';
import { isArm, parseArm } from '../scenario/arms.ts';
import { armBlocks, isCopy, sessionBlocks } from './arm-table.ts';
import { type Arm, armsOfPolicies, findCompared, keyOfArmRun } from './arms.ts';
import { diagnosisBlocks, diagnosisOf } from './diagnosis.ts';
import {
  ALL_DETAILS,
  asDetails,
  type Block,
  linesOf,
  listOf,
  prose,
  renderMarkdown,
  renderTerminal,
  untrusted,
} from './document.ts';
import { renderHtml, renderSvg } from './html/render-html.ts';
import { sessionSections } from './html/timelines.ts';
import { fitProse, type Terminal } from './layout.ts';
import { codeSpan, jsonText, shownText } from './markup.ts';
import { formatCount, formatValue } from './numbers.ts';
import { describeSavings, unreadList, pairsOf } from './origin.ts';
import { basisOf, describeEvidence, screenEnd } from './provenance.ts';
import type { Format, RenderOptions, Report, Provenance } from './report.ts';
import { RUN_FORMATS } from './run-formats.ts';
import { columnsOf, csvLines, RUN_KEYS } from './row-table.ts';
import { renderSawtooth } from './sawtooth.ts';
import { type NamedStory, nameSessions, toStories } from './session-names.ts';
import { verdictBlock } from './verdict-lines.ts';
import { conclude } from './verdict.ts';
import { MS_PER_SECOND } from '../lib/units.ts';

export type FormatName = keyof typeof formats;

const SUMS = 'Sums over the same sessions; for contexts, the largest.';

interface PolicyTotal {
  readonly policy: string;
  readonly runs: number;
  readonly completedRuns: number;
  /** Unknown where it is for any completed run, or none completed. */
  readonly metrics: MetricValues;
}

const BEST_KNOWN = [
  ['boundMisses', 'misses'],
  ['boundRegretUsd', 'regretUsd'],
] as const;

const PUBLISHED = [
  'session',
  'family',
  ...RUN_KEYS,
  'metrics',
  'edgeTokens',
  'fit',
  'paybacks',
  'findings',
] as const satisfies readonly (keyof RunRecord)[];

const MOST_INCOMPLETE = 5;

export const formats = {
  table: {
    ...RUN_FORMATS.table,
    render: (report, { hasCharts, eventsOf, ...terminal }) =>
      renderTerminal(
        [...runsDocument(report, terminal), ...(hasCharts ? toCharts(report.runs, eventsOf) : [])],
        terminal,
      ),
  },
  json: { ...RUN_FORMATS.json, render: (report) => jsonText(toDocument(report)) },
  csv: { ...RUN_FORMATS.csv, render: (report) => [...toCsv(report)].join('') },
  markdown: {
    ...RUN_FORMATS.markdown,
    render: (report, options) => renderMarkdown(runsDocument(report, options)),
  },
  html: {
    ...RUN_FORMATS.html,
    render: (report, options) => renderHtml(pageDocument(report, options)),
  },
  svg: {
    ...RUN_FORMATS.svg,
    render: (report, options) => renderSvg(pageDocument(report, options)),
  },
  otel: { ...RUN_FORMATS.otel, render: renderSpans },
} satisfies Record<keyof typeof RUN_FORMATS, Format>;

interface Timed {
  readonly event: Extract<RunEvent, { readonly type: 'step-end' | 'summary-end' }>;
  readonly startMs: number;
  /** A summary has taken the place of history before it. */
  readonly isCompacted: boolean;
}

type Value = string | number | boolean;

const CLIENT = 3;
const NANO_PER_MS = 1_000_000n;
const TRACE_ID_CHARS = 32;
const SPAN_ID_CHARS = 16;

/** One total a policy, whose best known losses are no worse than others' over as many runs; throws for runs of both loops. */
export function totalPolicies(runs: readonly RunRecord[]): readonly PolicyTotal[] {
  if (new Set(runs.map(modeOf)).size > 1) {
    const message =
      'Expected the runs of a table to be all open loop or all closed loop, got both.';
    throw new HarnessError('BAD_RESULTS', message);
  }
  const totals = [...groupBy(runs, ({ policy }) => policy)].map(([policy, own]): PolicyTotal => {
    const completed = own.filter((run) => countsAs(run) === 'completed');
    const metrics = combine(completed.map((run) => run.metrics));
    return { policy, runs: own.length, completedRuns: completed.length, metrics };
  });
  // The control stands for itself, as does what did not complete everything.
  const groupOf = ({ runs: all, completedRuns }: PolicyTotal) =>
    completedRuns === all ? all : undefined;
  const groups = groupBy(totals, (total) =>
    total.policy === policies.none.name ? undefined : groupOf(total),
  );
  return totals.map((total) => {
    const peers = groups.get(groupOf(total) ?? -1) ?? [];
    const best = BEST_KNOWN.map(([bound, name]) => {
      const own = total.metrics[bound];
      const others = peers.flatMap(({ metrics }) => metrics[name] ?? []);
      return [bound, own === null ? null : Math.min(own, ...others)] as const;
    });
    return { ...total, metrics: { ...total.metrics, ...Object.fromEntries(best) } };
  });
}

/** Facts with which a report can be repeated, shortest first; values are from outside. */
export function provenanceFacts(provenance: Provenance) {
  const { version, model, onSetup, limits, summarizer, seed, catalog, settings } = provenance;
  const { contextTokens, inputTokens, outputTokens } = limits;
  const whose =
    onSetup && provenance.estimators.sessions.length > 1 ? "each session's own, mostly " : '';
  const context =
    contextTokens === 0 ? 'no context limit' : `context ${formatCount(contextTokens)}`;
  const input = inputTokens ? `, input ${formatCount(inputTokens)}` : '';
  const output = outputTokens ? `, output ${formatCount(outputTokens)}` : '';
  const mode =
    modeOf(provenance) === 'closed-loop'
      ? 'closed loop (what is lost is re-read)'
      : 'open loop (counterfactual, fixed trajectory)';
  const pairs = pairsOf(settings);
  return [
    { label: 'Made by', value: `compaction-bench ${version}` },
    { label: 'Model', value: `${whose}${model} (${context}${input}${output})` },
    { label: 'Provider', value: describeProvider(provenance) },
    { label: 'Summarizer', value: summarizer },
    { label: 'Seed', value: String(seed) },
    { label: 'Mode', value: mode },
    { label: 'Catalog', value: `${catalog.source} ${catalog.hash}` },
    ...(pairs.length === 0 ? [] : [{ label: 'Settings', value: pairs.join(' ') }]),
  ];
}

function pageDocument(
  report: Report,
  { eventsOf, viewOf, blamed }: RenderOptions,
): readonly Block[] {
  const { runs, provenance } = report;
  const stories = toStories(provenance.estimators.sessions);
  const titled = nameSessions(runs, stories);
  const asked = runs.filter(({ state }) => state !== 'skipped');
  const noTimeline = 'No timeline: its events were not saved (run --events FILE).';
  return [
    ...runsDocument(report, { ...ALL_DETAILS, blamed }),
    linesOf([untrusted(describeEvidence(provenance))]),
    ...sessionSections(asked, armsOfPolicies(asked), { titled, noTimeline, eventsOf, viewOf }),
  ];
}

function runsDocument(
  report: Report,
  { top, details, blamed }: Terminal & Pick<RenderOptions, 'blamed'>,
): readonly Block[] {
  const { runs, unread, provenance } = report;
  const arms = armsOfPolicies(runs);
  const conclusion = conclude(arms);
  const totals = totalPolicies(findComparable(runs, arms));
  const stories = toStories(provenance.estimators.sessions);
  const incomplete = incompleteLines(runs, stories);
  const why = conclusion.baseline === undefined ? incomplete.slice(0, 1) : [];
  return [
    { type: 'heading', level: 1, text: 'Compaction report' },
    ...diagnosisBlocks(diagnosisOf(runs), blamed),
    verdictBlock(conclusion),
    ...(runs.length === 0
      ? [linesOf(['No session was run.'])]
      : [...armBlocks(arms, conclusion), ...sessionBlocks(arms, { stories, top, details })]),
    ...asDetails([
      prose(describeSavings(runs)),
      listOf('Not completed', incomplete),
      { ...unreadList(unread), level: 2 },
      ...totalsBlocks(totals),
      listOf(
        'Provenance',
        provenanceFacts(provenance).map(({ label, value }) => [`${label}: `, untrusted(value)]),
        { level: 2 },
      ),
      prose([describeEvidence(provenance)], { only: 'terminal' }),
      linesOf([describeEvidence(provenance, codeSpan)], { only: 'markdown' }),
    ]),
    prose(why, { only: 'screen' }),
    screenEnd(basisOf(provenance), unread),
  ];
}

/** Of sessions that the baseline completed, without policies that failed in any; else all. */
function findComparable(runs: readonly RunRecord[], arms: readonly Arm[]) {
  const { base, others, keys } = findCompared(arms);
  if (base === undefined || keys.length === 0) return runs;
  const fit = others.filter(({ runs: found }) => found.size === keys.length);
  const [names, own] = [new Set([base, ...fit].map(({ name }) => name)), new Set(keys)];
  return runs.filter((run) => names.has(run.policy) && own.has(keyOfArmRun(run)));
}

function totalsBlocks(totals: readonly PolicyTotal[]): readonly Block[] {
  if (totals.length === 0) return [];
  return [
    { type: 'heading', level: 2, text: 'All metrics' },
    {
      type: 'table',
      lead: SUMS,
      columns: [
        { title: 'Metric' },
        ...totals.map(({ policy }, rank) => ({ title: untrusted(policy), rank })),
      ],
      rows: [
        ['Completed runs', ...totals.map((total) => `${total.completedRuns} of ${total.runs}`)],
        ...METRIC_NAMES.map((name) => {
          const { unit }: Metric = metrics[name];
          return [titleOf(name), ...totals.map((total) => formatValue(total.metrics[name], unit))];
        }),
      ],
    },
  ];
}

function toCharts(
  runs: readonly RunRecord[],
  eventsOf: RenderOptions['eventsOf'],
): readonly Block[] {
  return runs.flatMap((run) => {
    const events = eventsOf?.(run);
    if (events === undefined) return [];
    const title = shownText(`${run.session}, ${run.policy}, ${countsAs(run)}`);
    const draw = (terminal: Terminal) => {
      const { bold } = pico.createColors(terminal.colors);
      return `${bold(fitProse(title, terminal))}\n${renderSawtooth(events, terminal).trimEnd()}`;
    };
    return [{ type: 'chart', draw, isAsked: true }];
  });
}

function incompleteLines(runs: readonly RunRecord[], stories: readonly NamedStory[]) {
  const titled = nameSessions(runs, stories);
  const told = runs.filter((run) => countsAs(run) !== 'completed' && !isCopy(run));
  const byReason = groupBy(told, (run) =>
    JSON.stringify([run.session, countsAs(run), run.impossible ?? run.reason]),
  );
  const lines = [...byReason.values()].map((alike) => {
    const [{ session, impossible, reason = '' }] = alike;
    const why = impossible ?? reason;
    const policies = alike.map(({ policy }) => policy).join(', ');
    const state = `${countsAs(alike[0])}${why === '' ? '' : `, ${why}`}`;
    return untrusted(`${titled(session)} with ${policies}: ${state}`);
  });
  const others = lines.length - MOST_INCOMPLETE;
  if (others <= 0) return lines;
  return [...lines.slice(0, MOST_INCOMPLETE), `${formatCount(others)} more: see --format json`];
}

function toDocument({ schemaVersion, provenance, runs, unread }: Report) {
  return {
    schemaVersion,
    verdict: conclude(armsOfPolicies(runs)).verdict,
    provenance,
    runs: runs.map((run) => Object.fromEntries(PUBLISHED.map((key) => [key, run[key]]))),
    unread: unread.map(({ file, reason }) => ({ file, reason })),
  };
}

function toCsv({ runs, unread, provenance }: Report) {
  const { version, settings, estimators } = provenance;
  const stories = toStories(estimators.sessions);
  const rows = runs.map((run) => {
    const own = isArm(run.policy) ? parseArm(run.policy).settings : {};
    return { ...run, settings: { ...settings, ...own } };
  });
  const all = rows.map((row) => row.settings);
  const columns = columnsOf(['session', ...RUN_KEYS], all, { stories, version });
  return csvLines(columns, rows, { unread, version });
}

/** Spans in OTLP's JSON with the attributes of the GenAI conventions, one a request, and no texts. */
function renderSpans({ runs }: Report, { eventsOf }: RenderOptions) {
  const spans = runs.flatMap((run) => spansOf(run, eventsOf?.(run) ?? []));
  const scope = { name: 'compaction-bench' };
  const resource = { attributes: attributesOf({ 'service.name': scope.name }) };
  return jsonText({ resourceSpans: [{ resource, scopeSpans: [{ scope, spans }] }] });
}

function spansOf(run: RunRecord, events: readonly RunEvent[]) {
  const { session, policy, model, summarizer, seed } = run;
  const trace = hexOf(JSON.stringify([session, policy, model, summarizer, seed]), TRACE_ID_CHARS);
  return timed(events).map((one, index) => ({
    traceId: trace,
    spanId: hexOf(`${trace} ${index}`, SPAN_ID_CHARS),
    name: `chat ${nameOf(model)}`,
    kind: CLIENT,
    startTimeUnixNano: nano(one.startMs),
    endTimeUnixNano: nano(one.startMs + one.event.latencyMs),
    attributes: attributesOf(describe(one, run)),
  }));
}

/** Requests in their order. Time begins at 0: a replay has none of its own. */
function timed(events: readonly RunEvent[]) {
  const requests: Timed[] = [];
  let startMs = 0;
  let isCompacted = false;
  for (const event of events) {
    if (event.type === 'pivot') isCompacted = true;
    if (event.type !== 'step-end' && event.type !== 'summary-end') continue;
    requests.push({ event, startMs, isCompacted: isCompacted && event.type === 'step-end' });
    startMs += event.latencyMs;
  }
  return requests;
}

function describe({ event, isCompacted }: Timed, { session, policy, model }: RunRecord) {
  const { freshTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = event;
  return {
    'gen_ai.operation.name': 'chat',
    'gen_ai.usage.input_tokens': freshTokens + cacheReadTokens + cacheWriteTokens,
    'gen_ai.usage.cache_read.input_tokens': cacheReadTokens,
    'gen_ai.usage.cache_creation.input_tokens': cacheWriteTokens,
    'gen_ai.usage.output_tokens': outputTokens,
    // The conventions say it where it is so, and nothing where it is not.
    ...(isCompacted && { 'gen_ai.conversation.compacted': true }),
    ...(event.type === 'summary-end'
      ? { 'compaction_bench.request': 'summary' }
      : { 'compaction_bench.step': event.step }),
    'gen_ai.conversation.id': session,
    'gen_ai.provider.name': model.split('/', 1)[0] ?? model,
    'gen_ai.request.model': nameOf(model),
    'compaction_bench.policy': policy,
  };
}

function nameOf(model: string) {
  return model.slice(model.indexOf('/') + 1);
}

function attributesOf(values: Readonly<Record<string, Value>>) {
  return Object.entries(values).map(([key, value]) => {
    if (typeof value === 'string') return { key, value: { stringValue: value } };
    if (typeof value === 'boolean') return { key, value: { boolValue: value } };
    return { key, value: { intValue: `${value}` } };
  });
}

function nano(timeMs: number) {
  return `${BigInt(Math.round(timeMs)) * NANO_PER_MS}`;
}

function hexOf(text: string, chars: number) {
  return createHash('sha256').update(text).digest('hex').slice(0, chars);
}

function describeProvider({ provider }: Provenance) {
  const { dialect, cache, isCacheUnknown, cacheTtlMs, refusal, trueLimits } = provider;
  const lived = cache === 'none' ? 'no cache' : `cache ${cache} (${cacheTtlMs / MS_PER_SECOND} s)`;
  return [
    `usage as ${dialect}`,
    isCacheUnknown ? 'no cache assumed (unknown provider)' : lived,
    `refusals as ${refusal}`,
    ...(trueLimits ? [`true context ${formatCount(trueLimits.contextTokens)}`] : []),
  ].join(', ');
}
