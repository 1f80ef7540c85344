import { listed } from '../lib/text.ts';
import { CONFIDENCE } from '../metrics/statistics/interval.ts';
import { agentTitleOf, toConfigChange } from './agent-keys.ts';
import {
  countOf,
  formatPercent,
  formatShortPercent,
  formatSignedPercent,
  formatUsd,
} from './numbers.ts';
import { describeSettings, type TuneReport, type TuneVerdict } from './tune-report.ts';

/** The answer in one to five sentences: what to do, what it saves, what it loses, how sure that is. */
export function verdictSentences(report: TuneReport): readonly string[] {
  const { verdict, advice } = report;
  if (advice.state === 'nothing feasible') {
    return ["Neither today's settings nor any that were tried meet the constraints."];
  }
  if (Object.keys(verdict.change).length === 0) {
    return [
      "No difference that matters: nothing that was tried changes anything here; keep today's settings.",
    ];
  }
  return [headline(report), effectOf(verdict), certaintyOf(report), withoutKey(report)].filter(
    (sentence) => sentence !== '',
  );
}

/** Settings against today's in words, the trigger by its share of the window. */
function describeChange({ verdict: { change }, today }: TuneReport): string {
  const parts = Object.entries(change).map(([name, value]) => {
    const before = today.settings[name];
    if (name === 'triggerFraction') {
      const instead = typeof before === 'number' ? ` instead of ${formatShortPercent(before)}` : '';
      return `compact at ${formatShortPercent(Number(value))} of the window${instead}`;
    }
    return `${describeSettings({ [name]: value })}${before === undefined ? '' : ` instead of ${before}`}`;
  });
  return listed(parts, 'and');
}

function headline(report: TuneReport): string {
  const { verdict, advice } = report;
  const change = describeChange(report);
  switch (verdict.state) {
    case 'better': {
      if (advice.brokenByToday.length > 0)
        return `Better: ${change}; today's settings break a constraint.`;
      return advice.state === 'change'
        ? `Better: ${change}.`
        : `Better on one side only: ${change}.`;
    }
    case 'worse':
      return `Worse: ${change}; keep today's settings.`;
    case 'no difference that matters':
      return `No difference that matters: ${change}.`;
    case 'not enough data':
      return `Not enough data: ${change} is the best found, and not shown to be better.`;
  }
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

/** How sure it is: the interval on the sessions held out, and how many would do. */
function certaintyOf({ verdict, advice, sessions }: TuneReport): string {
  const { costUsd, sessionsNeeded, state } = verdict;
  const on = advice.isHeldOut
    ? `On the ${countOf(sessions.heldOut, 'session')} held out`
    : 'On the same sessions, which flatters it';
  const ends = [costUsd?.low, costUsd?.high].map((end) =>
    typeof end === 'number' && costUsd !== null && costUsd.from > 0
      ? formatSignedPercent(end / costUsd.from - 1, 0)
      : undefined,
  );
  const known = ends.every((end) => end !== undefined);
  const between = known ? `${on} cost changes by ${ends.join(' … ')}` : `${on} too few tell`;
  if (state !== 'not enough data') return known ? `${between} (${formatPercent(CONFIDENCE)}).` : '';
  if (sessionsNeeded === null) return `${between}; no number of such sessions would tell more.`;
  return `${between}; about ${sessionsNeeded} sessions would do.`;
}

/** Says so where the agent reads no key for some of it. */
function withoutKey({ policy, verdict, trigger }: TuneReport): string {
  if (verdict.state === 'worse' || verdict.state === 'no difference that matters') return '';
  const { set } = toConfigChange(policy, verdict.change, trigger);
  if (set.length === 0) return '';
  const names = listed(
    set.map((pair) => pair.split('=', 1)[0] ?? ''),
    'and',
  );
  return `${agentTitleOf(policy) ?? quotedPolicy(policy)} reads no key that sets ${names} so.`;
}

function quotedPolicy(policy: string): string {
  return `'${policy}'`;
}
