/** Tokens of one request, in the words of an OpenCode export. */
export interface ExportedTokens {
  readonly total: number;
  readonly input: number;
  readonly output: number;
  readonly reasoning: number;
  readonly cache: { readonly read: number; readonly write: number };
}

interface Owned {
  readonly id: string;
  readonly sessionID: string;
  readonly messageID: string;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** A finished tool call. */
export type ExportedToolState =
  | {
      readonly status: 'completed';
      readonly input: unknown;
      readonly output: string;
      readonly title: string;
      readonly metadata: Readonly<Record<string, unknown>>;
      readonly time: Span;
    }
  | {
      readonly status: 'error';
      readonly input: unknown;
      readonly error: string;
      readonly time: Span;
    };

/** What a part says, without the ids that it gets in its place. */
export type PartContent =
  | { readonly type: 'text'; readonly text: string; readonly time?: Span }
  | { readonly type: 'reasoning'; readonly text: string; readonly time: Span }
  | {
      readonly type: 'file';
      readonly mime: string;
      readonly filename: string;
      readonly url: string;
    }
  | {
      readonly type: 'tool';
      readonly callID: string;
      readonly tool: string;
      readonly state: ExportedToolState;
    }
  | { readonly type: 'step-start'; readonly snapshot: string }
  | {
      readonly type: 'step-finish';
      readonly reason: string;
      readonly snapshot: string;
      readonly cost: number;
      readonly tokens: ExportedTokens;
    }
  | { readonly type: 'patch'; readonly hash: string; readonly files: readonly string[] };

/** One part of an exported message. */
export type ExportedPart = Owned & PartContent;

/** The head of a prompt. */
export interface ExportedUserInfo {
  readonly id: string;
  readonly sessionID: string;
  readonly role: 'user';
  readonly time: { readonly created: number };
  readonly agent: string;
  readonly model: { readonly providerID: string; readonly modelID: string };
}

/** The head of a step. */
export interface ExportedAssistantInfo {
  readonly id: string;
  readonly sessionID: string;
  readonly role: 'assistant';
  readonly parentID: string;
  readonly mode: string;
  readonly agent: string;
  readonly providerID: string;
  readonly modelID: string;
  readonly path: { readonly cwd: string; readonly root: string };
  readonly cost: number;
  readonly tokens: ExportedTokens;
  readonly finish: string;
  readonly time: { readonly created: number; readonly completed: number };
}

/** One message with its parts. */
export interface ExportedMessage {
  readonly info: ExportedUserInfo | ExportedAssistantInfo;
  readonly parts: readonly ExportedPart[];
}

/** A session as `opencode export` writes it. */
export interface SessionExport {
  readonly info: Readonly<Record<string, unknown>>;
  readonly messages: readonly ExportedMessage[];
}

/** The session as JSON with one message a line. */
export function renderExport(session: SessionExport): string {
  const messages = session.messages.map((message) => JSON.stringify(message)).join(',\n');
  return `{"info":${JSON.stringify(session.info)},\n"messages":[\n${messages}\n]}\n`;
}
