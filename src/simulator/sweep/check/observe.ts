import {
  type LoopState,
  type Message,
  type ModelContent,
  type Move,
  render,
  type RenderPolicy,
  type SummaryRequest,
  viewOf,
} from '../../../engine/index.ts';
import { messageOf } from '../../errors.ts';
import type { RunEvent } from '../../events.ts';
import { type AsyncRunOptions, collectInto } from '../../replay/run-trace.ts';
import type { Trace } from '../../replay/trace.ts';

/** A run as a person would watch it. */
export interface Observation {
  /** In order; those before it where the run broke off. */
  readonly events: readonly RunEvent[];
  /** Why the run broke off; absent where it ended by itself. */
  readonly broken?: string;
  /** Every text that the next request would hold besides system prompt and tools. */
  readonly seen: () => readonly string[];
  /** The texts of each summary request, also of those that were refused or got no answer. */
  readonly summaryTexts: () => readonly (readonly string[])[];
}

/** Watches a run until it ends or breaks off. */
export async function observe(trace: Trace, options: AsyncRunOptions): Promise<Observation> {
  const { render: form } = options.policy;
  const events: RunEvent[] = [];
  const requests: SummaryRequest[] = [];
  let state: LoopState | undefined;
  const onTransition = ({ next }: Move) => {
    state = next.state;
    for (const command of next.commands) {
      if (command.type === 'summarise') requests.push(command.request);
    }
  };
  const broken = await collect(events, trace, { ...options, onTransition });
  return {
    events,
    ...(broken !== undefined && { broken }),
    seen: () => (state === undefined ? [] : textsOf(viewOf(state), form)),
    summaryTexts: () =>
      requests.map(({ system, messages, prompt }) => [system, ...textsOf(messages, form), prompt]),
  };
}

/** Gives why the events broke off, if they did. */
async function collect(
  events: RunEvent[],
  trace: Trace,
  options: AsyncRunOptions,
): Promise<string | undefined> {
  try {
    await collectInto(events, trace, options);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

function textsOf(messages: readonly Message[], form: RenderPolicy): readonly string[] {
  return render(messages, form).flatMap(({ content }) => content.flatMap(textOf));
}

function textOf(content: ModelContent): readonly string[] {
  switch (content.type) {
    case 'text':
    case 'reasoning':
      return [content.text];
    case 'tool-call':
      return [content.tool, JSON.stringify(content.input) ?? ''];
    case 'tool-result':
      return [content.output];
    case 'file':
      return content.filename === undefined ? [] : [content.filename];
  }
}
