import type { Queue } from 'bullmq';
import { keepIn } from '../../keep-in.ts';
import { quoted } from '../../names.ts';
import { sum } from '../../sum.ts';
import { isQueueName, QUEUE_PREFIX } from './queue-name.ts';
import { listSweeps } from './registry.ts';
import type { ServeContext } from './serve-context.ts';
import { unlessAborted } from '../wait.ts';

/** The next sweep after another with a task that nobody has taken; where there is none, with one that nobody has finished. */
export async function findWork(context: ServeContext, last = ''): Promise<string | undefined> {
  const sweeps =
    (await unlessAborted(listSweeps(context.connection.redis), context.signal)) ?? new Map();
  const names = findServed(sweeps, context);
  const inTurn = [...names.filter((name) => name > last), ...names.filter((name) => name <= last)];
  for (const name of inTurn) if (await hasWaiting(name, context)) return name;
  for (const name of inTurn) if (await hasWork(name, context)) return name;
  return undefined;
}

/** Leaves a sweep alone for what it is, and says so once. */
export function refuseForm(name: string, reason: string, { refused, note }: ServeContext): void {
  if (refused.get(name) === 'form') return;
  refused.set(name, 'form');
  note(`Sweep ${quoted(name)} is left alone, because ${reason}.`);
}

/** Whether a sweep has a task that nobody has finished. */
export async function hasWork(name: string, context: ServeContext): Promise<boolean> {
  return (await hasWaiting(name, context)) || (await countJobs(name, ['active'], context)) > 0;
}

/** Whether a sweep has a task that nobody has taken. */
export async function hasWaiting(name: string, context: ServeContext): Promise<boolean> {
  return (await countJobs(name, ['waiting', 'delayed', 'prioritized'], context)) > 0;
}

/** The sweeps that are not left alone. One that was taken away may come back in another form. */
function findServed(sweeps: ReadonlyMap<string, string>, context: ServeContext): readonly string[] {
  const { refused } = context;
  for (const [name, flaw] of refused) {
    if (flaw === 'form' && !sweeps.has(name)) refused.delete(name);
  }
  for (const [name, version] of sweeps) {
    if (version !== context.version) refuseVersion(name, version, context);
    else if (!isQueueName(name)) refuseForm(name, 'no sweep has such a name', context);
  }
  return [...sweeps].flatMap(([name, version]) =>
    version !== context.version || refused.get(name) === 'form' ? [] : [name],
  );
}

function refuseVersion(
  name: string,
  version: string,
  { refused, version: own, note }: ServeContext,
): void {
  if (refused.has(name)) return;
  refused.set(name, 'version');
  note(
    `Sweep ${quoted(name)} was planned by version ${quoted(version)}, this is ${own}: it needs workers of its own version.`,
  );
}

async function countJobs(
  name: string,
  states: ('waiting' | 'delayed' | 'prioritized' | 'active')[],
  context: ServeContext,
): Promise<number> {
  const counts =
    (await unlessAborted(queueOf(name, context).getJobCounts(...states), context.signal)) ?? {};
  return sum(Object.values(counts));
}

function queueOf(name: string, context: ServeContext): Queue {
  return keepIn(context.queues, name, () => openQueue(name, context));
}

function openQueue(name: string, { packages, connection }: ServeContext): Queue {
  const queue = new packages.bullmq.Queue(name, {
    connection: connection.redis,
    prefix: QUEUE_PREFIX,
    skipMetasUpdate: true,
  });
  // The connection tells of its errors itself.
  queue.on('error', () => undefined);
  return queue;
}
