import type { FactKind, FileOperation, PlantedFact, TodoState } from '../../../../session/facts.ts';
import type { Language } from '../../workload.ts';
import type { Words } from '../../text/words.ts';
import { chinese } from './chinese.ts';
import { english } from './english.ts';
import { german } from './german.ts';
import { japanese } from './japanese.ts';
import { russian } from './russian.ts';

/** How a kind of facts is said in one language. */
interface Phrase {
  readonly subject: (words: Words) => string;
  /** Holds both as they are. */
  readonly sentence: (subject: string, value: string) => string;
}

/** What one may know without any session. */
export type Common = Pick<PlantedFact, 'kind' | 'subject' | 'value'>;

/** How facts are said in one language. */
export interface Phrases {
  readonly kinds: Readonly<Record<FactKind, Phrase>>;
  readonly todos: Readonly<Record<TodoState, Phrase['sentence']>>;
  readonly files: Readonly<Record<FileOperation, Phrase['sentence']>>;
  /** Says that the sentence takes the place of an earlier one. */
  correction(sentence: string): string;
  /** Says that a sentence holds as long as something else does. */
  dependent(
    condition: { readonly subject: string; readonly value: string },
    sentence: string,
  ): string;
  /** Subjects like a given one that are others: of another project, or as somebody who is wrong has it. */
  readonly decoys: readonly ((subject: string) => string)[];
  /** What one may know without any session. */
  readonly common: readonly Common[];
  /** What everybody knows. */
  plain(subject: string, value: string): string;
  /** An order to whoever summarises to leave something out. */
  injection(subject: string, value: string): string;
  /** Says a sentence once more. */
  again(sentence: string): string;
  /** Sentences that use a value, written `$`, and do not say what it belongs to. */
  readonly uses: Readonly<Record<PlantedFact['polarity'], readonly string[]>>;
}

const byLanguage: Readonly<Record<Language, Phrases>> = {
  english,
  german,
  russian,
  chinese,
  japanese,
};

/** How facts are said in sessions of a language. */
export function phrasesOf(language: Language): Phrases {
  return byLanguage[language];
}
