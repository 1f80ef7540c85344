/** Short lists of words that deny, lift, adopt or date what is said, by language. */

import { remembered } from '../../lib/text.ts';
import WORDS from './words.json' with { type: 'json' };

export type WordLanguage = keyof typeof WORDS;

/**
 * The effect of a word on the value beside it. `not` denies the value that follows, `gone` the nearest one, `after` the one before.
 * `undo` turns a denial round; `exceed` makes what is denied a limit, with the words of `refuse`. `past` says that something holds no more. `touch`, `may`, `ban`, `lift` and `applies` are about bans,
 * `reject` and `adopt` about options, `done`, `open`, `doing` and `cancelled` about tasks. `idiom` looks like a denial and is none.
 */
export type WordClass = keyof (typeof WORDS)['en'];

/** Latin letters, digits and the signs that join them. */
const NO_LATIN_BEFORE = "(?<![\\p{Script=Latin}\\d_'’-])";
const NO_LATIN_AFTER = '(?![\\p{Script=Latin}\\d_])';
const SCRIPTS = [
  ['ko', /\p{Script=Hangul}/gu],
  ['ja', /[\p{Script=Hiragana}\p{Script=Katakana}]/gu],
  ['zh', /\p{Script=Han}/gu],
  ['ru', /\p{Script=Cyrillic}/gu],
] as const;
/** In no Japanese text without kana. */
const CHINESE = /[们这为没吗还说对]/u;
/** Of one Latin language only. */
const FREQUENT = {
  en: /\b(?:the|and|of|is|to|in|with|for|was|has|been|are|on|by|this|that|it|be|we|as|not|at)\b/giu,
  de: /[äöüß]|\b(?:der|die|das|den|dem|des|und|ist|nicht|für|mit|zu|wird|wurde|werden|bei|von|auf|im|an|als|eine?[mnrs]?|noch|steht|wegen|darf|hat|wir)\b/giu,
  fr: /[àèêçœ]|\b(?:le|la|les|des|est|pour|et|dans|du|une?|sur|avec|par|aux?|qui|pas|nous|ce)\b|\b[ldn]['’]/giu,
  es: /[áíóúñ¿¡]|\b(?:el|los|las|de|que|para|con|una?|por|del|se|es|y|en|al|ya|la)\b/giu,
} as const;
/** From which on a text is of their language: names of code are Latin. */
const SCRIPT_SHARE = 0.12;
const CLEAR_LEAD = 0.5;
const TELLING = ['gone', 'past', 'adopt', 'done', 'undecided', 'undo'] as const;

const LATIN_NAME = /(?<=[\p{L}\d,] )\p{Lu}[\p{L}\d.+#-]*/gu;
const FOREIGN_NAME = /(?<![\p{Script=Latin}\d])[A-Za-z][\w.+#-]+/gu;
const NAMES: Partial<Record<WordLanguage, RegExp>> = {
  zh: FOREIGN_NAME,
  ja: FOREIGN_NAME,
  ko: FOREIGN_NAME,
  // Every noun is in capitals.
  de: /(?<=(?<!\p{L})(?:auf|mit|über|durch|zu|per|via|ist|sind|jetzt|nun|statt|nicht|nach|in) )\p{Lu}[\p{L}\d.+#-]*|(?<!\p{L})\p{Lu}\p{Ll}+\p{Lu}\p{L}*/gu,
};

/** Words of other languages are found anywhere. */
const SPACED: ReadonlySet<string> = new Set([...Object.keys(FREQUENT), 'ru']);

const patternOf = remembered((key) => {
  const [language, ...classes] = key.split(' ') as [WordLanguage, ...WordClass[]];
  const source = classes.map((name) => WORDS[language][name]).join('|');
  return new RegExp(SPACED.has(language) ? whole(source, language) : source, 'giu');
});

/** By script and frequent words; a likely one holds unless clearly more are of another. */
export function languageOf(text: string, likely?: WordLanguage): WordLanguage | undefined {
  const letters = countOf(text, /\p{L}/gu);
  for (const [language, script] of SCRIPTS) {
    if (countOf(text, script) > SCRIPT_SHARE * letters)
      return language === 'zh' &&
        ((likely === 'ja' && !CHINESE.test(text)) || countOf(text, SCRIPTS[1][1]) > 0)
        ? 'ja'
        : language;
  }
  const counts = Object.entries(FREQUENT).map(
    ([name, words]) =>
      [
        name,
        countOf(text, words) +
          countOf(text, wordsOf(name as WordLanguage, ...TELLING)) +
          (name === likely ? CLEAR_LEAD : 0),
      ] as const,
  );
  const [best] = counts.toSorted((a, b) => b[1] - a[1]);
  return best === undefined || best[1] === 0 ? undefined : (best[0] as WordLanguage);
}

/** A global pattern of the words of some classes. */
export function wordsOf(language: WordLanguage, ...classes: readonly WordClass[]): RegExp {
  return patternOf([language, ...classes].join(' '));
}

/** Words that are likely names: in capitals or of another script than the text. */
export function namesIn(words: string, language: WordLanguage): readonly string[] {
  return words.match(NAMES[language] ?? LATIN_NAME) ?? [];
}

function whole(source: string, language: string): string {
  if (language === 'ru') return `(?<!\\p{L})(?:${source})(?!\\p{L})`;
  return `${NO_LATIN_BEFORE}(?:${source.replaceAll('\\w', '[\\p{Script=Latin}]')})${NO_LATIN_AFTER}`;
}

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
