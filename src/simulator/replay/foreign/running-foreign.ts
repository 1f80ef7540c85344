import {
  type Message,
  type ModelMessage,
  policies,
  renderMessage,
  type Usage,
} from '../../../engine/index.ts';
import type { Env } from '../../env.ts';
import { createPrefixCache } from '../../provider/cache/prefix-cache.ts';
import type { ModelProfile } from '../../provider/model-profile.ts';
import type { Fault } from '../../scenario/scenario.ts';
import type { Lawful } from '../broken-laws.ts';
import { RECORDED } from '../count.ts';
import { type FaultSchedule, scheduleFaults } from '../fault-schedule.ts';
import { createWatch, type Watch } from '../references/watch.ts';
import type { Halt } from '../running.ts';
import { createServiceWith, type Service } from '../service.ts';
import type { Trace } from '../trace.ts';
import type { Compactor } from './compactor.ts';
import { createMessageStore, type MessageStore } from './message-store.ts';
import { createListScale, type ListScale } from './scale.ts';
import { type Fed, toShownView } from './shown-view.ts';

/** What a trace is replayed against where the compaction is somebody else's. */
export interface ForeignOptions {
  readonly compactor: Compactor;
  /** What stands in the place of a policy's name. */
  readonly name: string;
  readonly model: ModelProfile;
  readonly seed: number;
  readonly env: Env;
  /** Refusals of steps and wrong usages befall it; other faults do not. */
  readonly faults?: readonly Fault[];
  /** Told of each request that the provider took, and of the conversation at the end. */
  readonly onMessages?: (messages: readonly ModelMessage[]) => void;
}

/** A session in the middle of its replay against somebody's own compaction. */
export interface RunningForeign extends Lawful {
  readonly trace: Trace;
  readonly options: ForeignOptions;
  readonly service: Service;
  readonly faults: FaultSchedule;
  readonly store: MessageStore;
  readonly scale: ListScale;
  readonly watch: Watch;
  /** What the session has added so far. */
  readonly fed: Fed[];
  /** Messages that belong to the one before them. */
  readonly continued: Set<ModelMessage>;
  messages: readonly ModelMessage[];
  /** What is shown of the session, as a view. */
  view: readonly Message[];
  newestRequest: ModelMessage | undefined;
  /** The newest step, where the model has not answered to its results yet. */
  unanswered: readonly ModelMessage[];
  usage: Usage | undefined;
  step: number;
  halt: Halt | undefined;
}

/** A run that has not begun. */
export function startForeign(trace: Trace, options: ForeignOptions): RunningForeign {
  const continued = new Set<ModelMessage>();
  return {
    trace,
    options,
    // No request of another compaction is the same as one before, so that no path is shared.
    service: createServiceWith(createPrefixCache(options.model.cache), {
      profile: options.model,
      policy: policies.none,
      trace,
    }),
    faults: scheduleFaults(options.faults ?? []),
    store: createMessageStore(),
    scale: createListScale(trace, (message) => continued.has(message)),
    // Nothing leaves but what the compactor leaves out.
    watch: createWatch(trace.references(), 'pivot'),
    fed: [],
    continued,
    broken: undefined,
    messages: [],
    view: [],
    newestRequest: undefined,
    unanswered: [],
    usage: undefined,
    step: 0,
    halt: undefined,
  };
}

/** Adds what the session says next to the end of the conversation. */
export function addMessage(running: RunningForeign, message: Message): void {
  const sent = renderMessage(message, RECORDED).map((one) => running.store.keep(one));
  for (const one of sent.slice(1)) if (one.role === 'user') running.continued.add(one);
  running.fed.push({ message, sent });
  running.messages = [...running.messages, ...sent];
  running.view = [...running.view, message];
  if (message.role === 'user') {
    running.newestRequest = sent[0] ?? running.newestRequest;
    running.unanswered = [];
  } else running.unanswered = sent;
}

/** Puts what the compactor gave in the place of the conversation. */
export function replaceMessages(running: RunningForeign, messages: readonly ModelMessage[]): void {
  running.messages = messages;
  running.view = toShownView(running.fed, messages, RECORDED);
}
