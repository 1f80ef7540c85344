import type { AssistantMessage, Message, Part, ToolPart } from '../../../engine/index.ts';
import { sum } from '../../lib/collections.ts';
import { MS_PER_SECOND } from '../../lib/units.ts';
import { contextTokensOf, type RecordedCompaction, type Session } from '../session.ts';
import { argumentsOf, recordedOutputOf } from '../tool-calls.ts';
import { touchesOf } from '../touches.ts';
import {
  byTextKind,
  type CallSample,
  type CompactionSample,
  type ContentKind,
  countCharacters,
  type Estimator,
  type GapSample,
  type GrowthSample,
  scriptOf,
  type SessionSample,
  type StepSample,
  type TextKind,
  type TurnSample,
  type Weight,
} from './sample.ts';

/** A step with the index of its message. */
interface PlacedStep {
  readonly message: AssistantMessage;
  readonly index: number;
}

/** A call sample with its part, which samples do not keep. */
interface WeighedCall extends CallSample {
  readonly part: ToolPart;
}

/** A text that is neither a call nor an output, weighed. */
interface WeighedText extends Weight {
  readonly kind: TextKind;
}

/** A message with the weights of its parts. */
interface WeighedMessage {
  readonly message: Message;
  readonly texts: readonly WeighedText[];
  readonly calls: readonly WeighedCall[];
}

/** Below this, fixed costs of a step hide the cost of characters. */
const MIN_OUTPUT_CHARACTERS = 2000;

/** Samples the sizes of a session; its texts are not kept. */
export function sampleSession(session: Session, estimator: Estimator): SessionSample {
  const { name, format, isSide, model, messages } = session;
  const weighed = weighMessages(messages, estimator);
  const texts = [...weighed.flatMap((each) => each.texts), ...textsBeside(session, estimator)];
  return {
    name,
    format,
    isSide,
    model,
    messages: messages.length,
    tokensByKind: addKinds(weighed, texts),
    textTokens: byTextKind((wanted) =>
      texts.filter(({ kind }) => kind === wanted).map(({ tokens }) => tokens),
    ),
    calls: weighed.flatMap(({ calls }) => calls.map(({ part: _part, ...call }) => call)),
    turns: sampleTurns(weighed),
    steps: sampleSteps(session),
    gaps: sampleGaps(messages),
    reuse: sampleReuse(weighed),
    compactions: sampleCompactions(session, estimator),
    growth: sampleGrowth(session, weighed),
  };
}

function weighMessages(
  messages: readonly Message[],
  estimator: Estimator,
): readonly WeighedMessage[] {
  const outputs = new Set<string>();
  return messages.map((message) => ({
    message,
    texts: message.parts.flatMap((part) => weighText(part, message.role, estimator)),
    calls: message.parts.flatMap((part) =>
      part.type === 'tool' ? [weighCall(part, outputs, estimator)] : [],
    ),
  }));
}

function weighText(
  part: Part,
  role: Message['role'],
  estimator: Estimator,
): readonly WeighedText[] {
  const isText = part.type === 'text' && part.ignored !== true;
  if ((!isText && part.type !== 'reasoning') || part.text === '') return [];
  return [{ kind: kindOf(part, role), ...weigh(part.text, estimator) }];
}

function kindOf(part: Part, role: Message['role']): TextKind {
  if (part.type === 'reasoning') return 'reasoning';
  return part.type === 'text' && part.synthetic === true ? 'injected' : role;
}

function weigh(text: string, estimator: Estimator): Weight {
  return {
    tokens: estimator.tokensOf(text),
    characters: countCharacters(text),
    script: scriptOf(text),
  };
}

function weighCall(part: ToolPart, outputs: Set<string>, estimator: Estimator): WeighedCall {
  const { tool, state } = part;
  const output = recordedOutputOf(part);
  const isDuplicate = output !== undefined && outputs.has(output);
  if (output !== undefined) outputs.add(output);
  return {
    part,
    tool,
    input: weigh(argumentsOf(part), estimator),
    output: output === undefined ? undefined : weigh(output, estimator),
    isError: state.status === 'error',
    isDuplicate,
  };
}

/** Weighs the system prompt and the summaries, which are no messages. */
function textsBeside(
  { system = '', recordedCompactions }: Session,
  estimator: Estimator,
): readonly WeighedText[] {
  const summaries = recordedCompactions.map(({ summary = '' }) => summary);
  const all: readonly (readonly [TextKind, string])[] = [
    ['system', system],
    ...summaries.map((summary) => ['summary', summary] as const),
  ];
  return all.flatMap(([kind, text]) => (text === '' ? [] : [{ kind, ...weigh(text, estimator) }]));
}

function addKinds(
  messages: readonly WeighedMessage[],
  texts: readonly WeighedText[],
): Readonly<Record<ContentKind, number>> {
  const total: Record<ContentKind, number> = {
    ...byTextKind(() => 0),
    toolCall: 0,
    toolOutput: 0,
  };
  for (const { kind, tokens } of texts) total[kind] += tokens;
  for (const { input, output } of messages.flatMap(({ calls }) => calls)) {
    total.toolCall += input.tokens;
    total.toolOutput += output?.tokens ?? 0;
  }
  return total;
}

/** Turns of a session; steps before the first user message belong to none. */
function sampleTurns(messages: readonly WeighedMessage[]): readonly TurnSample[] {
  const turns: WeighedMessage[][] = [];
  for (const each of messages) {
    if (each.message.role === 'user') turns.push([each]);
    else turns.at(-1)?.push(each);
  }
  return turns.map(sampleTurn);
}

function sampleTurn(messages: readonly WeighedMessage[]): TurnSample {
  const calls = messages.flatMap((each) => each.calls);
  const texts = messages.flatMap((each) => each.texts);
  const toolOutputTokens = sum(calls.map(({ output }) => output?.tokens ?? 0));
  const written = [...texts, ...calls.map(({ input }) => input)];
  return {
    contentTokens: sum(written.map(({ tokens }) => tokens)) + toolOutputTokens,
    toolOutputTokens,
    toolCalls: calls.length,
    steps: messages.filter(({ message }) => message.role === 'assistant').length,
  };
}

function sampleSteps(session: Session): readonly StepSample[] {
  const steps = stepsOf(session);
  return steps.map(({ message, index }, position) => {
    const { usage, parts } = message;
    const before = steps[position - 1];
    return {
      toolCalls: parts.filter(({ type }) => type === 'tool').length,
      writtenCharacters: sum(parts.map(charactersOfSteps)),
      contextTokens: usage && contextTokensOf(usage),
      cacheReadTokens: session.isCacheUnknown ? undefined : usage?.cacheRead,
      growthTokens: before && growthBetween(before, { message, index }, session),
      outputTokens: usage && session.isOutputFinal ? usage.output + usage.reasoning : undefined,
    };
  });
}

function stepsOf({ messages }: Session): readonly PlacedStep[] {
  return messages.flatMap((message, index) =>
    message.role === 'assistant' ? [{ message, index }] : [],
  );
}

function charactersOfSteps(part: Part): number {
  if (part.type === 'tool') return argumentsOf(part).length;
  return part.type === 'text' || part.type === 'reasoning' ? part.text.length : 0;
}

/** Growth of the recorded context between two steps; absent if unknown. */
function growthBetween(
  from: PlacedStep,
  to: PlacedStep,
  { recordedCompactions }: Session,
): number | undefined {
  const [before, after] = [from.message.usage, to.message.usage];
  const isCut = recordedCompactions.some(
    (compaction) => compaction.kind === 'full' && liesBetween(compaction, from, to),
  );
  if (isCut || before === undefined || after === undefined) return undefined;
  return contextTokensOf(after) - contextTokensOf(before);
}

function liesBetween(
  { messageIndex }: RecordedCompaction,
  from: PlacedStep,
  to: PlacedStep,
): boolean {
  return messageIndex > from.index && messageIndex <= to.index;
}

/** Gaps between messages; unknown and decreasing times are left out. */
function sampleGaps(messages: readonly Message[]): GapSample {
  const gaps = messages.slice(1).flatMap((message, index) => {
    const before = messages[index];
    if (before === undefined || before.createdAt <= 0) return [];
    const seconds = (message.createdAt - before.createdAt) / MS_PER_SECOND;
    return message.createdAt <= 0 || seconds < 0 ? [] : [{ before, message, seconds }];
  });
  const secondsOf = (isWanted: (gap: (typeof gaps)[number]) => boolean) =>
    gaps.filter(isWanted).map(({ seconds }) => seconds);
  return {
    beforeUser: secondsOf(({ message }) => message.role === 'user'),
    model: secondsOf(({ before, message }) => isStep(message) && !isStep(before)),
    toolsAndModel: secondsOf(
      ({ before, message }) => isStep(message) && isStep(before) && hasCalls(before),
    ),
  };
}

function isStep({ role }: Message): boolean {
  return role === 'assistant';
}

function hasCalls({ parts }: Message): boolean {
  return parts.some(({ type }) => type === 'tool');
}

/**
 * Content tokens between touches of the same file: from the end of the earlier output to the start of the later one. Within a step,
 * calls precede outputs.
 */
function sampleReuse(messages: readonly WeighedMessage[]): SessionSample['reuse'] {
  let [position, reads, repeatedReads] = [0, 0, 0];
  const rereads: number[] = [];
  const changes: number[] = [];
  const ends = new Map<string, number>();
  const readPaths = new Set<string>();
  const count = ({ path, isChange }: { readonly path: string; readonly isChange: boolean }) => {
    const end = ends.get(path);
    if (end !== undefined) (isChange ? changes : rereads).push(position - end);
    if (isChange) return;
    reads += 1;
    if (readPaths.has(path)) repeatedReads += 1;
    readPaths.add(path);
  };
  for (const { texts, calls } of messages) {
    position += sum([...texts, ...calls.map(({ input }) => input)].map(({ tokens }) => tokens));
    for (const { part, output } of calls) {
      const touches = touchesOf(part);
      for (const touch of touches) count(touch);
      position += output?.tokens ?? 0;
      for (const { path } of touches) ends.set(path, position);
    }
  }
  return { reads, repeatedReads, rereads, changes };
}

function sampleCompactions(session: Session, estimator: Estimator): readonly CompactionSample[] {
  const { recordedCompactions } = session;
  return recordedCompactions.map((compaction, position) => {
    const { kind, trigger, tokensBefore, summary } = compaction;
    const since = recordedCompactions.slice(0, position).findLast((each) => each.kind === 'full');
    return {
      kind,
      trigger,
      tokensBefore,
      tokensAfter: compaction.tokensAfter ?? contextAfter(session, compaction),
      summaryTokens: summary === undefined ? undefined : estimator.tokensOf(summary),
      ...countBetween(session, since?.messageIndex ?? 0, compaction.messageIndex),
    };
  });
}

/** The context of the first step after a full compaction; after a micro one it says nothing. */
function contextAfter(
  { messages }: Session,
  { kind, messageIndex }: RecordedCompaction,
): number | undefined {
  if (kind === 'micro') return undefined;
  const usages = messages
    .slice(messageIndex)
    .flatMap((message) => (message.role === 'assistant' ? (message.usage ?? []) : []));
  return usages[0] && contextTokensOf(usages[0]);
}

function countBetween({ messages }: Session, from: number, to: number) {
  const between = messages.slice(from, to);
  const states = between.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === 'tool' ? part.state.status : [])),
  );
  return {
    stepsBefore: between.filter(({ role }) => role === 'assistant').length,
    toolOutputsBefore: states.filter((status) => status === 'completed' || status === 'error')
      .length,
  };
}

/** Pairs of characters and recorded tokens: between consecutive steps with much tool output, without a prompt or compaction between. */
function sampleGrowth(
  session: Session,
  messages: readonly WeighedMessage[],
): readonly GrowthSample[] {
  const steps = stepsOf(session);
  return steps.slice(1).flatMap((to, position) => {
    const from = steps[position];
    if (from === undefined || !areAdjacent(from, to, session)) return [];
    const weighed = messages[from.index];
    const tokens = growthBetween(from, to, session);
    if (weighed === undefined || tokens === undefined || tokens <= 0) return [];
    return toGrowth(weighed, tokens);
  });
}

function areAdjacent(from: PlacedStep, to: PlacedStep, { recordedCompactions }: Session): boolean {
  const isCut = recordedCompactions.some((compaction) => liesBetween(compaction, from, to));
  return to.index === from.index + 1 && !isCut;
}

function toGrowth({ texts, calls }: WeighedMessage, tokens: number): readonly GrowthSample[] {
  const outputs = calls.flatMap(({ output }) => output ?? []);
  if (charactersOf(outputs) < MIN_OUTPUT_CHARACTERS) return [];
  const added = [...texts, ...calls.map(({ input }) => input), ...outputs];
  const tools = new Set(calls.map(({ tool }) => tool));
  const [largest] = outputs.toSorted((a, b) => b.characters - a.characters);
  const [tool] = tools;
  return [
    {
      characters: charactersOf(added),
      tokens,
      tool: tools.size === 1 ? tool : undefined,
      script: largest?.script,
    },
  ];
}

function charactersOf(weights: readonly Weight[]): number {
  return sum(weights.map(({ characters }) => characters));
}
