import type { FilePart, Part } from '../../../engine/index.ts';
import { known } from '../../lib/collections.ts';
import { isObject, parseJson } from '../../lib/json.ts';
import { remembered } from '../../lib/text.ts';
import { quote, toJsonText } from '../files/source-file.ts';
import type { JsonLines, SourceFile } from '../format.ts';
import type { ImportReport, Session } from '../session.ts';

/** The fields of a recorded object. */
export type Fields = Readonly<Record<string, unknown>>;
export type Objects = readonly Fields[];

/** Counts of dropped and repaired records, by reason. */
export interface Tally {
  drop(reason: string, count?: number): void;
  /** Counts a record by its unknown type; beyond a limit of types, the rest together. */
  dropUnknown(type: unknown): void;
  repair(reason: string, count?: number): void;
  add(report: ImportReport): void;
  toReport(): ImportReport;
}

/** A part as a format reads it; `finishMessages` fills missing and empty ids. */
export type DraftPart = WithoutIds<Part>;

type WithoutIds<AnyPart> = AnyPart extends { readonly type: 'tool' }
  ? Omit<AnyPart, 'id' | 'callId'> & {
      readonly id?: string | undefined;
      readonly callId?: string | undefined;
    }
  : AnyPart extends Part
    ? Omit<AnyPart, 'id'> & { readonly id?: string | undefined }
    : never;

/** How a format counts blocks that are read as nothing. */
export interface BlockOptions {
  /** Types of blocks that no model reads, or that are read elsewhere. */
  readonly silent?: ReadonlySet<unknown>;
  readonly reason?: string;
}

/** Above the tokens of any real request. */
const MAX_TOKENS = 1_000_000_000;
const RELEASE = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})/;

/** The reason for dropping records that no format knows the writer of; releases of an agent add types of records, and no writers. */
export const NO_ROLE = 'message without a role';
/** The last time that a date can represent, in ms since 1970. Source: ECMA-262, time values. */
export const LATEST_MS = 8_640_000_000_000_000;

const WITHOUT_ZONE = /T[\d:.]+$/;
/** Smaller times are seconds (until the year 5138), larger ones milliseconds (since 1973). */
const MAX_SECONDS = 100_000_000_000;
/** A proxy that is no provider of models. */
const PROXY = /^litellm_proxy\//;
const DATA_MIME = /^data:([^;,]+)/;
/** The names that recorders and providers have for a file, its bytes in base64, and its media type. */
const URLS =
  'imageUrl.url imageUrl image_url.url image_url url source.url source.path fileData.fileUri file.file_data';
const BYTES = 'source.base64 source.data base64 data inlineData.data Data';
const MIMES =
  'source.media_type source.mime_type source.mimeType inlineData.mimeType fileData.mimeType media_type mime_type mimeType mediaType MIMEType';
const MAX_TYPES = 20;
const SHOWN_TYPE_CHARS = 40;
const UNKNOWN = 'unknown record';
const keysOf = remembered((paths) => paths.split(' ').map((path) => path.split('.')));

/** A string; `undefined` for anything else. */
export function toText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A non-empty string; `undefined` for anything else. */
export function toId(value: unknown): string | undefined {
  return toText(value) || undefined;
}

/** A string; empty for anything else. */
export function orEmpty(value: unknown): string {
  return toText(value) ?? '';
}

/** A whole number of tokens; `undefined` for anything else, or more than any request holds. */
export function toTokens(value: unknown): number | undefined {
  const isCount = typeof value === 'number' && Math.abs(value) <= MAX_TOKENS;
  return isCount ? Math.round(value) : undefined;
}

/** The release that a text begins with, as numbers. */
export function toRelease(version: unknown): readonly number[] | undefined {
  return RELEASE.exec(orEmpty(version))?.slice(1).map(Number);
}

/** A list; empty for anything else. */
export function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The fields of an object; none for anything else. */
export function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : {};
}

/** The objects of a list; none for anything else. */
export function objectsIn(value: unknown): Objects {
  return toList(value).filter(isObject);
}

/** The value at the first path that leads to one, such as `usage.input_tokens usage.input`. */
export function valueAt(value: unknown, paths: string): unknown {
  for (const keys of keysOf(paths)) {
    const found = keys.reduce((within: unknown, key) => fieldsOf(within)[key], value);
    if (found !== undefined && found !== null) return found;
  }
  return undefined;
}

/** Tokens of at least zero; absent tokens are zero. */
export function atLeastZero(tokens = 0): number {
  return Math.max(0, tokens);
}

/** A time in whole ms since 1970; `undefined` for anything outside of dates. */
export function toMoment(value: unknown): number | undefined {
  const isMoment = typeof value === 'number' && value >= 0 && value <= LATEST_MS;
  return isMoment ? Math.round(value) : undefined;
}

/** A time in ms since 1970, from a date, seconds or ms; dates without a zone are UTC. 0 if unknown. */
export function toTime(recorded: unknown): number {
  if (typeof recorded === 'string') {
    return toLocalTime(WITHOUT_ZONE.test(recorded) ? `${recorded}Z` : recorded);
  }
  const isSeconds = typeof recorded === 'number' && recorded < MAX_SECONDS;
  return toMoment(isSeconds ? recorded * 1000 : recorded) ?? 0;
}

/** A date in ms since 1970, in the local zone if it names none. 0 if unknown. */
export function toLocalTime(date: string | undefined): number {
  return toMoment(Date.parse(date ?? '')) ?? 0;
}

/** `provider/model` of a recorded name, by default with the given provider; absent for no name. */
export function toModel(recorded: unknown, provider?: unknown): string | undefined {
  const name = toId(recorded)?.replace(PROXY, '');
  return name === undefined || name.includes('/') ? name : `${toId(provider) ?? 'unknown'}/${name}`;
}

/** The media type of a data URL; absent for other URLs. */
export function mimeIn(url: string): string | undefined {
  return DATA_MIME.exec(url)?.[1];
}

/** The words of a list, among which any value can be looked up. */
export function wordsIn(list: string): ReadonlySet<unknown> {
  return new Set(list.trim().split(/\s+/));
}

/** Creates an empty tally. */
export function createTally(): Tally {
  const dropped = new Map<string, number>();
  const repaired = new Map<string, number>();
  const types = new Set<string>();
  return {
    dropUnknown: (type) => {
      const name =
        typeof type === 'string' ? `unknown record ${quote(type, SHOWN_TYPE_CHARS)}` : UNKNOWN;
      if (types.size < MAX_TYPES) types.add(name);
      add(dropped, types.has(name) ? name : UNKNOWN, 1);
    },
    drop: (reason, count = 1) => add(dropped, reason, count),
    repair: (reason, count = 1) => add(repaired, reason, count),
    add: (report) => {
      for (const [reason, count] of Object.entries(report.dropped)) add(dropped, reason, count);
      for (const [reason, count] of Object.entries(report.repaired)) add(repaired, reason, count);
    },
    // Reports outlive sessions; a reason that quotes a record would keep its text in memory.
    toReport: () =>
      structuredClone({
        dropped: Object.fromEntries(dropped),
        repaired: Object.fromEntries(repaired),
      }),
  };
}

/** The objects of the lines of a file; other lines are counted. */
export function readObjectLines(lines: JsonLines, tally: Tally): Objects {
  const objects = lines.records.filter(isObject);
  countLineFaults(lines, tally);
  tally.drop('line that is no object', lines.records.length - objects.length);
  return objects;
}

/** Tests if a file has lines of several kinds. */
export function hasLines(file: SourceFile, ...tests: readonly ((line: Fields) => boolean)[]) {
  const { records } = file.lines();
  return tests.every((test) => records.some((line) => test(fieldsOf(line))));
}

/** Counts lines that are broken, and records that share a line. */
export function countLineFaults({ brokenLines, gluedRecords }: JsonLines, tally: Tally): void {
  tally.drop('broken line', brokenLines);
  tally.repair('record on the line of another', gluedRecords);
}

/** The arguments of a call, which most recorders write as JSON; any other string stays unchanged. */
export function toInput(written: unknown, tally: Tally): unknown {
  if (typeof written !== 'string') return written ?? {};
  const input = parseJson(written);
  if (input === undefined) tally.repair('tool arguments that are no JSON');
  return input ?? written;
}

/** Blocks of a content; a string is a block of text, and anything else an empty block. */
export function blocksOf(content: unknown): Objects {
  if (content === undefined || content === null) return [];
  const values: readonly unknown[] = Array.isArray(content) ? content : [content];
  return values.map((value) => (isObject(value) ? value : { text: toText(value) }));
}

/** Texts of a content, line by line. */
export function textOf(content: unknown): string {
  return blocksOf(content)
    .flatMap(({ text }) => toText(text) ?? [])
    .join('\n');
}

/** Parts of a content: texts, reasoning and files. Empty texts are left out, unknown blocks counted. */
export function toParts(
  content: unknown,
  tally: Tally,
  { silent, reason = 'unknown content part' }: BlockOptions = {},
): DraftPart[] {
  return blocksOf(content).flatMap((block) => {
    const part = toPart(block);
    if (part !== undefined) return 'text' in part && part.text === '' ? [] : [part];
    if (!silent?.has(block['type'])) tally.drop(reason);
    return [];
  });
}

/** The text of a result and its files. */
export function toOutput(content: unknown, tally: Tally, options?: BlockOptions) {
  const parts = toParts(blocksOf(content).filter(isPiece), tally, options);
  const attachments = parts.flatMap((part): FilePart[] =>
    part.type === 'file' ? [{ ...part, id: '' }] : [],
  );
  return { output: outputText(content), attachments };
}

/** The texts of a result line by line; what is no content stands there as JSON. */
export function outputText(content: unknown): string {
  const pieces = blocksOf(content);
  if (pieces.length > 0 && !pieces.some(isPiece)) return toJsonText(content);
  const texts = pieces.map((piece) => (isPiece(piece) ? toText(piece['text']) : toJsonText(piece)));
  return texts.filter((text) => text !== undefined).join('\n');
}

/** Content that a program wrote in the place of the user. */
export function asInjected(part: DraftPart): DraftPart {
  return part.type === 'text' ? { ...part, synthetic: true } : part;
}

/** Definitions of tools as requests carry them, those of Gemini in groups; undefined for none. */
export function definitionsIn(tools: unknown): Session['definitions'] {
  const all = objectsIn(tools).flatMap((tool) => {
    const group = objectsIn(valueAt(tool, 'functionDeclarations function_declarations'));
    return group.length > 0 ? group : [tool];
  });
  if (all.length === 0) return undefined;
  return all.map((tool) => ({
    tool: toId(valueAt(tool, 'name function.name type')) ?? 'unknown',
    chars: JSON.stringify(tool).length,
  }));
}

function add(counts: Map<string, number>, reason: string, count: number): void {
  if (count > 0) counts.set(reason, (counts.get(reason) ?? 0) + count);
}

function isPiece(block: Fields) {
  return 'type' in block || 'text' in block;
}

function toPart(block: Fields): DraftPart | undefined {
  const text = toText(block['text']);
  if (text !== undefined) return { type: 'text', text };
  const thought = toText(block['thinking'] ?? block['think'] ?? block['reasoning']);
  if (thought !== undefined) return { type: 'reasoning', text: thought };
  const linked = valueAt(block, URLS);
  const [bytes, mime] = [toId(valueAt(block, BYTES)), toText(valueAt(block, MIMES)) ?? 'image/*'];
  const url = toText(linked) ?? (bytes && `data:${mime};base64,${bytes}`);
  if (url === undefined) return undefined;
  const filename = toId(valueAt(block, 'filename file.filename Path'));
  return { type: 'file', mime: mimeIn(url) ?? mime, url, ...known({ filename }) };
}
