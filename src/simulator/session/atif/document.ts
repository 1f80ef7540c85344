import { isObject } from '../../lib/json.ts';
import type { SourceFile } from '../format.ts';

/** A trajectory before its steps are read. */
export interface Trajectory {
  /** The id of the run, or its own where it names no run. */
  readonly sessionId?: string;
  /** By which results name it. */
  readonly trajectoryId?: string;
  readonly agent: unknown;
  readonly steps: readonly unknown[];
  /** Trajectories of sub-agents that lie inside. */
  readonly inner: readonly Trajectory[];
}

const MAX_DEPTH = 8;

/** The trajectory of a file, or `undefined` if it holds none: one document, or a header with a step on each line. */
export function findTrajectory(file: SourceFile): Trajectory | undefined {
  const document = file.json();
  if (document !== undefined) return toTrajectory(document, MAX_DEPTH);
  const [header, ...steps] = file.lines().records;
  const isStream = isObject(header) && header['__header__'] === true;
  return isStream ? toTrajectory({ ...header, steps }, MAX_DEPTH) : undefined;
}

function toTrajectory(value: unknown, depth: number): Trajectory | undefined {
  if (!isObject(value) || typeof value['schema_version'] !== 'string') return undefined;
  const { agent, steps, trajectory_id: ownId, subagent_trajectories: inner } = value;
  if (!isObject(agent) || !Array.isArray(steps)) return undefined;
  const sessionId = value['session_id'] ?? ownId;
  const isInnermost = depth === 0 || !Array.isArray(inner);
  return {
    ...(typeof sessionId === 'string' && { sessionId }),
    ...(typeof ownId === 'string' && { trajectoryId: ownId }),
    agent,
    steps,
    inner: isInnermost ? [] : inner.flatMap((each) => toTrajectory(each, depth - 1) ?? []),
  };
}
