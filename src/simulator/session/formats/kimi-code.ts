import { isObject } from '../../lib/json.ts';
import type { SessionFormat } from '../format.ts';
import {
  type Fields,
  fieldsOf,
  readObjectLines,
  textOf,
  toId,
  toParts,
  toText,
  toTokens,
  wordsIn,
} from '../reading/fields.ts';
import { type Facts, readRecordings, type Recording } from '../reading/recording.ts';
import { countKinds, countsIn, type DraftMessage, toEarlyFinish } from '../reading/transcript.ts';

type Settings = Pick<Facts, 'model' | 'system'>;

/** A conversation, with the settings that those before it left. */
interface Section {
  readonly records: Fields[];
  readonly settings: Settings;
}

const MESSAGE = 'context.append_message';
const EVENT = 'context.append_loop_event';

/** Records that change what the model sees in ways that are not followed. */
const NOT_FOLLOWED = wordsIn('context.snapshot context.undo micro_compaction.apply');

const COUNTS = {
  input: 'inputOther',
  output: 'output',
  cacheRead: 'inputCacheRead',
  cacheWrite: 'inputCacheCreation',
};

/** Sessions of Kimi Code: the wire of one agent. */
export const kimiCode: SessionFormat = {
  label: 'Kimi Code wire (JSON lines)',
  certainty: 'mark',
  detect: (file) => file.lines().records.some(isMark),
  read: readRecordings({
    format: 'kimi-code',
    empty: 'a wire without messages',
    items: (file, tally) => splitAtClearings(readObjectLines(file.lines(), tally)),
    read: readSection,
  }),
  keeps: {
    tools: 'AgentSwarm CronCreate CronDelete CronList FetchURL ReadMediaFile TaskList TodoList',
  },
};

function isMark(record: unknown): boolean {
  const { type, message, event } = fieldsOf(record);
  return (type === MESSAGE && isObject(message)) || (type === EVENT && isObject(event));
}

/** Conversations of a wire: a clearing of the context begins another, if a step came before and one follows. */
function splitAtClearings(records: readonly Fields[]): readonly Section[] {
  const lastStep = records.findLastIndex(isStep);
  let section: Section = { records: [], settings: {} };
  const sections = [section];
  let [settings, isAnswered] = [section.settings, false];
  for (const [index, record] of records.entries()) {
    if (isAnswered && record['type'] === 'context.clear' && index < lastStep) {
      section = { records: [], settings };
      sections.push(section);
      isAnswered = false;
    }
    section.records.push(record);
    settings = settingsIn(record, settings);
    isAnswered ||= isStep(record);
  }
  return sections;
}

function settingsIn({ modelAlias, systemPrompt }: Fields, { model, system }: Settings): Settings {
  return { model: toText(modelAlias) ?? model, system: toText(systemPrompt) ?? system };
}

function isStep({ type }: Fields): boolean {
  return type === EVENT;
}

function readSection(recording: Recording, { records, settings: before }: Section): Facts {
  let settings = before;
  const steps = new Map<unknown, DraftMessage>();
  let isSide = false;
  for (const record of records) {
    const { type, summary, contextSummary = summary } = record;
    settings = settingsIn(record, settings);
    if (type === MESSAGE) isSide = readMessage(recording, record) || isSide;
    else if (type === EVENT) readEvent(recording, record, { steps, model: settings.model });
    else if (type === 'context.apply_compaction') {
      recording.addCompaction({
        tokensBefore: toTokens(record['tokensBefore']),
        tokensAfter: toTokens(record['tokensAfter']),
        summary: toText(contextSummary),
      });
    } else if (NOT_FOLLOWED.has(type)) recording.tally.dropUnknown(type);
  }
  return { ...settings, isSide, isOutputFinal: true };
}

/** Reads a message of the user, or of a program in the user's place. Returns true for the prompt of a sub-agent. */
function readMessage(recording: Recording, { message, time }: Fields): boolean {
  const { role, content, origin } = fieldsOf(message);
  if (role !== 'user') {
    recording.tally.drop('message without a role');
    return false;
  }
  const { kind = 'user', name } = fieldsOf(origin);
  const isSide = recording.drafts.length === 0 && name === 'subagent';
  if (isSide || kind === 'user') recording.readPrompt({ time, content });
  else recording.readInjected(content);
  return isSide;
}

function readEvent(
  recording: Recording,
  { event, time }: Fields,
  {
    steps,
    model,
  }: { readonly steps: Map<unknown, DraftMessage>; readonly model: string | undefined },
): void {
  if (!isObject(event)) return;
  const { type, uuid, stepUuid, toolCallId: id, name, args } = event;
  const stepId = toId(stepUuid) ?? toId(uuid);
  if (type === 'tool.result') {
    const { output, isError, durationMs } = fieldsOf(event['result']);
    // Kimi Code adds a line while it sends. Source: its release 2.1.0, observed.
    const seconds = typeof durationMs === 'number' ? (durationMs / 1000).toFixed(3) : undefined;
    const content = [
      seconds === undefined ? [] : `Wall time: ${seconds} seconds`,
      textOf(output) === '' ? [] : output,
    ].flat();
    return recording.readResult({ id, content, isError: isError === true });
  }
  const step = steps.get(stepId) ?? recording.readStep({ id: stepId, time, model });
  if (stepId !== undefined) steps.set(stepId, step);
  if (type === 'content.part') step.parts.push(...toParts([event['part']], recording.tally));
  else if (type === 'tool.call') recording.readCall(step, { id, name, args });
  else if (type === 'step.end') {
    step.usage = countKinds(countsIn(event['usage'], COUNTS));
    step.finish = toEarlyFinish(toText(event['finishReason']));
  } else if (type !== 'step.begin') recording.tally.dropUnknown(type);
}
