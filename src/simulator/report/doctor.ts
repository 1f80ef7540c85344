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
import { type Block, renderTerminal } from './document.ts';
import { jsonText } from './markup.ts';
import type { stepPriceAt } from '../provider/prices.ts';
import { countOf, formatShare, formatUsd, UNKNOWN } from './numbers.ts';
import { basisBlocks, type Origin } from './origin.ts';
import {
  describeConditions,
  describePreset,
  mayFireMidTurn,
  renderKept,
  renderMoments,
  toPlainKept,
  toPlainOrigin,
} from './describe-policy.ts';
import type { Terminal } from './report.ts';
import { PRUNE_MOMENTS } from './sawtooth.ts';

const COUNTED = {
  messages: 'its messages, without system prompt and tools',
  'since-summary': 'its messages since the newest summary, without system prompt and tools',
  request: 'all parts of the request',
  'request-or-usage': 'all parts of the request, or the reported usage where that is more,',
} as const satisfies Record<NonNullable<Policy['trigger']['counted']>, string>;

const MOST_FINDINGS = 10;
const MOST_VERDICTS = 15;

/** The findings of an examination of one policy on one model. */
export interface Diagnosis {
  readonly origin: Origin;
  readonly model: string;
  readonly checkup: Checkup;
  readonly findings: readonly LintFinding[];
  /** Earlier edges and a late one, with the price of a step there; none where it is not late. */
  readonly late: readonly ({ readonly edgeTokens: number } & ReturnType<typeof stepPriceAt>)[];
}

/** How some policies fare on many triples of limits. */
export interface LimitsReport {
  readonly origin: Origin;
  readonly floorTokens: number;
  readonly verdicts: readonly LimitsVerdict[];
}

/** A diagnosis as text. */
export function renderDiagnosis(
  { origin, model, checkup, findings, late }: Diagnosis,
  terminal: Terminal,
): string {
  const { policy, limits } = checkup.target;
  const { counted } = policy.trigger;
  const head = `${policy.name} on ${model}: ${renderLimits(limits)}`;
  const problems = findings.map(({ lint, severity, problem, advice }) => {
    const rank = severity === 'never-works' ? 'NEVER WORKS' : 'warning';
    return `${rank} ${lint}: ${problem}. ${advice}`;
  });
  const kept = `keeps: ${renderKept(policy, limits)}`;
  const details = [
    ...describePreset(policy),
    ...[checkup.trigger, checkup.afterStepTrigger].flatMap((one) =>
      !one || one.isUnlimited || one.check.conditions ? [] : [renderTerm('usable', one.usable)],
    ),
    ...(counted === undefined ? [] : [`counts ${COUNTED[counted]}, as it estimates them`]),
    ...renderCleanups(policy),
  ];
  const blocks: readonly Block[] = [
    { type: 'lines', lines: problems, most: MOST_FINDINGS },
    { type: 'lines', lines: problems.length === 0 ? [head, 'No problems found.'] : [head] },
    { type: 'lines', lines: [...renderTriggers(checkup), `prune: ${renderPrune(policy)}`, kept] },
    {
      type: 'table',
      columns: [{ title: 'Compacts at' }, { title: 'Step from cache' }, { title: 'without' }],
      rows: late.map(({ edgeTokens, readUsd, writeUsd }) => [
        formatTokens(edgeTokens),
        formatUsd(readUsd),
        formatUsd(writeUsd),
      ]),
    },
    { type: 'lines', lines: details, isDetail: true },
    ...basisBlocks(origin),
  ];
  return renderTerminal(blocks, terminal);
}

/** A diagnosis as JSON. */
export function renderDiagnosisJson({ origin, model, checkup, findings, late }: Diagnosis): string {
  const { target, trigger, afterStepTrigger } = checkup;
  const { policy, limits } = target;
  return jsonText({
    origin,
    policy: policy.name,
    preset: toPlainOrigin(policy.name),
    model,
    limits,
    firesMidTurn: mayFireMidTurn(policy),
    trigger: trigger ? toPlainTrigger(trigger, limits) : null,
    afterStepTrigger: afterStepTrigger ? toPlainTrigger(afterStepTrigger, limits) : null,
    prune: policy.prune,
    ...toPlainKept(policy, limits),
    findings,
    late,
  });
}

/** How policies fare on many triples of limits, as text. */
export function renderVerdicts({ origin, verdicts }: LimitsReport, terminal: Terminal): string {
  const worst = verdicts.toSorted((one, other) => other.hopeless.length - one.hopeless.length);
  const blocks: readonly Block[] = [
    { type: 'lines', lines: worst.map(renderVerdict), most: MOST_VERDICTS, only: 'screen' },
    ...verdicts.map(
      (verdict): Block => ({
        type: 'lines',
        lines: [renderVerdict(verdict), ...verdict.hopeless.map((row) => `  ${renderRow(row)}`)],
        isDetail: true,
      }),
    ),
    ...basisBlocks(origin),
  ];
  return renderTerminal(blocks, terminal);
}

/** How policies fare on many triples of limits, as JSON. */
export function renderVerdictsJson(report: LimitsReport): string {
  return jsonText(report);
}

function renderLimits({ contextTokens, inputTokens, outputTokens }: Limits): string {
  const shown = [
    `context ${contextTokens === 0 ? UNKNOWN : formatTokens(contextTokens)}`,
    inputTokens !== undefined && `input ${formatTokens(inputTokens)}`,
    outputTokens !== undefined && `output ${formatTokens(outputTokens)}`,
  ];
  return shown.filter(Boolean).join(', ');
}

function renderTriggers({ target, trigger, afterStepTrigger }: Checkup): readonly string[] {
  const { policy, limits } = target;
  if (trigger === undefined) {
    const why = compactsUnasked(policy.trigger) ? 'the policy has none' : 'auto is off';
    return [`trigger: none, nothing is checked (${why})`];
  }
  return [
    renderTrigger('trigger', trigger, limits),
    ...(afterStepTrigger
      ? [renderTrigger('trigger at the end of a step', afterStepTrigger, limits)]
      : []),
    ...(trigger.isUnlimited ? [] : [`checked: ${renderMoments(policy)}`]),
  ];
}

function renderTrigger(
  name: string,
  { check, rule, isUnlimited }: OverflowExplanation,
  limits: Limits,
): string {
  if (isUnlimited) return `${name}: none, the window is unknown (rule ${rule})`;
  if (check.conditions !== undefined)
    return `${name}: at ${describeConditions(check.conditions)} (rule ${rule})`;
  const sign = check.comparison === '>' ? '>' : '≥';
  const share = formatShare(check.usableTokens, limits.contextTokens, 1);
  return `${name}: count ${sign} ${formatTokens(check.usableTokens)} tokens, ${share} of the window (rule ${rule})`;
}

function renderPrune({ prune }: Policy): string {
  if (!prune.enabled || prune.when === 'never') return 'off';
  const { everySteps = 1 } = prune;
  const rhythm = everySteps > 1 ? `, every ${countOf(everySteps, 'step')}` : '';
  const when = `${PRUNE_MOMENTS[prune.when]}${rhythm}`;
  if (prune.pass === 'all-outputs') return `${when}, every tool output`;
  if (prune.pass === 'keep-last') {
    const { idleMs } = prune;
    const pause = idleMs === undefined ? '' : ` of ${formatTokens(idleMs / MS_PER_SECOND)} s`;
    return `${when}${pause}, ${keptBy(prune)}`;
  }
  if (prune.pass === 'by-message') return [when, ...takenOutBy(prune)].join(', ');
  if (prune.pass === 'by-verdict') return `${when}, ${judgedBy(prune)}`;
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

function keptBy({ keepLast = { outputs: 0 } }: PrunePolicy): string {
  const { outputs, tools, excludedTools, aboveOutputs, leastTokens, clearsInputs } = keepLast;
  const inputs = Array.isArray(clearsInputs) ? ` of ${clearsInputs.join(', ')}` : '';
  const rules = [
    `every tool output but the newest ${outputs}`,
    tools && `of ${tools.join(', ')}`,
    excludedTools && `never ${excludedTools.join(', ')}`,
    aboveOutputs !== undefined && `above ${aboveOutputs} of them`,
    leastTokens !== undefined && `if ${formatTokens(leastTokens)} tokens or more go`,
    clearsInputs && `with inputs${inputs}`,
  ];
  return rules.filter(Boolean).join(', ');
}

function takenOutBy({ byMessage }: PrunePolicy): readonly string[] {
  const { reasoning = 'none', toolCalls = [] } = byMessage ?? {};
  const calls = toolCalls.map(({ keepMessages, tools }) => {
    const of = tools === undefined ? '' : ` of ${tools.join(', ')}`;
    const before =
      keepMessages === undefined ? '' : ` before the last ${countOf(keepMessages, 'message')}`;
    return `calls with their results${of}${before}`;
  });
  const thoughts = {
    none: [],
    all: ['thoughts'],
    'before-last-message': ['thoughts before the last message'],
  };
  return [...calls, ...thoughts[reasoning]];
}

function judgedBy({ byVerdict }: PrunePolicy): string {
  if (byVerdict === undefined) return 'nothing';
  const { outputs, scorer, judge, byTool } = byVerdict;
  const by = judge === undefined ? scorer : 'a function';
  const tools =
    byTool === undefined ? '' : ` and a table of ${countOf(Object.keys(byTool).length, 'tool')}`;
  return `a verdict on every tool output but the newest ${outputs}, by ${by}${tools}`;
}

function renderVerdict({ policy, triples, unknownTriples, hopeless }: LimitsVerdict): string {
  const models = hopeless.reduce((total, row) => total + row.models, 0);
  return `${policy}: ${hopeless.length} of ${triples} triples (${models} models) can never work; ${unknownTriples} have no known window`;
}

function renderRow(row: LimitsVerdict['hopeless'][number]): string {
  const { models, lint, usableTokens } = row;
  const limits = (['context', 'input', 'output'] as const).map((name) => {
    const tokens = row[name];
    return `${name} ${tokens === null ? UNKNOWN : formatTokens(tokens)}`;
  });
  return `${limits.join(', ')}: usable ${formatTokens(usableTokens)}, ${models} models, ${lint}`;
}

function toPlainTrigger({ check, rule, usable, isUnlimited }: OverflowExplanation, limits: Limits) {
  const { contextTokens } = limits;
  const { usableTokens, comparison, conditions } = check;
  const windowShare = contextTokens === 0 ? null : usableTokens / contextTokens;
  const anyOf = conditions?.map((all) => all.map(({ unit, limit }) => ({ unit, limit })));
  const plain = { rule, usableTokens, comparison, windowShare, isUnlimited, usable };
  return anyOf === undefined ? plain : { ...plain, anyOf };
}
