import { CONFIDENCE } from '../metrics/statistics/interval.ts';
import { COST_METRIC } from '../metrics/statistics/judge-difference.ts';
import { agentTitleOf, toConfigChange } from './agent-keys.ts';
import { type Text, textOf, untrusted } from './document.ts';
import {
  countOf,
  formatAmount,
  formatPercent,
  formatShortPercent,
  formatSignedPercent,
  formatUsd,
  UNKNOWN,
} from './numbers.ts';
import {
  describeSettings,
  type FrontMember,
  joined,
  type Objective,
  type Sentence,
  type TuneReport,
  type TuneVerdict,
} from './tune-report.ts';

/** A change that saves less is none. */
const LEAST_SHARE = 0.01;

/** The answer in one to five sentences: what to do, what it saves, what it loses, how sure that is. */
export function verdictSentences(report: TuneReport): readonly string[] {
  return verdictTexts(report).map(textOf);
}

/** The same, with what comes from outside marked. */
export function verdictTexts(report: TuneReport): readonly Text[] {
  const { verdict, advice } = report;
  if (advice.state === 'nothing feasible') {
    return ["Neither today's settings nor any that were tried meet the constraints."];
  }
  if (Object.keys(verdict.change).length === 0) {
    return [
      "No difference that matters: nothing that was tried changes anything here; keep today's settings.",
    ];
  }
  const sentences: readonly Sentence[] = [
    headline(report),
    [effectOf(verdict)],
    [certaintyOf(report)],
    cheaperOf(report),
    withoutKey(report),
  ];
  return sentences.filter((sentence) => textOf(sentence) !== '');
}

/** Tests if what the verdict is about costs less; nothing speaks against another objective, or an unknown price. */
export function isSaving({ objectives: [first], verdict: { costUsd } }: TuneReport): boolean {
  return first?.metric !== COST_METRIC || costUsd === null || costUsd.to < costUsd.from;
}

/** Settings against today's in words, the trigger by its share of the window. */
function describeChange({ verdict: { change }, today }: TuneReport): Sentence {
  const parts = Object.entries(change).map(([name, value]): Sentence => {
    const before = today.settings[name];
    if (name === 'triggerFraction') {
      const instead = typeof before === 'number' ? ` instead of ${formatShortPercent(before)}` : '';
      return [`compact at ${formatShortPercent(Number(value))} of the window${instead}`];
    }
    const instead = before === undefined ? [] : [' instead of ', untrusted(String(before))];
    return [untrusted(describeSettings({ [name]: value })), ...instead];
  });
  return joined(parts);
}

function headline(report: TuneReport): Sentence {
  const { verdict, advice } = report;
  const change = describeChange(report);
  switch (verdict.state) {
    case 'better': {
      if (advice.brokenByToday.length > 0) {
        return ['Better: ', ...change, "; today's settings break a constraint."];
      }
      const isBetter = advice.state === 'change';
      return [isBetter ? 'Better: ' : 'Better on one side only: ', ...change, '.'];
    }
    case 'worse':
      return ['Worse: ', ...change, "; keep today's settings."];
    case 'no difference that matters':
      return ['No difference that matters: ', ...change, '.'];
    case 'does nothing':
      return ['Does nothing on sessions like these: ', ...change, '.'];
    case 'no effect':
      return ['No effect in these sessions: ', ...change, '.'];
    case 'not enough data':
      if (!isSaving(report)) {
        return [
          "Keep today's settings: nothing that was tried saves here, least bad is to ",
          ...change,
          '.',
        ];
      }
      return ['Not enough data: ', ...change, ' is the best found, and not shown to be better.'];
  }
}

/** Where the verdict is about a change that does nothing, the settings that save most, which nobody has tested. */
function cheaperOf(report: TuneReport): Sentence {
  const { verdict, advice, today, objectives, sessions } = report;
  if (verdict.state === 'better' || verdict.state === 'not enough data') return [];
  const best = findBest(report);
  if (best === undefined) return [];
  const name = describeSettings(best.settings);
  if (advice.compared.some(({ settings }) => describeSettings(settings) === name)) return [];
  const changes = objectives.map(({ label, unit }, index) => {
    const [from, to] = [today.values[index] ?? null, best.values[index] ?? null];
    return `${label} ${amountOf(from, unit)} → ${amountOf(to, unit)}`;
  });
  return [
    `Best on the ${countOf(sessions.tuning, 'session')} tuned on, untested on others: `,
    untrusted(name),
    ` (${changes.join(', ')} on average).`,
  ];
}

/** The member of the front that is best on the first objective, where it is better than today by more than nothing. */
function findBest({ front, today, objectives: [objective] }: TuneReport): FrontMember | undefined {
  const own = today.values[0];
  if (!own) return undefined;
  const sign = objective?.better === 'higher' ? -1 : 1;
  const changeOf = ({ values: [value] }: FrontMember) =>
    typeof value === 'number' ? sign * (value / own - 1) : 0;
  const [best] = front.toSorted((one, other) => changeOf(one) - changeOf(other));
  return best && changeOf(best) < -LEAST_SHARE ? best : undefined;
}

function amountOf(value: number | null, unit: Objective['unit']): string {
  return value === null ? UNKNOWN : formatAmount(value, unit);
}

function effectOf({ costUsd, losses, sessions }: TuneVerdict): string {
  const cost =
    costUsd === null
      ? []
      : [`cost ${formatUsd(costUsd.from)} → ${formatUsd(costUsd.to)} (${shareOf(costUsd)})`];
  const lost = losses === null ? [] : [`losses ${losses.from} → ${losses.to}`];
  const parts = [...cost, ...lost];
  if (parts.length === 0) return '';
  return `Over ${countOf(sessions, 'session')}: ${parts.join(', ')}.`;
}

function shareOf({ from, to }: { readonly from: number; readonly to: number }): string {
  return from === 0 ? 'of nothing' : formatSignedPercent((to - from) / from, 1);
}

/** How sure it is: the interval of the change, and how many sessions would do. */
function certaintyOf({ verdict, cells }: TuneReport): string {
  const { costUsd, sessionsNeeded, state } = verdict;
  const ends = [costUsd?.low, costUsd?.high].map((end) =>
    typeof end === 'number' && costUsd !== null && costUsd.from > 0
      ? formatSignedPercent(end / costUsd.from - 1, 0)
      : undefined,
  );
  const known = ends.every((end) => end !== undefined);
  const among = cells.distinct > 2 ? `, judged among ${countOf(cells.distinct - 1, 'change')}` : '';
  const between = `Cost changes by ${ends.join(' … ')} (${formatPercent(CONFIDENCE)})${among}`;
  if (state !== 'not enough data') return known ? `${between}.` : '';
  const lead = known ? between : 'Too few sessions differ to tell';
  if (sessionsNeeded !== null) return `${lead}; about ${sessionsNeeded} sessions would do.`;
  return known
    ? `${lead}; nobody can say how many sessions would do.`
    : `${lead}, or to say how many would do.`;
}

/** Says so where the agent reads no key for some of it. */
function withoutKey({ policy, verdict, trigger }: TuneReport): Sentence {
  if (verdict.state !== 'better' && verdict.state !== 'not enough data') return [];
  const { set } = toConfigChange(policy, verdict.change, trigger);
  if (set.length === 0) return [];
  const names = set.map((pair): Sentence => [untrusted(pair.split('=', 1)[0] ?? '')]);
  const agent = agentTitleOf(policy) ?? untrusted(`'${policy}'`);
  return [agent, ' reads no key that sets ', ...joined(names), ' so.'];
}
