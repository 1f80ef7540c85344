import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type Limits,
  type Message,
  type Move,
  policies,
  type PolicyName,
  type SummaryRequest,
  VERIFICATION,
  viewOf,
} from '../../../src/engine/index.ts';
import { createEnv } from '../../../src/simulator/env.ts';
import type { RunEvent } from '../../../src/simulator/events.ts';
import { foldRun } from '../../../src/simulator/metrics/fold.ts';
import { compileSession } from '../../../src/simulator/replay/compile.ts';
import { createLedger } from '../../../src/simulator/replay/ledger.ts';
import type { RunOptions } from '../../../src/simulator/replay/run-trace.ts';
import { simulate } from '../../../src/simulator/replay/simulate.ts';
import type { CacheFate, Trace } from '../../../src/simulator/replay/trace.ts';
import { loadNamed } from '../../../src/simulator/session/load.ts';
import { findSummarizer } from '../../../src/simulator/summarizer/summarizers.ts';
import { step, tool } from '../../support/history.ts';
import { FOLDER, note } from '../session/manifest.ts';
import { answer, ask, countTokens, eventsOf, modelOf, run, traceOf, wordsOf } from './lab.ts';

/** A piece of a prompt; equal keys are equal content. */
interface Piece {
  readonly key: unknown;
  readonly tokens: number;
}

/** A prompt, with how many pieces stand before each place where the client asks to cache. */
interface Sent {
  readonly pieces: readonly Piece[];
  readonly marks: readonly number[];
}

/** What a bill holds. */
interface Line {
  readonly read: number;
  readonly written: number;
  readonly fresh: number;
  readonly nanoUsd: number;
}

/** Another cache, with the rules of a provider and no more: it keeps prompts as they are and compares all of them. */
interface Cache {
  send(sent: Sent, nowMs: number): Omit<Line, 'nanoUsd'>;
  /** Does what the recorded one did before a step. */
  follow(fate: CacheFate, nowMs: number): void;
}

const MINUTE_MS = 60_000;
const LIMITS = { contextTokens: 60_000, outputTokens: 8_000 };
/** The prices of the lab, in nano-dollars a token. */
const NANO_USD = { fresh: 1, output: 2, read: 3, written: 4 };
const MINIMUM_TOKENS = 1_024;
const sizeOf = (pieces: readonly Piece[]) =>
  pieces.reduce((total, { tokens }) => total + tokens, 0);

function commonPieces(one: readonly Piece[], other: readonly Piece[]): number {
  const parting = one.findIndex(({ key }, index) => other[index]?.key !== key);
  return parting < 0 ? one.length : parting;
}

/** Entries at marks, read by whoever asks for one no more than 20 pieces behind it, for five minutes from the last use. */
function markedCache(): Cache {
  let entries: { readonly pieces: readonly Piece[]; usedMs: number }[] = [];
  const prompts: (readonly Piece[])[] = [];
  let leftTokens = 0;
  const send: Cache['send'] = ({ pieces, marks }, nowMs) => {
    entries = entries.filter((entry) => nowMs - entry.usedMs <= 5 * MINUTE_MS);
    const alike = entries.filter(
      (entry) => commonPieces(entry.pieces, pieces) === entry.pieces.length,
    );
    const nearest = marks.map((mark) =>
      Math.max(
        0,
        ...alike
          .map((entry) => entry.pieces.length)
          .filter((length) => length <= mark && mark - length <= 20),
      ),
    );
    const hit = nearest.findLast((length) => length > 0) ?? 0;
    for (const entry of alike) if (entry.pieces.length <= hit) entry.usedMs = nowMs;
    for (const mark of marks) {
      const kept = pieces.slice(0, mark);
      const isThere = alike.some((entry) => entry.pieces.length === mark);
      if (!isThere && sizeOf(kept) >= MINIMUM_TOKENS) entries.push({ pieces: kept, usedMs: nowMs });
    }
    const known = prompts.map((one) => sizeOf(pieces.slice(0, commonPieces(one, pieces))));
    const read = Math.max(
      sizeOf(pieces.slice(0, hit)),
      Math.min(leftTokens, Math.max(0, ...known)),
    );
    leftTokens = 0;
    prompts.push(pieces);
    const marked = sizeOf(pieces.slice(0, marks.at(-1)));
    const written = marked < MINIMUM_TOKENS ? 0 : Math.max(0, marked - read);
    return { read, written, fresh: sizeOf(pieces) - read - written };
  };
  return {
    send,
    follow: (fate, nowMs) => {
      if (fate === 'outlived') for (const entry of entries) entry.usedMs = nowMs;
      else {
        leftTokens = fate.keptTokens;
        entries = entries.filter(({ pieces }) => sizeOf(pieces) <= leftTokens);
      }
    },
  };
}

/** Whatever begins like a request of the last ten minutes, in steps of 128 tokens; writes cost nothing. */
function automaticCache(): Cache {
  const prompts: { readonly pieces: readonly Piece[]; readonly sentMs: number }[] = [];
  const send: Cache['send'] = ({ pieces }, nowMs) => {
    const shared = prompts
      .filter(({ sentMs }) => nowMs - sentMs <= 10 * MINUTE_MS)
      .map((prompt) => sizeOf(pieces.slice(0, commonPieces(prompt.pieces, pieces))));
    const steps = Math.floor(Math.max(0, ...shared) / 128) * 128;
    const read = steps < MINIMUM_TOKENS ? 0 : steps;
    if (sizeOf(pieces) >= MINIMUM_TOKENS) prompts.push({ pieces, sentMs: nowMs });
    return { read, written: 0, fresh: sizeOf(pieces) - read };
  };
  // The day of work was not recorded.
  return { send, follow: () => expect.unreachable() };
}

/** The prompts of a run under a policy, built from what the engine asked to be sent. */
function createPrompts(trace: Trace, name: PolicyName) {
  const { basis } = trace;
  const { render } = policies[name];
  const ledger = createLedger({ ...trace, render });
  const steps = trace.turns.flatMap((turn) => turn.steps);
  let overhead: Piece = { key: 'system and tools', tokens: basis.overheadTokens };
  let reached = 0;
  const piecesOf = (message: Message): readonly Piece[] =>
    ledger.pageOf(message).blocks.map((block) => ({
      key: block.words === undefined ? block : JSON.stringify(block.words),
      tokens: block.tokens,
    }));
  const said = (by: string, text: string): Piece => ({
    key: JSON.stringify({ by, type: 'text', text }),
    tokens: ledger.textTokens(text) + basis.perMessageTokens,
  });
  const open = (first: Piece, messages: readonly Message[]): Sent =>
    messages.reduce((sent, message) => extend(sent, piecesOf(message)), {
      pieces: [first],
      marks: [1],
    } as Sent);
  const head = ({ form, system, messages }: SummaryRequest) => {
    if (form?.kind === 'extends') return open(overhead, messages);
    return open({ key: system, tokens: ledger.textTokens(system) }, messages);
  };
  return {
    /** Recorded sizes of a step hold from its first event on. Gives the fates of the cache on the way. */
    moveTo: (step: number): readonly CacheFate[] => {
      const passed = steps.slice(reached, step);
      for (const { resized } of passed) {
        if (resized === undefined) continue;
        ledger.resize(resized);
        overhead = { key: 'system and tools', tokens: resized.overheadTokens };
      }
      reached = Math.max(reached, step);
      return passed.flatMap(({ cacheFate }) => cacheFate ?? []);
    },
    ofStep: (view: readonly Message[]) => open(overhead, view),
    ofSummary: (request: SummaryRequest) => {
      const session = head(request);
      const sent = extend(session, [said('user', request.prompt)]);
      const isKept = request.form?.kind === 'extends';
      return isKept ? { ...sent, marks: [...session.marks, sent.pieces.length] } : sent;
    },
    ofCheck: (sent: Sent, text: string) =>
      extend(sent, [said('assistant', text), said('user', VERIFICATION)]),
    textTokens: (text: string) => ledger.textTokens(text),
  };
}

/** Clients mark the beginning, the end of the request before, and their own end. */
function extend({ pieces, marks }: Sent, more: readonly Piece[]): Sent {
  if (more.length === 0) return { pieces, marks };
  const [first = 0] = marks;
  const all = [...pieces, ...more];
  return { pieces: all, marks: [...new Set([first, pieces.length, all.length])] };
}

/** A run of a policy, with its events and the same bill once more. */
function recount(trace: Trace, name: PolicyName, { cache, cacheName, limits = LIMITS }: Provider) {
  const prompts = createPrompts(trace, name);
  const env = createEnv(1);
  const summarizer = findSummarizer('extractive');
  const tools = { countTokens, random: env.random };
  const lines: Line[] = [];
  const events: RunEvent[] = [];
  let move: Move | undefined;
  const bill = (sent: Sent, output: number): void => {
    const split = cache.send(sent, env.now());
    const { read, written, fresh } = split;
    const input = fresh * NANO_USD.fresh + read * NANO_USD.read + written * NANO_USD.written;
    lines.push({ ...split, nanoUsd: input + output * NANO_USD.output });
  };
  const viewSent = () => {
    const request = move?.next.commands.find((command) => command.type === 'request');
    return request?.view ?? (move === undefined ? [] : viewOf(move.next.state));
  };
  const options = {
    policy: policies[name],
    model: modelOf({ cache: cacheName }, { limits }),
    summarizer,
    seed: 1,
    onTransition: (made: Move) => {
      move = made;
    },
  };
  const answerTo = (request: SummaryRequest) => {
    const written = summarizer.summarise(request, tools);
    const text = written.state === 'finished' ? written.text : '';
    const sent = prompts.ofSummary(request);
    bill(sent, prompts.textTokens(text));
    if (request.form?.verifies) bill(prompts.ofCheck(sent, text), prompts.textTokens(text));
    return written;
  };
  const note = (event: RunEvent): void => {
    events.push(event);
    if ('step' in event && typeof event.step === 'number') {
      for (const fate of prompts.moveTo(event.step)) cache.follow(fate, env.now());
    }
    if (event.type === 'step-end') bill(prompts.ofStep(viewSent()), event.outputTokens);
  };
  const simulation = simulate(trace, options, env);
  let next = simulation.next();
  while (!next.done) {
    const { value } = next;
    if (value.type === 'events') value.events.forEach(note);
    next = simulation.next(value.type === 'ask' ? answerTo(value.request) : undefined);
  }
  return { events, lines };
}

interface Provider {
  readonly cache: Cache;
  readonly cacheName: 'anthropic-5m' | 'openai';
  readonly limits?: Limits;
}

const providers: Readonly<Record<Provider['cacheName'], () => Cache>> = {
  'anthropic-5m': markedCache,
  openai: automaticCache,
};

/** Pauses before some turns, in minutes: longer than one cache lives, than the other, and than a prune waits for. */
const PAUSES: Readonly<Record<number, number>> = { 4: 30, 6: 20, 9: 90 };
/** Calls of a step: what lies between two marks is less than a cache looks back, or more. */
const CALLS = [1, 6, 12];

/** A day of work: pauses of all lengths, outputs of all sizes, steps of more calls than a cache looks back. */
function dayOfWork(): readonly Message[] {
  let atMs = 0;
  return Array.from({ length: 12 }, (_, turn) => {
    const parentId = `u${turn}`;
    const promptAtMs = (atMs += ((PAUSES[turn] ?? 0) + 4.5) * MINUTE_MS);
    const steps = Array.from({ length: 5 }, (__, nth) => {
      const createdAt = (atMs += turn === 3 ? 6 * MINUTE_MS : 5_000);
      const [id, calls] = [`c${turn}-${nth}`, CALLS[(turn * 2 + nth) % CALLS.length] ?? 1];
      const tokens = Math.floor((600 + ((turn * 7 + nth * 5) % 11) * 400) / calls);
      const parts = Array.from({ length: calls }, (___, at) =>
        tool(`${id}-${at}`, wordsOf(tokens)),
      );
      return step(id, parts, { finish: 'tool-calls', parentId, createdAt });
    });
    return [
      ask(parentId, 200 + turn, promptAtMs),
      ...steps,
      answer(`s${turn}`, 300, { parentId, createdAt: (atMs += 5_000) }),
    ];
  }).flat();
}

const trace = traceOf(dayOfWork());

const billedIn = (events: readonly RunEvent[]) =>
  events.flatMap((event): readonly Line[] =>
    event.type === 'step-end' || event.type === 'summary-end'
      ? [
          {
            read: event.cacheReadTokens,
            written: event.cacheWriteTokens,
            fresh: event.freshTokens,
            nanoUsd: event.costNanoUsd ?? Number.NaN,
          },
        ]
      : [],
  );

const RECORDED = join(FOLDER, 'claude-code/entire-cd95-3compactions-v2.1.7.jsonl');

describe.skipIf(note !== '')(`the bill of a recorded session${note}`, () => {
  it('is the same by another cache and a price list, and reads summary requests from the cache', () => {
    const session = loadNamed(RECORDED);
    const real = compileSession(session, {
      tokenizer: 'lab',
      tokenizerEvidence: 'estimated',
      count: countTokens,
    });
    const provider = {
      cacheName: 'anthropic-5m',
      cache: markedCache(),
      limits: { contextTokens: 200_000, outputTokens: 64_000 },
    } as const;
    const { events, lines } = recount(real, 'claude-code', provider);
    expect(lines).toEqual(billedIn(events));
    const ends = eventsOf(events, 'summary-end');
    const read = ends.reduce((sum, end) => sum + end.cacheReadTokens, 0);
    expect(read / ends.reduce((sum, end) => sum + end.inputTokens, 0)).toBeGreaterThan(0.9);
  });
});

describe('the bill of a run', () => {
  it.each(
    (Object.keys(providers) as readonly Provider['cacheName'][]).flatMap((cacheName) =>
      (['none', 'opencode-1.2.16', 'opencode-1.18', 'claude-code', 'gemini-cli'] as const).map(
        (name) => [name, cacheName] as const,
      ),
    ),
  )('is what another cache and a price list make of what was sent: %s on %s', (name, cacheName) => {
    const { events, lines } = recount(trace, name, { cacheName, cache: providers[cacheName]() });
    expect(lines).toEqual(billedIn(events));
    expect(eventsOf(events, 'pivot').length > 0).toBe(name !== 'none');
    const { costs } = foldRun(events);
    const total = (costs?.summariesNanoUsd ?? 0) + (costs?.stepsNanoUsd ?? 0);
    expect(total).toBe(lines.reduce((sum, { nanoUsd }) => sum + nanoUsd, 0));
  });

  it('reads most of a summary request from the cache where it extends the session, and nothing where it is fresh', () => {
    const shares = (name: PolicyName) => {
      const { events } = recount(trace, name, { cacheName: 'openai', cache: automaticCache() });
      return eventsOf(events, 'summary-end').map((end) => end.cacheReadTokens / end.inputTokens);
    };
    expect(Math.max(...shares('claude-code'))).toBeGreaterThan(0.85);
    expect(Math.max(...shares('opencode-1.18'))).toBe(0);
  });

  it('reads nothing where another model writes the summary', () => {
    const model = modelOf({ cache: 'openai' }, { limits: LIMITS });
    const summaryModel = modelOf({ cache: 'openai' }, { limits: LIMITS, id: 'lab/other' });
    const policy = policies['claude-code'];
    const readBy = (other: Partial<RunOptions>) =>
      eventsOf(run(trace, { policy, model, ...other }).events, 'summary-end')[0]?.cacheReadTokens;
    expect(readBy({})).toBeGreaterThan(30_000);
    expect(readBy({ summaryModel })).toBe(0);
  });
});
