import * as calls from '../tool-calls.ts';
import type { AssistantMessage, Message, Part, ToolPart } from '../../../engine/index.ts';
import { sum } from '../../lib/collections.ts';
import type { Immutable } from '../../lib/json.ts';
import { MS_PER_SECOND } from '../../lib/units.ts';
import { contextTokensOf, type RecordedCompaction, type Session } from '../session.ts';
import { argumentsOf, recordedOutputOf } from '../tool-calls.ts';
import * as sizes from './sample.ts';

/** Sizes of one session, without its texts. */
export type SessionSample = Immutable<ReturnType<typeof sampleSession>>;
/** A tool call with its output. */
export type CallSample = SessionSample['calls'][number];
/** Recorded token counts of a step; absent values were not recorded. */
export type StepSample = SessionSample['steps'][number];

interface PlacedStep {
  readonly message: AssistantMessage;
  readonly index: number;
}

type Weighed = readonly WeighedMessage[];
type PlacedSteps = readonly PlacedStep[];
type WeighedMessage = ReturnType<typeof weighMessages>[number];

/** Below this, fixed costs of a step hide the cost of characters. */
const MIN_OUTPUT_CHARACTERS = 2000;

/** Samples the sizes of a session; its texts are not kept. */
export function sampleSession(session: Session, estimator: sizes.Estimator) {
  const { name, format, isSide, model, messages, labels } = session;
  const weighed = weighMessages(messages, estimator);
  const texts = [...weighed.flatMap((each) => each.texts), ...textsBeside(session, estimator)];
  const steps = messages.flatMap((message, index) =>
    message.role === 'assistant' ? [{ message, index }] : [],
  );
  return {
    name,
    format,
    isSide,
    ...(labels && { labels }),
    model,
    messages: messages.length,
    tokensByKind: addKinds(weighed, texts),
    textTokens: sizes.byTextKind((wanted) =>
      texts.filter(({ kind }) => kind === wanted).map(({ tokens }) => tokens),
    ),
    calls: weighed.flatMap(({ calls }) => calls.map(({ part: _part, ...call }) => call)),
    turns: sampleTurns(weighed),
    steps: sampleSteps(session, steps),
    gaps: sampleGaps(messages),
    reuse: sampleReuse(weighed),
    compactions: sampleCompactions(session, estimator),
    growth: sampleGrowth(session, weighed, steps),
  };
}

function weighMessages(messages: readonly Message[], estimator: sizes.Estimator) {
  const outputs = new Set<string>();
  return messages.map((message) => ({
    message,
    texts: message.parts.flatMap((part) => weighText(part, message.role, estimator)),
    calls: message.parts.flatMap((part) =>
      part.type === 'tool' ? [weighCall(part, outputs, estimator)] : [],
    ),
  }));
}

function weighText(part: Part, role: Message['role'], estimator: sizes.Estimator) {
  const isText = part.type === 'text' && part.ignored !== true;
  if ((!isText && part.type !== 'reasoning') || part.text === '') return [];
  const spoken = part.type === 'text' && part.synthetic === true ? 'injected' : role;
  const kind: sizes.TextKind = part.type === 'reasoning' ? 'reasoning' : spoken;
  return [{ kind, ...sizes.weigh(part.text, estimator) }];
}

function weighCall(part: ToolPart, outputs: Set<string>, estimator: sizes.Estimator) {
  const output = recordedOutputOf(part);
  const isDuplicate = output !== undefined && outputs.has(output);
  if (output !== undefined) outputs.add(output);
  return {
    part,
    tool: part.tool,
    input: sizes.weigh(argumentsOf(part), estimator),
    output: output === undefined ? undefined : sizes.weigh(output, estimator),
    isError: part.state.status === 'error',
    isDuplicate,
  };
}

function textsBeside({ system, recordedCompactions }: Session, estimator: sizes.Estimator) {
  const summaries = recordedCompactions.map(({ summary }) => ['summary', summary] as const);
  return [['system', system] as const, ...summaries].flatMap(([kind, text]) =>
    text ? [{ kind, ...sizes.weigh(text, estimator) }] : [],
  );
}

function addKinds(
  messages: Weighed,
  texts: readonly (sizes.Weight & { readonly kind: sizes.TextKind })[],
) {
  const total: Record<sizes.ContentKind, number> = {
    ...sizes.byTextKind(() => 0),
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

function sampleTurns(messages: Weighed) {
  const turns: WeighedMessage[][] = [];
  for (const each of messages) {
    if (each.message.role === 'user') turns.push([each]);
    else turns.at(-1)?.push(each);
  }
  return turns.map((turn) => {
    const calls = turn.flatMap((each) => each.calls);
    const toolOutputTokens = sum(calls.map(({ output }) => output?.tokens ?? 0));
    const written = [...turn.flatMap(({ texts }) => texts), ...calls.map(({ input }) => input)];
    return {
      contentTokens: sum(written.map(({ tokens }) => tokens)) + toolOutputTokens,
      toolOutputTokens,
      toolCalls: calls.length,
      steps: turn.filter(({ message }) => message.role === 'assistant').length,
    };
  });
}

function sampleSteps(session: Session, steps: PlacedSteps) {
  return steps.map((step, position) => {
    const { usage, parts } = step.message;
    const before = steps[position - 1];
    return {
      toolCalls: parts.filter(({ type }) => type === 'tool').length,
      writtenCharacters: sum(parts.map(writtenIn)),
      contextTokens: usage && contextTokensOf(usage),
      cacheReadTokens: session.isCacheUnknown ? undefined : usage?.cacheRead,
      growthTokens: before && growthBetween(before, step, session),
      outputTokens: usage && session.isOutputFinal ? usage.output + usage.reasoning : undefined,
    };
  });
}

function writtenIn(part: Part): number {
  if (part.type === 'tool') return argumentsOf(part).length;
  return part.type === 'text' || part.type === 'reasoning' ? part.text.length : 0;
}

function growthBetween(from: PlacedStep, to: PlacedStep, { recordedCompactions }: Session) {
  const [before, after] = [from.message.usage, to.message.usage];
  const full = recordedCompactions.filter(({ kind }) => kind === 'full');
  if (liesBetween(full, from, to) || before === undefined || after === undefined) return undefined;
  return contextTokensOf(after) - contextTokensOf(before);
}

function liesBetween(compactions: readonly RecordedCompaction[], from: PlacedStep, to: PlacedStep) {
  return compactions.some(({ messageIndex: at }) => at > from.index && at <= to.index);
}

/** Gaps between messages in seconds; unknown and decreasing times are left out. */
function sampleGaps(messages: readonly Message[]) {
  const gaps = messages.slice(1).flatMap((message, index) => {
    const before = messages[index];
    if (before === undefined || before.createdAt <= 0) return [];
    const seconds = (message.createdAt - before.createdAt) / MS_PER_SECOND;
    if (message.createdAt <= 0 || seconds < 0) return [];
    const hasCalls = before.parts.some(({ type }) => type === 'tool');
    return [{ from: before.role, to: message.role, hasCalls, seconds }];
  });
  const secondsOf = (isWanted: (gap: (typeof gaps)[number]) => boolean) =>
    gaps.filter(isWanted).map(({ seconds }) => seconds);
  return {
    beforeUser: secondsOf(({ to }) => to === 'user'),
    model: secondsOf(({ from, to }) => to === 'assistant' && from !== 'assistant'),
    toolsAndModel: secondsOf(
      ({ from, to, hasCalls }) => to === 'assistant' && from === 'assistant' && hasCalls,
    ),
  };
}

/** From output to call; within a step, calls precede outputs. */
function sampleReuse(messages: Weighed) {
  let [position, reads, repeatedReads] = [0, 0, 0];
  const rereads: number[] = [];
  const changes: number[] = [];
  const ends = new Map<string, number>();
  const readPaths = new Set<string>();
  const count = ({ path, isChange }: ReturnType<typeof touchesOf>[number]) => {
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

function sampleCompactions(session: Session, estimator: sizes.Estimator) {
  const { recordedCompactions, messages } = session;
  return recordedCompactions.map((compaction, position) => {
    const { kind, trigger, tokensBefore, summary, messageIndex } = compaction;
    const since = recordedCompactions.slice(0, position).findLast((each) => each.kind === 'full');
    const between = messages.slice(since?.messageIndex ?? 0, messageIndex);
    const outputs = between.flatMap(({ parts }) =>
      parts.filter((part) => part.type === 'tool' && /^completed|^error/.test(part.state.status)),
    );
    return {
      kind,
      trigger,
      tokensBefore,
      tokensAfter: compaction.tokensAfter ?? contextAfter(session, compaction),
      summaryTokens: summary === undefined ? undefined : estimator.tokensOf(summary),
      stepsBefore: between.filter(({ role }) => role === 'assistant').length,
      toolOutputsBefore: outputs.length,
    };
  });
}

/** The context of the first step after a full compaction; after a micro one it says nothing. */
function contextAfter({ messages }: Session, { kind, messageIndex }: RecordedCompaction) {
  if (kind === 'micro') return undefined;
  const usages = messages
    .slice(messageIndex)
    .flatMap((message) => (message.role === 'assistant' ? (message.usage ?? []) : []));
  return usages[0] && contextTokensOf(usages[0]);
}

/** Between consecutive steps with much tool output, without a prompt or compaction between. */
function sampleGrowth(session: Session, messages: Weighed, steps: PlacedSteps) {
  return steps.slice(1).flatMap((to, position) => {
    const from = steps[position];
    if (from === undefined || to.index !== from.index + 1) return [];
    const weighed = messages[from.index];
    const tokens = growthBetween(from, to, session) ?? 0;
    const isCut = liesBetween(session.recordedCompactions, from, to);
    if (weighed === undefined || isCut || tokens <= 0) return [];
    const { texts, calls } = weighed;
    const outputs = calls.flatMap(({ output }) => output ?? []);
    if (charactersOf(outputs) < MIN_OUTPUT_CHARACTERS) return [];
    const characters = charactersOf([...texts, ...calls.map(({ input }) => input), ...outputs]);
    return [{ characters, tokens }];
  });
}

function charactersOf(weights: readonly sizes.Weight[]): number {
  return sum(weights.map(({ characters }) => characters));
}

/** The files that a call reads or changes; searching touches none. */
function touchesOf(part: ToolPart) {
  const operation = calls.operationOf(part);
  if (operation === undefined || operation === 'searched') return [];
  return calls.pathsOf(part).map((path) => ({ path, isChange: operation !== 'read' }));
}
