import type { Session } from '../session.ts';
import { sampleCompactions } from './compactions.ts';
import type { Estimator } from './estimator.ts';
import { sampleGaps } from './gaps.ts';
import { sampleGrowth } from './growth.ts';
import { sampleReuse, type TouchesOf } from './reuse.ts';
import {
  byTextKind,
  type CallSample,
  type ContentKind,
  type SessionSample,
  type TextKind,
} from './sample.ts';
import { sampleSteps } from './steps.ts';
import { sampleTurns } from './turns.ts';
import {
  weigh,
  type WeighedCall,
  type WeighedMessage,
  type WeighedText,
  weighMessages,
} from './weigh.ts';

/** How sessions are looked at. */
export interface SampleOptions {
  readonly estimator: Estimator;
  /** What a call does to which file, for calls that touch one. */
  readonly touchesOf: TouchesOf;
}

const NOTHING: Readonly<Record<ContentKind, number>> = {
  user: 0,
  assistant: 0,
  reasoning: 0,
  toolCall: 0,
  toolOutput: 0,
  injected: 0,
  summary: 0,
  system: 0,
};

/** The sizes of a session; its texts are let go. */
export function sampleSession(session: Session, options: SampleOptions): SessionSample {
  const { estimator, touchesOf } = options;
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
    textTokens: groupTexts(texts),
    calls: weighed.flatMap(({ calls }) => calls.map(toCallSample)),
    turns: sampleTurns(weighed),
    steps: sampleSteps(session),
    gaps: sampleGaps(messages),
    reuse: sampleReuse(weighed, touchesOf),
    compactions: sampleCompactions(session, estimator),
    growth: sampleGrowth(session, weighed),
  };
}

/** The system prompt and the summaries stand beside the messages. */
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

function toCallSample({ tool, input, output, isError, isDuplicate }: WeighedCall): CallSample {
  return { tool, input, output, isError, isDuplicate };
}

function addKinds(
  messages: readonly WeighedMessage[],
  texts: readonly WeighedText[],
): Readonly<Record<ContentKind, number>> {
  const total = { ...NOTHING };
  for (const { kind, tokens } of texts) total[kind] += tokens;
  for (const { input, output } of messages.flatMap(({ calls }) => calls)) {
    total.toolCall += input.tokens;
    total.toolOutput += output?.tokens ?? 0;
  }
  return total;
}

function groupTexts(texts: readonly WeighedText[]): SessionSample['textTokens'] {
  return byTextKind((wanted) =>
    texts.filter(({ kind }) => kind === wanted).map(({ tokens }) => tokens),
  );
}
