import * as fc from 'fast-check';
import type {
  AssistantMessage,
  Message,
  Part,
  ToolState,
  Usage,
} from '../../../../src/engine/index.ts';
import type { RecordedCompaction, Session } from '../../../../src/simulator/session/session.ts';

/** A value by the names under which it may have ids. */
type Shape<Value> = (id: string) => Value;

/** Texts of any characters, halves of pairs among them. */
const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom('', '\ud800', '\u2028}{"', '__proto__'),
);
/** Inputs as they can be written: there is no -0 among them, of which `JSON.stringify` makes 0. */
const inputs = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown),
  fc.constant(JSON.parse('{"__proto__":{"a":1},"2":0,"1":0}') as unknown),
);
const flags = fc.boolean();
const times = fc.oneof(
  fc.constant(0),
  fc.nat({ max: 2_000_000_000_000 }),
  fc.double({ min: 1, max: 9, noNaN: true }),
);
const tokens = fc.nat({ max: 1_000_000 });
/** Usual ids are those that the position implies. */
const ids = fc.constantFrom(...(['usual', 'other'] as const));

/** A record some keys of which may be absent. */
function some<Fields extends object>(
  fields: { readonly [Key in keyof Fields]: fc.Arbitrary<Fields[Key]> },
): fc.Arbitrary<Partial<Fields>> {
  return fc.record(fields, { requiredKeys: [] }) as fc.Arbitrary<Partial<Fields>>;
}

const files = fc
  .record({ mime: texts, url: texts, more: some({ filename: texts }) })
  .map(({ more, ...file }) => (id: string) => ({ type: 'file' as const, id, ...file, ...more }));

const completed: fc.Arbitrary<Shape<ToolState>> = fc
  .record({
    input: inputs,
    output: texts,
    attached: fc.option(fc.array(fc.tuple(files, ids), { maxLength: 2 })),
    more: some({ compactedAt: times }),
  })
  .map(({ input, output, attached, more }) => (id) => ({
    status: 'completed',
    input,
    output,
    ...more,
    ...(attached && {
      attachments: attached.map(([file, kind], index) =>
        file(kind === 'usual' ? `${id}-file-${index + 1}` : `${id}-other-${index}`),
      ),
    }),
  }));

const states: fc.Arbitrary<Shape<ToolState>> = fc.oneof(
  completed,
  fc.record({ input: inputs, error: texts, more: some({ partialOutput: texts }) }).map(
    ({ more, ...rest }): Shape<ToolState> =>
      () => ({ status: 'error', ...rest, ...more }),
  ),
  fc.record({ input: inputs, status: fc.constantFrom('pending' as const, 'running' as const) }).map(
    (state): Shape<ToolState> =>
      () =>
        state,
  ),
);

const parts: fc.Arbitrary<Shape<Part>> = fc.oneof(
  fc.record({ text: texts, more: some({ synthetic: flags, ignored: flags }) }).map(
    ({ text, more }): Shape<Part> =>
      (id) => ({ ...more, type: 'text', id, text }),
  ),
  fc.record({ text: texts, more: some({ signedBy: texts }) }).map(
    ({ text, more }): Shape<Part> =>
      (id) => ({ ...more, type: 'reasoning', id, text }),
  ),
  files,
  fc.record({ tool: texts, state: states, calls: ids }).map(
    ({ tool, state, calls }): Shape<Part> =>
      (id) => {
        const callId = calls === 'usual' ? `${id}-call` : `call of ${id}`;
        return { type: 'tool', id, callId, tool, state: state(id) };
      },
  ),
  some({ snapshot: texts }).map(
    (more): Shape<Part> =>
      (id) => ({ type: 'step-start', id, ...more }),
  ),
  fc.record({ reason: texts, more: some({ snapshot: texts }) }).map(
    ({ reason, more }): Shape<Part> =>
      (id) => ({ type: 'step-finish', id, reason, ...more }),
  ),
  fc.record({ auto: flags, more: some({ overflow: flags, tailStartId: texts }) }).map(
    ({ auto, more }): Shape<Part> =>
      (id) => ({ type: 'compaction', id, auto, ...more }),
  ),
  texts.map(
    (prompt): Shape<Part> =>
      (id) => ({ type: 'subtask', id, prompt }),
  ),
);

const usages: fc.Arbitrary<Usage> = fc
  .record({
    counts: fc.record({
      input: tokens,
      output: tokens,
      reasoning: tokens,
      cacheRead: tokens,
      cacheWrite: tokens,
    }),
    more: some({ total: tokens }),
  })
  .map(({ counts, more }) => ({ ...counts, ...more }));

const outcomes = some<Omit<AssistantMessage, keyof Message | 'parentId'>>({
  summary: flags,
  finish: fc.constantFrom('stop', 'tool-calls', 'length', ''),
  error: fc.record({ name: texts, message: texts }),
  usage: usages,
  model: texts,
});

const messages = fc.record({
  role: fc.constantFrom(...(['user', 'assistant', 'assistant'] as const)),
  kind: ids,
  createdAt: times,
  shapes: fc.array(fc.tuple(parts, ids), { maxLength: 3 }),
  outcome: outcomes,
  answers: fc.constantFrom('last', 'first'),
});

const histories = fc
  .array(messages, { minLength: 1, maxLength: 6 })
  .map(([first, ...rest]) => [{ ...first!, role: 'user' as const }, ...rest])
  .map((drafts): readonly Message[] => {
    const done: Message[] = [];
    for (const [index, { role, kind, createdAt, shapes, outcome, answers }] of drafts.entries()) {
      const id = kind === 'usual' ? `message-${index + 1}` : `id ${index}`;
      const finished = shapes.map(([shape, kindOfPart], place) =>
        shape(kindOfPart === 'usual' ? `${id}-${place + 1}` : `part ${index}.${place}`),
      );
      const base = { id, createdAt, parts: finished };
      const users = done.filter((message) => message.role === 'user');
      const parentId = (answers === 'last' ? users.at(-1) : users[0])?.id ?? '';
      done.push(role === 'user' ? { ...base, role } : { ...base, role, parentId, ...outcome });
    }
    return done;
  });

const compactions = fc
  .record({
    kind: fc.constantFrom('full' as const, 'micro' as const),
    place: fc.nat(),
    kept: fc.option(fc.nat()),
    more: some<RecordedCompaction>({
      kind: fc.constant('full' as const),
      messageIndex: fc.constant(1),
      firstKeptMessageIndex: fc.constant(0),
      trigger: fc.constantFrom('auto' as const, 'manual' as const),
      tokensBefore: tokens,
      tokensAfter: tokens,
      summary: texts,
      clearedCallIds: fc.array(texts, { maxLength: 2 }),
    }),
  })
  .map(({ kind, place, kept, more }) => (count: number): RecordedCompaction => {
    const { firstKeptMessageIndex: _kept, ...rest } = more;
    const index = kept === null ? {} : { firstKeptMessageIndex: kept % (count + 1) };
    return { ...rest, ...index, kind, messageIndex: 1 + (place % count) };
  });

const counts = fc.dictionary(
  fc.constantFrom('repeated id', 'b', '10', '9'),
  fc.nat({ max: 9 }).map((n) => n + 1),
  { noNullPrototype: true },
);

/** Sessions with every field that there is, lawful but otherwise as odd as they can be. */
export const handMadeSessions: fc.Arbitrary<Session> = fc
  .record({
    format: fc.constantFrom('canonical', 'claude-code', 'scenario'),
    isSide: flags,
    isPartial: flags,
    isOutputFinal: flags,
    more: some({
      sessionId: texts,
      parentSessionId: texts,
      model: texts,
      system: texts,
      isCacheUnknown: flags,
      cacheTtlMs: times,
      ownCostUsd: times,
      recordedWindows: fc.uniqueArray(fc.nat(9), { minLength: 1, maxLength: 2 }).map((places) =>
        places
          .toSorted((a, b) => a - b)
          .map((messageIndex, index) => ({
            messageIndex: index,
            contextTokens: 100_000 + 10 * index + messageIndex,
          })),
      ),
      restarts: fc.array(fc.nat(9), { maxLength: 2 }),
      release: fc.array(fc.nat(99), { maxLength: 3 }),
    }),
    history: histories,
    compactionShapes: fc.array(compactions, { maxLength: 3 }),
    costs: fc.array(fc.option(tokens), { maxLength: 6 }),
    sides: fc.array(fc.tuple(fc.nat(), texts), { maxLength: 3 }),
    dropped: counts,
    repaired: counts,
  })
  .map(({ more, history, compactionShapes, costs, sides, dropped, repaired, ...facts }) => {
    const priced = history
      .filter(({ role }) => role === 'assistant')
      .flatMap(({ id }, index) => {
        const cost = costs[index] ?? undefined;
        return cost === undefined
          ? []
          : [[id, { inputNanoUsd: cost, outputNanoUsd: cost + 1 }] as const];
      });
    const tools = history.flatMap((each) => each.parts).filter((part) => part.type === 'tool');
    const sideSessions = sides.flatMap(([place, sessionId]) => {
      const call = tools[place % tools.length];
      return call === undefined ? [] : [{ sessionId, callId: call.callId }];
    });
    return {
      name: 'made',
      ...facts,
      ...more,
      ...(sideSessions.length > 0 && { sideSessions }),
      messages: history,
      recordedCompactions: compactionShapes
        .map((shape) => shape(history.length))
        .toSorted((a, b) => a.messageIndex - b.messageIndex),
      ...(priced.length > 0 && { recordedCosts: new Map(priced) }),
      report: { dropped, repaired },
    };
  });
