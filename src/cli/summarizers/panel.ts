import { badValue } from '../../simulator/bad-value.ts';
import { badOption } from '../../simulator/errors.ts';
import type { SummarizerRegistry } from '../../simulator/summarizer/open.ts';
import type { AnySummarizer } from '../../simulator/summarizer/summarizer.ts';
import {
  createModelReader,
  type ModelReaderOptions,
  type ReaderPart,
} from '../../simulator/sweep/summarizers/model-reader.ts';
import type { ProbePanel, ReaderSource } from '../../simulator/sweep/summarizers/probe-trial.ts';

/** Whether questions are asked, of whom, and who judges, as text from the command line. */
export interface PanelOptions {
  readonly probes?: true | undefined;
  readonly reader: string;
  /** By name. */
  readonly judge?: readonly string[] | undefined;
}

/** Who answers questions and who judges. */
export interface PanelPlan {
  readonly name: string;
  /** Absent where a search answers. */
  readonly reader?: AnySummarizer | undefined;
  /** The first one decides, the others check a sample. */
  readonly judges: readonly AnySummarizer[];
}

/** The reader that needs no model. */
export const GREP = 'grep';

/** Finds reader and judges; nobody where no questions are asked. */
export function planPanel(
  { probes, reader: readerName, judge = [] }: PanelOptions,
  registry: Pick<SummarizerRegistry, 'find'>,
): PanelPlan | undefined {
  if (probes !== true) {
    if (readerName === GREP && judge.length === 0) return undefined;
    throw badOption("Expected '--reader' and '--judge' to come with '--probes', got none.");
  }
  const reader = readerName === GREP ? undefined : findAnswerer(registry, '--reader', readerName);
  const judges = judge.map((name) => findAnswerer(registry, '--judge', name));
  const names = judges.map(({ name }) => name).join(' and ');
  const reading = reader?.name ?? GREP;
  return {
    name: judges.length === 0 ? reading : `${reading}, judged by ${names}`,
    ...(reader && { reader }),
    judges,
  };
}

/** The same, ready to be asked; each asking is one of its own, so that recordings of it have their order. */
export function openPanel(
  { name, reader, judges }: PanelPlan,
  options: Omit<ModelReaderOptions, 'repeat' | 'part'>,
): ProbePanel {
  const sourceOf =
    (model: AnySummarizer, part: ReaderPart): ReaderSource =>
    (repeat) =>
      createModelReader(model, { ...options, repeat, part });
  return {
    name,
    ...(reader && { reader: sourceOf(reader, 'reader') }),
    judges: judges.map((judge) => sourceOf(judge, 'judge')),
  };
}

/** Summarizers with a plain name choose among the sentences that they are given, whatever they are asked. */
function findAnswerer(
  registry: Pick<SummarizerRegistry, 'find'>,
  option: '--reader' | '--judge',
  name: string,
): AnySummarizer {
  if (name.includes(':')) return registry.find(name);
  const search = option === '--reader' ? `'${GREP}' or ` : '';
  const expected = `${search}a real model as in 'ai:openai/gpt-5-mini'`;
  throw badValue(option, expected, name);
}
