import {
  compactsUnasked,
  type ConditionCheck,
  type KeepEnds,
  type Limits,
  type OverflowExplanation,
  type Policy,
  type PrunePolicy,
} from '../../engine/index.ts';
import { tailBudgetTokens } from '../../engine/internal.ts';
import { sum } from '../lib/collections.ts';
import { MS_PER_SECOND } from '../lib/units.ts';
import { type Prices, stepPriceAt } from '../provider/prices.ts';
import {
  canPivot,
  type Checkup,
  type LintFinding,
  shownTokens,
  usableTokensOf,
} from '../scenario/checkup.ts';
import type { LimitsVerdict } from '../scenario/doctor.ts';
import { messagesInWindow } from '../scenario/settings.ts';
import { type Block, linesOf, renderTerminal } from './document.ts';
import { describePreset, renderTerm, toPlainOrigin, wordOf } from './explain-moment.ts';
import type { Terminal } from './layout.ts';
import { jsonText } from './markup.ts';
import {
  countOf,
  formatCount,
  formatShare,
  formatShortPercent,
  formatUsd,
  UNKNOWN,
} from './numbers.ts';
import { basisBlocks, type Origin } from './origin.ts';
import { PRUNE_MOMENTS } from './sawtooth.ts';

const COUNTED = {
  messages: 'its messages, without system prompt and tools',
  'since-summary': 'its messages since the newest summary, without system prompt and tools',
  request: 'all parts of the request',
  'request-or-usage': 'all parts of the request, or the reported usage where that is more,',
} as const satisfies Record<NonNullable<Policy['trigger']['counted']>, string>;

const FORMS = {
  extends: "by the session's request and one message more",
  fresh: 'by a prompt of its own before the history',
  flattened: 'by one message with the history as text',
} as const;

const NOTHING = 'nothing';
const MOST_PLACES = 2;
const MOST_FINDINGS = 10;
const MOST_VERDICTS = 15;

/** Renderers of one policy and of many limits, by the names of their formats. */
export const doctorFormats = {
  text: { one: renderDiagnosis, many: renderVerdicts },
  json: { one: renderDiagnosisJson, many: (report: LimitsReport) => jsonText(report) },
};

interface Diagnosis {
  readonly origin: Origin;
  readonly model: string;
  readonly prices?: Prices;
  /** The agent and its release, where one was named in the place of a preset. */
  readonly release?: string;
  /** Keys of the agent that a user can write. */
  readonly keys: readonly string[];
  /** Where the agent keeps sessions; none where nobody knows. */
  readonly places: readonly string[];
  readonly checkup: Checkup;
  readonly findings: readonly LintFinding[];
  /** Earlier edges and a late one, with the price of a step there; none where it is not late. */
  readonly late: readonly ({ readonly edgeTokens: number } & ReturnType<typeof stepPriceAt>)[];
}

interface LimitsReport {
  readonly origin: Origin;
  readonly floorTokens: number;
  readonly verdicts: readonly LimitsVerdict[];
}

/** A diagnosis as text. */
export function renderDiagnosis(
  { origin, model, release, checkup, findings, late, prices, ...known }: Diagnosis,
  terminal: Terminal,
): string {
  const { policy, limits } = checkup.target;
  const { counted } = policy.trigger;
  const head = `${policy.name}${release === undefined ? '' : ` for ${release}`} on ${model}: ${renderLimits(limits)}`;
  const problems = findings.map(({ lint, severity, problem, advice }) => {
    const rank = severity === 'never-works' ? 'NEVER WORKS' : 'warning';
    return `${rank} ${lint}: ${problem}. ${advice}`;
  });
  const details = [
    ...describePreset(policy),
    ...[checkup.trigger, checkup.afterStepTrigger].flatMap((one) =>
      !one || one.isUnlimited || one.check.conditions ? [] : [renderTerm('usable', one.usable)],
    ),
    ...(counted === undefined ? [] : [`counts ${COUNTED[counted]}, as it estimates them`]),
    ...renderCleanups(policy),
  ];
  const blocks: readonly Block[] = [
    linesOf(problems, { most: MOST_FINDINGS }),
    linesOf(problems.length === 0 ? [head, 'No problems found.'] : [head]),
    linesOf([...describeRules(checkup, prices), ...describeUse(known)]),
    {
      type: 'table',
      columns: [{ title: 'Compacts at' }, { title: 'Step from cache' }, { title: 'without' }],
      rows: late.map(({ edgeTokens, readUsd, writeUsd }) => [
        formatCount(edgeTokens),
        formatUsd(readUsd),
        formatUsd(writeUsd),
      ]),
    },
    linesOf(details, { isDetail: true }),
    ...basisBlocks(origin),
  ];
  return renderTerminal(blocks, terminal);
}

export function renderMoments(policy: Policy) {
  const { afterStep, beforeRequest } = policy.trigger;
  const moments = [afterStep ? 'after a step' : '', beforeRequest ? 'before a request' : ''];
  const checked = moments.filter((text) => text !== '').join(' and ');
  return `${checked}, ${mayFireMidTurn(policy) ? 'also in the middle of a turn' : 'between turns only'}`;
}

/** The context that stays when older one leaves the view. */
export function renderKept(policy: Policy, limits: Limits) {
  const { memory, resume } = policy;
  const inWindow = messagesInWindow(policy);
  const count = memory?.keepMessages ?? inWindow;
  const newest = count === undefined ? '' : renderNewest(count, 'message');
  const { rereads } = resume;
  const more = rereads === undefined ? '' : `; re-reads up to ${countOf(rereads.files, 'file')}`;
  if (memory) {
    const { recallEntries, recallTokens } = memory;
    const back = `up to ${countOf(recallEntries, 'piece')}, together ${countOf(recallTokens, 'token')}`;
    return `${newest}; what is older moves to a memory, of which ${back}, come back for a request; there is no compaction${more}`;
  }
  if (inWindow === undefined) return `${renderCut(policy, limits)}${more}`;
  return `${newest}; what is older is dropped; there is no compaction${more}`;
}

/** `null` where a policy has none of the kind. */
export function toPlainKept(policy: Policy, limits: Limits) {
  return {
    cut: policy.cut,
    tailBudgetTokens: tailBudgetTokens(policy, limits) ?? null,
    windowMessages: messagesInWindow(policy) ?? null,
    memory: policy.memory ?? null,
  };
}

/** Rules of a policy on a model, a line each: when it compacts, what it clears and keeps, how it asks for a summary, and for how much. */
export function describeRules(checkup: Checkup, prices?: Prices): readonly string[] {
  const { policy, limits } = checkup.target;
  const { form, fixedText } = policy.summary;
  const isAsked = canPivot(policy) && !messagesInWindow(policy) && fixedText === undefined;
  const check = form.verifies ? '; a second call checks it' : '';
  return [
    ...renderTriggers(checkup),
    `prune: ${renderPrune(policy)}`,
    `keeps: ${renderKept(policy, limits)}`,
    ...(isAsked ? [`asks: ${FORMS[form.kind]}${check}`, renderCost(checkup, prices)] : []),
  ];
}

/** Keys of an agent, and where its sessions are; nothing of what is no agent. */
export function describeUse({ keys, places }: Pick<Diagnosis, 'keys' | 'places'>) {
  if (keys.length === 0 && places.length === 0) return [];
  const more = places.length - MOST_PLACES;
  const where = `${places.slice(0, MOST_PLACES).join(', ')}${more > 0 ? `, ${more} more` : ''}`;
  return [
    `settings: ${keys.length === 0 ? 'none known' : keys.join('; ')}`,
    ...(places.length === 0 ? [] : [`sessions: ${where}`]),
  ];
}

function renderDiagnosisJson(diagnosis: Diagnosis): string {
  const { origin, model, release = null, keys, places, checkup, findings, late } = diagnosis;
  const { target, trigger, afterStepTrigger } = checkup;
  const { policy, limits } = target;
  return jsonText({
    origin,
    policy: policy.name,
    preset: toPlainOrigin(policy.name),
    release,
    model,
    limits,
    firesMidTurn: mayFireMidTurn(policy),
    trigger: trigger ? toPlainTrigger(trigger, limits) : null,
    afterStepTrigger: afterStepTrigger ? toPlainTrigger(afterStepTrigger, limits) : null,
    prune: policy.prune,
    ...toPlainKept(policy, limits),
    summary: { form: policy.summary.form, length: policy.summary.length },
    settings: keys,
    sessions: places,
    findings,
    late,
  });
}

function renderVerdicts({ origin, verdicts }: LimitsReport, terminal: Terminal): string {
  const worst = verdicts.toSorted((one, other) => other.hopeless.length - one.hopeless.length);
  const blocks: readonly Block[] = [
    linesOf(worst.map(renderVerdict), { most: MOST_VERDICTS, only: 'screen' }),
    ...verdicts.map(
      (verdict): Block =>
        linesOf([renderVerdict(verdict), ...verdict.hopeless.map((row) => `  ${renderRow(row)}`)], {
          isDetail: true,
        }),
    ),
    ...basisBlocks(origin),
  ];
  return renderTerminal(blocks, terminal);
}

function renderLimits({ contextTokens, inputTokens, outputTokens }: Limits): string {
  const shown = [
    `context ${contextTokens === 0 ? UNKNOWN : formatCount(contextTokens)}`,
    inputTokens !== undefined && `input ${formatCount(inputTokens)}`,
    outputTokens !== undefined && `output ${formatCount(outputTokens)}`,
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
  return `${name}: count ${sign} ${formatCount(check.usableTokens)} tokens, ${share} of the window (rule ${rule})`;
}

/** The request for a summary at the trigger; its input in dollars where prices are known. */
function renderCost(checkup: Checkup, prices: Prices | undefined): string {
  const { form, length } = checkup.target.policy.summary;
  const tokens = checkup.trigger?.check.conditions ? undefined : usableTokensOf(checkup);
  const { readUsd, writeUsd } = stepPriceAt(tokens ?? 0, prices);
  const [from, usd] =
    form.kind === 'extends' ? ['from the cache', readUsd] : ['uncached', writeUsd];
  const size = tokens === undefined ? 'all' : `${countOf(Math.round(tokens), 'token')} of`;
  const price = usd ? ` (${formatUsd(usd)})` : '';
  return `costs: ${size} input ${from}${price}, and about ${countOf(length.tokens, 'token')} of summary`;
}

function renderPrune({ prune }: Policy): string {
  if (!prune.enabled || prune.when === 'never') return 'off';
  const { everySteps = 1 } = prune;
  const rhythm = everySteps > 1 ? `, every ${countOf(everySteps, 'step')}` : '';
  const when = `${PRUNE_MOMENTS[prune.when]}${rhythm}`;
  if (prune.pass === 'all-outputs') return `${when}, every tool output`;
  if (prune.pass === 'keep-last') {
    const { idleMs } = prune;
    const pause = idleMs === undefined ? '' : ` of ${formatCount(idleMs / MS_PER_SECOND)} s`;
    return `${when}${pause}, ${keptBy(prune)}`;
  }
  if (prune.pass === 'by-message') return [when, ...takenOutBy(prune)].join(', ');
  if (prune.pass === 'by-verdict') return `${when}, ${judgedBy(prune)}`;
  const order = prune.evicts === undefined ? '' : `, clears by ${prune.evicts}`;
  const { protectTokens, minimumTokens, guardTurns, protectedTools } = prune.byAge;
  const [protect, minimum] = [protectTokens, minimumTokens].map(formatCount);
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
    leastTokens !== undefined && `if ${formatCount(leastTokens)} tokens or more go`,
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
  const thoughts = reasoning === 'all' ? 'thoughts' : 'thoughts before the last message';
  return reasoning === 'none' ? calls : [...calls, thoughts];
}

function judgedBy({ byVerdict }: PrunePolicy): string {
  if (byVerdict === undefined) return 'nothing';
  const { outputs, scorer, judge, byTool } = byVerdict;
  const tools =
    byTool === undefined ? '' : ` and a table of ${countOf(Object.keys(byTool).length, 'tool')}`;
  return `a verdict on every tool output but the newest ${outputs}, by ${judge ? 'a function' : scorer}${tools}`;
}

function renderVerdict({ policy, triples, unknownTriples, hopeless }: LimitsVerdict): string {
  const models = sum(hopeless.map((row) => row.models));
  return `${policy}: ${hopeless.length} of ${triples} triples (${models} models) can never work; ${unknownTriples} have no known window`;
}

function renderRow(row: LimitsVerdict['hopeless'][number]): string {
  const { models, lint, usableTokens } = row;
  const limits = (['context', 'input', 'output'] as const).map((name) => {
    const tokens = row[name];
    return `${name} ${tokens === null ? UNKNOWN : formatCount(tokens)}`;
  });
  return `${limits.join(', ')}: usable ${formatCount(usableTokens)}, ${models} models, ${lint}`;
}

function toPlainTrigger({ check, rule, usable, isUnlimited }: OverflowExplanation, limits: Limits) {
  const { contextTokens } = limits;
  const { usableTokens, comparison, conditions } = check;
  const windowShare = contextTokens === 0 ? null : usableTokens / contextTokens;
  const anyOf = conditions?.map((all) => all.map(({ unit, limit }) => ({ unit, limit })));
  const plain = { rule, usableTokens, comparison, windowShare, isUnlimited, usable };
  return anyOf === undefined ? plain : { ...plain, anyOf };
}

function mayFireMidTurn({ trigger }: Policy) {
  const { afterStep, beforeRequest, onlyBetweenTurns } = trigger;
  return compactsUnasked(trigger) && (afterStep || beforeRequest) && onlyBetweenTurns !== true;
}

/** `4,000 tokens and 10 messages, or 50 messages`. */
function describeConditions(lists: readonly (readonly ConditionCheck[])[]) {
  const limits = lists.map((all) =>
    all.map(({ unit, limit, comparison }) => {
      const more = comparison === '>' ? 'more than ' : '';
      return `${more}${shownTokens(limit)} ${wordOf(unit)}`;
    }),
  );
  return limits.map((all) => all.join(' and ')).join(', or ');
}

function renderNewest(count: number, word: string) {
  if (count === 0) return NOTHING;
  return `the newest ${count === 1 ? word : countOf(count, word)}`;
}

function renderCut(policy: Policy, limits: Limits) {
  const { cut } = policy;
  switch (cut.keep) {
    case 'nothing':
      return NOTHING;
    case 'everything':
      return 'everything; there is no compaction';
    case 'last-messages':
    case 'newest-messages':
      return renderNewest(cut.count, 'message');
    case 'last-turns':
      return renderNewest(cut.count, 'turn');
    case 'recent-turns': {
      const budget = tailBudgetTokens(policy, limits);
      // Of no tokens no turn fits.
      const turns = budget === 0 ? 0 : cut.turns;
      const kept = turns === undefined ? 'the newest turns' : renderNewest(turns, 'turn');
      if (budget === undefined || kept === NOTHING) return kept;
      return `${kept}, at most ${countOf(budget, 'token')}`;
    }
    case 'checkpoint':
      return `${countOf(cut.tokens, 'token')} as text inside the checkpoint`;
    case 'recent-messages':
      return `the newest ${countOf(cut.tokens, 'token')} of messages`;
    case 'last-share':
      return `the newest ${formatShortPercent(cut.share)} of the characters, from a prompt on`;
    case 'newest-exchanges':
      return `the newest steps and prompts of ${countOf(cut.count, 'message')}, results counted`;
    case 'newest-steps':
      return `the newest steps of ${countOf(cut.tokens, 'token')}, and all from the newest prompt on`;
    case 'pending':
      return 'the newest step while its results wait, and unanswered prompts; nothing after a refusal';
    case 'unanswered':
      return 'unanswered prompts';
    case 'user-messages':
      return cut.tokens === undefined
        ? 'all user messages'
        : `user messages, up to ${countOf(cut.tokens, 'token')}`;
    case 'ends':
      return renderEnds(cut);
  }
}

function renderEnds({ first, newest, unit, furtherShare }: KeepEnds) {
  const head = first === 0 ? '' : `the first ${countOf(first, unit.slice(0, -1))} and `;
  const amounts = newest.map((amount) => {
    if ('count' in amount) return countOf(amount.count, amount.of.slice(0, -1));
    const share = formatShortPercent(amount.share);
    if (amount.of === 'all') return `${share} of ${unit}`;
    return `${share} of the ${amount.of === 'window' ? 'window' : 'usable tokens'}`;
  });
  const most = amounts.length === 1 ? amounts.join() : `${amounts.join(' or ')}, whichever is more`;
  const further =
    furtherShare &&
    `; then fewer, ${formatShortPercent(furtherShare.step)} at a time, while they are above ${formatShortPercent(furtherShare.untilWindowShare)} of the window`;
  return `${head}the newest ${most}${further ?? ''}`;
}
