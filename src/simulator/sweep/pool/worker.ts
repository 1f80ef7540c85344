import { parentPort, workerData } from 'node:worker_threads';
import { createTaskContext, type OpenTaskContext, runTask } from '../run/run-task.ts';
import type { FromWorker, ToWorker, WorkerSetup } from './pool.ts';

function serve(port: NonNullable<typeof parentPort>) {
  const setup: WorkerSetup = workerData;
  let context: OpenTaskContext | undefined;
  const send = (message: FromWorker) => port.postMessage(message);
  const answer = async (message: ToWorker) => {
    if (message.type === 'cells') {
      context = await createTaskContext(message.cells, setup);
      send({ type: 'idle' });
      return;
    }
    if (context === undefined) throw new RangeError(`Expected cells, got '${message.type}'.`);
    if (message.type === 'end') {
      port.close();
      return;
    }
    for await (const rows of runTask(message.task, context)) send({ type: 'rows', rows });
    send({ type: 'idle' });
  };
  // An error that is thrown ends the thread, and the one that started it is told.
  port.on('message', (message: ToWorker) => void answer(message));
}

if (parentPort) serve(parentPort);
