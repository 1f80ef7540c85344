/** The program of a worker's threads, which the queue starts. */

import { createRunJob } from './job.ts';

// oxlint-disable-next-line import/no-default-export -- the queue calls what a module exports by default
export default createRunJob();
