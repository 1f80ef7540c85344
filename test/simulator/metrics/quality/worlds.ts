import { indexSource } from '../../../../src/simulator/metrics/quality/inventions.ts';
import {
  qualityValues,
  type QualityValues,
} from '../../../../src/simulator/metrics/quality/quality-metrics.ts';
import { scoreText } from '../../../../src/simulator/metrics/quality/score-text.ts';
import { HEADINGS, type Language, LANGUAGES, sessionIn, textOfSession } from './oracle.ts';

const worlds = new Map(
  LANGUAGES.map((language) => {
    const session = sessionIn(language, { injections: 3 });
    const text = textOfSession(session);
    return [language, { facts: session.facts ?? [], text, source: indexSource(text) }] as const;
  }),
);
/** A generated session in a language, with what was planted in it. */
export const worldOf = (language: Language) => worlds.get(language)!;

/** What a text is worth as a summary of that session. */
export function valuesOf(text: string, language: Language): QualityValues {
  const { facts, source, text: whole } = worldOf(language);
  const tokens = { text: text.length, before: whole.length, budget: 20_000 };
  return qualityValues(scoreText({ text, facts, source, headings: HEADINGS, tokens }));
}
