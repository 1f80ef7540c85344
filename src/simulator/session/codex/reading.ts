import type { Usage } from '../../../engine/index.ts';
import { createPending, type PendingParts } from '../reading/pending.ts';
import type { RecordedCompaction } from '../session.ts';
import type { Tally } from '../reading/tally.ts';
import { addStep, type DraftMessage, type DraftPart } from '../reading/transcript.ts';
import type { ItemReading } from './parts.ts';
import { type CodexPayload, type CodexRecord, metaOf } from './record.ts';
import { createExpander } from './redacted.ts';

/** What has been read of a rollout so far. */
export interface Reading extends ItemReading {
  readonly drafts: DraftMessage[];
  readonly compactions: RecordedCompaction[];
  readonly pending: PendingParts;
  /** What was typed, as the screen showed it. */
  readonly typedTexts: ReadonlySet<string>;
  readonly calledIds: Set<string>;
  readonly unknownTypes: (string | undefined)[];
  /** The newest step, as long as its count may still come. */
  step: DraftMessage | undefined;
  /** Whether what the model writes next belongs to that step. */
  isStepOpen: boolean;
  lastUsage: Usage | undefined;
  /** Whose models answer. */
  readonly provider: string;
  /** `provider/model` of the turn, as last told. */
  model: string | undefined;
  /** Tokens of all requests so far, as last told. */
  totalTokens: number | undefined;
  /** It goes on from something that the file does not hold. */
  isPartial: boolean;
}

const OUTPUTS = new Set<string | undefined>([
  'custom_tool_call_output',
  'function_call_output',
  'tool_search_output',
]);

/** Nothing read yet, with everything that has to be known before. */
export function startReading(records: readonly CodexRecord[], tally: Tally): Reading {
  const drafts: DraftMessage[] = [];
  const expander = createExpander(tally);
  const typed = records.filter(({ payload }) => payload.type === 'user_message');
  return {
    tally,
    expander,
    outputs: collectOutputs(records, tally),
    drafts,
    compactions: [],
    pending: createPending(drafts, tally),
    typedTexts: new Set(typed.map(({ payload }) => expander.toText(payload.message ?? ''))),
    calledIds: new Set(),
    unknownTypes: [],
    step: undefined,
    isStepOpen: false,
    lastUsage: undefined,
    provider: metaOf(records)?.model_provider ?? 'openai',
    model: undefined,
    totalTokens: undefined,
    isPartial: false,
  };
}

/** Whether the item is what a tool gave back. */
export function isOutput({ type }: CodexPayload): boolean {
  return OUTPUTS.has(type);
}

/** Adds to the step that is being written, or begins one. */
export function write(reading: Reading, time: number, parts: readonly DraftPart[]): void {
  const step = reading.isStepOpen ? reading.step : undefined;
  const { parts: written } = step ?? beginStep(reading, time);
  for (const part of parts) written.push(part);
}

/** What comes next is no part of the newest step. */
export function endTurn(reading: Reading): void {
  reading.step = undefined;
  reading.isStepOpen = false;
}

function beginStep(reading: Reading, createdAt: number): DraftMessage {
  reading.pending.place(createdAt);
  reading.isPartial ||= reading.drafts.length === 0;
  const { model } = reading;
  const step: DraftMessage = { role: 'assistant', createdAt, parts: [], model };
  addStep(reading.drafts, step, reading.tally);
  reading.step = step;
  reading.isStepOpen = true;
  return step;
}

/** Outputs by the id of their call; of several with one id the first holds. */
function collectOutputs(
  records: readonly CodexRecord[],
  tally: Tally,
): ReadonlyMap<string, CodexPayload> {
  const outputs = new Map<string, CodexPayload>();
  for (const { type, payload } of records) {
    if (type !== 'response_item' || !isOutput(payload)) continue;
    if (payload.call_id === undefined) tally.drop('tool result without a call');
    else if (outputs.has(payload.call_id)) tally.drop('repeated tool result');
    else outputs.set(payload.call_id, payload);
  }
  return outputs;
}
