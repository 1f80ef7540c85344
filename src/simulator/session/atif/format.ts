import type { SessionFormat, SourceFile } from '../format.ts';
import { finishSession } from '../reading/finish-session.ts';
import { withMessages } from '../reading/no-conversation.ts';
import { countLineFaults } from '../reading/record-lines.ts';
import { sessionName } from '../session-name.ts';
import type { Session } from '../session.ts';
import { toSideSessions } from '../side-sessions.ts';
import { createTally, type Tally } from '../reading/tally.ts';
import { readSteps } from './conversation.ts';
import { findTrajectory, type Trajectory } from './document.ts';
import { modelNameOf, parseAgent } from './record.ts';
import { findByReference } from './side-sessions.ts';

/** A trajectory with the session that it was started from. */
interface Placed {
  readonly trajectory: Trajectory;
  readonly parent?: Trajectory;
}

/** Trajectories in the interchange format of Harbor, as a document or as a stream of steps. */
export const atif: SessionFormat = {
  label: 'ATIF trajectory (JSON or JSON lines)',
  detect: (file) => findTrajectory(file) !== undefined,
  read: readTrajectories,
};

function readTrajectories(file: SourceFile): readonly Session[] {
  const main = findTrajectory(file);
  const all = main === undefined ? [] : [...withInner({ trajectory: main })];
  const sessions = all.map((placed, index) => {
    const tally = createTally();
    if (index === 0) countLineFaults(file.lines(), tally);
    const name = sessionName(file.name, { index, count: all.length });
    return { name, ...toSession(placed, tally) };
  });
  return withMessages(sessions, file.name, 'a trajectory without steps');
}

function* withInner(placed: Placed): Generator<Placed> {
  yield placed;
  const { trajectory: parent } = placed;
  for (const trajectory of parent.inner) yield* withInner({ trajectory, parent });
}

function toSession({ trajectory, parent }: Placed, tally: Tally): Omit<Session, 'name'> {
  const agent = parseAgent(trajectory.agent);
  const conversation = readSteps(trajectory.steps, agent, tally);
  const { sessionId, inner } = trajectory;
  const { drafts, references, system } = conversation;
  const finished = finishSession(drafts, tally, modelNameOf(agent));
  return {
    format: 'atif',
    ...(sessionId !== undefined && { sessionId }),
    isSide: parent !== undefined,
    ...(parent?.sessionId !== undefined && { parentSessionId: parent.sessionId }),
    ...toSideSessions(
      { drafts, messages: finished.messages, sessionId },
      findByReference(references, inner),
    ),
    isPartial: false,
    ...(system !== undefined && { system }),
    recordedCompactions: [],
    isOutputFinal: true,
    ...finished,
  };
}
