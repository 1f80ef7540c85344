import type { Message, Part, ToolPart } from '../../../engine/index.ts';
import { argumentsOf, recordedOutputOf } from '../call-texts.ts';
import { countCharacters, type Estimator } from './estimator.ts';
import type { CallSample, TextKind, Weight } from './sample.ts';
import { scriptOf } from './script.ts';

/** A call with where its part stands, which no sample keeps. */
export interface WeighedCall extends CallSample {
  readonly part: ToolPart;
}

/** A text that is neither a call nor an output, weighed. */
export interface WeighedText extends Weight {
  readonly kind: TextKind;
}

/** A message with the weights of its parts. */
export interface WeighedMessage {
  readonly message: Message;
  readonly texts: readonly WeighedText[];
  readonly calls: readonly WeighedCall[];
}

/** Weighs the messages of a session, each text once; a text that is empty is none. */
export function weighMessages(
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

/** A text as numbers. */
export function weigh(text: string, estimator: Estimator): Weight {
  return {
    tokens: estimator.tokensOf(text),
    characters: countCharacters(text),
    script: scriptOf(text),
  };
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
