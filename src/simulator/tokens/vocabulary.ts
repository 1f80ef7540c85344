import { findEncoding } from './encodings.ts';

/** The tokens of an encoding that are whole texts, in the order of their ranks. */
export async function loadVocabulary(name: string): Promise<readonly string[]> {
  const tokens = await findEncoding(name).loadTokens();
  return tokens.filter((token) => typeof token === 'string');
}
