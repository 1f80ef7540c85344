import type { SweepTask } from '../run/task.ts';

/** Hands out tasks, so that whoever has a session ready goes on with it. */
export interface Dispatcher {
  /** The next task for a worker; nothing where others will finish what is left. */
  next(worker: number): SweepTask | undefined;
}

/** Fewer tasks than that are sooner done by whoever has their session ready. */
const FEWEST_TO_SHARE = 2;

/** A dispatcher of tasks that come session by session. They are taken as they are needed. */
export function createDispatcher(tasks: Iterator<SweepTask, unknown>): Dispatcher {
  const sessions = bySession(tasks);
  const queues = new Map<number, SweepTask[]>();
  return {
    next: (worker) => {
      const own = queues.get(worker)?.shift();
      if (own !== undefined) return own;
      const fresh = sessions.next();
      if (fresh.done) return takeFromFullest(queues);
      queues.set(worker, fresh.value);
      return fresh.value.shift();
    },
  };
}

/** From the end, far from what its owner does next. */
function takeFromFullest(queues: ReadonlyMap<number, SweepTask[]>): SweepTask | undefined {
  let fullest: SweepTask[] = [];
  for (const queue of queues.values()) if (queue.length > fullest.length) fullest = queue;
  return fullest.length < FEWEST_TO_SHARE ? undefined : fullest.pop();
}

function* bySession(tasks: Iterator<SweepTask, unknown>): Generator<SweepTask[], void, void> {
  let gathered: SweepTask[] = [];
  for (let next = tasks.next(); !next.done; next = tasks.next()) {
    const task = next.value;
    if (gathered[0] !== undefined && gathered[0].session !== task.session) {
      yield gathered;
      gathered = [];
    }
    gathered.push(task);
  }
  if (gathered.length > 0) yield gathered;
}
