import type { ModelContent, ModelMessage } from '../../engine/index.ts';
import { perKey } from '../lib/collections.ts';
import { quoted } from '../lib/names.ts';

/** The name of a demand on the form of a request. */
export type CheckName = keyof typeof checks;

/** One message of a request, the system prompt too. */
export interface RequestMessage {
  readonly role: 'system' | ModelMessage['role'];
  readonly content: readonly ModelContent[];
}

/** A check of one request, message by message. Its faults are phrases that follow a message's number. */
interface CheckRun {
  /** The fault of the next message, after those before it. */
  next(message: RequestMessage): string | undefined;
  /** Takes back the newest message of a request without a fault. */
  back?(message: RequestMessage): void;
  /** The fault of a request that ends here; further messages may still follow. */
  end?(): string | undefined;
}

/** A provider's demand on the form of a request. */
interface RequestCheck {
  readonly describes: string;
  readonly source: string;
  start(): CheckRun;
}

/** The kind of the newest message; one with calls is a kind of its own. */
type Ending = 'nothing' | 'user' | 'assistant' | 'calls' | 'tool';

/** Several checks of one request; their faults are sentences. */
export interface RequestChecker {
  next(message: RequestMessage): string | undefined;
  /** Takes back the newest message of a request without a fault. */
  back(message: RequestMessage): void;
  end(): string | undefined;
}

/** Each call has its result in the messages right after it, and each result its call before it. */
const callsPaired: RequestCheck = {
  describes:
    'Each call is answered directly after its message, and each result answers such a call',
  source: 'claude-code, gemini-cli#8661, openclaw#4739',
  start: () => {
    const openIds = new Set<string>();
    return {
      next: (message) => findUnanswered(message, openIds) ?? findUnasked(message, openIds),
      back: ({ content }) => {
        for (const part of content.toReversed()) {
          if (part.type === 'tool-call') openIds.delete(part.callId);
          if (part.type === 'tool-result') openIds.add(part.callId);
        }
      },
      end: () => (openIds.size > 0 ? `ends without ${resultsFor(openIds)}` : undefined),
    } satisfies CheckRun;
  },
};

/** No id names two calls or two results. */
const idsUnique: RequestCheck = {
  describes: 'No id is used for two calls or for two results',
  source: 'atomic#2051',
  start: () => {
    const seenCallIds = new Set<string>();
    const seenResultIds = new Set<string>();
    return {
      next: ({ content }) => {
        let repeatedCall: string | undefined;
        let repeatedResult: string | undefined;
        for (const part of content) {
          if (part.type === 'tool-call' && !addNew(seenCallIds, part.callId)) {
            repeatedCall ??= part.callId;
          } else if (part.type === 'tool-result' && !addNew(seenResultIds, part.callId)) {
            repeatedResult ??= part.callId;
          }
        }
        if (repeatedCall !== undefined) return `has another call ${quoted(repeatedCall)}`;
        if (repeatedResult === undefined) return undefined;
        return `has another result for ${quoted(repeatedResult)}`;
      },
      back: ({ content }) => {
        for (const part of content) {
          if (part.type === 'tool-call') seenCallIds.delete(part.callId);
          if (part.type === 'tool-result') seenResultIds.delete(part.callId);
        }
      },
    };
  },
};

const allowedAfter: Record<Ending, readonly RequestMessage['role'][]> = {
  nothing: ['user'],
  user: ['assistant'],
  assistant: ['user'],
  calls: ['tool'],
  tool: ['tool', 'assistant'],
};

const shownEndings: Record<Ending, string> = {
  nothing: 'at the start',
  user: 'after a user message',
  assistant: 'after an assistant message without calls',
  calls: 'after an assistant message with calls',
  tool: 'after a tool message',
};

/** User and assistant take turns, and results stand only between a call and what the assistant says to them. */
const rolesAlternate: RequestCheck = {
  describes:
    'User and assistant alternate; tool messages follow calls, and the assistant follows them',
  source: 'hermes#74086, mistral-vibe#927: chat templates of Mistral',
  start: () => {
    const endings: Ending[] = [];
    return {
      next: (message) => {
        if (message.role === 'system') return undefined;
        const before = endings.at(-1) ?? 'nothing';
        endings.push(endingOf(message, message.role));
        if (allowedAfter[before].includes(message.role)) return undefined;
        return `has the role ${message.role} ${shownEndings[before]}`;
      },
      back: ({ role }) => {
        if (role !== 'system') endings.pop();
      },
    };
  },
};

/** The system prompt is one message, and the first. */
const systemFirst: RequestCheck = {
  describes: 'At most one system message, at the very start',
  source: 'zerostack#94: chat templates of local models',
  start: () => {
    let messages = 0;
    return {
      next: ({ role }) => {
        const isLate = role === 'system' && messages > 0;
        messages += 1;
        return isLate ? 'is a system message, but not the first message' : undefined;
      },
      back: () => {
        messages -= 1;
      },
    };
  },
};

/** The conversation begins with the user. */
const userFirst: RequestCheck = {
  describes: 'The first message after the system prompt is a user message',
  source: 'hermes#58331: chat templates of Qwen; Bedrock, Converse; Google, multi-turn requests',
  start: () => {
    let messages = 0;
    return {
      next: ({ role }) => {
        if (role === 'system') return undefined;
        messages += 1;
        return role === 'user' || messages > 1
          ? undefined
          : `has the role ${role}, but no user message is before it`;
      },
      back: ({ role }) => {
        if (role !== 'system') messages -= 1;
      },
      end: () => (messages > 0 ? undefined : 'ends without a user message'),
    };
  },
};

/** Reasoning comes before its result. */
const reasoningFollowed: RequestCheck = {
  describes: 'Reasoning is followed by text or a call in the same message',
  source: 'openai-agents-js#1280, vercel/ai#11036: OpenAI, Responses API',
  start: () => ({
    next: ({ content }) =>
      content.at(-1)?.type === 'reasoning' ? 'ends with reasoning that nothing follows' : undefined,
  }),
};

/** Tests inputs and attachments once per object. */
const hasLoneSurrogate = perKey((whole: object): boolean => {
  // It needs no stack, however deep the input of a call is.
  const waiting: unknown[] = [whole];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value === 'string' && !value.isWellFormed()) return true;
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, child] of Object.entries(value)) waiting.push(key, child);
  }
  return false;
});

const isMalformed = perKey(({ content }: RequestMessage) =>
  content.some((one) => Object.values<unknown>(one).some(isMalformedValue)),
);

/** Every text is well-formed, so that a strict reader of JSON takes it. */
const textWellFormed: RequestCheck = {
  describes: 'No text contains half a character (a lone surrogate)',
  source: 'vercel/eve#3062, llumiverse#462',
  start: () => ({
    next: (message) => (isMalformed(message) ? 'has text with a lone surrogate' : undefined),
  }),
};

/** Every text says something. */
const textNotEmpty: RequestCheck = {
  describes: 'No text is empty, no message has only blank text, and no user message lacks content',
  source: 'claude-code#59812, claude-code#23440: Anthropic, Messages API',
  start: () => ({ next: findNothingSaid }),
};

/** Demands of providers on the form of a request, by name. */
export const checks = {
  'calls-paired': callsPaired,
  'ids-unique': idsUnique,
  'roles-alternate': rolesAlternate,
  'system-first': systemFirst,
  'user-first': userFirst,
  'reasoning-followed': reasoningFollowed,
  'text-well-formed': textWellFormed,
  'text-not-empty': textNotEmpty,
} satisfies Record<string, RequestCheck>;

/** Starts checks of one request. Of several faults in one message, that of the check named first is reported. */
export function createChecker(names: readonly CheckName[]): RequestChecker {
  const runs = names.map((name): CheckRun => checks[name].start());
  let index = 0;
  return {
    next: (message) => {
      let fault: string | undefined;
      for (const run of runs) {
        // Each check sees each message, also after a fault of another.
        const found = run.next(message);
        fault ??= found;
      }
      index += 1;
      return fault === undefined ? undefined : `Message ${index - 1} ${fault}.`;
    },
    back: (message) => {
      for (const run of runs) run.back?.(message);
      index -= 1;
    },
    end: () => {
      for (const run of runs) {
        const fault = run.end?.();
        if (fault !== undefined) return `The request ${fault}.`;
      }
      return undefined;
    },
  };
}

/** The first fault of a whole request. */
export function findFault(
  messages: readonly RequestMessage[],
  names: readonly CheckName[],
): string | undefined {
  const checker = createChecker(names);
  for (const message of messages) {
    const fault = checker.next(message);
    if (fault !== undefined) return fault;
  }
  return checker.end();
}

function findUnanswered({ role }: RequestMessage, openIds: ReadonlySet<string>) {
  return role !== 'tool' && openIds.size > 0 ? `comes before ${resultsFor(openIds)}` : undefined;
}

function resultsFor(openIds: ReadonlySet<string>): string {
  const [first = ''] = openIds;
  const others = openIds.size > 1 ? ` and ${openIds.size - 1} more` : '';
  return `the result for ${quoted(first)}${others}`;
}

function findUnasked({ content }: RequestMessage, openIds: Set<string>): string | undefined {
  let fault: string | undefined;
  for (const part of content) {
    if (part.type === 'tool-call') openIds.add(part.callId);
    if (part.type === 'tool-result' && !openIds.delete(part.callId)) {
      fault ??= `has a result for ${quoted(part.callId)}, which no open call has`;
    }
  }
  return fault;
}

/** Adds an id; false if it was there before. */
function addNew(seenIds: Set<string>, id: string): boolean {
  const { size } = seenIds;
  return seenIds.add(id).size > size;
}

function endingOf({ content }: RequestMessage, role: 'user' | 'assistant' | 'tool'): Ending {
  const hasCalls = content.some(({ type }) => type === 'tool-call');
  return hasCalls ? 'calls' : role;
}

function findNothingSaid({ role, content }: RequestMessage): string | undefined {
  if (role === 'user' && content.length === 0) return 'has no content';
  if (content.some((part) => part.type === 'text' && part.text === '')) return 'has an empty text';
  const isBlank = content.every((part) => part.type === 'text' && part.text.trim() === '');
  return content.length > 0 && isBlank ? 'has only blank text' : undefined;
}

function isMalformedValue(value: unknown): boolean {
  if (typeof value === 'string') return !value.isWellFormed();
  return typeof value === 'object' && value !== null && hasLoneSurrogate(value);
}
