/** The program of a worker's threads, which the queue starts. */

import { createRunJob } from './job.ts';

// The queue calls what a module exports by default.
export { runJob as default };

const runJob = createRunJob();
