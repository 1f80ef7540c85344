import { type AskedProbes, askProbes } from '../../metrics/probes/ask-probes.ts';
import { createGrepReader } from '../../metrics/probes/grep-reader.ts';
import type { Reader } from '../../metrics/probes/probe.ts';
import { buildProbes } from '../../metrics/probes/templates.ts';
import { viewText } from '../../metrics/quality/view-text.ts';
import type { TrialResult } from './run-trial.ts';
import { lastStep, type SummaryScenario } from './scenario.ts';

/** Who answers questions and who judges the answers. */
export interface ProbePanel {
  /** Of reader and judges. */
  readonly name: string;
  /** Absent: a search. */
  readonly reader?: ReaderSource | undefined;
  /** The first one decides. */
  readonly judges: readonly ReaderSource[];
}

/** A reader for one asking, by its repetition. */
export type ReaderSource = (repeat: number) => Reader;

/** What questions about a trial came to. */
export interface ProbedTrial {
  readonly probes: AskedProbes['results'];
  readonly unanswered: AskedProbes['unanswered'];
  /** The model behind each reader and judge that has one, as its provider names it. */
  readonly readerModels: Readonly<Record<string, string>>;
}

/** Asks about what the first pivot of a trial left; nothing where there was none. */
export async function probeTrial(
  scenario: SummaryScenario,
  { outcomes }: TrialResult,
  { reader, judges, repeat }: ProbePanel & { readonly repeat: number },
): Promise<ProbedTrial> {
  const [first] = outcomes;
  if (first?.state !== 'compacted') return { probes: [], unanswered: [], readerModels: {} };
  const { hash, facts, stepOf } = scenario;
  const { history, view } = first;
  const said = history.filter(({ id }) => stepOf.has(id));
  const full = viewText(said);
  const probes = buildProbes({ facts, atStep: lastStep(scenario, said), text: full });
  const tail = viewText(view.filter(({ id }) => stepOf.has(id)));
  const answering = reader?.(repeat) ?? createGrepReader(probes);
  const judging = judges.map((judge) => judge(repeat));
  const { results, unanswered } = await askProbes(probes, {
    reader: answering,
    judges: judging,
    contexts: { full, compacted: viewText(view), tail },
    sampleKey: `${hash} ${repeat}`,
  });
  const models = [answering, ...judging].flatMap((one) => {
    const seen = one.models?.() ?? [];
    return seen.length === 0 ? [] : [[one.name, seen.join(' and ')] as const];
  });
  return { probes: results, unanswered, readerModels: Object.fromEntries(models) };
}
