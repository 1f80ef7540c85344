/** A model server that answers as a script says, in every dialect, and keeps what it was asked. */

import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import { createGuardedServer } from '../../lib/guarded-server.ts';
import { isObject, parseJson } from '../../lib/json.ts';
import { refusals } from '../refusals.ts';
import {
  type Dialect,
  dialects,
  factsOf,
  kindOf,
  type Known,
  type OfferedTool,
  type RequestFacts,
  type Said,
  type SentRequest,
  type StreamEvent,
} from './dialects.ts';
import type { ProviderScript, ScriptAnswer, ScriptSummary, ScriptUsage } from './script.ts';

/** A request with what was answered. */
export interface LoggedRequest extends RequestFacts {
  readonly turn: number;
  readonly answered: number;
  answer: 'call' | 'text' | 'refused' | 'failed';
  /** How often the same request came again after it was not answered; such retries are no requests of their own. */
  repeats?: number;
  usage?: ScriptUsage;
}

/** A running server of a script. */
export type ScriptedServer = ReturnType<typeof createScriptedServer>;

interface Place {
  turn: number;
  inTurn: number;
  answered: number;
  summarised: number;
  before?: SentRequest;
  summaryPrompt?: string | undefined;
}

type Reply =
  | { readonly type: 'said'; readonly said: Said }
  | { readonly type: 'error'; readonly status: number; readonly body: unknown };

const SERVER_ERROR = 500;
const TOO_MANY = 429;
/** The most that a request may hold: more than ten times the largest windows, as JSON. */
const MOST_BODY_BYTES = 64 * 1024 ** 2;
const TOO_LARGE = 'Expected a body of at most 64 MB, got a larger one.';
const NO_OBJECT = 'Expected a JSON object as the body, got something else.';
const SERVER_FAILED: Reply = {
  type: 'error',
  status: SERVER_ERROR,
  body: { error: { message: 'The server had an error.', type: 'server_error', code: 'internal' } },
};
const REASONING = 'The numbers come next, line by line. ';
const SUMMARY_TAGS = ['state_snapshot', 'summary'];
const FINAL_TEXT = 'Done.';
const TITLE = 'A session';
const SUMMARY_LINE = '- The work goes on as the person asked. ';

const SHELL_NAMES = [
  /^(?:bash|shell|exec_command|run_shell_command|execute_command|run_commands?)$/i,
  /bash|shell|command|exec|terminal/i,
];
const SKILL_NAME = /skill/i;
const SKILL_KEY = /name|skill/i;
/** The skill that is asked for; whoever runs the agent puts it in its place. */
export const SKILL = 'printing-numbers';
/** Several commands, each of which is run by itself; a list under another name is one command with its arguments. */
const COMMAND_LIST = 'commands';
const COMMAND_KEYS = ['command', 'cmd', COMMAND_LIST, 'script'];
/** Of each line, with its end: long enough that no agent cuts an output for its number of lines. */
export const LINE_CHARS = 40;
const MARK_ZEROS = '0'.repeat(20);
const TIMEOUT_MS = 30_000;

/** A server of one script; the caller listens and closes. */
export function createScriptedServer(
  script: ProviderScript,
  {
    onRequest,
    onFault,
    advances = false,
  }: {
    readonly onRequest?: (request: LoggedRequest, sent: SentRequest) => void;
    /** Told of what kept a request from being answered otherwise than with a 500. */
    readonly onFault?: (error: unknown) => void;
    /** Takes up the next prompt's answers by itself, once those of a prompt are given. */
    readonly advances?: boolean;
  } = {},
) {
  const requests: LoggedRequest[] = [];
  const place: Place = { turn: 0, inTurn: 0, answered: 0, summarised: 0 };
  const texts = knownOf(script);
  const startTurn = (index: number): void => void Object.assign(place, { turn: index, inTurn: 0 });
  const decide = (sent: SentRequest) => {
    const { before, summaryPrompt } = place;
    const known = { ...texts, agentTools: before?.tools.length ?? 0, summaryPrompt };
    const kind = kindOf(sent, known);
    place.summaryPrompt = kind === 'summary' ? sent.messages.at(-1)?.text : undefined;
    const facts = factsOf(sent, kind, { known, before });
    const newest = requests.at(-1);
    const id = `answer-${requests.length + 1}`;
    if (newest?.answer === 'failed' && newest.hash === facts.hash) {
      newest.repeats = (newest.repeats ?? 0) + 1;
      if (kind === 'summary') return { reply: SERVER_FAILED, id };
      const reply = replyTo(sent, kind, { script, place });
      Object.assign(newest, toldIn(reply));
      return { reply, id };
    }
    const last = script.turns[place.turn]?.answers.length ?? 0;
    const isOver = place.inTurn >= last && place.turn + 1 < script.turns.length;
    if (advances && isOver && kind === 'agent') startTurn(place.turn + 1);
    const { turn, answered } = place;
    const reply = replyTo(sent, kind, { script, place });
    const logged = { ...facts, turn: turn + 1, answered, ...toldIn(reply) };
    requests.push(logged);
    onRequest?.(logged, sent);
    return { reply, id };
  };
  const server = createGuardedServer(
    (request, response) => handle(request, response, decide),
    onFault,
  );
  return { server, requests: requests as readonly LoggedRequest[], startTurn };
}

/** The beginning of each line of an output but its first; `index` counts the answers of all turns but refusals, `call` those of one answer. */
export function outputMark(index: number, call = 0): string {
  return `${String.fromCharCode('a'.charCodeAt(0) + index)}${call || ''}${MARK_ZEROS}`;
}

/** Sizes of the outputs that an answer asks for. */
export function outputSizes({ outputChars = [] }: ScriptAnswer): readonly number[] {
  return [outputChars].flat();
}

/** The texts of a script, by which requests are told apart. */
export function knownOf({ turns }: ProviderScript): Omit<Known, 'agentTools'> {
  // A refused request has no output, nor a place among those that have.
  const all = turns.flatMap((turn) => turn.answers);
  const answers = all.filter(({ refusal, status }) => !refusal && !status);
  return {
    prompts: turns.map(({ prompt }) => prompt),
    summaryMark: SUMMARY_LINE.trim(),
    outputMarks: answers.flatMap((answer, index) =>
      outputSizes(answer).map((_, call) => outputMark(index, call)),
    ),
  };
}

function toldIn(reply: Reply): Pick<LoggedRequest, 'answer' | 'usage'> {
  if (reply.type === 'error')
    return {
      answer: reply.status >= SERVER_ERROR || reply.status === TOO_MANY ? 'failed' : 'refused',
    };
  const { calls = [], usage } = reply.said;
  return { answer: calls.length > 0 ? 'call' : 'text', ...(usage && { usage }) };
}

function replyTo(
  sent: SentRequest,
  kind: RequestFacts['kind'],
  { script, place }: { readonly script: ProviderScript; readonly place: Place },
): Reply {
  if (kind === 'summary') {
    const summary = script.summaries[Math.min(place.summarised, script.summaries.length - 1)];
    place.summarised += 1;
    if (summary?.refusal) return refuse(summary.refusal, script);
    return replyWithSummary(summary ?? { chars: 400 }, sent);
  }
  if (kind !== 'agent') return { type: 'said', said: { text: TITLE } };
  place.before = sent;
  const { answers = [] } = script.turns[place.turn] ?? {};
  const last = answers.at(-1)?.usage;
  // After its last answer a script ends the turn, at the same usage.
  const answer: ScriptAnswer = answers[place.inTurn] ?? (last === undefined ? {} : { usage: last });
  place.inTurn += 1;
  if (answer.refusal !== undefined) return refuse(answer.refusal, script);
  if (answer.status !== undefined) return failWith(answer.status);
  place.answered += 1;
  const { usage, reasoningChars } = answer;
  const calls = callsOf(sent, answer, place.answered);
  const reasoning = reasoningChars && ''.padEnd(reasoningChars, REASONING);
  const said = { text: calls.length > 0 ? '' : FINAL_TEXT, calls, usage };
  return { type: 'said', said: { ...said, ...(reasoning && { reasoning }) } };
}

function callsOf({ tools }: SentRequest, answer: ScriptAnswer, answered: number) {
  return outputSizes(answer).flatMap((chars, index) => {
    const ofShell = () => createShellCall(tools, outputMark(answered - 1, index), chars);
    const call = answer.tool === 'skill' ? (createSkillCall(tools) ?? ofShell()) : ofShell();
    return call ? [{ id: `call_${answered}${index > 0 ? `_${index}` : ''}`, ...call }] : [];
  });
}

function createShellCall(tools: readonly OfferedTool[], mark: string, chars: number) {
  const tool = SHELL_NAMES.flatMap((name) => tools.filter((one) => name.test(one.name)))[0];
  if (tool === undefined) return undefined;
  const lines = Math.max(1, Math.round(chars / LINE_CHARS));
  const word = mark.slice(0, -MARK_ZEROS.length);
  const format = `${word}%0${LINE_CHARS - 1 - word.length}.0f`;
  const command = `echo output-${word}-begins; seq -f${format} 1 ${lines}`;
  return { name: tool.name, input: fill(tool.parameters, command) };
}

function createSkillCall(tools: readonly OfferedTool[]) {
  const tool = tools.find(({ name }) => SKILL_NAME.test(name));
  const key = tool && Object.keys(propertiesOf(tool.parameters)).find((one) => SKILL_KEY.test(one));
  return tool && key !== undefined ? { name: tool.name, input: { [key]: SKILL } } : undefined;
}

function propertiesOf(schema: Readonly<Record<string, unknown>>) {
  return (schema['properties'] ?? {}) as Record<string, Record<string, unknown>>;
}

function fill(schema: Readonly<Record<string, unknown>>, command: string): object {
  const properties = propertiesOf(schema);
  const required = new Set((schema['required'] ?? []) as string[]);
  const key = COMMAND_KEYS.find((name) => Object.hasOwn(properties, name)) ?? 'command';
  const values = Object.entries(properties).flatMap(([name, property]) => {
    if (name === key) return [[name, commandValue(name, property, command)] as const];
    return required.has(name) ? [[name, valueOf(property)] as const] : [];
  });
  return Object.fromEntries(values);
}

function commandValue(name: string, { type, anyOf }: Record<string, unknown>, command: string) {
  const isList = type === 'array' || JSON.stringify(anyOf ?? '').includes('"array"');
  if (!isList) return command;
  return name === COMMAND_LIST ? [command] : ['bash', '-lc', command];
}

function valueOf({ type, anyOf, enum: choices }: Record<string, unknown>): unknown {
  if (Array.isArray(choices)) return choices[0];
  const kinds = JSON.stringify(anyOf ?? type ?? '').toLowerCase();
  if (kinds.includes('"null"')) return null;
  if (kinds.includes('"boolean"')) return false;
  return /"(?:number|integer)"/.test(kinds) ? TIMEOUT_MS : 'prints lines';
}

function replyWithSummary(
  { chars, fails, usage }: ScriptSummary,
  { messages }: SentRequest,
): Reply {
  if (fails) return SERVER_FAILED;
  const plain = SUMMARY_LINE.repeat(Math.ceil(chars / SUMMARY_LINE.length)).slice(0, chars);
  const tag = SUMMARY_TAGS.find((one) =>
    messages.some((message) => message.text.includes(`<${one}>`)),
  );
  const text = plain === '' || tag === undefined ? plain : `<${tag}>${plain}</${tag}>`;
  return { type: 'said', said: { text, ...(usage && { usage }) } };
}

function failWith(status: number): Reply {
  const message = STATUS_CODES[status] ?? 'Overloaded';
  return { type: 'error', status, body: { error: { message, type: 'api_error', code: null } } };
}

function refuse(refusal: string, { contextTokens }: ProviderScript): Reply {
  const { errorFor } = refusals[refusal as keyof typeof refusals];
  const size = { requestTokens: contextTokens + 1, windowTokens: contextTokens };
  const { statusCode = 400, body, message } = errorFor(size);
  return { type: 'error', status: statusCode, body: body ?? { error: { message } } };
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  decide: (sent: SentRequest) => { readonly reply: Reply; readonly id: string },
): Promise<void> {
  const [path = '/'] = (request.url ?? '/').split('?');
  const read = await readBody(request);
  // Who broke off in the middle asked nothing.
  if (read === undefined) return;
  if (read === 'too-large') return refuseBody(response, 413, TOO_LARGE);
  const body = parseJson(read.toString('utf8'));
  const dialect: Dialect | undefined = Object.values(dialects).find((one) =>
    one.matches.test(path),
  );
  if (dialect === undefined) {
    const models = { object: 'list', data: [{ id: 'mock-model', object: 'model' }], models: [] };
    send(response, path.endsWith('/models') ? 200 : 404, models);
    return;
  }
  if (!isObject(body)) return refuseBody(response, 400, NO_OBJECT);
  const sent = dialect.read(body, path);
  const { reply, id } = decide(sent);
  if (reply.type === 'error') send(response, reply.status, reply.body);
  else if (sent.isStreaming) writeStream(response, dialect, dialect.stream(reply.said, id));
  else send(response, 200, dialect.write(reply.said, id));
}

function writeStream(
  response: ServerResponse,
  { end }: Pick<Dialect, 'end'>,
  events: readonly StreamEvent[],
): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const { event, data } of events)
    response.write(`${event ? `event: ${event}\n` : ''}data: ${JSON.stringify(data)}\n\n`);
  response.end(end === undefined ? undefined : `data: ${end}\n\n`);
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

function refuseBody(response: ServerResponse, status: number, message: string) {
  send(response, status, { error: { message, type: 'invalid_request_error' } });
}

/** The body; `undefined` of who broke off. Of one that is too large the rest is thrown away, so that its sender hears why. */
function readBody(request: IncomingMessage) {
  return new Promise<Buffer | 'too-large' | undefined>((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      chunks.push(chunk);
      if (bytes <= MOST_BODY_BYTES) return;
      chunks.length = 0;
      resolve('too-large');
    });
    request.on('end', () => resolve(Buffer.concat(chunks)));
    request.on('error', () => resolve(undefined));
    request.on('close', () => resolve(undefined));
  });
}
