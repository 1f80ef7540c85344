/** Checks of values that callers give, with the sentence of the error. */

import type {
  AssistantMessage,
  FilePart,
  Message,
  MessageError,
  Part,
  ToolState,
  Usage,
  UserMessage,
} from './message.ts';
import type { RenderPolicy } from './policy.ts';
import type {
  CompactingAnswer,
  Health,
  Hooks,
  Limits,
  LoopInput,
  LoopState,
  Phase,
  Summarising,
  SummaryResult,
  Tools,
} from './state.ts';
import { isRecord } from './values.ts';

/** Finds the first fault of a value; absent where it has none. */
type Check = (value: unknown) => Fault | undefined;

/** An expectation that a value does not meet, and what stands there instead. */
export interface Fault {
  /** From the value on, such as `.parts[0].id`; empty for the value itself. */
  readonly path: string;
  readonly expected: string;
  readonly got: unknown;
}

/** A check for each field of an object, also for those that may be absent. */
type Fields<Value> = { readonly [Key in keyof Required<Value>]: Check };

type Kind<Type extends Part['type']> = Extract<Part, { readonly type: Type }>;
type State<Status extends ToolState['status']> = ToolState & { readonly status: Status };

type KindOfInputForm<Type extends LoopInput['type']> = Extract<LoopInput, { readonly type: Type }>;

/** Longest text that an error repeats, in characters. */
const SHOWN_CHARS = 80;

/** Any text, also an empty one. */
export const text = being('a text', (value) => typeof value === 'string');

/** A switch. */
export const flag = being('true or false', (value) => typeof value === 'boolean');

/** A number of something; it may be without limit. */
export const amount = being(
  'a number, 0 or more',
  (value) => typeof value === 'number' && value >= 0,
);

/** A number that can be counted with. */
export const finite = being('a finite number', Number.isFinite);

/** How often something is. */
export const whole = being(
  'a whole number, 0 or more',
  (value) => Number.isSafeInteger(value) && (value as number) >= 0,
);

/** Accepts everything; for values that are checked where they are read. */
export const anything = being('anything', () => true);

const id = being('a text that is not empty', (value) => typeof value === 'string' && value !== '');

/** A function, whatever it takes and gives. */
export const callable = being('a function', (value) => typeof value === 'function');

/** Something that can have fields. */
export const object = being('an object', isRecord);

/** A list of anything. */
export const list = being('a list', Array.isArray);

/** An amount of tokens that can be compared with others. */
export const tokens = finiteOf('tokens');

/** How much a model takes and gives, and nothing else: a limit under another name would be none. */
export const limitsForm = fields<Limits>({
  contextTokens: tokens,
  inputTokens: optional(tokens),
  outputTokens: optional(tokens),
});

/** Tokens as a provider told them. Releases stored outputs below 0, so that these are taken. */
const tokensOfMessageForm = being('a finite number of tokens', Number.isFinite);

/** Usage of one request as a provider reported it. */
export const usageForm = having<Usage>({
  input: tokensOfMessageForm,
  output: tokensOfMessageForm,
  reasoning: tokensOfMessageForm,
  cacheRead: tokensOfMessageForm,
  cacheWrite: tokensOfMessageForm,
  total: optional(tokensOfMessageForm),
});

/** Why something ended without an answer. */
const errorForm = having<MessageError>({ name: text, message: text });

const file = having<FilePart>({ id, mime: text, filename: optional(text), url: text });
const written = having<Kind<'text' | 'reasoning'>>({ id, text });

const state = kindOf<ToolState['status']>('status', {
  pending: having<State<'pending'>>({}),
  running: having<State<'running'>>({}),
  completed: having<State<'completed'>>({
    output: text,
    attachments: optional(listOf(file)),
    compactedAt: optional(finite),
  }),
  error: having<State<'error'>>({ error: text, partialOutput: optional(text) }),
});

const part = kindOf<Part['type']>('type', {
  text: written,
  reasoning: written,
  file,
  tool: having<Kind<'tool'>>({ id, callId: id, tool: text, state }),
  'step-start': having<Kind<'step-start'>>({ id }),
  'step-finish': having<Kind<'step-finish'>>({ id }),
  compaction: having<Kind<'compaction'>>({ id, auto: flag }),
  subtask: having<Kind<'subtask'>>({ id, prompt: text }),
});

const message = { id, createdAt: finite, parts: listOf(part) };

/** A user message. */
export const userForm = having<UserMessage>({ ...message, role: among('user') });

/** A step, or as much of it as there was. */
const stepForm = having<AssistantMessage>({
  ...message,
  role: among('assistant'),
  parentId: id,
  summary: optional(flag),
  finish: optional(text),
  error: optional(errorForm),
  usage: optional(usageForm),
  unseenTokens: optional(tokens),
  model: optional(text),
});

/** Either of the two. */
export const messageForm = kindOf<Message['role']>('role', {
  user: userForm,
  assistant: stepForm,
});

const result = having<SummaryResult>({ text, finish: text, usage: optional(usageForm) });

const TYPE = { type: text };

/** An input of the loop, without unknown fields. */
export const inputForm = kindOf<LoopInput['type']>('type', {
  'user-message': fields<KindOfInputForm<'user-message'>>({ ...TYPE, message: userForm }),
  'step-finished': fields<KindOfInputForm<'step-finished'>>({ ...TYPE, message: stepForm }),
  'step-refused': fields<KindOfInputForm<'step-refused'>>({ ...TYPE, error: errorForm }),
  'summary-finished': fields<KindOfInputForm<'summary-finished'>>({ ...TYPE, result }),
  'summary-failed': fields<KindOfInputForm<'summary-failed'>>({
    ...TYPE,
    error: errorForm,
    isOverflow: flag,
  }),
  'turn-ended': fields<KindOfInputForm<'turn-ended'>>(TYPE),
  idle: fields<KindOfInputForm<'idle'>>({ ...TYPE, sinceMs: finite }),
  'model-changed': fields<KindOfInputForm<'model-changed'>>({ ...TYPE, limits: limitsForm }),
  aborted: fields<KindOfInputForm<'aborted'>>({ ...TYPE, message: optional(stepForm) }),
  compact: fields<KindOfInputForm<'compact'>>({ ...TYPE, revertTo: optional(id) }),
});

const phase = kindOf<Phase['state']>('state', {
  waiting: having<Phase>({}),
  requested: having<Phase & { readonly state: 'requested' }>({ insertAt: finite }),
  summarising: having<Phase & { readonly state: 'summarising' }>({ insertAt: finite }),
});

const health = having<Health>({
  failures: finite,
  ineffective: finite,
  refilled: finite,
  stepsSincePivot: optional(finite),
});

/** All that a transition takes from the state itself; its policy and messages were looked at when they came. */
export const stateForm = having<LoopState>({
  policy: object,
  limits: limitsForm,
  overheadTokens: tokens,
  history: list,
  phase,
  health,
  refusals: finite,
  isUnderWay: flag,
  background: optional(
    having<NonNullable<LoopState['background']>>({
      phase: having<Summarising>({ insertAt: finite }),
      steps: finite,
    }),
  ),
});

const toolsForm = having<Tools>({
  now: finite,
  newId: callable,
  hooks: optional(
    fields<Hooks>({ compacting: optional(callable), autoContinue: optional(callable) }),
  ),
});

/** Who waits for something is easily told apart from who says nothing; the engine waits for nobody. */
const answerForm = both(
  being('no promise', (value) => !(isRecord(value) && 'then' in value)),
  optional(fields<CompactingAnswer>({ context: optional(listOf(text)), prompt: optional(text) })),
);

/** The sentences of a policy that stand for what is not sent. */
export const renderForm = fields<RenderPolicy>({
  clearedOutput: text,
  markerQuestion: text,
  emptyMessages: optional(among('keep')),
  summaryAs: among<RenderPolicy['summaryAs']>('assistant', 'checkpoint', 'handover'),
});

/** Whatever a question is answered with yes for. */
export function being(expected: string, holds: (value: unknown) => boolean): Check {
  return (got) => (holds(got) ? undefined : { path: '', expected, got });
}

/** A number of some things that can be compared with others. */
export function finiteOf(things = ''): Check {
  const expected =
    things === '' ? 'a finite number, 0 or more' : `a finite number of ${things}, 0 or more`;
  return being(expected, (value) => Number.isFinite(value) && (value as number) >= 0);
}

/** An object that has some fields, with whatever is in them. */
export function withKeys(expected: string, ...keys: readonly string[]): Check {
  return being(expected, (value) => isRecord(value) && keys.every((key) => key in value));
}

/** One of these names. */
export function among<Name extends string>(...names: readonly [Name, ...Name[]]): Check {
  return oneOf(Object.fromEntries(names.map((name) => [name, true])));
}

/** One of the keys of a table. */
export function oneOf<Name extends string>(table: Readonly<Record<Name, unknown>>): Check {
  const names = Object.keys(table).map(shown);
  const expected = names.length === 1 ? names.join() : `one of ${names.join(', ')}`;
  return being(expected, (value) => typeof value === 'string' && Object.hasOwn(table, value));
}

/** Accepts an absent value too. */
export function optional(check: Check): Check {
  return (value) => (value === undefined ? undefined : check(value));
}

/** Two checks, of which the second is asked only where the first finds nothing. */
export function both(first: Check, second: Check): Check {
  return (value) => first(value) ?? second(value);
}

/** A list of such values; the first of them may have to be something else. */
export function listOf(check: Check, first: Check = check): Check {
  return both(list, (value) => {
    const items = value as readonly unknown[];
    for (let index = 0; index < items.length; index++) {
      const fault = (index === 0 ? first : check)(items[index]);
      if (fault !== undefined) return within(`[${index}]`, fault);
    }
    return undefined;
  });
}

/** An object with these fields and any others. */
export function having<Value>(checks: Partial<Fields<Value>>): Check {
  const all = Object.entries(checks) as readonly (readonly [string, Check])[];
  return both(object, (value) => {
    for (const [key, check] of all) {
      const fault = check(Reflect.get(value as object, key));
      if (fault !== undefined) return within(`.${key}`, fault);
    }
    return undefined;
  });
}

/** An object with these fields and no others. */
export function fields<Value>(checks: Fields<Value>): Check {
  const keys = Object.keys(checks);
  return both(having<Value>(checks), (value) => {
    const got = Object.keys(value as object).find((key) => !keys.includes(key));
    return got === undefined
      ? undefined
      : { path: '', expected: `an object with no other fields than ${keys.join(', ')}`, got };
  });
}

/** An object that says in one field what else it is made of. */
export function kindOf<Kind extends string>(
  key: string,
  forms: Readonly<Record<Kind, Check>>,
): Check {
  const isKind = oneOf(forms);
  return both(object, (value) => {
    const kind: unknown = Reflect.get(value as object, key);
    const fault = isKind(kind);
    return fault === undefined ? forms[kind as Kind](value) : within(`.${key}`, fault);
  });
}

/** The value that stands under a name. Throws a `TypeError` where it is not what it has to be. */
export function expectForm<Value>(name: string, value: Value, check: Check): Value {
  const fault = check(value);
  if (fault === undefined) return value;
  const { path, expected, got } = fault;
  throw new TypeError(`Expected \`${name}${path}\` to be ${expected}, got ${shown(got)}.`);
}

/** The text that stands under a name. Throws a `TypeError` where it is none. */
export function expectText(name: string, value: string): string {
  return expectForm(name, value, text);
}

/** Tools that are held to their types: a `TypeError` tells where a host does not keep to them. */
export function checkedTools(tools: Tools): Tools {
  const { newId, hooks } = expectForm('tools', tools, toolsForm);
  return {
    ...tools,
    newId: (prefix) => expectForm('tools.newId()', newId(prefix), id),
    ...(hooks && { hooks: checkedHooks(hooks) }),
  };
}

function shown(value: unknown): string {
  if (typeof value === 'string')
    return value.length > SHOWN_CHARS ? `'${value.slice(0, SHOWN_CHARS)}…'` : `'${value}'`;
  if (Array.isArray(value)) return 'a list';
  if (isRecord(value)) return 'an object';
  return typeof value === 'function' ? 'a function' : String(value);
}

/** A fault of a part, with its path from the whole. */
function within(path: string, fault: Fault): Fault {
  return { ...fault, path: path + fault.path };
}

function checkedHooks({ compacting, autoContinue }: Hooks): Hooks {
  return {
    ...(compacting && {
      compacting: (request) =>
        expectForm('tools.hooks.compacting()', compacting(request), answerForm),
    }),
    ...(autoContinue && {
      autoContinue: () => expectForm('tools.hooks.autoContinue()', autoContinue(), flag),
    }),
  };
}
