import { type ChildProcess, spawn } from 'node:child_process';
import { kill } from 'node:process';
import * as z from 'zod';
import { badOption, HarnessError } from '../../lib/errors.ts';
import { expectValid } from '../../lib/expect.ts';
import { isObject, parseJson } from '../../lib/json.ts';
import { beforeEnd } from '../../lib/process-end.ts';
import { SignalShape } from '../../replay/run-trace.ts';
import {
  type Compactor,
  type CompactorInput,
  readMessages,
} from '../../replay/foreign/compactor.ts';
import { formatCount } from '../../report/numbers.ts';
import { describeValue } from '../../scenario/file/yaml.ts';
import { pause, unlessAborted } from '../wait.ts';

/** A compactor that holds on to something until it is ended. */
export interface OpenCompactor {
  readonly compact: Compactor;
  readonly end: () => void;
}

/** How long an adapter may take, and how it is told to stop. */
export interface CommandOptions {
  /** For one answer, in ms. */
  readonly timeoutMs?: number;
  /** Longest answer, in UTF-16 units. */
  readonly maxCharacters?: number;
  /** Fires when nobody waits for it any more. */
  readonly signal?: AbortSignal | undefined;
}

interface Talk {
  readonly child: ChildProcess;
  readonly lines: ReturnType<typeof answerLines>;
  ended: string | undefined;
  isClosed: boolean;
}

/** A time under another name would be the one by default; what it has to be is said where it is read. */
const OptionsSchema = z.strictObject({
  timeoutMs: z.unknown().optional(),
  maxCharacters: z.number({ error: 'a number above 0' }).positive('a number above 0').optional(),
  signal: SignalShape,
});

const DEFAULT_TIMEOUT_MS = 60_000;
/** More than ten times what the largest windows hold. */
const DEFAULT_MAX_CHARACTERS = 100_000_000;
/** Time to end by itself, in ms: for a process that was told to, and one that closed its output. */
const GRACE_MS = 1_000;
const EXPECTED = 'Expected the adapter to answer with one line {"messages":[…]}';
const NEWLINE = '\n';

/**
 * A compactor in any language: a command that the shell starts once and that answers each request, a JSON line on its
 * standard input, with a JSON line on its standard output. What it writes to standard error is shown. Throws
 * `HarnessError` where there is no command, or no time for an answer, and a `TypeError` at an option that there is not.
 */
export function commandCompactor(command: string, options: CommandOptions = {}): OpenCompactor {
  const { timeoutMs = DEFAULT_TIMEOUT_MS } = expectValid('options', options, OptionsSchema);
  if (typeof command !== 'string' || command.trim() === '')
    throw badOption(`Expected the adapter to be a command, got ${describeValue(command)}.`);
  if (!(Number.isSafeInteger(timeoutMs) && timeoutMs > 0))
    throw badOption(`Expected 'timeoutMs' to be above 0, got ${describeValue(timeoutMs)}.`);
  const talk = start(command, options);
  const { signal } = options;
  return { compact: (input) => ask(talk, input, { timeoutMs, signal }), end: () => void end(talk) };
}

function start(command: string, { maxCharacters = DEFAULT_MAX_CHARACTERS }: CommandOptions) {
  const child = spawn(command, { shell: true, detached: true, stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdout.setEncoding('utf8');
  const lines = answerLines(child.stdout, maxCharacters);
  const talk: Talk = { child, lines, ended: undefined, isClosed: false };
  const forget = beforeEnd(() => killAll(child, 'SIGTERM'));
  child.on('close', () => {
    talk.isClosed = true;
    forget();
  });
  child.on('error', ({ message }) => {
    talk.ended = message;
  });
  child.on('exit', (code, signal) => {
    talk.ended ??= signal === null ? `exit code ${code}` : `signal ${signal}`;
  });
  // A process that is gone cannot be written to; that it gives no answer tells as much.
  child.stdin.on('error', () => {});
  return talk;
}

function bad(got: string) {
  return new HarnessError('BAD_ADAPTER', `${EXPECTED}, got ${got}.`);
}

/** The lines of a stream as they come, and whether another whole one came with it. Throws at one that is too long. */
async function* answerLines(stream: AsyncIterable<string>, maxCharacters: number) {
  const tooLong = () => bad(`a line of more than ${formatCount(maxCharacters)} characters`);
  let pieces: string[] = [];
  let length = 0;
  for await (const chunk of stream) {
    const [first = '', ...others] = chunk.split(NEWLINE);
    pieces.push(first);
    length += first.length;
    for (const [index, next] of others.entries()) {
      if (length > maxCharacters) throw tooLong();
      yield { text: pieces.join(''), isFollowed: index < others.length - 1 };
      pieces = [next];
      length = next.length;
    }
    if (length > maxCharacters) throw tooLong();
  }
}

async function ask(
  talk: Talk,
  { messages, limits, usage, refused }: CompactorInput,
  { timeoutMs, signal }: Pick<CommandOptions, 'signal'> & { readonly timeoutMs: number },
) {
  talk.child.stdin?.write(`${JSON.stringify({ messages, limits, usage, refused })}\n`);
  const deadline = AbortSignal.timeout(timeoutMs);
  const stop = signal === undefined ? deadline : AbortSignal.any([deadline, signal]);
  const line = await unlessAborted(talk.lines.next(), stop);
  if (line === undefined)
    throw bad(signal?.aborted === true ? 'a wish to stop' : `nothing within ${timeoutMs} ms`);
  if (line.done === true) {
    // How the process ended is known shortly after its output did; one that closed that may go on.
    if (talk.ended === undefined) await closing(talk);
    throw bad(`the end of its output (${talk.ended ?? 'it still runs'})`);
  }
  const { text, isFollowed } = line.value;
  if (isFollowed) throw bad('another line after it');
  const answer = parseJson(text);
  if (isObject(answer) && 'messages' in answer) return readMessages(answer['messages']);
  const what = answer === undefined ? 'that is not JSON' : "without 'messages'";
  throw bad(`a line of ${text.length} characters ${what}`);
}

async function closing({ child, isClosed }: Talk) {
  if (isClosed) return;
  const closed = new AbortController();
  child.once('close', () => closed.abort());
  await pause(GRACE_MS, closed.signal);
}

/** Whoever does not hear is not asked twice: nobody could end before it. */
async function end(talk: Talk) {
  talk.child.stdin?.end();
  killAll(talk.child, 'SIGTERM');
  await closing(talk);
  if (!talk.isClosed) killAll(talk.child, 'SIGKILL');
}

/** The shell and what it started are a group of their own; where there are no groups, the shell alone. */
function killAll(child: ChildProcess, signal: NodeJS.Signals) {
  if (child.pid === undefined) return;
  try {
    kill(-child.pid, signal);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    child.kill(signal);
  }
}
