import type { PlantedFact } from '../../session/facts.ts';
import { shareOf } from '../metric.ts';
import { type Artifact, type ArtifactScore, artifactsOf, scoreArtifacts } from './artifacts.ts';
import { type InventionScore, scoreInventions, type Source, verbatimShare } from './inventions.ts';
import { asReplaced, type FactMatch, matchFact, startMatching } from './match-fact.ts';
import {
  type ChainScore,
  type DecoyScore,
  factsAt,
  type FactScore,
  groupRetention,
  isStatedAsValid,
  isToldAsOld,
  retain,
  type Retained,
  type RetentionGroups,
  scoreChains,
  scoreDecoys,
  toFactScore,
} from './retention.ts';
import { indexText, type TextIndex } from './text-index.ts';
import { scoreTodos, type TodoScore } from './todos.ts';
import { distinctEntities, type Entity } from './words.ts';

/** Options of scoring a text. */
export interface ScoreOptions {
  /** A summary, or all that a model still sees. */
  readonly text: string;
  readonly facts: readonly PlantedFact[];
  /** Facts that later steps say do not count; absent: all count. */
  readonly atStep?: number;
  /** The source of the text; without it, inventions and copies are not scored. */
  readonly source?: Source;
  /** File operations besides those that the facts state, in order. */
  readonly artifacts?: readonly Artifact[];
  /** Lines of the headings that were asked for. */
  readonly headings?: readonly string[];
  readonly tokens?: TokenCounts;
}

/** Sizes around a text. */
interface TokenCounts {
  readonly text: number;
  /** Tokens of the content that the text replaces; absent if it replaces none. */
  readonly before?: number;
  /** Token limit of the text. */
  readonly budget?: number;
}

/** How good a text is as a memory of a session. */
export interface QualityScore {
  readonly version: number;
  /** Facts that hold, with their scores. */
  readonly facts: readonly FactScore[];
  readonly retained: Retained;
  readonly groups: RetentionGroups;
  /** Facts that one may know without the session. */
  readonly guessable: Retained;
  readonly chains: readonly ChainScore[];
  /** Facts that rest on a replaced one: their number, and the number stated as valid. */
  readonly invalid: { readonly facts: number; readonly stated: number };
  readonly todos: TodoScore;
  readonly artifacts: ArtifactScore;
  readonly decoys: DecoyScore;
  /** Absent without a source. */
  readonly inventions?: InventionScore;
  /** Share of the words that are copied in long runs; absent without a source. */
  readonly verbatim?: number | null;
  /** Absent where no headings were asked for. */
  readonly sections?: SectionScore;
  readonly tokens?: TokenCounts;
}

/** How a text keeps to the headings that it was to have. */
interface SectionScore {
  readonly missing: readonly string[];
  /** Headings without any text below. */
  readonly empty: readonly string[];
  readonly isInOrder: boolean;
  /** Share of the headings that are there in their order with something below; `null` where none were asked for. */
  readonly conformance: number | null;
}

interface Section {
  readonly title: string;
  readonly level: number;
  isFilled: boolean;
}

/** Which rules scores follow; those of different rules are not compared. */
export const SCORER_VERSION = 7;

const HEADING = /^\s*(?:#{1,6}\s+(?<marked>.+?)|\*\*(?<bold>[^*]+)\*\*:?)\s*#*\s*$/;
const DECORATION = /[*_`:：]/g;

/** Scores a text. Pure, and linear in its length for a given number of facts. */
export function scoreText(options: ScoreOptions): QualityScore {
  const { text, facts, atStep } = options;
  const { said, live, invalid, chains } = factsAt(facts, atStep);
  const index = indexText(text);
  const entities = [...distinctEntities(text).values()];
  const matching = startMatching(index, said);
  const matches = new Map(said.map((fact) => [fact.id, matchFact(matching, fact)]));
  const matchOf = (fact: PlantedFact): FactMatch =>
    matches.get(fact.id) ?? matchFact(matching, fact);
  const chainScores = scoreChains(matching, chains, matchOf);
  const scored = live.map((fact) =>
    toFactScore(isToldAsOld(chainScores, fact) ? asReplaced(matchOf(fact)) : matchOf(fact), atStep),
  );
  const guessable = said.filter(({ role }) => role === 'guessable');
  return {
    version: SCORER_VERSION,
    facts: scored,
    retained: retain(scored),
    groups: groupRetention(scored),
    guessable: retain(guessable.map((fact) => toFactScore(matchOf(fact), atStep))),
    chains: chainScores,
    invalid: {
      facts: invalid.length,
      stated: invalid.filter((fact) => isStatedAsValid(matching, matchOf(fact))).length,
    },
    todos: scoreTodos(index, live.map(matchOf)),
    artifacts: scoreArtifacts(index, {
      entities,
      artifacts: [...artifactsOf(live), ...(options.artifacts ?? [])],
    }),
    decoys: scoreDecoys({ matching, said, live, matchOf }),
    ...scoreForm(options, index, entities),
  };
}

/** Scores that do not depend on facts. */
function scoreForm(
  { text, source, headings, tokens }: ScoreOptions,
  index: TextIndex,
  entities: readonly Entity[],
): Pick<QualityScore, 'inventions' | 'verbatim' | 'sections' | 'tokens'> {
  return {
    ...(source && {
      inventions: scoreInventions(entities, source),
      verbatim: verbatimShare(index, source.sequences()),
    }),
    ...(headings && { sections: scoreSections(text, headings) }),
    ...(tokens && { tokens }),
  };
}

/** Compares the headings of a text with the demanded lines. */
function scoreSections(text: string, headings: readonly string[]): SectionScore {
  const wanted = headings.map(titleOf);
  const found = sectionsOf(text);
  const places = wanted.map((title) => found.findIndex((section) => section.title === title));
  const filled = places.filter((place) => place >= 0 && found[place]?.isFilled === true);
  const present = places.filter((place) => place >= 0);
  const missing = headings.filter((_, index) => places[index] === -1);
  const empty = headings.filter((_, index) => found[places[index] ?? -1]?.isFilled === false);
  return {
    missing,
    empty,
    isInOrder: present.every((place, index) => index === 0 || place > (present[index - 1] ?? -1)),
    conformance: shareOf(longestRise(filled), headings.length),
  };
}

function titleOf(line: string): string {
  const { groups = {} } = HEADING.exec(line) ?? {};
  const title = groups['marked'] ?? groups['bold'] ?? line;
  return title.replaceAll(DECORATION, '').trim().toLowerCase();
}

/** A heading without a line of its own below is filled by the sections within it. */
function sectionsOf(text: string): readonly Section[] {
  const sections: Section[] = [];
  for (const line of text.split('\n')) {
    const last = sections.at(-1);
    if (HEADING.test(line)) {
      if (last !== undefined && levelOf(line) > last.level) last.isFilled = true;
      sections.push({ title: titleOf(line), level: levelOf(line), isFilled: false });
    } else if (line.trim() !== '' && last !== undefined) {
      last.isFilled = true;
    }
  }
  return sections;
}

function levelOf(line: string): number {
  return /^\s*(#+)/.exec(line)?.[1]?.length ?? 0;
}

/** The most of some places that can be taken so that each is behind the one before. */
function longestRise(places: readonly number[]): number {
  const best: number[] = [];
  places.forEach((place, index) => {
    const before = best.filter((_, other) => (places[other] ?? 0) < place);
    best[index] = 1 + Math.max(0, ...before);
  });
  return Math.max(0, ...best);
}
