import {
  compactsUnasked,
  type Limits,
  type OverflowExplanation,
  type Policy,
  type PrunePolicy,
} from '../../engine/index.ts';
import { MS_PER_SECOND } from '../lib/units.ts';
import type { Checkup, LintFinding } from '../scenario/checkup.ts';
import type { LimitsVerdict } from '../scenario/doctor.ts';
import { formatTokens, renderTerm } from './explain-moment.ts';
import { renderKept, toPlainKept } from './kept.ts';
import { jsonText, shownText } from './markup.ts';
import { countOf, formatShare, UNKNOWN } from './numbers.ts';
import { describeOrigin, type Origin } from './origin.ts';
import { fitProse } from './prose.ts';
import type { Terminal } from './report.ts';
import { PRUNE_MOMENTS } from './sawtooth.ts';

/** The findings of an examination of one policy on one model. */
export interface Diagnosis {
  /** With the settings that were given. */
  readonly origin: Origin;
  readonly model: string;
  readonly checkup: Checkup;
  readonly findings: readonly LintFinding[];
}

/** How some policies fare on many triples of limits. */
export interface LimitsReport {
  /** With the settings that were given. */
  readonly origin: Origin;
  /** Size of system prompt and tools. */
  readonly floorTokens: number;
  readonly verdicts: readonly LimitsVerdict[];
}

/** A diagnosis as text. */
export function renderDiagnosis(
  { origin, model, checkup, findings }: Diagnosis,
  terminal: Terminal,
): string {
  const { policy, limits } = checkup.target;
  const lines = [
    `${policy.name} on ${shownText(model)}: ${renderLimits(limits)}`,
    ...renderTriggers(checkup),
    `checked: ${renderChecks(policy.trigger)}`,
    `prune: ${renderPrune(policy)}`,
    ...renderCleanups(policy),
    `keeps: ${renderKept(policy, limits)}`,
    '',
    ...(findings.length === 0 ? ['No problems found.'] : findings.map(renderFinding)),
    '',
    shownText(describeOrigin(origin)),
  ];
  return `${fitProse(lines.join('\n'), terminal)}\n`;
}

/** A diagnosis as JSON. */
export function renderDiagnosisJson({ origin, model, checkup, findings }: Diagnosis): string {
  const { target, trigger, afterStepTrigger } = checkup;
  const { policy, limits } = target;
  return jsonText({
    origin,
    policy: policy.name,
    model,
    limits,
    trigger: trigger === undefined ? null : toPlainTrigger(trigger, limits),
    afterStepTrigger:
      afterStepTrigger === undefined ? null : toPlainTrigger(afterStepTrigger, limits),
    prune: policy.prune,
    ...toPlainKept(policy, limits),
    findings,
  });
}

/** How policies fare on many triples of limits, as text. */
export function renderVerdicts({ origin, verdicts }: LimitsReport, terminal: Terminal): string {
  const sections = [...verdicts.map(renderVerdict), shownText(describeOrigin(origin))];
  return `${fitProse(sections.join('\n\n'), terminal)}\n`;
}

/** How policies fare on many triples of limits, as JSON. */
export function renderVerdictsJson(report: LimitsReport): string {
  return jsonText(report);
}

/** The moments at which a policy looks at the context, in words. */
function renderChecks(trigger: Policy['trigger']): string {
  const { afterStep, beforeRequest, onlyBetweenTurns, countsNewerMessages } = trigger;
  if (!afterStep && !beforeRequest) return 'never; only a refusal compacts';
  const moments = [
    ...(afterStep ? [onlyBetweenTurns ? 'at the end of a turn' : 'after each step'] : []),
    ...(beforeRequest ? [onlyBetweenTurns ? 'before a prompt' : 'before each request'] : []),
  ].join(' and ');
  const midTurn = onlyBetweenTurns ? ', never between tool steps' : ', also between tool steps';
  return `${moments}${midTurn}${countsNewerMessages ? '; newer outputs count as estimated' : ''}`;
}

function renderLimits({ contextTokens, inputTokens, outputTokens }: Limits): string {
  const shown = [
    `context ${contextTokens === 0 ? UNKNOWN : formatTokens(contextTokens)}`,
    inputTokens === undefined ? '' : `input ${formatTokens(inputTokens)}`,
    outputTokens === undefined ? '' : `output ${formatTokens(outputTokens)}`,
  ];
  return shown.filter((text) => text !== '').join(', ');
}

function renderTriggers({ target, trigger, afterStepTrigger }: Checkup): readonly string[] {
  const { policy, limits } = target;
  if (trigger === undefined) return [`trigger: none, nothing is checked (${whyUnchecked(policy)})`];
  const general = renderTrigger('trigger', trigger, limits);
  if (afterStepTrigger === undefined) return general;
  return [...general, ...renderTrigger('trigger at the end of a step', afterStepTrigger, limits)];
}

function renderTrigger(
  name: string,
  { check, rule, usable, isUnlimited }: OverflowExplanation,
  limits: Limits,
): readonly string[] {
  if (isUnlimited) return [`${name}: none, the window is unknown (rule ${rule})`];
  const sign = check.comparison === '>' ? '>' : '≥';
  const share = shareOfWindow(check.usableTokens, limits);
  return [
    `${name}: count ${sign} ${formatTokens(check.usableTokens)} tokens, ${share} of the window (rule ${rule})`,
    `  ${renderTerm('usable', usable)}`,
  ];
}

function whyUnchecked({ trigger }: Policy): string {
  return compactsUnasked(trigger) ? 'the policy has none' : 'auto is off';
}

/** In percent with one digit; unknown for an unknown window. */
function shareOfWindow(usableTokens: number, { contextTokens }: Limits): string {
  return formatShare(usableTokens, contextTokens, 1);
}

function renderPrune({ prune }: Policy): string {
  if (!prune.enabled || prune.when === 'never') return 'off';
  const when = PRUNE_MOMENTS[prune.when];
  if (prune.pass === 'all-outputs') return `${when}, every tool output`;
  if (prune.pass === 'keep-last') return `${when}${lengthOf(prune)}, ${keptBy(prune)}`;
  const order = prune.evicts === undefined ? '' : `, clears by ${prune.evicts}`;
  const { protectTokens, minimumTokens, guardTurns, protectedTools } = prune.byAge;
  const [protect, minimum] = [protectTokens, minimumTokens].map(formatTokens);
  const tools = protectedTools.length === 0 ? '' : `, never ${protectedTools.join(', ')}`;
  return `${when}, PROTECT ${protect}, MINIMUM ${minimum}, guards ${countOf(guardTurns, 'turn')}${tools}${order}`;
}

function renderCleanups({ prune: { cleanups = [] } }: Policy): readonly string[] {
  return cleanups.map(({ pass, when, olderThan, protectedTools }) => {
    const age = olderThan && `, older than ${olderThan.count} ${olderThan.unit}`;
    const tools = protectedTools && `, never ${protectedTools.join(', ')}`;
    return `clean-up: ${pass} ${PRUNE_MOMENTS[when]}${age ?? ''}${tools ?? ''}`;
  });
}

/** How long a prune waits, where it does. */
function lengthOf({ idleMs }: PrunePolicy): string {
  return idleMs === undefined ? '' : ` of ${formatTokens(idleMs / MS_PER_SECOND)} s`;
}

function keptBy({ keepLast }: PrunePolicy): string {
  const kept = `every tool output but the newest ${keepLast?.outputs ?? 'ones'}`;
  return keepLast?.tools === undefined ? kept : `${kept}, of ${keepLast.tools.join(', ')}`;
}

function renderFinding({ lint, severity, problem, advice }: LintFinding): string {
  const rank = severity === 'never-works' ? 'NEVER WORKS' : 'warning';
  return `${rank} ${lint}: ${shownText(problem)}.\n  ${shownText(advice)}`;
}

function renderVerdict({ policy, triples, unknownTriples, hopeless }: LimitsVerdict): string {
  const models = hopeless.reduce((total, row) => total + row.models, 0);
  const title = `${policy}: ${hopeless.length} of ${triples} triples (${models} models) can never work; ${unknownTriples} have no known window`;
  return [title, ...hopeless.map((row) => `  ${renderRow(row)}`)].join('\n');
}

function renderRow(row: LimitsVerdict['hopeless'][number]): string {
  const { context, input, output, models, lint, usableTokens } = row;
  const [shownContext, shownInput, shownOutput] = [context, input, output].map((tokens) =>
    tokens === null ? UNKNOWN : formatTokens(tokens),
  );
  return `context ${shownContext}, input ${shownInput}, output ${shownOutput}: usable ${formatTokens(usableTokens)}, ${models} models, ${lint}`;
}

function toPlainTrigger({ check, rule, usable, isUnlimited }: OverflowExplanation, limits: Limits) {
  const { contextTokens } = limits;
  const windowShare = contextTokens === 0 ? null : check.usableTokens / contextTokens;
  const { usableTokens, comparison } = check;
  return { rule, usableTokens, comparison, windowShare, isUnlimited, usable };
}
