import { Buffer, isUtf8 } from 'node:buffer';
import { readTokens } from './encodings.ts';

/** A byte order mark as bytes: a text that begins with one may lose it. */
const MARK = '\xef\xbb\xbf';

/** The tokens of an encoding that are whole texts, in the order of their ranks. */
export function readVocabulary(name: string): readonly string[] {
  return readTokens(name)
    .filter((token) => !token.startsWith(MARK))
    .map((token) => Buffer.from(token, 'latin1'))
    .filter(isUtf8)
    .map(String);
}
