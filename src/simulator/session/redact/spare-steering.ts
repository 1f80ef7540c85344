import type { Message, Part } from '../../../engine/index.ts';
import { isTexts } from '../../lib/json.ts';
import type { Span } from '../calls/span.ts';
import { findSteering, findSteeringInList, STEERED_KEYS } from '../calls/steering.ts';
import type { Session } from '../session.ts';
import { SparedText } from './spared-text.ts';

/** The session with the words spared by which its calls say what they do to files. */
export function spareSteering(session: Session): Session {
  return { ...session, messages: session.messages.map(spareInMessage) };
}

function spareInMessage(message: Message): Message {
  return { ...message, parts: message.parts.map(spareInPart) };
}

function spareInPart(part: Part): Part {
  if (part.type !== 'tool') return part;
  const { state } = part;
  return { ...part, state: { ...state, input: spareInInput(state.input) } };
}

function spareInInput(input: unknown): unknown {
  if (typeof input === 'string') return spare(input, findSteering(input));
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input;
  const steered = Object.entries(input)
    .filter(([key]) => STEERED_KEYS.includes(key))
    .map(([key, value]) => [key, spareInArgument(value, key)] as const);
  return steered.length === 0 ? input : { ...input, ...Object.fromEntries(steered) };
}

function spareInArgument(value: unknown, key: string): unknown {
  if (typeof value === 'string') return spare(value, findSteering(value, key));
  if (!isTexts(value)) return value;
  const spans = findSteeringInList(value, key);
  return value.map((word, index) => spare(word, spans[index] ?? []));
}

function spare(text: string, spans: readonly Span[]): string | SparedText {
  return spans.length === 0 ? text : new SparedText(text, spans);
}
