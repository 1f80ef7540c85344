import {
  type Command,
  createState,
  type EngineEvent,
  type Limits,
  type LoopInput,
  type LoopState,
  type Message,
  markerOf,
  type Policy,
  type Transition,
  transition,
} from '../../src/engine/index.ts';
import { frozen } from '../../src/engine/values.ts';
import { testTools } from './tools.ts';

/** What a policy did with each input, told in short lines, and where it ended. */
export interface Drive {
  readonly lines: readonly (readonly string[])[];
  readonly state: LoopState;
}

/** Feeds the inputs to a policy one after the other; no state may be changed in place. */
export function drive(policy: Policy, limits: Limits, inputs: readonly LoopInput[]): Drive {
  const tools = testTools();
  let state = createState(policy, limits);
  const lines = inputs.map((input) => {
    const next = transition(frozen(state), frozen(input), tools);
    state = next.state;
    return linesOf(next);
  });
  return { lines, state };
}

/** What came of an input, told in short lines. */
export function linesOf({ events, commands }: Transition): readonly string[] {
  return [...events.map(describeEvent), ...commands.map(describeCommand)];
}

/** Messages by id; those that the engine made, by what they are. */
export function namesOf(messages: readonly Message[]): string {
  return messages.map(nameOf).join(' ');
}

function nameOf(message: Message): string {
  if (markerOf(message) !== undefined) return 'marker';
  if (message.id.startsWith('recalled-')) return 'recalled';
  if (message.role === 'assistant') {
    if (message.summary !== true) return message.id;
    return message.error === undefined ? 'summary' : 'failed-summary';
  }
  if (message.parts.some((part) => part.type === 'text' && part.synthetic)) return 'continue';
  return message.id.startsWith('message-') ? 'replay' : message.id;
}

function describeEvent(event: EngineEvent): string {
  switch (event.type) {
    case 'overflow':
      return `overflow ${event.path}`;
    case 'marker-queued':
      return `marker-queued ${event.auto ? 'auto' : 'manual'}`;
    case 'background-started':
      return 'background-started';
    case 'pruned':
      return ['pruned', event.plan.state, ...event.plan.partIds].join(' ');
    case 'compacted':
      return `compacted ${event.auto ? 'auto' : 'manual'}${event.isReplay ? ' replay' : ''}`;
    case 'summary-failed':
      return 'summary-failed';
    case 'summary-rejected':
      return `summary-rejected: ${event.reason}`;
    case 'summary-repeated':
      return `summary-repeated ${event.because}`;
    case 'usage-ignored':
      return `usage-ignored ${event.messageId}: ${event.reason}`;
    case 'moved-out':
      return ['moved-out', ...event.messageIds].join(' ');
    case 'ignored':
      return `ignored ${event.input}`;
  }
}

function describeCommand(command: Command): string {
  switch (command.type) {
    case 'request':
      return `request ${namesOf(command.view)}`;
    case 'summarise':
      return `summarise ${namesOf(command.request.messages)}`;
    case 'stop':
      return `stop ${command.reason}${command.detail === undefined ? '' : `: ${command.detail}`}`;
  }
}
