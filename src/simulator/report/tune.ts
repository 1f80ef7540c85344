import { COST_METRIC, isSpend, UNPRICED_METRIC } from '../metrics/statistics/mean-difference.ts';
import { toConfigChange } from './agent-keys.ts';
import { describeCopies, isCopyReason } from './arm-table.ts';
import {
  type ChangeAdvice,
  changeBlock,
  changeLines,
  describeSetting,
  type NamedChange,
  othersRows,
  todoLines,
} from './change-block.ts';
import { leftOutLines } from './comparison.ts';
import {
  asDetails,
  type Block,
  linesOf,
  listOf,
  prose,
  renderMarkdown,
  renderTerminal,
  type TableBlock,
  type Text,
  textOf,
  untrusted,
} from './document.ts';
import { renderHtml, renderSvg } from './html/render-html.ts';
import { jsonText } from './markup.ts';
import {
  countFamilies,
  countOf,
  describeFamilies,
  FAMILY_COUNTS_ONCE,
  formatAmount,
  formatDifference,
  formatDifferenceInterval,
  formatP,
  formatPercent,
  formatRatio,
  formatSignedPercent,
  UNKNOWN,
} from './numbers.ts';
import { describeOrigin, pairsOf, unreadList } from './origin.ts';
import { describeMode } from './report.ts';
import {
  type Candidate,
  changedSettings,
  LEAST_PART,
  type NamedSettings,
  type ObjectiveOutcome,
  TUNE_VERSION,
  type TuneReport,
  type TuneVerdict,
} from './tune-report.ts';
import { isWorthTrying } from './verdict.ts';
import type { Plot } from './plots.ts';
import type { Terminal } from './layout.ts';

type Sentence = Extract<Text, readonly unknown[]>;

const TOLD_ANYWAY = [COST_METRIC, UNPRICED_METRIC, 'misses'];
const DISTANCE_DECIMALS = 3;
const MOST_INFEASIBLE = 5;

export const tuneFormats = {
  table: (report, terminal) => renderTerminal(tuneDocument(report), terminal),
  json: (report) => {
    const { policy, trigger, verdict } = report;
    const told = { ...verdict, sentences: adviceLines(report).map(textOf) };
    const config = toConfigChange(policy, verdict.change, trigger);
    return jsonText({ tuneVersion: TUNE_VERSION, ...report, verdict: told, config });
  },
  markdown: (report) => renderMarkdown(tuneDocument(report)),
  html: (report) => renderHtml(tuneDocument(report)),
  svg: (report) => renderSvg(tuneDocument(report)),
} satisfies Record<string, (report: TuneReport, terminal: Terminal) => string>;

export function adviceLines(report: TuneReport): readonly Text[] {
  const why = whyNothing(report);
  return why === undefined ? changeLines(toAdvice(report)) : [why];
}

function tuneDocument(report: TuneReport): readonly Block[] {
  const broken = report.advice.brokenByToday.length > 0;
  const why = whyNothing(report);
  const advice = toAdvice(report);
  const told: readonly Block[] =
    why === undefined
      ? [changeBlock(advice), { type: 'facts', rows: othersRows(advice, 2) }]
      : [prose([why])];
  return [
    { type: 'heading', level: 2, text: 'Settings tuned' },
    prose([basisOf(report)], { isBasis: true }),
    ...told,
    { type: 'plot', plot: planeOf(report) },
    ...snippetBlocks(report),
    linesOf(broken ? ["Today's settings break a constraint."] : []),
    ...asDetails(evidenceBlocks(report)),
  ];
}

function basisOf({ policy, model, sessions, cells, unread }: TuneReport): Text {
  const { tuning, heldOut, leftOut } = sessions;
  const counts = [
    `${countOf(cells.distinct - 1, 'change')} tried`,
    leftOut.length > 0 && `${leftOut.length} left out`,
    unread.length > 0 && `${countOf(unread.length, 'file')} unread`,
  ].filter(Boolean);
  const all = `${countOf(tuning + heldOut, 'session')}, `;
  return [all, untrusted(policy), ' on ', untrusted(model), `: ${counts.join(', ')}.`];
}

function whyNothing({ verdict, advice }: TuneReport) {
  if (advice.state === 'nothing feasible')
    return "Neither today's settings nor any that were tried meet the constraints.";
  return Object.keys(verdict.change).length === 0
    ? "Keep today's settings: nothing that was tried changes anything here."
    : undefined;
}

function toAdvice(report: TuneReport): ChangeAdvice {
  const { policy, verdict, others, trigger, cells, advice, objectives } = report;
  const isOther = objectives.some(({ metric }) => !TOLD_ANYWAY.includes(metric));
  return {
    best: toNamed(verdict, report),
    others: others.map((one) => toNamed(one, report)),
    todo: todoLines(policy, toConfigChange(policy, verdict.change, trigger)),
    judged: cells.distinct - 1,
    goals: goalsOf(report),
    isOtherGoal: hasOtherGoal(report),
    isTrade: isOther && advice.state === 'trade-off',
  };
}

function hasOtherGoal({ objectives: [first] }: TuneReport) {
  return !isSpend(first?.metric);
}

function toNamed({ change, ...judged }: TuneVerdict, { today }: TuneReport): NamedChange {
  const parts = Object.entries(change).map(([name, value]) =>
    describeSetting(name, value, [today.settings[name] ?? []].flat()),
  );
  return {
    ...judged,
    change: joined(parts.map((one) => [one.change].flat())),
    short: parts.flatMap(({ short }, index) => [...(index === 0 ? [] : [' ']), ...[short].flat()]),
  };
}

function goalsOf({ objectives, cells, today, verdict }: TuneReport) {
  const key = JSON.stringify(verdict.change);
  const own = cells.feasible.find(
    ({ settings }) => JSON.stringify(changedSettings(settings, today.settings)) === key,
  );
  return objectives.flatMap(({ metric, label, unit }, axis) => {
    if (TOLD_ANYWAY.includes(metric)) return [];
    const [from, to] = [today, own].map((point) => {
      const value = point?.values[axis] ?? null;
      return value === null ? UNKNOWN : formatAmount(value, unit);
    });
    return [`${label}, mean of the sessions tuned on: ${from} → ${to}`];
  });
}

function planeOf({ objectives, cells, today }: TuneReport): Plot {
  const isUnseen = today.state === 'infeasible' && today.values.some((value) => value !== null);
  const name = describeSettings(today.settings);
  return {
    kind: 'scatter',
    title: 'What was tried, by its means over the sessions',
    axes: objectives.map(({ label, unit, better }) => ({
      label: `${label} (${better} is better)`,
      unit,
    })),
    points: [
      ...cells.feasible.map(({ settings, values, isToday, isKnee }) => {
        const mark = isToday ? 'today' : isKnee ? 'knee' : undefined;
        return { name: describeSettings(settings), values, mark };
      }),
      ...(isUnseen ? [{ name, values: today.values, mark: 'today', isHollow: true }] : []),
    ],
    note: isUnseen ? 'Hollow: it breaks a constraint.' : '',
  };
}

function snippetBlocks(report: TuneReport): readonly Block[] {
  const { policy, verdict, trigger } = report;
  if (whyNothing(report) !== undefined || !isWorthTrying(verdict, hasOtherGoal(report))) return [];
  const { written, set } = toConfigChange(policy, verdict.change, trigger);
  const text = set.map((pair) => `--set ${pair}`).join(' ');
  const where = 'Without a key that the agent reads; in this program:';
  const lead = untrusted(`To have ${describeSettings(verdict.change)}, write:`);
  return [
    { ...linesOf([lead]), only: 'page' },
    ...[...written, ...(text === '' ? [] : [{ where, text }])].map(
      (one): Block => ({ type: 'snippet', where: one.where, code: one.text, only: 'page' }),
    ),
  ];
}

function evidenceBlocks(report: TuneReport): readonly Block[] {
  const { summarizer, seed, mode, origin, advice, sessions, unread, front } = report;
  const { members, within } = report.unlisted;
  const unlisted = `And ${countOf(members, 'more member')} of the front, at most ${formatPercent(within)} better in any objective than one shown.`;
  const others = sessions.leftOut.filter(({ reason }) => !isCopyReason(reason));
  const knee = front.find(({ isKnee }) => isKnee);
  const noKnee = front.length > 0 ? 'No knee: no member lies below the ends of the front.' : '';
  const kneeLine = knee ? `Knee: ${describeSettings(knee.settings)}.` : noKnee;
  return [
    linesOf(triedTexts(report)),
    linesOf([['Summarizer ', untrusted(summarizer), `, seed ${seed}.`]]),
    linesOf([describeGrid(report)]),
    frontTable(report),
    linesOf([...(members > 0 ? [unlisted] : []), ...(report.savings ?? [])]),
    listOf('Not feasible', describeInfeasible(report).map(untrusted)),
    linesOf(
      [describeTodayStatus(report), kneeLine, ...evidenceLines(report)]
        .filter((line) => line !== '')
        .map(untrusted),
    ),
    ...advice.compared.map((candidate): Block => {
      const name = nameOf(candidate);
      return listOf(
        [candidate.isKnee ? name : untrusted(name), ` ${describeBasis(candidate, report)}`],
        candidate.outcomes.map(describeOutcome),
      );
    }),
    listOf('Left out', leftOutLines(others)),
    linesOf(describeCopies(sessions.leftOut.length - others.length)),
    unreadList(unread),
    linesOf([describeMode(mode)]),
    prose([untrusted(describeOrigin(origin))]),
  ];
}

function triedTexts({ tried }: TuneReport): readonly Text[] {
  const idle = tried.filter(({ matters }) => !matters);
  const be = idle.length === 1 ? 'was tried and changes' : 'were tried and change';
  const tell = (lead: string, isVaried: boolean): readonly Text[] => {
    const some = tried.filter((one) => one.matters && one.isVaried === isVaried);
    const told = some.map(({ setting, leastCost }): Sentence => {
      const name = untrusted(setting);
      if (leastCost === null) return [name];
      return [name, ` (cost alone at best ${formatSignedPercent(leastCost, 1)})`];
    });
    return told.length === 0 ? [] : [[lead, ...joined(told), '.']];
  };
  const names = idle.map(({ setting }) => [untrusted(setting)]);
  return [
    ...tell('Varied: ', true),
    ...tell('Tried alone, not in the grid: ', false),
    ...(idle.length === 0 ? [] : [[...joined(names), ` ${be} nothing that matters here.`]]),
  ];
}

function describeGrid({ sessions, cells, constraints }: TuneReport) {
  const { tuning, heldOut, families, leftOut, askedShare } = sessions;
  const areAlone = families.tuning === tuning && families.heldOut === heldOut;
  const ofHeldOut = areAlone
    ? heldOut
    : describeFamilies({ sessions: heldOut, families: families.heldOut });
  const parts = [
    `${describeFamilies({ sessions: tuning, families: families.tuning })} tuned on, ${ofHeldOut} held out, ${leftOut.length} left out`,
    `${countOf(cells.all, 'cell')}, ${cells.distinct} of them distinct, ${cells.infeasible.length} not feasible`,
    `constraints: ${['no refusal', 'no loop', ...constraints].join(', ')}`,
  ];
  const all = families.tuning + families.heldOut;
  const isAsAsked = families.heldOut === Math.round(askedShare * all) || families.heldOut === 0;
  const asked = `${formatPercent(askedShare)} were to be held out; either part has at least ${LEAST_PART}`;
  return [
    `${parts.join('; ')}.`,
    ...(areAlone ? [] : [FAMILY_COUNTS_ONCE]),
    ...(isAsAsked ? [] : [`${asked}, so it is ${formatPercent(families.heldOut / all)}.`]),
  ].join(' ');
}

function frontTable({ front, objectives }: TuneReport): TableBlock {
  const hasMisses = objectives.some(({ metric }) => metric === 'misses');
  const means = objectives.map(({ label }) => `${label}, mean`);
  const titles = [...means, ...(hasMisses ? [] : ['Losses, mean'])];
  return {
    type: 'table',
    columns: [
      { title: 'Front' },
      ...titles.map((title, axis) => (axis === 0 ? { title } : { title, rank: axis })),
      { title: '', holds: 'words' },
    ],
    rows: front.map(({ settings, values, misses, isToday, isKnee }) => [
      untrusted(describeSettings(settings)),
      ...values.map((value, axis) => {
        const objective = objectives[axis];
        if (objective?.metric === 'misses') return describeMisses(misses);
        return formatAmount(value, objective?.unit ?? 'count');
      }),
      ...(hasMisses ? [] : [describeMisses(misses)]),
      [isKnee && 'knee', isToday && 'today'].filter(Boolean).join(', '),
    ]),
  };
}

function describeMisses({ mean, bestKnown }: TuneReport['front'][number]['misses']) {
  if (mean === null) return UNKNOWN;
  const shown = formatAmount(mean, 'count');
  return mean === 0 || bestKnown === null
    ? shown
    : `${shown} (best known ${formatAmount(bestKnown, 'count')})`;
}

function describeInfeasible({ cells: { infeasible } }: TuneReport) {
  const shown = infeasible
    .slice(0, MOST_INFEASIBLE)
    .map(({ settings, reason }) => `${describeSettings(settings)}: ${reason}`);
  const others = infeasible.length - shown.length;
  return others === 0 ? shown : [...shown, `and ${countOf(others, 'other cell')}`];
}

function describeTodayStatus({ today, objectives }: TuneReport) {
  const name = `Today (${describeSettings(today.settings)}) is`;
  if (today.state === 'infeasible') return `${name} not feasible.`;
  if (today.state === 'on the front') return `${name} on the front.`;
  const savings = (today.savings ?? []).map((share, axis) => {
    const { label = '', better = 'lower', unit = 'count' } = objectives[axis] ?? {};
    if (share !== null)
      return `${label} ${formatSignedPercent(better === 'lower' ? -share : share, 1)}`;
    // Of nothing there is no share.
    const [own, other] = [today.values[axis], today.dominatingValues?.[axis]];
    const difference = (other ?? Number.NaN) - (own ?? Number.NaN);
    return `${label} ${Number.isNaN(difference) ? UNKNOWN : formatDifference(difference, unit)}`;
  });
  const distance = today.distance?.toFixed(DISTANCE_DECIMALS) ?? UNKNOWN;
  return `${name} dominated by ${describeSettings(today.dominatedBy ?? {})}: ${savings.join(', ')}; distance to the front ${distance}.`;
}

function evidenceLines({ advice, today, unlisted }: TuneReport) {
  const { compared, brokenByToday, needless = [] } = advice;
  const kept = needless.map((name) => `${name}=${today.settings[name] ?? 'as it is'}`);
  const stays = `What makes no difference of ${formatPercent(unlisted.within)} stays`;
  return [
    ...compared.flatMap((candidate) =>
      candidate.broken.map((obstacle) => `${nameOf(candidate)} breaks a constraint: ${obstacle}.`),
    ),
    ...brokenByToday.map((obstacle) => `Today's settings break a constraint: ${obstacle}.`),
    ...(kept.length > 0 ? [`${stays}: ${kept.join(', ')}.`] : []),
  ];
}

function nameOf({ isKnee, settings }: Candidate) {
  return isKnee ? 'The knee' : describeSettings(settings);
}

function describeBasis(
  { outcomes }: Candidate,
  { advice: { isHeldOut }, sessions: { heldOut, tuning } }: TuneReport,
) {
  const all = isHeldOut ? heldOut : tuning;
  const { sessions: compared, families } = outcomes[0] ?? { sessions: all, families: all };
  const which = compared < all ? `${compared} of ${all}` : 'the';
  const ofFamilies = families < compared ? ` in ${countFamilies(families)}` : '';
  const part = isHeldOut ? 'held out' : 'tuned on, so this flatters';
  return `against today, on ${which} sessions${ofFamilies} ${part}`;
}

function describeOutcome(outcome: ObjectiveOutcome) {
  const { objective, today, tuned, kind, estimate, pValue, verdict } = outcome;
  const { label, unit } = objective;
  const means = `${formatAmount(today, unit)} → ${formatAmount(tuned, unit)}`;
  const change =
    kind === 'ratio'
      ? `geometric ratio ${formatRatio(estimate)}`
      : `${formatDifference(estimate.value, unit)} (${formatDifferenceInterval(estimate.interval, unit)})`;
  const certainty = pValue === null ? '' : `, p ${formatP(pValue)}`;
  return `${label}: ${means}, ${change}: ${verdict}${certainty}`;
}

function describeSettings(settings: NamedSettings) {
  const pairs = pairsOf(settings);
  return pairs.length === 0 ? 'as today' : pairs.join(' ');
}

function joined(parts: readonly Sentence[]): Sentence {
  return parts.flatMap((part, index) => {
    if (index === 0) return part;
    return [index === parts.length - 1 ? ' and ' : ', ', ...part];
  });
}
