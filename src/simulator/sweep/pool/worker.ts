import { parentPort, workerData } from 'node:worker_threads';
import { createTaskContext, refusalOf, runTask } from '../run/run-task.ts';
import type { FromWorker, ToWorker, WorkerSetup } from './pool.ts';

/** Runs tasks as they come, one at a time, until it is told that there are no more. */
async function serve(port: NonNullable<typeof parentPort>): Promise<void> {
  const { cells, ...options }: WorkerSetup = workerData;
  const context = await createTaskContext(cells, options);
  const send = (message: FromWorker) => port.postMessage(message);
  const answer = async (message: ToWorker) => {
    if (message.type === 'end') {
      context.save();
      port.close();
      return;
    }
    if (message.text !== undefined) context.give(message.task.session, message.text);
    const reason = refusalOf(message.task, context);
    if (reason !== undefined) {
      send({ type: 'refused', reason });
      return;
    }
    for await (const rows of runTask(message.task, context)) send({ type: 'rows', rows });
    send({ type: 'idle' });
  };
  // An error that is thrown ends the thread, and the one that started it is told.
  port.on('message', (message: ToWorker) => void answer(message));
  send({ type: 'idle' });
}

if (parentPort) await serve(parentPort);
