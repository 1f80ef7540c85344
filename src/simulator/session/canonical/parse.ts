/** Parses headers and messages of a canonical file. */

import { z } from 'zod';
import type { ToolState } from '../../../engine/index.ts';
import { isObject } from '../../lib/json.ts';
import type { Tally } from '../reading/tally.ts';
import type { DraftPart } from '../reading/transcript.ts';
import { dropUnknown } from '../reading/unknown-records.ts';
import { CompactionLine, HeaderLine, MARK, PromptLine, ReportLine, StepLine } from './lines.ts';
import { PartValue } from './parts.ts';
import { countUnknownKeys } from './unknown-keys.ts';

/** What a header says of its session. */
export type HeaderFields = Omit<z.infer<typeof HeaderLine>, typeof MARK.key | 'version'>;

/** A line of a session below its header. */
export type Line =
  | { readonly type: 'message'; readonly message: MessageFields }
  | { readonly type: 'lost-message' }
  | { readonly type: 'compaction'; readonly compaction: CompactionFields }
  | { readonly type: 'report'; readonly report: ReportFields };

type CompactionFields = Omit<z.infer<typeof CompactionLine>, 'type'>;
type ReportFields = Omit<z.infer<typeof ReportLine>, 'type'>;

type PartFields = z.infer<typeof PartValue>;
type StateFields = Extract<PartFields, { type: 'tool' }>['state'];

/** A message with those of its parts that could be read. */
export type MessageFields = (z.infer<typeof LoosePrompt> | z.infer<typeof LooseStep>) & {
  readonly parts: readonly DraftPart[];
};

/** One part that cannot be read does not take its message along. */
const LoosePrompt = PromptLine.omit({ parts: true });
const LooseStep = StepLine.omit({ parts: true });

/** Whether a record opens a session, of whatever version. */
export function isHeader(record: unknown): record is Readonly<Record<string, unknown>> {
  return isObject(record) && Object.hasOwn(record, MARK.key) && record[MARK.key] === MARK.value;
}

/** The header, or `undefined` where it cannot be read. */
export function parseHeader(record: unknown, tally: Tally): HeaderFields | undefined {
  const header = parseAs(HeaderLine, record, tally);
  if (header === undefined) return undefined;
  const { [MARK.key]: _mark, version: _version, ...fields } = header;
  return fields;
}

/** The line of a record, or `undefined` where it is of no known type. What cannot be read is counted. */
export function parseLine(record: unknown, tally: Tally): Line | undefined {
  const { type } = isObject(record) ? record : {};
  if (type === 'message') return toMessage(record, tally);
  if (type === 'compaction') {
    const { type: _type, ...compaction } = parseAs(CompactionLine, record, tally) ?? {};
    if ('kind' in compaction) return { type, compaction };
    tally.drop('compaction that cannot be read');
  } else if (type === 'report') {
    const report = parseAs(ReportLine, record, tally);
    if (report !== undefined) return { type, report };
    tally.drop('report that cannot be read');
  } else dropUnknown(tally, [typeof type === 'string' ? type : undefined]);
  return undefined;
}

function toMessage(record: unknown, tally: Tally): Line {
  const { role, parts, ...own } = isObject(record) ? record : {};
  const schema = role === 'user' ? LoosePrompt : LooseStep;
  const message = parseAs<z.infer<typeof LoosePrompt> | z.infer<typeof LooseStep>>(
    schema,
    { role, ...own },
    tally,
  );
  if (message === undefined || !(parts === undefined || Array.isArray(parts))) {
    tally.drop('message that cannot be read');
    return { type: 'lost-message' };
  }
  return { type: 'message', message: { ...message, parts: parseParts(parts ?? [], tally) } };
}

function parseParts(values: readonly unknown[], tally: Tally): readonly DraftPart[] {
  const parts = values.flatMap((value) => {
    const part = parseAs(PartValue, value, tally);
    return part === undefined ? [] : [toDraft(part)];
  });
  tally.drop('part that cannot be read', values.length - parts.length);
  return parts;
}

function toDraft(part: PartFields): DraftPart {
  return part.type === 'tool' ? { ...part, state: toState(part.state) } : part;
}

/** A file without an id gets one with the others. */
function toState(state: StateFields): ToolState {
  if (state.status !== 'completed') return state;
  const { attachments, ...rest } = state;
  const files = attachments?.map((file) => ({ ...file, id: file.id ?? '' }));
  return { ...rest, ...(files !== undefined && { attachments: files }) };
}

function parseAs<Value>(schema: z.ZodType<Value>, given: unknown, tally: Tally): Value | undefined {
  const read = schema.safeParse(given).data;
  if (read !== undefined) tally.drop('unknown key', countUnknownKeys(given, read));
  return read;
}
