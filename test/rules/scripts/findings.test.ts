import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createVitest, type Vitest } from 'vitest/node'
import { type Finding, findingIn } from '../../../scripts/test/findings.ts'

let folder: string
let vitest: Vitest

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'haul-findings-')))
  const options = { root: folder, globals: true, watch: false, isolate: false }
  vitest = await createVitest('test', { ...options, config: false, reporters: [{}] })
})

afterAll(async () => {
  await vitest.close()
  await rm(folder, { recursive: true, force: true })
})

const findingOf = async (code: string): Promise<Finding> => {
  const path = join(folder, 'one.test.ts')
  await writeFile(path, code)
  vitest.invalidateFile(path)
  const { exitCode } = process
  const { testModules } = await vitest.runTestSpecifications(await vitest.globTestSpecifications([path]))
  process.exitCode = exitCode
  return findingIn(testModules, folder)
}

const fail = "throw new Error('planted')"

test.each([
  ['a test that fails', `test('it works', () => { ${fail} })`, ['one.test.ts: it works']],
  ['a file whose beforeAll fails', `beforeAll(() => { ${fail} }); test('it works', () => {})`, ['one.test.ts']],
  [
    'a suite whose beforeAll fails',
    `describe('a suite', () => { beforeAll(() => { ${fail} }); test('it works', () => {}) })`,
    ['one.test.ts: a suite'],
  ],
])('%s finds a planted bug', async (_name, code, failed) => {
  expect(await findingOf(code)).toEqual({ failed })
})

test('tests that pass find no bug', async () => {
  expect(await findingOf(`test('it works', () => {})`)).toEqual({ failed: [] })
})

test.each([
  ['a file that cannot be loaded', `${fail}; test('it works', () => {})`, 'one.test.ts cannot be loaded: planted'],
  ['a file that cannot be parsed', `test('it works', () => {`, 'the code is not valid'],
])('%s says nothing about the bug', async (_name, code, problem) => {
  expect(await findingOf(code)).toEqual({ problem: expect.stringContaining(problem) })
})
