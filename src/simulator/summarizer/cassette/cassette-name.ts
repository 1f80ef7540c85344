import { badOption } from '../../lib/errors.ts';
import { quoted } from '../../lib/names.ts';
import { isModelName } from '../model/spec.ts';

/** What a name of a cassette says: its folder, and whose answers it keeps. */
export interface CassetteName {
  readonly folder: string;
  /** Absent where it is whoever was recorded. */
  readonly inner?: string;
}

const CASSETTE_PREFIX = 'cassette:';

/** Whether a name is one of a cassette. */
export function isCassetteName(name: string): boolean {
  return name.startsWith(CASSETTE_PREFIX);
}

/** The parts of `cassette:DIR=NAME`; `undefined` where it is no name of a cassette. */
export function parseCassette(name: string): CassetteName | undefined {
  if (!isCassetteName(name)) return undefined;
  const [folder = '', ...rest] = name.slice(CASSETTE_PREFIX.length).split('=');
  const inner = rest.join('=');
  if (folder === '') {
    throw badOption(
      `Expected the folder of a cassette as 'cassette:DIR' or 'cassette:DIR=NAME', got ${quoted(name)}.`,
    );
  }
  return { folder, ...(inner !== '' && { inner }) };
}

/** The name of a real model, also inside of a cassette. */
export function modelNameIn(name: string): string | undefined {
  const { inner = name } = parseCassette(name) ?? {};
  return isModelName(inner) ? inner : undefined;
}
