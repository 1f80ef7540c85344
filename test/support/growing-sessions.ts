/** Sessions that read one file after another, each step larger by the same amount. */

/** One session of them. */
export interface GrowingSession {
  readonly name: string;
  readonly startMs: number;
  readonly steps: number;
  readonly growthTokens: number;
  readonly model: string;
  readonly version: string;
  /** The folder that the agent works in. */
  readonly folder?: string;
  readonly request?: string;
}

const MINUTE_MS = 60_000;
const ANSWER_TOKENS = 50;
const FILES = 4;
const FOLDER = '/work/app';

/** A transcript of Claude Code. */
export function growingTranscript(session: GrowingSession): string {
  const { name, steps, growthTokens, model, version, folder = FOLDER } = session;
  const line = (minute: number, type: string, message: object) => ({
    cwd: folder,
    sessionId: `session-${name}`,
    version,
    isSidechain: false,
    type,
    uuid: `${name}-${minute}`,
    parentUuid: minute === 0 ? null : `${name}-${minute - 1}`,
    timestamp: timeAt(session, minute),
    message,
  });
  const lines = Array.from({ length: steps }, (_, step) => {
    const id = `${name}-call-${step}`;
    const input = { file_path: fileAt(session, step) };
    const answer = {
      id: `${name}-message-${step}`,
      role: 'assistant',
      model,
      content: [{ type: 'tool_use', id, name: 'Read', input }],
      stop_reason: 'tool_use',
      usage: {
        input_tokens: 0,
        cache_read_input_tokens: step * growthTokens,
        cache_creation_input_tokens: growthTokens,
        output_tokens: ANSWER_TOKENS,
      },
    };
    const content = [{ type: 'tool_result', tool_use_id: id, content: outputAt(session, step) }];
    return [
      line(2 * step + 1, 'assistant', answer),
      line(2 * step + 2, 'user', { role: 'user', content }),
    ];
  });
  return toLines([line(0, 'user', { role: 'user', content: requestOf(session) }), ...lines.flat()]);
}

/** A rollout of Codex. */
export function growingRollout(
  session: GrowingSession & { readonly windowTokens: number },
): string {
  const { name, steps, growthTokens, model, version, windowTokens } = session;
  const line = (minute: number, type: string, payload: object) => ({
    timestamp: timeAt(session, minute),
    type,
    payload,
  });
  const item = (minute: number, type: string, over: object) =>
    line(minute, 'response_item', { type, ...over });
  const lines = Array.from({ length: steps }, (_, step) => {
    const call_id = `${name}-call-${step}`;
    const input_tokens = (step + 1) * growthTokens;
    const last = {
      input_tokens,
      cached_input_tokens: step * growthTokens,
      output_tokens: ANSWER_TOKENS,
      total_tokens: input_tokens + ANSWER_TOKENS,
    };
    const all = (growthTokens * (step + 1) * (step + 2)) / 2 + ANSWER_TOKENS * (step + 1);
    const info = {
      total_token_usage: { total_tokens: all },
      last_token_usage: last,
      model_context_window: windowTokens,
    };
    const input = JSON.stringify({ cmd: `cat ${fileAt(session, step)}` });
    return [
      item(step + 1, 'function_call', { name: 'exec_command', arguments: input, call_id }),
      line(step + 1, 'event_msg', { type: 'token_count', info }),
      item(step + 1, 'function_call_output', { call_id, output: outputAt(session, step) }),
    ];
  });
  const text = requestOf(session);
  return toLines([
    line(0, 'session_meta', { id: name, model_provider: 'openai', cli_version: version }),
    line(0, 'turn_context', { turn_id: 't', model }),
    item(0, 'message', { role: 'user', content: [{ type: 'input_text', text }] }),
    ...lines.flat(),
  ]);
}

function timeAt({ startMs }: GrowingSession, minute: number): string {
  return new Date(startMs + minute * MINUTE_MS).toISOString();
}

function requestOf({ name, request = `Mend the ${name}.` }: GrowingSession): string {
  return request;
}

function fileAt({ name, folder = FOLDER }: GrowingSession, step: number): string {
  return `${folder}/${name}-${step % FILES}.ts`;
}

function outputAt({ name }: GrowingSession, step: number): string {
  return `${name} ${step} ${'line of code '.repeat(40)}`;
}

function toLines(lines: readonly object[]): string {
  return lines.map((one) => `${JSON.stringify(one)}\n`).join('');
}
