/** Recorded compactions as numbers: of each, the sizes of the messages around it, without texts. */

import { createSetupOf } from '../../src/cli/plan/defaults.ts';
import { type Message, type Part, renderPart } from '../../src/engine/index.ts';
import { NO_USAGE } from '../../src/engine/internal.ts';
import { countEach } from '../../src/simulator/lib/collections.ts';
import { compileSession } from '../../src/simulator/replay/compile.ts';
import {
  countPart,
  type CountText,
  countWritten,
  RECORDED,
} from '../../src/simulator/replay/count.ts';
import type { Decision, MissCause } from '../../src/simulator/replay/decisions.ts';
import { stepsApart } from '../../src/simulator/report/fidelity.ts';
import { evidenceOf } from '../../src/simulator/session/evidence.ts';
import { contextTokensOf, type Session } from '../../src/simulator/session/session.ts';
import { decisionsOf } from '../../src/simulator/sweep/run/meet-setup.ts';
import { alignedTable } from '../page-blocks.ts';

/** Text: characters, tokens; injected text: the same and 0, 0; a call: tokens of it, characters and tokens of its result. */
type Sizes = readonly number[];

/** A prompt has parts only; a step has before them its context and output where they are known, and reasoning, reported and estimated. */
type Sized = readonly (number | null | Sizes)[];

/** A recorded compaction, with the messages before it and a few after it. */
export interface Stretch {
  readonly source: string;
  readonly format: string;
  readonly release: string;
  readonly model?: string | undefined;
  readonly windowTokens?: number | undefined;
  readonly isOutputFinal: boolean;
  readonly tokensBefore?: number | undefined;
  /** Messages before the compaction, and before each clearing. */
  readonly compactedAt: number;
  readonly clearedAt: readonly number[];
  readonly messages: readonly Sized[];
}

const BEFORE = 40;
const AFTER = 6;
const PROMPT: Sized = [[0, 0]];

const CAUSES: Readonly<Record<MissCause, string>> = {
  'no-steps': 'without steps before it',
  'missing-content': 'with content that the file lacks',
  'unknown-output': 'with an unknown output',
  unexplained: 'unexplained',
};

const setupOf = createSetupOf({ set: [] }, {});

/** The automatic compactions of a session. */
export function toStretches(session: Session, source: string, count: CountText): Stretch[] {
  const { messages, recordedCompactions, format, release, isOutputFinal } = session;
  return recordedCompactions.flatMap(({ kind, trigger, messageIndex, tokensBefore }, place) => {
    if (kind !== 'full' || trigger === 'manual') return [];
    const earlier = recordedCompactions.slice(0, place);
    const last = earlier.findLast((one) => one.kind === 'full')?.messageIndex ?? 0;
    // Reasoning of all earlier turns counts in Codex.
    const start = Math.max(last, messageIndex - (format === 'codex' ? Infinity : BEFORE));
    const own = messages.slice(start, messageIndex + AFTER);
    const added = own[0]?.role === 'user' ? 0 : 1;
    const at = (index: number) => (index === start ? 0 : index - start + added);
    const step = own.find(({ role }) => role === 'assistant');
    return [
      {
        source,
        format,
        release: (release ?? []).join('.'),
        model: (step?.role === 'assistant' ? step.model : undefined) ?? session.model,
        windowTokens: session.recordedWindows?.findLast((one) => one.messageIndex <= messageIndex)
          ?.contextTokens,
        isOutputFinal,
        tokensBefore,
        compactedAt: at(messageIndex),
        clearedAt: earlier
          .filter((one) => one.kind === 'micro' && one.messageIndex > start)
          .map((one) => at(one.messageIndex)),
        messages: [...(added === 0 ? [] : [PROMPT]), ...own.map((one) => toSized(one, count))],
      },
    ];
  });
}

/** Where the agent compacted and its preset would have; nothing is inferred from the compaction itself. */
export function judgeStretch(stretch: Stretch): Decision | undefined {
  const session = toSession(stretch);
  const trace = compileSession(session, {
    tokenizer: 'numbers',
    tokenizerEvidence: 'estimated',
    count: countStated,
  });
  const decisions = decisionsOf(trace, setupOf(evidenceOf(session), session.name));
  return decisions?.find(({ kind, recordedAfterStep }) => {
    return kind === 'compaction' && recordedAfterStep !== null;
  });
}

/** Tokens that a text states, in proportion where a policy cut it. */
function countStated(text: string) {
  const [, tokens = 0, chars] = /(\d+)(?:\/(\d+))?/.exec(text) ?? [];
  return Math.round(Number(tokens) * Math.min(1, text.length / Number(chars ?? text.length)) || 0);
}

/** Shares by release: at the step, within one step, the others by cause. */
export function recordedTable(stretches: readonly Stretch[]): string {
  const judged = stretches.map((one) => ({ name: nameOf(one), decision: judgeStretch(one) }));
  const names = [...new Set(judged.map(({ name }) => name))].toSorted((one, other) =>
    one.localeCompare(other, 'en', { numeric: true }),
  );
  const rowOf = (title: string, own: typeof judged) => [
    title,
    ...sharesOf(own.map(({ decision }) => decision)),
  ];
  const rows = names.map((name) =>
    rowOf(
      name,
      judged.filter((one) => one.name === name),
    ),
  );
  const titles = ['Release', 'Compactions', 'At the step', 'Within one step', 'Others, by cause'];
  return alignedTable(titles, [...rows, rowOf('All', judged)], (at) => at > 0 && at < 4);
}

function sharesOf(decisions: readonly (Decision | undefined)[]) {
  const apart = decisions.map((one) => (one === undefined ? Infinity : stepsApart(one)));
  const causes = countEach(decisions.flatMap((one) => one?.cause ?? []));
  const others = [...causes].map(([cause, times]) => `${times} ${CAUSES[cause]}`).join(', ');
  const counts = [apart.length, ...[0, 1].map((most) => apart.filter((n) => n <= most).length)];
  return [...counts.map(String), others];
}

function nameOf({ format, release }: Stretch) {
  return `${format === 'codex' ? 'Codex' : 'Claude Code'} ${release}`;
}

function toSized(message: Message, count: CountText): Sized {
  const { parts, role } = message;
  const sizes = parts.map((part) => sizesOf(part, role, count));
  if (message.role === 'user') return sizes;
  const { usage, sealedTokens } = message;
  if (usage === undefined) return [null, null, ...sizes];
  const { output, reasoning } = usage;
  const thought = [reasoning, ...(sealedTokens === undefined ? [] : [sealedTokens])];
  const isThought = reasoning > 0 || sealedTokens !== undefined;
  return [contextTokensOf(usage), output, ...(isThought ? thought : []), ...sizes];
}

function sizesOf(part: Part, role: Message['role'], count: CountText): Sizes {
  const contents = renderPart(part, role, RECORDED);
  const chars = contents.reduce((total, one) => {
    if (one.type === 'tool-result') return total + one.output.length;
    return total + (one.type === 'text' || one.type === 'reasoning' ? one.text.length : 0);
  }, 0);
  const tokens = countPart(part, role, { count });
  if (part.type === 'tool') {
    const written = countWritten(part, count);
    return [written, chars, tokens - written];
  }
  const isInjected = part.type === 'text' && part.synthetic === true;
  return isInjected ? [chars, tokens, 0, 0] : [chars, tokens];
}

function toSession(stretch: Stretch): Session {
  const { messages, compactedAt, clearedAt, tokensBefore, format, model } = stretch;
  const changes = [
    ...clearedAt.map((messageIndex) => ({ kind: 'micro' as const, messageIndex })),
    { kind: 'full' as const, trigger: 'auto' as const, messageIndex: compactedAt, tokensBefore },
  ];
  return {
    name: 'stretch.jsonl',
    format,
    isSide: false,
    isPartial: true,
    ...(model !== undefined && { model }),
    release: stretch.release.split('.').map(Number),
    messages: messages.map(toMessage),
    recordedCompactions: changes.map(
      ({ ...change }) => change as Session['recordedCompactions'][0],
    ),
    isOutputFinal: stretch.isOutputFinal,
    ...(stretch.windowTokens !== undefined && {
      recordedWindows: [{ messageIndex: 0, contextTokens: stretch.windowTokens }],
    }),
    report: { dropped: {}, repaired: {} },
  };
}

function toMessage(sized: Sized, index: number): Message {
  const id = `m${index}`;
  const sizes = sized.filter((one) => typeof one === 'object' && one !== null);
  const parts = sizes.map((one, place) => toPart(`${id}-${place}`, one));
  const base = { id, createdAt: index, parts };
  if (typeof sized[0] !== 'number' && sized[0] !== null) return { ...base, role: 'user' };
  const step = { ...base, role: 'assistant', parentId: 'm0', finish: 'tool-calls' } as const;
  const [context, output = 0, reasoning = 0, sealedTokens] = sized.filter(
    (one) => typeof one === 'number',
  );
  if (context === undefined) return step;
  return { ...step, usage: { ...NO_USAGE, cacheRead: context, output, reasoning }, sealedTokens };
}

function toPart(id: string, [first = 0, second = 0, third, fourth]: Sizes): Part {
  if (third === undefined || fourth !== undefined) {
    const text = String(second).padEnd(first, 'x');
    return { type: 'text', id, text, ...(fourth !== undefined && { synthetic: true }) };
  }
  const output = second === 0 ? '' : `${third}/${second}`.padEnd(second, 'x');
  const state = { status: 'completed', input: { tokens: first }, output } as const;
  return { type: 'tool', id, callId: id, tool: 'call', state };
}
