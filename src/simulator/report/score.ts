import { known } from '../lib/collections.ts';
import { FACT_STATES, type FactState } from '../metrics/quality/fact-states.ts';
import type { QualityScore } from '../metrics/quality/score-text.ts';
import type { PlantedFact } from '../session/facts.ts';
import {
  type Block,
  prose,
  renderMarkdown,
  renderTerminal,
  type Text,
  untrusted,
} from './document.ts';
import { jsonText } from './markup.ts';
import { countOf, formatCount, formatFixed, formatShare, UNKNOWN } from './numbers.ts';
import { describeOrigin, type Origin, unreadList } from './origin.ts';
import type { UnreadInput } from './report.ts';
import { describeJudge, type SummarizersReport } from './summarizers-report.ts';
import type { Terminal } from './layout.ts';

export interface ScoreReport {
  readonly origin: Origin;
  /** Facts that hold, in their order; empty where only strings are counted. */
  readonly facts: readonly PlantedFact[];
  readonly texts: readonly {
    readonly file: string;
    readonly score: QualityScore;
    readonly tokens: number;
  }[];
  readonly unread: readonly UnreadInput[];
  readonly judge?: SummarizersReport['judge'];
}

type ScoredText = ScoreReport['texts'][number];

const KILOTOKEN = 1_000;
const MOST_SENTENCES = 4;

const TITLES: Readonly<Record<FactState, string>> = {
  kept: 'Kept',
  unbound: 'Value alone',
  'wrong-value': 'Wrong value',
  contradicted: 'Contradicted',
  stale: 'Stale',
  lost: 'Lost',
  unknown: 'In doubt',
};

export const scoreFormats = {
  table: (report, terminal) =>
    renderTerminal(scoreDocument(report), { ...terminal, details: true }, 'json'),
  markdown: (report) => renderMarkdown(scoreDocument(report)),
  json: ({ origin, facts, texts, unread, judge }) =>
    jsonText({
      origin,
      facts: facts.map(({ id, kind, subject, value }) => ({ id, kind, subject, value })),
      texts: texts.map(({ file, score, tokens }) => ({
        file,
        facts: score.facts.map(({ id, state }) => ({ id, state })),
        strings: score.strings.strings,
        stringsKept: score.strings.kept,
        tokens,
      })),
      ...known({ judge }),
      unread,
    }),
} satisfies Record<string, (report: ScoreReport, terminal: Terminal) => string>;

function scoreDocument({ origin, facts, texts, unread, judge }: ScoreReport): readonly Block[] {
  const hasFacts = facts.length > 0;
  const shown = texts.slice(0, MOST_SENTENCES);
  const more = texts.length - shown.length;
  const states = hasFacts ? FACT_STATES : [];
  return [
    { type: 'heading', level: 1, text: 'Facts in summaries' },
    prose([
      ...shown.map(
        (text): Text => [
          untrusted(text.file),
          ` ${hasFacts ? factsSaid(text) : stringsSaid(text)}.`,
        ],
      ),
      ...(more > 0 ? [`The table has ${countOf(more, 'more text')}.`] : []),
      ...(hasFacts ? [untrusted(describeJudge(judge))] : []),
    ]),
    {
      type: 'table',
      columns: [
        { title: 'Text', holds: 'names' },
        ...states.map((state) => ({ title: TITLES[state] })),
        { title: 'Strings kept', rank: 1 },
        { title: 'Tokens', rank: 1 },
        { title: 'Per 1,000 tokens', name: 'Strings per 1,000 tokens', rank: 2 },
      ],
      rows: texts.map(({ file, score, tokens }) => [
        untrusted(file),
        ...states.map((state) => formatCount(score.states[state])),
        `${score.strings.kept} of ${score.strings.strings} (${formatShare(score.strings.kept, score.strings.strings)})`,
        formatCount(tokens),
        tokens === 0 ? UNKNOWN : formatFixed((KILOTOKEN * score.strings.kept) / tokens, 1),
      ]),
    },
    {
      type: 'table',
      columns: [
        { title: 'Fact', holds: 'names' },
        { title: 'Value', holds: 'words', rank: 1 },
        ...texts.map(({ file }) => ({ title: untrusted(file), holds: 'words' as const })),
      ],
      rows: facts.map(({ id, subject, value }, at) => [
        untrusted(subject === '' ? id : subject),
        untrusted(value),
        ...texts.map(({ score }) => TITLES[score.facts[at]?.state ?? 'unknown'].toLowerCase()),
      ]),
    },
    unreadList(unread),
    prose([untrusted(describeOrigin(origin))], { color: 'dim' }),
  ];
}

function factsSaid({ score: { retained, states } }: ScoredText) {
  const others = FACT_STATES.filter((state) => state !== 'kept' && states[state] > 0);
  const rest = others.map((state) => `${states[state]} ${TITLES[state].toLowerCase()}`);
  const kept = `keeps ${retained.kept} of ${countOf(retained.facts, 'fact')}`;
  return rest.length === 0 ? kept : `${kept}; ${rest.join(', ')}`;
}

function stringsSaid({ score: { strings } }: ScoredText) {
  const all = countOf(strings.strings, 'string');
  return `still has ${strings.kept} of ${all} that later steps use, which says nothing of its quality`;
}
