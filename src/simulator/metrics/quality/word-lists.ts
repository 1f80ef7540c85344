/** Short lists of words that deny, lift, adopt or date what is said, by language. */

import { remembered } from '../../lib/text.ts';
import WORDS from './words.json' with { type: 'json' };

export type WordLanguage = keyof typeof WORDS;

/**
 * The effect of a word on the value beside it. `not` denies the value that follows, `gone` the nearest one, `after` the one before.
 * `undo` turns a denial round, and `exceed` makes it a limit. `past` says that something holds no more, `undecided` that nothing does
 * yet. `touch`, `may`, `ban`, `lift` and `applies` are about bans, `reject` and `adopt` about options, `done`, `open`, `doing` and `cancelled` about tasks. `idiom` looks like a denial and is none.
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
/** From which on a text is of their language: names of code are Latin. */
const SCRIPT_SHARE = 0.12;
const CLEAR_LEAD = 0.5;
/** Words of one Latin language only, and those that tell most. */
const LATIN = ['en', 'de', 'fr', 'es'] as const;
const TELLING = ['frequent', 'gone', 'past', 'adopt', 'done', 'undecided', 'undo'] as const;

const LATIN_NAME =
  /(?<=[\p{L}\d,] )\p{Lu}[\p{L}\d.+#-]*|(?<![\p{L}\d_-])\p{Lu}\p{L}*\p{Lu}[\p{L}\d]*/gu;
const FOREIGN_NAME = /(?<![\p{Script=Latin}\d])[A-Za-z][\w.+#-]+/gu;
/** Every noun is in capitals. */
const GERMAN_NAME =
  /(?<=(?<!\p{L})(?:auf|mit|über|durch|zu|per|via|ist|sind|jetzt|nun|statt|nicht|nach|in) )\p{Lu}[\p{L}\d.+#-]*|(?<!\p{L})\p{Lu}\p{Ll}+\p{Lu}\p{L}*/gu;
/** Words of other languages are found anywhere. */
const SPACED: ReadonlySet<string> = new Set([...LATIN, 'ru']);

const patternOf = remembered((key) => {
  const [language, ...classes] = key.split(' ') as [WordLanguage, ...WordClass[]];
  const source = classes.map((name) => WORDS[language][name]).join('|');
  return new RegExp(SPACED.has(language) ? whole(source, language) : source, 'giu');
});

/** By script and frequent words; a likely one holds unless clearly more are of another. */
export function languageOf(text: string, likely?: WordLanguage): WordLanguage | undefined {
  const letters = countOf(text, /\p{L}/gu);
  const [script] = SCRIPTS.find(([, sign]) => countOf(text, sign) > SCRIPT_SHARE * letters) ?? [];
  const hasKana = countOf(text, SCRIPTS[1][1]) > 0;
  const isJapanese = hasKana || (likely === 'ja' && !CHINESE.test(text));
  if (script !== undefined) return script === 'zh' && isJapanese ? 'ja' : script;
  const scores = LATIN.map((name) => {
    const lead = name === likely ? CLEAR_LEAD : 0;
    return { name, score: lead + countOf(text, wordsOf(name, ...TELLING)) };
  });
  const [best] = scores.toSorted((a, b) => b.score - a.score);
  return best === undefined || best.score === 0 ? undefined : best.name;
}

/** A global pattern of the words of some classes. */
export function wordsOf(language: WordLanguage, ...classes: readonly WordClass[]): RegExp {
  return patternOf([language, ...classes].join(' '));
}

/** Words that are likely names: in capitals or of another script than the text. */
export function namesIn(words: string, language: WordLanguage): readonly string[] {
  const latin = language === 'de' ? GERMAN_NAME : LATIN_NAME;
  return words.match(SPACED.has(language) ? latin : FOREIGN_NAME) ?? [];
}

function whole(source: string, language: string): string {
  if (language === 'ru') return `(?<!\\p{L})(?:${source})(?!\\p{L})`;
  return `${NO_LATIN_BEFORE}(?:${source.replaceAll('\\w', '[\\p{Script=Latin}]')})${NO_LATIN_AFTER}`;
}

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
