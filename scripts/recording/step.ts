import type {
  ExportedAssistantInfo,
  ExportedMessage,
  ExportedToolState,
  PartContent,
} from './export.ts';
import { AGENT, MODEL, type Recorder, toPart } from './recorder.ts';
import type { CallScript, StepScript } from './script.ts';
import { changedFiles, takeSnapshot } from './snapshot.ts';
import { countText } from './tokens.ts';
import { runTool } from './tools/run.ts';

const FIRST_TOKEN_MS = 1_400;
const TOKEN_MS = 14;
const TOOL_MS: Readonly<Partial<Record<CallScript['tool'], number>>> = { bash: 2_300, grep: 180 };
const OTHER_TOOL_MS = 20;

/** Plays one step: its tools run, and their results stand in the message. */
export function recordStep(
  recorder: Recorder,
  step: StepScript,
  parentID: string,
): ExportedMessage {
  const id = recorder.newId('msg');
  const created = recorder.clock.now();
  const before = takeSnapshot(recorder.workspace);
  const open = toPart(recorder, id, { type: 'step-start', snapshot: before.hash });
  const parts = stepContents(recorder, step).map((content) => toPart(recorder, id, content));
  const tokens = recorder.ledger.addStep(parts);
  const after = takeSnapshot(recorder.workspace);
  const finish = step.calls.length === 0 ? 'stop' : 'tool-calls';
  const close: PartContent[] = [
    { type: 'step-finish', reason: finish, snapshot: after.hash, cost: 0, tokens },
  ];
  const files = changedFiles(before, after);
  if (files.length > 0) close.push({ type: 'patch', hash: before.hash, files });
  const closing = close.map((content) => toPart(recorder, id, content));
  const time = { created, completed: recorder.clock.now() };
  const info = stepInfo(recorder, { id, parentID, tokens, finish, time });
  return { info, parts: [open, ...parts, ...closing] };
}

function stepInfo(
  recorder: Recorder,
  own: Pick<ExportedAssistantInfo, 'id' | 'parentID' | 'tokens' | 'finish' | 'time'>,
): ExportedAssistantInfo {
  return {
    id: own.id,
    sessionID: recorder.sessionId,
    role: 'assistant',
    parentID: own.parentID,
    mode: AGENT,
    agent: AGENT,
    ...MODEL,
    path: { cwd: '.', root: '.' },
    cost: 0,
    tokens: own.tokens,
    finish: own.finish,
    time: own.time,
  };
}

function stepContents(recorder: Recorder, step: StepScript): readonly PartContent[] {
  recorder.clock.pass(FIRST_TOKEN_MS);
  const contents: PartContent[] = [];
  if (step.reasoning !== undefined) {
    contents.push({
      type: 'reasoning',
      text: step.reasoning,
      time: speak(recorder, step.reasoning),
    });
  }
  if (step.text !== undefined) {
    contents.push({ type: 'text', text: step.text, time: speak(recorder, step.text) });
  }
  return [...contents, ...step.calls.map((call) => recordCall(recorder, call))];
}

function recordCall(recorder: Recorder, call: CallScript): PartContent {
  speak(recorder, JSON.stringify(call.input));
  const start = recorder.clock.now();
  const outcome = runTool(call, recorder.workspace);
  recorder.clock.pass(TOOL_MS[call.tool] ?? OTHER_TOOL_MS);
  const time = { start, end: recorder.clock.now() };
  const { tool, input } = call;
  const callID = recorder.newId('call');
  if (outcome.state === 'error') {
    const state: ExportedToolState = { status: 'error', input, error: outcome.error, time };
    return { type: 'tool', callID, tool, state };
  }
  const { output, title, metadata } = outcome;
  const state: ExportedToolState = { status: 'completed', input, output, title, metadata, time };
  return { type: 'tool', callID, tool, state };
}

function speak(recorder: Recorder, text: string): { start: number; end: number } {
  const start = recorder.clock.now();
  recorder.clock.pass(countText(text) * TOKEN_MS);
  return { start, end: recorder.clock.now() };
}
