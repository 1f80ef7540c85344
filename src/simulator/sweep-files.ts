/** What a sweep consists of, in the folder of one. */
export const HEADER_FILE = 'sweep.json';

/** Its rows, in the same folder. */
export const RESULTS_FILE = 'results.jsonl';
