import type { Judgement, PruneExplanation, ScanEnd, Verdict } from '../../../engine/index.ts';
import type { ToldPrune } from '../../metrics/explain.ts';
import { shownText } from '../shown-text.ts';
import { formatTokens } from './terms.ts';

const REASONS: Readonly<
  Record<Exclude<Verdict, 'beyond-protect' | 'beyond-kept' | 'ranked-first'>, string>
> = {
  'newest-message': 'kept: one of the newest messages, which the scan skips',
  'guarded-turn': 'kept: in a guarded turn',
  'not-completed': 'kept: the call has no output',
  'protected-tool': 'kept: protected tool',
  'within-protect': 'kept: within PROTECT',
  'among-kept': 'kept: one of the newest outputs',
  'already-cleared': 'already cleared',
  'cleaned-up': 'cleared by a clean-up',
  'behind-cleared': 'kept: after a cleared output in its message',
  'not-reached': 'kept: beyond the boundary, not reached',
  outranked: 'kept: others go first',
};

const ENDS: Readonly<Record<ScanEnd['at'], string>> = {
  summary: 'summary: scan ends',
  'already-cleared': 'already cleared: scan ends here',
};

/** What a prune made of each tool output, newest first, and what came of it. */
export function renderPrune(prune: ToldPrune): readonly string[] {
  return [`prune: ${renderOutcome(prune)}`, ...renderJudgements(prune).map((line) => `  ${line}`)];
}

/** Whether a prune fired, in numbers, and why nobody saw it where that is so. */
export function renderOutcome(prune: ToldPrune): string {
  const outcome = renderNumbers(prune);
  return prune.isBehindSummary
    ? `${outcome}; nothing left the view: all was behind a summary already`
    : outcome;
}

function renderNumbers(prune: PruneExplanation): string {
  const { plan, minimumTokens, keptOutputs, evicts } = prune;
  const saved = formatTokens(plan.estimatedTokens);
  if (plan.state === 'nothing') return 'nothing to clear → not fired';
  if (evicts !== undefined && plan.state === 'fire') return `${saved} by ${evicts} → fired`;
  if (keptOutputs !== undefined) return `${saved} of all but the newest ${keptOutputs} → fired`;
  if (minimumTokens === undefined) return `${saved} of all outputs → fired`;
  const minimum = formatTokens(minimumTokens);
  if (plan.state === 'fire') return `${saved} > minimum ${minimum} → fired`;
  const shortTokens = minimumTokens + 1 - plan.estimatedTokens;
  return `${saved} ≤ minimum ${minimum} → not fired, short by ${formatTokens(shortTokens)}`;
}

function renderJudgements(prune: PruneExplanation): readonly string[] {
  const reached = prune.judgements.filter((judged) => !isBeyond(judged));
  const beyondCount = prune.judgements.length - reached.length;
  return [
    ...reached.map((judged) => renderJudgement(judged, prune)),
    ...(beyondCount === 0 ? [] : [`${beyondCount} older: ${REASONS['not-reached']}`]),
    ...(prune.judgements.length === 0 ? [] : [renderTotals(prune)]),
  ];
}

function renderJudgement(
  judged: Judgement,
  { plan, protectTokens, keptOutputs }: PruneExplanation,
): string {
  if (judged.type === 'end') {
    const givesUp = judged.givesUp ? ', and the pass gives up' : '';
    return `── ${ENDS[judged.at]} (${shownText(judged.messageId)})${givesUp}`;
  }
  const { part, verdict, tokens, seenTokens } = judged;
  const name = `${shownText(part.tool)} ${shownText(part.id)}`;
  const size = `${formatTokens(tokens ?? 0)} tokens`;
  if (verdict === 'ranked-first') return `${name}  ${size}  cleared: first in its order`;
  if (verdict === 'beyond-kept')
    return `${name}  ${size}  cleared: beyond the newest ${keptOutputs}`;
  if (verdict === 'outranked') return `${name}  ${size}  ${REASONS[verdict]}`;
  if (verdict !== 'beyond-protect' && verdict !== 'within-protect') {
    return `${name}  ${REASONS[verdict]}`;
  }
  if (protectTokens === undefined) return `${name}  ${size}  cleared`;
  const cleared = plan.state === 'fire' ? 'cleared' : 'would be cleared';
  const reason = verdict === 'within-protect' ? REASONS[verdict] : `${cleared}: beyond PROTECT`;
  return `${name}  ${size}, sum ${formatTokens(seenTokens ?? 0)}  ${reason} ${formatTokens(protectTokens)}`;
}

function renderTotals({ plan, judgements, weighedTokens }: PruneExplanation): string {
  const outputs = judgements.filter(({ type }) => type === 'output').length;
  const chosen = `${plan.partIds.length} chosen with ${formatTokens(plan.estimatedTokens)} tokens`;
  return `total: ${outputs} outputs, ${formatTokens(weighedTokens)} tokens weighed, ${chosen} (as the policy estimates)`;
}

function isBeyond(judged: Judgement): boolean {
  return judged.type === 'output' && judged.verdict === 'not-reached';
}
