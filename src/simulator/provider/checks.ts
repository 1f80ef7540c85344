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

interface CheckRun {
  next(message: RequestMessage): string | undefined;
  /** Takes back the newest message of a request without a fault. */
  back?(message: RequestMessage): void;
  /** The fault of a request that ends here; further messages may still follow. */
  end?(): string | undefined;
}

interface RequestCheck {
  readonly describes: string;
  readonly source: string;
  start(): CheckRun;
}

/** Several checks of one request; their faults are sentences. */
export type RequestChecker = Required<CheckRun>;

/** Roles that may follow the newest message, and words for its place; one with calls is a kind of its own. */
const ENDINGS: Readonly<
  Record<string, { readonly next: readonly RequestMessage['role'][]; readonly shown: string }>
> = {
  nothing: { next: ['user'], shown: 'at the start' },
  user: { next: ['assistant'], shown: 'after a user message' },
  assistant: { next: ['user'], shown: 'after an assistant message without calls' },
  calls: { next: ['tool'], shown: 'after an assistant message with calls' },
  tool: { next: ['tool', 'assistant'], shown: 'after a tool message' },
};

/** Demands of providers on the form of a request, by name. */
export const checks = {
  'calls-paired': {
    describes:
      'Each call is answered directly after its message, and each result answers such a call',
    source: 'claude-code, gemini-cli#8661, openclaw#4739',
    start: checkPairs,
  },
  'ids-unique': {
    describes: 'No id is used for two calls or for two results',
    source: 'atomic#2051',
    start: checkIds,
  },
  'roles-alternate': {
    describes:
      'User and assistant alternate; tool messages follow calls, and the assistant follows them',
    source: 'hermes#74086, mistral-vibe#927: chat templates of Mistral',
    start: checkRoles,
  },
  'system-first': {
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
        back: () => void (messages -= 1),
      };
    },
  },
  'user-first': {
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
        back: ({ role }) => void (messages -= role === 'system' ? 0 : 1),
        end: () => (messages > 0 ? undefined : 'ends without a user message'),
      };
    },
  },
  'reasoning-followed': {
    describes: 'Reasoning is followed by text or a call in the same message',
    source: 'openai-agents-js#1280, vercel/ai#11036: OpenAI, Responses API',
    start: () => ({
      next: ({ content }) =>
        content.at(-1)?.type === 'reasoning'
          ? 'ends with reasoning that nothing follows'
          : undefined,
    }),
  },
  'text-well-formed': {
    describes: 'No text contains half a character (a lone surrogate)',
    source: 'vercel/eve#3062, llumiverse#462',
    start: () => ({
      next: (message) => (isMalformed(message) ? 'has text with a lone surrogate' : undefined),
    }),
  },
  'text-not-empty': {
    describes:
      'No text is empty, no message has only blank text, and no user message lacks content',
    source: 'claude-code#59812, claude-code#23440: Anthropic, Messages API',
    start: () => ({ next: findNothingSaid }),
  },
} satisfies Record<string, RequestCheck>;

/** Each message is looked at once, however many requests it stands in; so are inputs and attachments. */
const isMalformed = perKey(({ content }: RequestMessage) =>
  content.some((one) => Object.values<unknown>(one).some(isMalformedValue)),
);

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
export function findFault(messages: readonly RequestMessage[], names: readonly CheckName[]) {
  const checker = createChecker(names);
  for (const message of messages) {
    const fault = checker.next(message);
    if (fault !== undefined) return fault;
  }
  return checker.end();
}

function checkPairs(): CheckRun {
  const openIds = new Set<string>();
  return {
    next: ({ role, content }) => {
      let fault =
        role !== 'tool' && openIds.size > 0 ? `comes before ${resultsFor(openIds)}` : undefined;
      for (const part of content) {
        if (part.type === 'tool-call') openIds.add(part.callId);
        if (part.type === 'tool-result' && !openIds.delete(part.callId))
          fault ??= `has a result for ${quoted(part.callId)}, which no open call has`;
      }
      return fault;
    },
    back: ({ content }) => {
      for (const part of content.toReversed()) {
        if (part.type === 'tool-call') openIds.delete(part.callId);
        if (part.type === 'tool-result') openIds.add(part.callId);
      }
    },
    end: () => (openIds.size > 0 ? `ends without ${resultsFor(openIds)}` : undefined),
  };
}

function resultsFor(openIds: ReadonlySet<string>): string {
  const [first = ''] = openIds;
  const others = openIds.size > 1 ? ` and ${openIds.size - 1} more` : '';
  return `the result for ${quoted(first)}${others}`;
}

function checkIds(): CheckRun {
  const seen = { 'tool-call': new Set<string>(), 'tool-result': new Set<string>() };
  return {
    next: ({ content }) => {
      const repeated = content.filter(
        (part) =>
          (part.type === 'tool-call' || part.type === 'tool-result') &&
          !addNew(seen[part.type], part.callId),
      );
      const call = repeated.find((part) => part.type === 'tool-call');
      if (call !== undefined) return `has another call ${quoted(call.callId)}`;
      const result = repeated.find((part) => part.type === 'tool-result');
      return result && `has another result for ${quoted(result.callId)}`;
    },
    back: ({ content }) => {
      for (const part of content) {
        if (part.type === 'tool-call' || part.type === 'tool-result')
          seen[part.type].delete(part.callId);
      }
    },
  };
}

function addNew(seenIds: Set<string>, id: string): boolean {
  const { size } = seenIds;
  return seenIds.add(id).size > size;
}

function checkRoles(): CheckRun {
  const endings: string[] = [];
  return {
    next: ({ role, content }) => {
      if (role === 'system') return undefined;
      const before = ENDINGS[endings.at(-1) ?? 'nothing'];
      endings.push(content.some(({ type }) => type === 'tool-call') ? 'calls' : role);
      return before?.next.includes(role) ? undefined : `has the role ${role} ${before?.shown}`;
    },
    back: ({ role }) => {
      if (role !== 'system') endings.pop();
    },
  };
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
