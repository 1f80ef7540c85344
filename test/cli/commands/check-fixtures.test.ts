import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { callMain } from '../../support/command.ts';

const FOLDER = resolve(import.meta.dirname, '../../fixtures/scenarios');

describe('check of what field reports pin', () => {
  it.each(readdirSync(FOLDER))('%s holds', async (file) => {
    const { code, stdout } = await callMain(['check', join(FOLDER, file)]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('1 passed') });
  });
});
