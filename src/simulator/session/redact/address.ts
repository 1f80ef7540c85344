import { createRandom } from '../../env.ts';
import { isAllowedValue } from './allowed.ts';
import type { Classes } from './character-class.ts';
import type { KeyedHash } from './keyed-hash.ts';
import { replaceUnits } from './units.ts';

/** The pieces of an address, the first of which stays as it is. */
interface Address {
  readonly kept: string;
  readonly mime: string;
  readonly parameters: string;
  readonly payload: string;
  readonly rest: string;
}

/** How the texts in an address are replaced. */
export interface AddressRedaction {
  readonly text: (text: string) => string;
  readonly payload: (payload: string) => string;
}

const DATA_ADDRESS = /^(data:)([^;,]*)((?:;[^,]*)?),/i;
const SCHEME = /^(?:https?|file):(?=\/\/)/;
const BASE64 = ';base64';
const MAIN_TYPE = /^(?:image|text|audio|video|application|font)\/(?=.)/;

/** An address with its scheme, and for data its known type, and nothing else of it. */
export function redactAddress(address: string, { text, payload }: AddressRedaction): string {
  const pieces = splitAddress(address);
  const parameters = pieces.parameters === BASE64 ? BASE64 : text(pieces.parameters);
  const mime = redactMime(pieces.mime, text);
  return [pieces.kept, mime, parameters, payload(pieces.payload), text(pieces.rest)].join('');
}

/** A known type of content as it is; of another one, what everything of its kind begins with. */
export function redactMime(mime: string, text: (text: string) => string): string {
  if (isAllowedValue('mime', mime)) return mime;
  const [mainType = ''] = MAIN_TYPE.exec(mime) ?? [];
  return mainType + text(mime.slice(mainType.length));
}

/** A payload that nobody reads: as long, and made of the same kinds of characters. */
export function createPayloadRedaction(
  hash: KeyedHash,
  classes: Classes,
): (payload: string) => string {
  return (payload) => {
    const random = createRandom(hash(`payload ${payload}`));
    return replaceUnits(payload, ({ unit }) => classes.fill(classes.shapeOf(unit), random));
  };
}

function splitAddress(address: string): Address {
  const none = { kept: '', mime: '', parameters: '', payload: '', rest: '' };
  const data = DATA_ADDRESS.exec(address);
  if (data !== null) {
    const [all, kept = '', mime = '', parameters = ''] = data;
    return { ...none, kept, mime, parameters, payload: address.slice(all.length - 1) };
  }
  const [scheme = ''] = SCHEME.exec(address) ?? [];
  return { ...none, kept: scheme, rest: address.slice(scheme.length) };
}
