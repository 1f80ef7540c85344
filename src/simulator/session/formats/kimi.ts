import { isObject } from '../../lib/json.ts';
import { createSourceFile, toJsonText } from '../files/source-file.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import * as kit from '../reading/fields.ts';
import * as reading from '../reading/recording.ts';
import * as made from '../reading/transcript.ts';
import { isChatMessage, readChatMessage } from './openai-chat.ts';

type Context = kit.Objects;

type Settings = Pick<reading.Facts, 'model' | 'system'>;

interface Section {
  readonly records: kit.Fields[];
  readonly settings: Settings;
}

const COUNT = '_usage';
const PROMPT = '_system_prompt';
const MARKS = new Set<unknown>(['_checkpoint', COUNT, PROMPT]);
const TOOL = 'tool';
const INJECTED_START = '<system>';
const SUMMARY_START = '<system>Previous context has been compacted';
/** The name of a context, and of those that it took the place of; a sub-agent has one of its own. */
const CURRENT = /(?:^|[/\\])context\.jsonl$/;
const EARLIER = /^context_(\d+)\.jsonl$/;
const SUBAGENT = /(?:^|[/\\])context_sub(?:_\d+)?\.jsonl$/;

/** Contexts of Kimi CLI: messages with checkpoints and counts of tokens between. */
export const kimiCli: SessionFormat = {
  label: 'Kimi CLI context (JSON lines)',
  detect: (file) => kit.hasLines(file, isMark, isChatMessage),
  readsAround: true,
  read: reading.readRecordings({
    empty: 'a context without messages',
    numbersSpoken: true,
    items: chainsIn,
    read: (recording, { chain, isSide }) => ({ ...readChain(recording, chain), isSide }),
  }),
};

const MESSAGE = 'context.append_message';
const EVENT = 'context.append_loop_event';
const NOT_FOLLOWED = kit.wordsIn('context.snapshot context.undo micro_compaction.apply');

/** Sessions of Kimi Code: the wire of one agent. */
export const kimiCode: SessionFormat = {
  label: 'Kimi Code wire (JSON lines)',
  detect: (file) => file.lines().records.some(isWire),
  read: reading.readRecordings({
    empty: 'a wire without messages',
    items: (file, tally) => splitAtClearings(kit.readObjectLines(file.lines(), tally)),
    read: readSection,
  }),
};

function isMark({ role }: kit.Fields) {
  return MARKS.has(role);
}

function chainsIn(file: SourceFile, tally: kit.Tally) {
  const own = kit.readObjectLines(file.lines(), tally);
  const earlier = CURRENT.test(file.name) ? earlierContexts(file, tally) : [];
  const isSide = SUBAGENT.test(file.name);
  return toChains([...earlier, own]).map((chain) => ({ chain, isSide }));
}

function earlierContexts({ surroundings }: SourceFile, tally: kit.Tally) {
  return surroundings
    .filesIn({ up: 0, names: [] })
    .filter(({ name }) => EARLIER.test(name))
    .toSorted((one, other) => numberOf(one.name) - numberOf(other.name))
    .map((near) =>
      kit.readObjectLines(createSourceFile(near.name, near.readText()).lines(), tally),
    );
}

function numberOf(name: string) {
  return Number(EARLIER.exec(name)?.[1] ?? Number.NaN);
}

/** Contexts that go on with one another: by a summary, or without the end of the one before, which a person took back. */
function toChains(contexts: readonly Context[]) {
  const chains: Context[][] = [];
  for (const context of contexts) {
    const chain = chains.at(-1);
    const [first] = messagesIn(context);
    const [last] = messagesIn(chain?.at(-1) ?? []);
    const isSame = first !== undefined && toJsonText(first) === toJsonText(last);
    if (chain !== undefined && isSame) chain.splice(-1, 1, context);
    else if (chain !== undefined && first !== undefined && isSummary(first)) chain.push(context);
    else chains.push([context]);
  }
  return chains;
}

function messagesIn(context: Context) {
  return context.filter((one) => isChatMessage(one) && (!isInjected(one) || isSummary(one)));
}

function isSummary(record: kit.Fields) {
  return isChatMessage(record) && kit.textOf(record['content']).startsWith(SUMMARY_START);
}

function isInjected({ role, content }: kit.Fields) {
  const start = role === 'user' ? INJECTED_START : SUMMARY_START;
  return role !== TOOL && kit.textOf(content).startsWith(start);
}

function readChain(recording: reading.Recording, chain: readonly Context[]): reading.Facts {
  let isPartial = false;
  for (const [at, context] of chain.entries()) {
    const before = chain[at - 1];
    const [first = {}] = messagesIn(context);
    const kept = before === undefined ? [] : keptIn(context, before);
    if (before === undefined) isPartial = isSummary(first);
    else addCompaction(recording, before, [first, ...kept]);
    const repeated = new Set(before === undefined ? [] : [first, ...kept]);
    for (const [index, record] of context.entries()) {
      if (isMark(record) || repeated.has(record)) continue;
      if (!isChatMessage(record)) recording.tally.drop(kit.NO_ROLE);
      else if (isInjected(record)) recording.readInjected(record['content']);
      else readChatMessage(recording, record, { usage: usageAround(context, index) });
    }
  }
  const prompt = chain.flat().findLast(({ role }) => role === PROMPT)?.['content'];
  const measured = recording.drafts.flatMap(({ usage }) => usage ?? []);
  const isOutputFinal = measured.length > 0 && measured.every(({ output }) => output > 0);
  return { isPartial, isOutputFinal, system: prompt };
}

function keptIn(context: Context, before: Context) {
  const [, ...behind] = messagesIn(context);
  const texts = messagesIn(before).map(toJsonText);
  for (let count = Math.min(behind.length, texts.length); count > 0; count--) {
    const kept = behind.slice(0, count);
    const isTail = kept.every((each, index) => toJsonText(each) === texts.at(index - count));
    if (isTail) return kept;
  }
  return [];
}

function addCompaction(recording: reading.Recording, before: Context, [summary, ...kept]: Context) {
  const { length: count } = recording.drafts;
  // Results of tools are no messages of a session.
  const keptCount = kept.filter(({ role }) => role !== TOOL).length;
  recording.addCompaction({
    tokensBefore: countIn(before.findLast(({ role }) => role === COUNT)),
    firstKeptMessageIndex: keptCount > 0 ? Math.max(0, count - keptCount) : undefined,
    summary: kit.textOf(summary?.['content']),
  });
}

/** The usage of a step: the count before it is that of its request, the one behind it includes its answer. */
function usageAround(records: Context, index: number) {
  const input = countIn(records[index - 1]);
  const total = countIn(records[index + 1]);
  if (input === undefined) return undefined;
  return made.countKinds({ input, output: total === undefined ? 0 : total - input });
}

function countIn(record: kit.Fields | undefined) {
  return record?.['role'] === COUNT ? kit.toTokens(record['token_count']) : undefined;
}

function isWire(record: unknown) {
  const { type, message, event } = kit.fieldsOf(record);
  return (type === MESSAGE && isObject(message)) || (type === EVENT && isObject(event));
}

function splitAtClearings(records: kit.Objects) {
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

function settingsIn({ modelAlias, systemPrompt }: kit.Fields, { model, system }: Settings) {
  return { model: kit.toText(modelAlias) ?? model, system: kit.toText(systemPrompt) ?? system };
}

function isStep({ type }: kit.Fields) {
  return type === EVENT;
}

function readSection(recording: reading.Recording, { records, settings: before }: Section) {
  let settings = before;
  let isSide = false;
  for (const record of records) {
    const { type, summary, contextSummary = summary } = record;
    settings = settingsIn(record, settings);
    if (type === MESSAGE) isSide = readMessage(recording, record) || isSide;
    else if (type === EVENT) readEvent(recording, record, settings.model);
    else if (type === 'context.apply_compaction') {
      recording.addCompaction({
        tokensBefore: record['tokensBefore'],
        tokensAfter: record['tokensAfter'],
        summary: contextSummary,
      });
    } else if (NOT_FOLLOWED.has(type)) recording.tally.dropUnknown(type);
  }
  return { ...settings, isSide, isOutputFinal: true };
}

function readMessage(recording: reading.Recording, { message, time }: kit.Fields) {
  const { role, content, origin } = kit.fieldsOf(message);
  if (role !== 'user') {
    recording.tally.drop(kit.NO_ROLE);
    return false;
  }
  const { kind = 'user', name } = kit.fieldsOf(origin);
  const isSide = recording.drafts.length === 0 && name === 'subagent';
  if (isSide || kind === 'user') recording.readPrompt({ time, content });
  else recording.readInjected(content);
  return isSide;
}

function readEvent(
  recording: reading.Recording,
  { event, time }: kit.Fields,
  model: string | undefined,
) {
  if (!isObject(event)) return;
  const { type, uuid, stepUuid, toolCallId: id, name, args } = event;
  const stepId = kit.toId(stepUuid) ?? kit.toId(uuid);
  if (type === 'tool.result') {
    const { output, isError, durationMs } = kit.fieldsOf(event['result']);
    // Kimi Code adds a line while it sends. Source: its release 2.1.0, observed.
    const seconds = typeof durationMs === 'number' ? (durationMs / 1000).toFixed(3) : undefined;
    const content = [
      seconds === undefined ? [] : `Wall time: ${seconds} seconds`,
      kit.textOf(output) === '' ? [] : output,
    ].flat();
    return recording.readResult({ id, content, isError });
  }
  const step = recording.stepOf({ id: stepId, time, model });
  if (type === 'content.part') step.parts.push(...kit.toParts([event['part']], recording.tally));
  else if (type === 'tool.call') recording.readCall(step, { id, name, args });
  else if (type === 'step.end') {
    step.usage = made.countKinds(event['usage']);
    step.finish = made.toEarlyFinish(kit.toText(event['finishReason']));
  } else if (type !== 'step.begin') recording.tally.dropUnknown(type);
}
