import { createDialogue, type Dialogue } from '../reading/dialogue.ts';
import type { Tally } from '../reading/tally.ts';
import { toTime } from '../reading/time.ts';
import type { DraftMessage } from '../reading/transcript.ts';
import { filesIn, toStepParts } from './parts.ts';
import {
  type AtifAgent,
  type AtifCall,
  type AtifResult,
  type AtifStep,
  idOf,
  modelNameOf,
  parseStep,
  resultsOf,
  toText,
} from './record.ts';
import { collectReferences, type ReferencesByCall } from './side-sessions.ts';
import { toUsage } from './usage.ts';

/** What the steps of one trajectory come to. */
export interface AtifConversation {
  readonly drafts: readonly DraftMessage[];
  readonly references: ReferencesByCall;
  /** What the system said before anybody else; absent where it said nothing. */
  readonly system?: string;
}

interface Reading {
  readonly agent: AtifAgent;
  readonly tally: Tally;
  readonly dialogue: Dialogue;
  readonly systemTexts: string[];
  /** Ids of the calls that are still to come. */
  readonly future: Set<string>;
  /** Results that stand before the step of their call, by its id. */
  readonly early: Map<string, AtifResult>;
}

/** How a system step names the call whose result it brings, where the result itself does not. */
const RESULT_MESSAGE = /^Tool result for (\S+)$/;

/** Reads the steps of one trajectory in order. */
export function readSteps(
  values: readonly unknown[],
  agent: AtifAgent,
  tally: Tally,
): AtifConversation {
  const steps = values.flatMap((value) => parseStep(value) ?? []);
  tally.drop('unknown record', values.length - steps.length);
  const reading: Reading = {
    agent,
    tally,
    dialogue: createDialogue(tally),
    systemTexts: [],
    future: new Set(steps.flatMap((step) => step.tool_calls.flatMap((call) => idOf(call) ?? []))),
    early: new Map(),
  };
  for (const step of steps) readStep(reading, step);
  const system = reading.systemTexts.join('\n\n');
  return {
    drafts: reading.dialogue.end(),
    references: collectReferences(steps),
    ...(system !== '' && { system }),
  };
}

function readStep(reading: Reading, step: AtifStep): void {
  if (step.source === 'agent') readAgentStep(reading, step);
  else if (step.source === 'user') readPrompt(reading, step);
  else readSystem(reading, step);
}

function readPrompt(reading: Reading, step: AtifStep): void {
  reading.dialogue.addPrompt({
    createdAt: toTime(step.timestamp),
    recordedId: stepIdOf(step),
    parts: toStepParts(step),
  });
  for (const result of resultsOf(step)) readResult(reading, result);
}

/** What the system says first is the prompt; later it is a notice, or the carrier of a result. */
function readSystem(reading: Reading, step: AtifStep): void {
  const { dialogue, systemTexts } = reading;
  const results = resultsOf(step);
  const message = toText(step.message);
  const named = RESULT_MESSAGE.exec(message)?.[1];
  if (results.length === 0) {
    if (dialogue.drafts.length === 0) systemTexts.push(message);
    else dialogue.inject(message);
  }
  for (const result of results) {
    readResult(reading, { ...result, source_call_id: result.source_call_id ?? named });
  }
}

function readAgentStep(reading: Reading, recorded: AtifStep): void {
  const step = reading.dialogue.addStep({
    createdAt: toTime(recorded.timestamp),
    recordedId: stepIdOf(recorded),
    parts: toStepParts(recorded),
    model: modelNameOf(reading.agent, recorded.model_name),
    usage: toUsage(recorded.metrics),
  });
  for (const call of recorded.tool_calls) readCall(reading, step, call);
  readOwnResults(reading, recorded);
}

function readCall({ dialogue, future, early }: Reading, step: DraftMessage, call: AtifCall): void {
  const callId = idOf(call);
  const tool = call.function_name ?? call.name ?? 'unknown';
  dialogue.addCall(step, { callId, tool, input: call.arguments ?? {} });
  if (callId === undefined) return;
  const result = early.get(callId);
  future.delete(callId);
  early.delete(callId);
  if (result !== undefined) finish(dialogue, result);
}

/** Results that name no call are those of the calls that are left, in order; the last may be of several. */
function readOwnResults(reading: Reading, recorded: AtifStep): void {
  const { dialogue, tally } = reading;
  const results = resultsOf(recorded);
  const named = results.filter(({ source_call_id: id }) => id !== undefined);
  const unnamed = results.filter(({ source_call_id: id }) => id === undefined);
  for (const result of named) readResult(reading, result);
  for (const result of unnamed) if (!finish(dialogue, result)) keepAsText(reading, result);
  if (unnamed.length === 0) return;
  while (dialogue.finishCall({ output: '' })) tally.repair('output that several calls share');
}

function readResult(reading: Reading, result: AtifResult): void {
  const { source_call_id: callId } = result;
  if (callId !== undefined && finish(reading.dialogue, result)) return;
  if (callId !== undefined && reading.future.has(callId)) reading.early.set(callId, result);
  else keepAsText(reading, result);
}

function finish(dialogue: Dialogue, result: AtifResult): boolean {
  const { source_call_id: key, content, result: outcome } = result;
  const isError = outcome?.success === false;
  const output = toText(content);
  return dialogue.finishCall({ key, output, isError, attachments: filesIn(content) });
}

function keepAsText({ dialogue, tally }: Reading, { content }: AtifResult): void {
  tally.repair('tool result kept as a text');
  dialogue.inject(toText(content));
}

function stepIdOf({ step_id: id }: AtifStep): string | undefined {
  return id === undefined ? undefined : `step-${id}`;
}
