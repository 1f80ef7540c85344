import { strykerPlugins as vitest } from '@stryker-mutator/vitest-runner';

const FAILED = 1;

/** Vitest's runner, but a file of tests that no longer loads kills its mutant: it has no test that could fail. */
function createRunner(injector) {
  const runner = vitest[0].factory(injector);
  const run = runner.run.bind(runner);
  runner.run = async (options) => {
    const result = await run(options);
    const files = runner.ctx.state.getFiles();
    const unloaded = files.filter((file) => file.result?.state === 'fail' && !file.tasks.length);
    const tests = unloaded.map((file) => ({
      id: `${file.name}#`,
      name: 'loads',
      status: FAILED,
      failureMessage: String(file.result.errors?.[0]?.message),
      timeSpentMs: 0,
    }));
    return tests.length === 0 ? result : { status: 'complete', tests };
  };
  return runner;
}
createRunner.inject = ['$injector'];

export const strykerPlugins = [{ kind: 'TestRunner', name: 'loads', factory: createRunner }];
