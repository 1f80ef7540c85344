/** The setup of sessions as data, and in sentences that say where each value comes from. */

import * as z from 'zod';
import { type Limits, type Policy, policies } from '../../engine/index.ts';
import { countEach, known, sum } from '../lib/collections.ts';
import { listed } from '../lib/text.ts';
import { MS_PER_SECOND } from '../lib/units.ts';
import {
  edgeTokens,
  isOtherWindow,
  type Known,
  mainStretch,
  type Setup,
  type Source,
} from '../setup/setup.ts';
import { countOf, formatCount, formatPercent, formatUsd } from './numbers.ts';

const SourceShape = z.enum([
  'given',
  'recorded',
  'inferred',
  'configured',
  'released',
  'catalog',
  'assumed',
]) satisfies z.ZodType<Source>;
const Window = z.strictObject({ tokens: z.number(), source: SourceShape });

export const SetupShape = z.strictObject({
  agent: z.string().exactOptional(),
  release: z.string().exactOptional(),
  preset: z.string().exactOptional(),
  /** Where the recorded release is none of them. */
  outsideOf: z.string().exactOptional(),
  /** The agent compacts this model at a refusal only, unless a threshold is set. */
  isRefusalOnly: z.literal(true).exactOptional(),
  /** Absent where the provider's own lifetime holds. */
  cacheSeconds: z.number().exactOptional(),
  /** At whatever prices. */
  ownCostUsd: z.number().exactOptional(),
  stretches: z.array(
    z.strictObject({
      steps: z.number(),
      model: z.string(),
      modelSource: SourceShape,
      window: Window,
      /** The released or catalog window where another one is in force. */
      otherwise: Window.exactOptional(),
      hasPrice: z.boolean(),
    }),
  ),
  configured: z.record(z.string(), z.unknown()).exactOptional(),
});

export type SetupSummary = z.infer<typeof SetupShape>;

export const BECAUSE: Readonly<Record<Source, string>> = {
  given: 'as given',
  recorded: 'as the recording states',
  inferred: 'by its compactions and requests',
  configured: 'as the agent is configured',
  released: "the release's default",
  catalog: 'by the catalog',
  assumed: 'assumed',
};

export function toSetupSummary(setup: Setup): SetupSummary {
  const { agent, release, preset, outsideOf, isRefusalOnly, stretches } = setup;
  const { cacheTtlMs, ownCostUsd, configured } = setup;
  return {
    ...known({ agent, release, preset, outsideOf }),
    ...(isRefusalOnly && { isRefusalOnly }),
    ...(cacheTtlMs !== undefined && { cacheSeconds: cacheTtlMs / MS_PER_SECOND }),
    ...known({ ownCostUsd }),
    stretches: stretches.map(({ steps, model, modelSource, window, otherwise }) => ({
      steps,
      model: model.id,
      modelSource,
      window: toWindow(window),
      ...(otherwise && { otherwise: toWindow(otherwise) }),
      hasPrice: model.prices !== undefined,
    })),
    ...(configured && { configured: { ...configured.limits, ...configured.settings } }),
  };
}

export function describeSetup(setup: SetupSummary) {
  const { agent, release, preset, outsideOf, isRefusalOnly, stretches } = setup;
  const { cacheSeconds, ownCostUsd } = setup;
  const by = [agent, release].filter((text) => text !== undefined).join(' ');
  return [
    preset === undefined ? '' : `Recorded by ${by}; preset ${preset}.`,
    outsideOf === undefined ? '' : describeOutside(by, outsideOf),
    isRefusalOnly ? 'It compacts this model at a refusal only, unless a threshold is set.' : '',
    ...stretches.map(({ steps, model, modelSource, window, otherwise }) => {
      const where = stretches.length === 1 ? '' : `${countOf(steps, 'step')}: `;
      const instead =
        otherwise && `; ${BECAUSE[otherwise.source]} ${formatCount(otherwise.tokens)}`;
      const source = modelSource === 'recorded' ? '' : ` (${modelSource})`;
      return `${where}${model}${source} in a window of ${formatCount(window.tokens)} tokens, ${BECAUSE[window.source]}${instead ?? ''}.`;
    }),
    cacheSeconds === undefined
      ? ''
      : `Cached prompts live ${formatCount(cacheSeconds)} seconds, as the recording wrote them.`,
    ownCostUsd === undefined
      ? ''
      : `The file has a cost of its own: ${formatUsd(ownCostUsd)}; all others are today's list prices.`,
  ].filter((sentence) => sentence !== '');
}

/** Facts that a reader would not expect, a sentence each. */
export function describeSetups(setups: readonly Setup[], now: Policy | undefined) {
  const costs = setups.flatMap(({ ownCostUsd }) => ownCostUsd ?? []);
  const have = costs.length === 1 ? 'has a cost of its own' : 'have a cost of their own';
  const windows = setups.map(mainStretch).flatMap((one) => {
    const { window, otherwise } = one;
    // A window that is none of the agent's own.
    if (window.source === 'given' || !isOtherWindow(one)) return [];
    const instead = `${formatCount(otherwise?.value ?? 0)} (${BECAUSE[otherwise?.source ?? 'assumed']})`;
    return `the window in force is ${formatCount(window.value)} tokens, ${BECAUSE[window.source]}, not ${instead}.`;
  });
  return [
    ...(costs.length === 0
      ? []
      : [
          `${shareOf(costs.length, setups.length)} ${have}: ${formatUsd(sum(costs))}; other dollars are today's list prices.`,
        ]),
    ...[...countEach(windows)].map(
      ([words, count]) => `In ${shareOf(count, setups.length)} ${words}`,
    ),
    ...(now === undefined ? [] : describeOtherEdges(setups, now)),
    ...describeOutsiders(setups),
  ];
}

/** The model of most steps in its window. */
export function describeModel(setup: Setup) {
  const { model, window } = mainStretch(setup);
  return `${model.id} in a window of ${formatCount(window.value)} tokens, ${BECAUSE[window.source]}`;
}

function toWindow({ value, source }: Known<number>) {
  return { tokens: value, source };
}

function describeOtherEdges(setups: readonly Setup[], now: Policy) {
  const shares = setups.flatMap((setup) => {
    const { limits } = mainStretch(setup).model;
    const own = setup.preset && shareAt(policies[setup.preset], limits);
    const today = shareAt(now, limits);
    return own === undefined || today === undefined || own === today
      ? []
      : [`recorded by releases that compact at ${own} of the window, today's at ${today}.`];
  });
  return [...countEach(shares)].map(
    ([words, count]) =>
      `${formatCount(count)} of ${countOf(setups.length, 'session')} ${count === 1 ? 'was' : 'were'} ${words}`,
  );
}

function shareAt(policy: Policy, limits: Limits) {
  const edge = edgeTokens(policy, limits);
  if (edge === undefined || limits.contextTokens === 0) return undefined;
  return formatPercent(edge / limits.contextTokens);
}

function describeOutsiders(setups: readonly Setup[]) {
  const outside = setups.flatMap(({ agent = '', release = '', outsideOf }) =>
    outsideOf === undefined ? [] : [{ by: `${agent} ${release}`, outsideOf }],
  );
  const [first] = outside;
  if (first === undefined) return [];
  const releases = [...new Set(outside.map(({ by }) => by))];
  if (releases.length === 1) return [describeOutside(first.by, first.outsideOf)];
  return [
    `${countOf(outside.length, 'session')} of ${listed(releases, 'and')} lie outside of what was observed: the nearest presets stand for them.`,
  ];
}

function describeOutside(by: string, outsideOf: string) {
  return `${by} lies outside of what was observed (${outsideOf}).`;
}

function shareOf(count: number, all: number) {
  if (all === 1) return 'this session';
  return `${formatCount(count)} of ${countOf(all, 'session')}`;
}
