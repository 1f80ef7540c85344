import type { Tokenizer } from '../../tokens/tokenizer.ts';
import type { Session } from '../session.ts';
import { createPayloadRedaction } from './address.ts';
import { allowedTexts } from './allowed.ts';
import { createClasses } from './character-class.ts';
import { type Codebook, createCodebook } from './codebook.ts';
import { createGatherer } from './gather.ts';
import { createIdCipher } from './id-cipher.ts';
import { createKeyedHash, type KeyedHash } from './keyed-hash.ts';
import { createNumberCipher, shiftDigits } from './number-cipher.ts';
import { createSparing } from './spared-text.ts';
import { spareSteering } from './spare-steering.ts';
import { createTally } from './tally.ts';
import { isShortNumber, numberKey, replaceUnits, type UnitPlace, unitsOf } from './units.ts';
import { createVisitor, type Redaction } from './visitor.ts';
import { copyVisited } from './walk.ts';

/** What a redactor is made of. */
export interface RedactorOptions {
  /** Its counts are the ones that filler has too. */
  readonly tokenizer: Tokenizer;
  /** Texts of that tokenizer's tokens, of which filler is made. */
  readonly vocabulary: readonly string[];
  /** Whoever knows it can test whether a text is what a filler stands for: keep it secret, or throw it away. */
  readonly salt: string;
  /** Whether a `provider/model` is public; without it every model is replaced. */
  readonly isKnownModel?: (model: string) => boolean;
}

/** What was replaced, and what was known and stayed. */
export interface RedactionReport {
  readonly tokenizer: string;
  /** Strings and numbers that were replaced, by the field that holds them; those in tool inputs are `input`. */
  readonly replaced: Readonly<Record<string, number>>;
  /** Strings that stayed, because they are listed or hold nothing but marks and blanks. */
  readonly kept: Readonly<Record<string, number>>;
}

/** Replaces what sessions say by filler of the same shape. */
export interface Redactor {
  /**
   * The same session with nothing of what it says. Equal texts are equal in all sessions of one redactor, and equal
   * ids in those of all redactors with the same salt.
   */
  redact(session: Session): Session;
  /** Counts over all sessions so far. */
  report(): RedactionReport;
}

/** A redactor that has seen no session; the same sessions in the same order give the same under one salt. */
export function createRedactor(options: RedactorOptions): Redactor {
  const { tokenizer, vocabulary, salt, isKnownModel = () => false } = options;
  const hash = createKeyedHash(salt);
  const codebook = createCodebook({ vocabulary, hash, count: (text) => tokenizer.count(text) });
  const redaction = createRedaction(codebook, { hash, isKnownModel });
  const tally = createTally(createVisitor(redaction));
  codebook.reserve(allowedTexts().flatMap(unitsOf).filter(isWord));

  return {
    // Facts are planted in generated sessions only, and mean nothing where their values are gone.
    redact: ({ facts: _facts, ...recorded }) => {
      const session = spareSteering(recorded);
      learnUnits(codebook, session, redaction);
      return copyVisited(session, tally.visitor);
    },
    report: () => ({ tokenizer: tokenizer.name, ...tally.counts() }),
  };
}

/** Single letters are too few to leave some of them out. */
function isWord(unit: string): boolean {
  return unit.length > 1;
}

/** Gathers what a session says before anything of it is replaced. */
function learnUnits(codebook: Codebook, session: Session, redaction: Redaction): void {
  const gatherer = createGatherer();
  const gathering: Redaction = {
    ...redaction,
    text: (text, form, spared) => {
      gatherer.add(text, form, spared);
      return text;
    },
    id: (id) => id,
    payload: (payload) => payload,
    number: (value) => value,
  };
  copyVisited(session, createVisitor(gathering));
  codebook.learn(gatherer.units);
}

function createRedaction(
  codebook: Codebook,
  {
    hash,
    isKnownModel,
  }: { readonly hash: KeyedHash; readonly isKnownModel: (model: string) => boolean },
): Redaction {
  const classes = createClasses();
  const id = createIdCipher(hash, classes);
  const replacementOf = (place: UnitPlace): string =>
    isShortNumber(place.unit)
      ? shiftDigits(place.unit, numberKey(place), hash)
      : codebook.replacementOf(place.unit);
  return {
    text: (text, _form, spared = []) => {
      const isSpared = createSparing(spared);
      return replaceUnits(text, (place) => (isSpared(place) ? place.unit : replacementOf(place)));
    },
    id,
    payload: createPayloadRedaction(hash, classes),
    number: createNumberCipher(hash, id),
    isKnownModel,
  };
}
