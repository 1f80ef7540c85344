import { describe, expect, it } from 'vitest';
import { scoreText } from '../../../../src/simulator/metrics/quality/score-text.ts';
import type { ToldTodo } from '../../../../src/simulator/metrics/quality/todos.ts';
import { planted } from '../../../support/facts.ts';

const VALUE = 'fill_qx7';
const task = planted({ kind: 'todo', subject: '', value: VALUE, todoState: 'pending' });
const toldIn = (text: string) => {
  const { pending } = scoreText({ text: text.replace('TASK', VALUE), facts: [task] }).todos
    .confusion;
  return Object.entries(pending).find(([, count]) => count > 0)?.[0];
};

describe('a task', () => {
  it.each<[told: ToldTodo, text: string]>([
    ['pending', 'TASK and the rest have not been started.'],
    ['pending', 'TASK has not been fully completed.'],
    ['pending', "TASK hasn't been done yet."],
    ['pending', "We haven't finished TASK."],
    ['pending', 'TASK was never started'],
    ['pending', 'TASK is yet to be done'],
    ['pending', 'TASK has to be completed'],
    ['pending', '- TASK (blocked)'],
    ['pending', '- TASK: on hold'],
    ['pending', '- ⏳ TASK'],
    ['pending', '- TASK ⏳'],
    ['pending', '- [ ] TASK'],
    ['pending', '- Done: wash the cups. TASK has not been started.'],
    ['pending', '- Done with the cups, TASK have not been started'],
    ['pending', 'TASK ist noch nicht begonnen'],
    ['pending', 'TASK steht noch aus'],
    ['pending', 'TASK ещё не начат'],
    ['pending', 'TASK 还没有完成'],
    ['pending', 'TASK 没有开始'],
    ['pending', 'TASK 还没做完'],
    ['pending', 'TASK はまだ終わっていない'],
    ['pending', 'TASK は完了していない'],
    ['pending', 'TASK はまだです'],
    ['cancelled', 'TASK is no longer needed.'],
    ['cancelled', 'TASK is not required any more'],
    ['cancelled', "TASK isn't needed"],
    ['cancelled', 'We will not do TASK.'],
    ['cancelled', "We won't do TASK."],
    ['cancelled', 'TASK will not be done.'],
    ['cancelled', 'We are not going to do TASK.'],
    ['cancelled', 'We decided not to do TASK.'],
    ['cancelled', 'There is no need to do TASK.'],
    ['cancelled', '- TASK — abandoned'],
    ['cancelled', '- [ ] TASK — abandoned'],
    ['cancelled', 'We gave up TASK'],
    ['cancelled', '- ❌ TASK'],
    ['cancelled', 'TASK ist nicht mehr nötig'],
    ['cancelled', 'TASK wird nicht umgesetzt'],
    ['cancelled', 'TASK больше не нужен'],
    ['cancelled', 'TASK не будем делать'],
    ['cancelled', 'TASK 不做了'],
    ['cancelled', 'TASK 不再需要'],
    ['cancelled', 'TASK はやらない'],
    ['cancelled', 'TASK は不要になった'],
    ['in_progress', 'TASK is partly done'],
    ['in_progress', 'TASK has been started'],
    ['in_progress', '- 🚧 TASK'],
    ['in_progress', 'TASK ist begonnen'],
    ['in_progress', 'TASK начат'],
    ['in_progress', 'TASK 部分完成'],
    ['done', 'TASK has been completed.'],
    ['done', 'We finished TASK.'],
    ['done', '- ✅ TASK'],
    ['done', 'TASK ist abgeschlossen'],
    ['done', 'TASK завершён'],
    ['done', 'TASK 已完成'],
    ['done', 'TASK は終わった'],
    ['done', 'TASK is no longer pending.'],
    ['done', 'The task, TASK, is no longer open.'],
    ['done', 'Not pending any more: TASK'],
    ['done', 'TASK ist nicht mehr offen'],
    ['done', 'TASK. Done.'],
    ['done', '- Next: TASK. Done. Then tea.'],
    ['done', '~~TASK~~ done'],
    ['done', '- [x] ~~TASK~~'],
    ['done', '## Done\n- ~~TASK~~'],
    ['done', 'We finished TASK, which was open.'],
    ['done', 'Done: TASK. Pending orders come next.'],
    ['pending', 'TASK. Not started.'],
    ['pending', 'After the cups (wash them) were finished, the kettle (TASK) remains.'],
    ['pending', 'With the cups done, the kettle, TASK, is still to do.'],
    ['pending', '- [ ] TASK (not ~~half~~ full)'],
    ['pending', '- [ ] ~~wash the cups~~ TASK ~~now~~'],
    ['pending', 'TASK is no longer blocked, but still open.'],
    ['in_progress', 'TASK is being worked on'],
    ['cancelled', '~~TASK~~'],
    ['cancelled', '- [ ] ~~kettle: TASK at once~~'],
    ['cancelled', '## Pending\n- ~~TASK~~'],
    ['absent', 'TASK of the kettle'],
    ['absent', 'TASK. Open the kettle.'],
  ])('is told to be %s in: %s', (told, text) => {
    expect(toldIn(text)).toBe(told);
  });
});
