import type { ProbeResult } from '../../metrics/probes/accounts.ts';
import { askProbes } from '../../metrics/probes/ask-probes.ts';
import { createGrepReader } from '../../metrics/probes/grep-reader.ts';
import type { Reader } from '../../metrics/probes/probe.ts';
import { buildProbes } from '../../metrics/probes/templates.ts';
import { viewText } from '../../metrics/quality/view-text.ts';
import type { TrialResult } from './run-trial.ts';
import type { SummaryScenario } from './scenario.ts';

/** Who answers questions and who judges the answers. */
export interface ProbePanel {
  /** Of both. */
  readonly name: string;
  /** By repetition; absent: a search. */
  readonly readerOf?: ((repeat: number) => Reader) | undefined;
  readonly judge?: Reader | undefined;
}

/** Asks about what the first pivot of a trial left; nothing where there was none. */
export async function probeTrial(
  { facts, stepOf }: SummaryScenario,
  { outcomes }: TrialResult,
  { readerOf, judge, repeat }: ProbePanel & { readonly repeat: number },
): Promise<readonly ProbeResult[]> {
  const [first] = outcomes;
  if (first?.state !== 'compacted') return [];
  const { history, view } = first;
  const said = history.filter(({ id }) => stepOf.has(id));
  const full = viewText(said);
  const atStep = said.reduce((last, { id }) => Math.max(last, stepOf.get(id) ?? 0), 0);
  const probes = buildProbes({ facts, atStep, text: full });
  const reader = readerOf?.(repeat) ?? createGrepReader(probes);
  const tail = viewText(view.filter(({ id }) => stepOf.has(id)));
  return askProbes(probes, { reader, judge, contexts: { full, compacted: viewText(view), tail } });
}
