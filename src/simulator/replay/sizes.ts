import {
  type AssistantMessage,
  isSent,
  type Message,
  type Part,
  renderPart,
  type Usage,
} from '../../engine/index.ts';
import type { Evidence, TokenScale } from '../events.ts';
import { known, sum } from '../lib/collections.ts';
import { contextTokensOf, type RecordedCompaction, type Session } from '../session/session.ts';
import { tokenizerOf } from '../tokens/encodings.ts';
import { countAdded, countPart, type CountText, countWritten, RECORDED } from './count.ts';

/** True tokens of a part: all of it, and without the result of a tool. */
export interface PartSize {
  readonly whole: number;
  readonly said: number;
}

/** True tokens of parts, by part. */
export type PartSizes = ReadonlyMap<Part, PartSize>;

/** Sizes from a step on, where its recorded context changed by more than what was added. */
export interface Resized {
  readonly overheadTokens: number;
  readonly parts: PartSizes;
}

/** Sizes of a session's content by its recorded contexts. */
export interface RecordedSizes extends Overhead {
  readonly parts: PartSizes;
  readonly resized: ReadonlyMap<Message, Resized>;
  /** Growth that nothing counted explains, by the step before. */
  readonly unseen: ReadonlyMap<Message, number>;
}

/** System prompt and tool definitions of a session. */
export interface Overhead {
  readonly overheadTokens: number;
  readonly overhead: Evidence;
}

interface SizeOptions {
  readonly pairs: readonly StepPair[];
  readonly scale: TokenScale;
  readonly count: CountText;
  readonly overheadTokens?: number | undefined;
  readonly stated?: Overhead | undefined;
}

interface Holder {
  readonly part: Part;
  readonly counted: PartSize;
  wholeTokens: number;
}

interface Request {
  overheadTokens: number;
  readonly held: Holder[];
}

/** Growth of a request between two consecutive steps: as recorded, and as counted. */
export interface GrowthPair {
  /** Growth of the recorded context. */
  readonly recordedTokens: number;
  /** Counted tokens of the messages added in between. */
  readonly countedTokens: number;
  /** Messages that were added in between. */
  readonly messages: number;
}

/** How counted tokens of a session become true ones. */
export interface Calibration {
  /** True tokens per counted token. */
  readonly factor: number;
  /** Fixed cost of each message, in true tokens. */
  readonly perMessageTokens: number;
  readonly evidence: Evidence;
  readonly pairs: number;
}

type MeasuredStep = AssistantMessage & { readonly usage: Usage };

/** Two measured steps with none between them. */
export interface StepPair {
  readonly from: MeasuredStep;
  readonly to: MeasuredStep;
  readonly added: readonly Message[];
  readonly growth: GrowthPair;
  readonly cut?: RecordedCompaction;
  readonly addedBeforeCut?: number;
  /** `provider/model` of the second step; absent where that is not known. */
  readonly model?: string;
  /** True if the first step is of another model, which has its own tokenizer and cache. */
  readonly isOtherModel: boolean;
  readonly isOtherTokenizer: boolean;
  readonly isRestart: boolean;
}

const UNCALIBRATED: Calibration = {
  factor: 1,
  perMessageTokens: 0,
  evidence: 'estimated',
  pairs: 0,
};

const MIN_PAIRS = 3;

/** Less is what counting misses. */
const LEAST_UNSEEN = 2_500;
const CHARS_PER_TOKEN = 4;
/** System prompt and tool definitions where a recording does not tell. */
const UNKNOWN_OVERHEAD: Overhead = { overheadTokens: 12_000, overhead: 'estimated' };

/** Weighs a session by its recorded contexts: what a step added weighs the growth. */
export function sizeByUsage(session: Session, options: SizeOptions): RecordedSizes | undefined {
  const index = session.messages.findIndex(isMeasured);
  const first = session.messages[index];
  if (!isMeasured(first)) return undefined;
  const held = toHolders(session.messages.slice(0, index), options);
  const isCompacted = session.recordedCompactions.some(
    ({ messageIndex }) => messageIndex > 0 && messageIndex <= index,
  );
  const known = knownOverhead(options, options.pairs);
  const overhead = isCompacted
    ? known
    : weighOpening(held, contextTokensOf(first.usage), { ...options, ...session, known });
  const parts = new Map(held.map((holder) => [holder.part, sizeOf(holder)]));
  const resized = new Map<Message, Resized>();
  const unseen = new Map<Message, number>();
  const request: Request = { overheadTokens: overhead.overheadTokens, held };
  for (const pair of options.pairs) {
    const added = toHolders(pair.added, options);
    const unseenTokens = pair.growth.recordedTokens - tokensOf(added);
    if (isContinued(pair) && unseenTokens > LEAST_UNSEEN) unseen.set(pair.from, unseenTokens);
    const otherTokens = isReplaced(pair) ? lackedTokens(pair, options) : weighAdded(added, pair);
    if (otherTokens !== 0) resized.set(pair.to, resize(request, added, otherTokens));
    for (const holder of added) {
      parts.set(holder.part, sizeOf(holder));
      held.push(holder);
    }
  }
  return { ...overhead, parts, resized, unseen };
}

/** The overhead as given, else as requests after compactions read from the cache, else as their texts say, else the default. */
export function knownOverhead(
  { overheadTokens, stated = UNKNOWN_OVERHEAD }: Pick<SizeOptions, 'overheadTokens' | 'stated'>,
  pairs: readonly StepPair[] = [],
): Overhead {
  if (overheadTokens !== undefined) return { overheadTokens, overhead: 'measured' };
  const shared = pairs.flatMap(({ cut, to }) =>
    cut?.kind === 'full' && to.usage.cacheRead > 0 ? [to.usage.cacheRead] : [],
  );
  if (shared.length === 0) return stated;
  return { overheadTokens: Math.min(...shared), overhead: 'measured' };
}

/** By the recorded system prompt and definitions of tools; without the latter no less than the default. */
export function statedOverhead(
  { system = '', definitions }: Pick<Session, 'system' | 'definitions'>,
  { scale, count }: Pick<SizeOptions, 'scale' | 'count'>,
): Overhead {
  const chars = sum((definitions ?? []).map((one) => one.chars));
  const counted = Math.round(scale.factor * (count(system) + chars / CHARS_PER_TOKEN));
  const isWhole = definitions !== undefined || counted > UNKNOWN_OVERHEAD.overheadTokens;
  return isWhole ? { overheadTokens: counted, overhead: 'estimated' } : UNKNOWN_OVERHEAD;
}

/**
 * Fits `recorded = factor × counted + perMessage × messages` by least squares. Pairs whose context did not grow are left out:
 * content was removed that no count shows. A negative cost per message becomes 0.
 */
export function calibrate(all: readonly GrowthPair[]): Calibration {
  const pairs = all.filter(({ recordedTokens }) => recordedTokens > 0);
  if (pairs.length < MIN_PAIRS) return UNCALIBRATED;
  const { factor, perMessage } = fit(pairs);
  if (!Number.isFinite(factor) || factor <= 0) return UNCALIBRATED;
  return {
    factor,
    perMessageTokens: Math.round(perMessage),
    evidence: 'measured',
    pairs: pairs.length,
  };
}

/** All measured steps of a session but the first, each with the one before it. */
export function pairSteps(session: Session, count: CountText): readonly StepPair[] {
  const indices = session.messages.flatMap((message, index) =>
    isMeasured(message) ? [index] : [],
  );
  return indices.slice(1).flatMap((toIndex, position) => {
    const fromIndex = indices[position] ?? 0;
    const [from, to] = [session.messages[fromIndex], session.messages[toIndex]];
    if (!isMeasured(from) || !isMeasured(to)) return [];
    const added = session.messages.slice(fromIndex, toIndex);
    const recordedTokens = contextTokensOf(to.usage) - contextTokensOf(from.usage);
    const cut = session.recordedCompactions.findLast(
      ({ messageIndex }) => messageIndex > fromIndex && messageIndex <= toIndex,
    );
    const model = to.model ?? session.model;
    const modelBefore = from.model ?? session.model;
    return [
      {
        from,
        to,
        added,
        growth: { recordedTokens, ...countAdded(added, count) },
        ...(cut && { cut, addedBeforeCut: cut.messageIndex - fromIndex }),
        ...known({ model }),
        isOtherModel: model !== modelBefore,
        isOtherTokenizer: familyOf(model) !== familyOf(modelBefore),
        isRestart: session.restarts?.some((at) => at > fromIndex && at <= toIndex) === true,
      },
    ];
  });
}

/** Calibrates on the pairs of which the one step follows from the other. */
export function calibrateOn(pairs: readonly StepPair[]): Calibration {
  return calibrate(pairs.filter(isContinued).map(({ growth }) => growth));
}

/** Tests if a pair's second context is the first plus the added messages. */
export function isContinued({ cut, isOtherModel, isRestart }: StepPair): boolean {
  return cut === undefined && !isOtherModel && !isRestart;
}

/** Tests if a pair's second context has another measure than the first. */
export function isReplaced({ cut, isOtherTokenizer }: StepPair): boolean {
  return cut !== undefined || isOtherTokenizer;
}

/** Tests if a message is a step with recorded usage. */
export function isMeasured(message: Message | undefined): message is MeasuredStep {
  if (message?.role !== 'assistant' || message.usage === undefined) return false;
  return contextTokensOf(message.usage) > 0;
}

function toHolders(
  messages: readonly Message[],
  { scale, count }: Pick<SizeOptions, 'scale' | 'count'>,
): Holder[] {
  return messages.filter(isSent).flatMap(({ parts, role }) => {
    const sent = parts.filter((part) => renderPart(part, role, RECORDED).length > 0);
    return sent.map((part, index): Holder => {
      const whole = countPart(part, role, { count });
      const said = part.type === 'tool' ? countWritten(part, count) : whole;
      const fixedTokens = index === 0 ? scale.perMessageTokens : 0;
      const wholeTokens = Math.round(scale.factor * whole) + fixedTokens;
      return { part, counted: { whole, said }, wholeTokens };
    });
  });
}

/** Content before a recording that starts in mid-session stands with its first part. */
function weighOpening(
  held: readonly Holder[],
  contextTokens: number,
  {
    isPartial,
    known: unseen,
    overheadTokens: given,
  }: Pick<SizeOptions, 'overheadTokens'> &
    Pick<Session, 'isPartial'> & { readonly known: Overhead },
): Overhead {
  const besidesTokens = Math.max(0, contextTokens - tokensOf(held));
  const known = isPartial || given !== undefined ? unseen : undefined;
  const most = given === undefined ? besidesTokens : contextTokens;
  const [first] = held;
  const overheadTokens = first && known ? Math.min(known.overheadTokens, most) : most;
  const absentTokens = besidesTokens - overheadTokens;
  if (first && given === undefined && besidesTokens > 0) first.wholeTokens += absentTokens;
  else spread(held, contextTokens - overheadTokens);
  return { overheadTokens, overhead: known?.overhead ?? 'measured' };
}

function weighAdded(added: readonly Holder[], pair: StepPair): number {
  const { recordedTokens } = pair.growth;
  const isGrowth = recordedTokens >= 0 && added.some(({ counted }) => counted.whole > 0);
  if (isGrowth && !pair.isRestart) {
    spread(added, recordedTokens);
    return 0;
  }
  return recordedTokens - tokensOf(added);
}

function lackedTokens(
  { from, added, cut, addedBeforeCut }: StepPair,
  options: Pick<SizeOptions, 'scale' | 'count'>,
): number {
  if (cut?.kind !== 'full' || cut.tokensBefore === undefined) return 0;
  const before = toHolders(added.slice(0, addedBeforeCut), options);
  return Math.max(0, cut.tokensBefore - contextTokensOf(from.usage) - tokensOf(before));
}

function spread(held: readonly Holder[], tokens: number): void {
  const total = sum(held.map(({ counted }) => counted.whole));
  let seen = 0;
  let given = 0;
  for (const [index, holder] of held.entries()) {
    seen += holder.counted.whole;
    const isLast = index === held.length - 1;
    const end = isLast ? tokens : Math.round((tokens * seen) / (total || 1));
    holder.wholeTokens = end - given;
    given = end;
  }
}

/** More stands with the newest part; less is taken off the newest, the overhead, then the added. */
function resize(request: Request, added: readonly Holder[], tokens: number): Resized {
  const { held } = request;
  const changed = new Map<Part, PartSize>();
  const newest = held.at(-1);
  let missing = -tokens;
  if (tokens > 0 && newest) {
    newest.wholeTokens += tokens;
    changed.set(newest.part, sizeOf(newest));
    missing = 0;
  }
  for (let index = held.length - 1; missing > 0 && index >= 0; index--) {
    const holder = held[index] as Holder;
    if (holder.wholeTokens === 0) continue;
    missing = takeFrom(holder, missing);
    changed.set(holder.part, sizeOf(holder));
  }
  const restTokens = Math.min(missing, request.overheadTokens);
  request.overheadTokens -= restTokens;
  missing -= restTokens;
  for (const holder of added) missing = takeFrom(holder, missing);
  return { overheadTokens: request.overheadTokens, parts: changed };
}

function takeFrom(holder: Holder, tokens: number): number {
  const taken = Math.min(holder.wholeTokens, tokens);
  holder.wholeTokens -= taken;
  return tokens - taken;
}

function tokensOf(held: readonly Holder[]): number {
  return sum(held.map(({ wholeTokens }) => wholeTokens));
}

function sizeOf({ counted, wholeTokens }: Holder): PartSize {
  if (counted.whole === 0) return { whole: wholeTokens, said: wholeTokens };
  return { whole: wholeTokens, said: Math.round((wholeTokens * counted.said) / counted.whole) };
}

/** Models that count alike, as far as is known: those of one provider and one encoding. */
function familyOf(model = ''): string {
  return `${model.slice(0, model.indexOf('/'))} ${tokenizerOf(model).name}`;
}

function fit(pairs: readonly GrowthPair[]) {
  const total = (of: (pair: GrowthPair) => number) => sum(pairs.map(of));
  // Sums of products: c is counted, m messages, r recorded.
  const cc = total(({ countedTokens }) => countedTokens ** 2);
  const cm = total(({ countedTokens, messages }) => countedTokens * messages);
  const mm = total(({ messages }) => messages ** 2);
  const cr = total(({ countedTokens, recordedTokens }) => countedTokens * recordedTokens);
  const mr = total(({ messages, recordedTokens }) => messages * recordedTokens);
  const determinant = cc * mm - cm * cm;
  const perMessage = (cc * mr - cm * cr) / determinant;
  if (!(perMessage >= 0) || determinant === 0) return { factor: cr / cc, perMessage: 0 };
  return { factor: (mm * cr - cm * mr) / determinant, perMessage };
}
