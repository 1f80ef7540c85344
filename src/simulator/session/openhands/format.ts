import type { SessionFormat, SourceFile } from '../format.ts';
import { finishSession } from '../reading/finish-session.ts';
import { withMessages } from '../reading/no-conversation.ts';
import { countLineFaults } from '../reading/record-lines.ts';
import { sessionName } from '../session-name.ts';
import type { Session } from '../session.ts';
import { createTally, type Tally } from '../reading/tally.ts';
import { readHistory } from './conversation.ts';
import { findInstances, type Instance } from './instance.ts';

/** Evaluations of OpenHands: one instance on each line, and each is a session. */
export const openhands: SessionFormat = {
  label: 'OpenHands evaluation output (JSON lines)',
  detect: (file) => findInstances(file) !== undefined,
  read: readOutput,
};

function readOutput(file: SourceFile): readonly Session[] {
  const instances = findInstances(file) ?? [];
  const first = instances.findIndex((instance) => instance !== undefined);
  const sessions = instances.flatMap((instance, index) => {
    if (instance === undefined) return [];
    const tally = createTally();
    if (index === first) countLosses(file, instances, tally);
    const name = sessionName(file.name, { index, count: instances.length });
    return [{ name, ...toSession(instance, tally) }];
  });
  return withMessages(sessions, file.name, 'instances without messages');
}

function countLosses(
  file: SourceFile,
  instances: readonly (Instance | undefined)[],
  tally: Tally,
): void {
  const lost = instances.filter((instance) => instance === undefined).length;
  countLineFaults(file.lines(), tally);
  tally.drop('line that is no instance', lost);
}

function toSession(instance: Instance, tally: Tally): Omit<Session, 'name'> {
  const { history, instruction, instance_id: sessionId } = instance;
  const { drafts, compactions, system } = readHistory(history, instruction, tally);
  return {
    format: 'openhands',
    sessionId,
    isSide: false,
    isPartial: false,
    ...(system !== undefined && { system }),
    recordedCompactions: compactions,
    isOutputFinal: true,
    ...finishSession(drafts, tally),
  };
}
