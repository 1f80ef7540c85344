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

/** A check on its way through one request. What it finds is words that follow a message's number. */
interface CheckRun {
  /** What is wrong with the next message, after those before it. */
  next(message: RequestMessage): string | undefined;
  /** What is wrong with a request that has no more messages; further ones may still follow. */
  end?(): string | undefined;
  /** Takes back the newest message, in a request without a fault. */
  back?(message: RequestMessage): void;
  /** Whether nothing is left open that the next message has to answer; absent where nothing ever is. */
  isSettled?(): boolean;
}

/** What a provider demands of the form of a request. */
interface RequestCheck {
  readonly describes: string;
  readonly source: string;
  /**
   * What it looks at together: single messages, exchanges of them up to where all is settled, how a request begins, the
   * ids in it, or the whole request. Exchanges that pass by themselves pass wherever all is settled before them.
   */
  readonly scope: 'message' | 'exchange' | 'opening' | 'ids' | 'request';
  start(): CheckRun;
}

/** What the messages so far end with; a message with calls is apart. */
type Ending = 'nothing' | 'user' | 'assistant' | 'calls' | 'tool';

/** Several checks on their way through one request; what they find are sentences. */
export interface RequestChecker {
  /** What is wrong with the next message; local checks that its exchange passes by itself are made only where something is open. */
  next(message: RequestMessage, passed?: CheckSet): string | undefined;
  end(): string | undefined;
  back(message: RequestMessage): void;
}

/** Some of the checks, each as one bit of a number. */
export type CheckSet = number;

/** Each call has its result in the messages right after it, and each result its call before it. */
const callsPaired: RequestCheck = {
  describes:
    'Each call is answered directly after its message, and each result answers such a call',
  source: 'claude-code, gemini-cli#8661, openclaw#4739',
  scope: 'exchange',
  start: () => {
    const openIds = new Set<string>();
    return {
      next: (message) => findUnanswered(message, openIds) ?? findUnasked(message, openIds),
      isSettled: () => openIds.size === 0,
      end: () => (openIds.size > 0 ? `ends without ${resultsFor(openIds)}` : undefined),
      back: ({ content }) => {
        for (const part of content.toReversed()) {
          if (part.type === 'tool-call') openIds.delete(part.callId);
          if (part.type === 'tool-result') openIds.add(part.callId);
        }
      },
    } satisfies CheckRun;
  },
};

/** No id names two calls or two results. */
const idsUnique: RequestCheck = {
  describes: 'No id is used for two calls or for two results',
  source: 'atomic#2051',
  scope: 'ids',
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
  scope: 'request',
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
  scope: 'request',
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
  scope: 'opening',
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
      end: () => (messages > 0 ? undefined : 'ends without a user message'),
      back: ({ role }) => {
        if (role !== 'system') messages -= 1;
      },
    };
  },
};

/** Reasoning stands before what came of it. */
const reasoningFollowed: RequestCheck = {
  describes: 'Reasoning is followed by text or a call in the same message',
  source: 'openai-agents-js#1280, vercel/ai#11036: OpenAI, Responses API',
  scope: 'message',
  start: () => ({
    next: ({ content }) =>
      content.at(-1)?.type === 'reasoning' ? 'ends with reasoning that nothing follows' : undefined,
  }),
};

/** Inputs and attachments are looked through once, whatever becomes of the messages around them. */
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
  scope: 'message',
  start: () => ({
    next: (message) => (isMalformed(message) ? 'has text with a lone surrogate' : undefined),
  }),
};

/** Every text says something. */
const textNotEmpty: RequestCheck = {
  describes: 'No text is empty, no message has only blank text, and no user message lacks content',
  source: 'claude-code#59812, claude-code#23440: Anthropic, Messages API',
  scope: 'message',
  start: () => ({ next: findNothingSaid }),
};

/** What providers demand of the form of a request, by name. */
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

/** No check at all. */
export const NO_CHECKS: CheckSet = 0;

const NAMES = Object.keys(checks) as readonly CheckName[];

/** Those for which it does not matter what else stands in a request, once all is settled before. */
const LOCAL = ofScope('message') | ofScope('exchange');
const OPENING = ofScope('opening');
const IDS = ofScope('ids');

/** Checks at the start of a request. Of several faults in one message, that of the check named first is told. */
export function createChecker(names: readonly CheckName[]): RequestChecker {
  const runs = names.map((name) => ({ local: localOf(setOf([name])), run: checks[name].start() }));
  let index = 0;
  return {
    next: (message, passed = NO_CHECKS) => {
      let fault: string | undefined;
      for (const { local, run } of runs) {
        if ((passed & local) !== NO_CHECKS && run.isSettled?.() !== false) continue;
        // Each check sees each message, also after a fault of another.
        const found = run.next(message);
        fault ??= found;
      }
      index += 1;
      return fault === undefined ? undefined : `Message ${index - 1} ${fault}.`;
    },
    end: () => {
      for (const { run } of runs) {
        const fault = run.end?.();
        if (fault !== undefined) return `The request ${fault}.`;
      }
      return undefined;
    },
    back: (message) => {
      for (const { run } of runs) run.back?.(message);
      index -= 1;
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

/** The set of the checks with these names. */
export function setOf(names: readonly CheckName[]): CheckSet {
  return names.reduce((set, name) => set | (1 << NAMES.indexOf(name)), NO_CHECKS);
}

/** The checks that messages pass as a request of their own. */
export function passedAlone(messages: readonly RequestMessage[]): CheckSet {
  let passed = NO_CHECKS;
  for (const [index, name] of NAMES.entries()) {
    if (passes(messages, checks[name].start())) passed |= 1 << index;
  }
  return passed;
}

/** The checks but for those of ids, which messages with ids that were used before may fail together. */
export function withoutIds(set: CheckSet): CheckSet {
  return set & ~IDS;
}

/**
 * The checks that a request passes for certain when messages go on from it, by what both pass alone. It may pass more:
 * for some checks one has to look at all of it.
 */
export function passedTogether(before: CheckSet, added: CheckSet): CheckSet {
  return before & ((added & (LOCAL | IDS)) | OPENING);
}

/** The local ones of some checks. */
function localOf(set: CheckSet): CheckSet {
  return set & LOCAL;
}

function passes(messages: readonly RequestMessage[], run: CheckRun): boolean {
  for (const message of messages) {
    if (run.next(message) !== undefined) return false;
  }
  return run.end?.() === undefined;
}

function findUnanswered({ role }: RequestMessage, openIds: ReadonlySet<string>) {
  return role !== 'tool' && openIds.size > 0 ? `comes before ${resultsFor(openIds)}` : undefined;
}

function resultsFor(openIds: ReadonlySet<string>): string {
  const [first = ''] = openIds;
  const others = openIds.size > 1 ? ` and ${openIds.size - 1} more` : '';
  return `the result for ${quoted(first)}${others}`;
}

/** Notes the calls and results of a message on the way. */
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

/** Whether an id was not there before. */
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

function ofScope(scope: RequestCheck['scope']): CheckSet {
  return setOf(NAMES.filter((name) => checks[name].scope === scope));
}
