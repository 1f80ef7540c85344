/** Recorded compactions: what was left, and what their summaries keep beside summarizers without a model. */

import { createRandom } from '../../src/simulator/env.ts';
import { sum } from '../../src/simulator/lib/collections.ts';
import { stringsAfter, usedStrings } from '../../src/simulator/metrics/quality/used-strings.ts';
import { ratioOfTotals } from '../../src/simulator/metrics/statistics/mean-difference.ts';
import {
  formatCount,
  formatFixed,
  formatShare,
  UNKNOWN,
  withEnds,
} from '../../src/simulator/report/numbers.ts';
import { loadNamed } from '../../src/simulator/session/load.ts';
import { contextTokensOf, type Session } from '../../src/simulator/session/session.ts';
import { findSummarizer } from '../../src/simulator/summarizer/summarizers.ts';
import { createCounters } from '../../src/simulator/tokens/tokenizer.ts';
import { scoreStrings } from '../../src/simulator/metrics/quality/score-text.ts';

/** A recorded compaction in numbers: contexts of requests, the size of its summary, and strings that later steps use. */
type Figures = NonNullable<ReturnType<typeof measure>>;
type Count = (text: string) => number;

const BASELINES = ['extractive', 'lead', 'tail', 'random'] as const;
/** Lines are drawn at random so many times, and the mean counts. */
const DRAWS = 5;
const SPREAD = [0.1, 0.5, 0.9];

const PARTS: Readonly<Record<string, (one: Figures) => number>> = {
  before: ({ before }) => before,
  after: ({ after }) => after,
  'of that, as the session began': ({ first, after }) => Math.min(first, after),
  'of that, the summary': ({ summary }) => summary,
  'of that, given again': ({ after, first, summary }) => Math.max(0, after - first - summary),
};

/** The figures of all compactions of some sessions that replaced history by a summary. */
export async function readCompactions(names: readonly string[]): Promise<readonly Figures[]> {
  const count = await createCounters().ofEncoding('o200k_base');
  return names.flatMap((name) => {
    const session = loadNamed(name);
    return fullOf(session).flatMap((_, index) => measure(session, index, count) ?? []);
  });
}

/** Per cent of the strings that each text keeps, and how many points more the recorded summary keeps. */
export function summaryRows(figures: readonly Figures[]) {
  const share = (kept: (one: Figures) => number) => {
    const pairs = figures.map((one) => ({ a: one.strings, b: kept(one), cluster: one.session }));
    const estimate = ratioOfTotals(pairs, { seed: 1 });
    return estimate ? withEnds(points(estimate.value), estimate.interval, points) : UNKNOWN;
  };
  const rows = BASELINES.map((name) => [
    name,
    share(({ kept }) => kept[name] ?? 0),
    share(({ recorded, kept }) => recorded - (kept[name] ?? 0)),
  ]);
  return [['recorded', share(({ recorded }) => recorded), UNKNOWN], ...rows];
}

/** Medians of what compactions left, and shares of all that was left. */
export function leftRows(figures: readonly Figures[]) {
  const whole = sum(figures.map(({ after }) => after));
  return Object.entries(PARTS).map(([label, of]) => {
    const sorted = figures.map(of).toSorted((a, b) => a - b);
    const [low, median, high] = SPREAD.map((part) =>
      formatCount(sorted[Math.floor(part * (sorted.length - 1))] ?? null),
    );
    const share = label === 'before' ? UNKNOWN : formatShare(sum(sorted), whole);
    return [label, `${median} (${low} … ${high})`, share];
  });
}

const points = (value: number) => formatFixed(100 * value, 1);

function fullOf({ recordedCompactions }: Session) {
  return recordedCompactions.filter(({ kind }) => kind === 'full');
}

function measure(session: Session, index: number, count: Count) {
  const { name, messages } = session;
  const [earlier, own] = [fullOf(session)[index - 1], fullOf(session)[index]];
  const { messageIndex = 0, summary: text = '', tokensBefore, trigger } = own ?? {};
  const contexts = messages.map((message) =>
    message.role === 'assistant' && message.usage ? contextTokensOf(message.usage) : 0,
  );
  const before = tokensBefore ?? contexts.slice(0, messageIndex).findLast((one) => one > 0);
  const [first] = contexts.filter((one) => one > 0);
  const [after] = contexts.slice(messageIndex).filter((one) => one > 0);
  if (text === '' || messageIndex === 0 || !before || !after || !first) return undefined;
  const atStep = messages.slice(0, messageIndex).filter(({ role }) => role === 'assistant').length;
  const strings = stringsAfter(usedStrings(messages), atStep);
  const keptIn = (other: string) => scoreStrings(other, strings).kept;
  // The recorded summary was made of the one before it and of what came since.
  const parts = [{ type: 'text', id: 'earlier-0', text: earlier?.summary ?? '' } as const];
  const since = messages.slice(earlier?.messageIndex ?? 0, messageIndex);
  const head: Session['messages'] = [
    { id: 'earlier', role: 'user', createdAt: 0, parts },
    ...since,
  ];
  const summary = count(text);
  const request = { system: '', messages: head, prompt: '', outputCapTokens: summary };
  const keptBy = (summarizer: string, seed: number) => {
    const tools = { countTokens: count, random: createRandom(seed) };
    const answer = findSummarizer(summarizer).summarise(
      { ...request, targetTokens: summary },
      tools,
    );
    return answer.state === 'finished' ? keptIn(answer.text) : 0;
  };
  const kept = BASELINES.map((baseline): [string, number] => {
    const seeds = Array.from({ length: baseline === 'random' ? DRAWS : 1 }, (_, draw) => draw + 1);
    return [baseline, sum(seeds.map((seed) => keptBy(baseline, seed))) / seeds.length];
  });
  const isAutomatic = trigger === 'auto';
  const told = { session: name, isAutomatic, before, after, first, summary };
  return {
    ...told,
    strings: strings.length,
    recorded: keptIn(text),
    kept: Object.fromEntries(kept),
  };
}
