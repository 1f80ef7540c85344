import { createClock } from './clock.ts';
import type { ExportedMessage, PartContent, SessionExport } from './export.ts';
import { createLedger } from './ledger.ts';
import { AGENT, createIds, MODEL, type Recorder, toPart } from './recorder.ts';
import type { SessionScript, TurnScript } from './script.ts';
import { recordStep } from './step.ts';
import { createWorkspace, removeWorkspace, type Workspace } from './workspace.ts';

const OPENCODE_VERSION = '1.2.16';
const MINUTE_MS = 60_000;

/** Plays the script in a scratch folder of its own: its tools really run. */
export function recordSession(script: SessionScript, sessionId: string): SessionExport {
  const workspace = createWorkspace(script);
  try {
    return playScript(script, createRecorder(sessionId, workspace));
  } finally {
    removeWorkspace(workspace);
  }
}

function createRecorder(sessionId: string, workspace: Workspace): Recorder {
  const ledger = createLedger();
  return { sessionId, workspace, clock: createClock(), ledger, newId: createIds() };
}

function playScript(script: SessionScript, recorder: Recorder): SessionExport {
  const created = recorder.clock.now();
  const messages = script.turns.flatMap((turn) => recordTurn(recorder, turn));
  const info = {
    id: recorder.sessionId,
    slug: script.name,
    projectID: 'recorded',
    directory: '.',
    title: script.title,
    version: OPENCODE_VERSION,
    metadata: { recorder: 'compaction-bench', usage: 'computed' },
    time: { created, updated: recorder.clock.now() },
  };
  return { info, messages };
}

function recordTurn(recorder: Recorder, turn: TurnScript): readonly ExportedMessage[] {
  const prompt = recordPrompt(recorder, turn);
  const steps = turn.steps.map((step) => recordStep(recorder, step, prompt.info.id));
  return [prompt, ...steps];
}

function recordPrompt(recorder: Recorder, turn: TurnScript): ExportedMessage {
  recorder.clock.pass(turn.idleMinutes * MINUTE_MS);
  const id = recorder.newId('msg');
  const parts = promptContents(turn).map((content) => toPart(recorder, id, content));
  recorder.ledger.addPrompt(parts);
  const time = { created: recorder.clock.now() };
  const { sessionId: sessionID } = recorder;
  return { info: { id, sessionID, role: 'user', time, agent: AGENT, model: MODEL }, parts };
}

function promptContents(turn: TurnScript): readonly PartContent[] {
  const text: PartContent = { type: 'text', text: turn.prompt };
  if (turn.image === undefined) return [text];
  const { filename, dataUrl: url } = turn.image;
  return [text, { type: 'file', mime: 'image/png', filename, url }];
}
