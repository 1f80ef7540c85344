import type { Span } from '../calls/span.ts';
import { fileToolNameIn } from '../calls/tool-calls.ts';
import { redactAddress, redactMime } from './address.ts';
import {
  isAllowedArgument,
  isAllowedNumber,
  isAllowedValue,
  isReason,
  replaceQuoted,
} from './allowed.ts';
import type { TextForm } from './gather.ts';
import type { Place, Visitor } from './walk.ts';

/** What happens to what a session says. */
export interface Redaction {
  /** With nothing changed at the places that are spared. */
  text(text: string, form: TextForm, spared?: readonly Span[]): string;
  /** Of a session, a message, a part or a call. */
  id(id: string): string;
  /** Of the data in an address. */
  payload(payload: string): string;
  number(value: number): number;
  isKnownModel(model: string): boolean;
}

type Replace = (text: string, spared?: readonly Span[]) => string;

const REASON_FIELDS: ReadonlySet<string> = new Set(['dropped', 'repaired']);

const ID_FIELDS: ReadonlySet<string> = new Set([
  'id',
  'parentId',
  'callId',
  'sessionId',
  'parentSessionId',
  'clearedCallIds',
  'tailStartId',
  'recordedCosts',
]);

/** Leaves alone what is listed, and hands everything else over. */
export function createVisitor(redaction: Redaction): Visitor {
  const plain = (text: string): string => redaction.text(text, 'plain');
  const json: Replace = (text, spared) => redaction.text(text, 'json', spared);
  const payload = (data: string): string => redaction.payload(data);

  return {
    text: (text, { field, isData, spared }) => {
      if (isData) return json(text, spared);
      if (ID_FIELDS.has(field)) return redaction.id(text);
      if (isAllowedValue(field, text)) return text;
      if (field === 'tool') return redactTool(text, plain);
      if (field === 'mime') return redactMime(text, plain);
      if (field === 'url') {
        return redactAddress(text, { text: plain, payload });
      }
      return field === 'model' && redaction.isKnownModel(text) ? text : plain(text);
    },
    number: (value, { name = '' }) =>
      isAllowedNumber(name, value) ? value : redaction.number(value),
    key: (key, place) =>
      ID_FIELDS.has(place.field) && !place.isData
        ? redaction.id(key)
        : visitKey(key, place, { plain, json }),
  };
}

/** What touches files by its name still does; the server before it is replaced. */
function redactTool(tool: string, replace: Replace): string {
  const own = fileToolNameIn(tool);
  return replace(tool.slice(0, tool.length - own.length)) + own;
}

function visitKey(
  key: string,
  { field, isData }: Place,
  { plain, json }: { readonly plain: Replace; readonly json: Replace },
): string {
  if (isData) return isAllowedArgument(key) ? key : json(key);
  if (REASON_FIELDS.has(field) && isReason(key)) return replaceQuoted(key, plain);
  return plain(key);
}
