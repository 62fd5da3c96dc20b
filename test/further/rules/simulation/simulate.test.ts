import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../../../..')
const command = join(root, 'test/simulation/command/main.ts')

/** What the command prints if it ends with 0. */
const simulate = async (...args: string[]): Promise<string> => {
  const { stdout } = await run(process.execPath, [command, ...args], { cwd: root, timeout: 600_000 })
  return stdout
}

const sourcesIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .sort()
    .map((name) => join(root, folder, name))

/** Other histories for other code, and the same for the same code. */
const seedOfSources = (): number => {
  const hash = createHash('sha256')
  for (const path of ['worker', 'domain', 'container/steps', 'test/simulation'].flatMap(sourcesIn)) {
    hash.update(readFileSync(path))
  }
  return hash.digest().readUInt32BE()
}

/** About 12 CPU-seconds. */
const NEW_HISTORIES = 15

test('new histories, which follow from the code, break no invariant', { timeout: 600_000 }, async () => {
  const printed = await simulate(
    '--count',
    `${NEW_HISTORIES}`,
    '--from',
    `${seedOfSources()}`,
    '--cores',
    '1',
    '--no-shrink',
  )
  expect(printed).toContain(`${NEW_HISTORIES} histories`)
})

test('the same seed gives the same history, in one process and in another', { timeout: 600_000 }, async () => {
  const [first, second] = await Promise.all([
    simulate('--seed', '7', '--acts', '20', '--tell', ''),
    simulate('--seed', '7', '--acts', '20', '--tell', ''),
  ])
  expect(first.length).toBeGreaterThan(1_000)
  expect(first).toBe(second)
})

test('a planted bug is found, and the smallest history that finds it is printed', { timeout: 600_000 }, async () => {
  const mutant = 'the hold of a failed job stays'
  const failed = await simulate('--mutant', mutant, '--count', '40', '--cores', '1').catch((error) => error)
  expect(failed).toMatchObject({ code: 1 })
  expect(failed.stdout).toContain('books: orphaned')
  expect(failed.stdout).toMatch(/The smallest history that breaks the same rule has \d acts/)
})

test.each([
  [['--faults', 'weather'], 'weather is no class of faults'],
  [['--mutant', 'none'], 'none is no mutant'],
  [['--for', 'long'], '--for long is no duration'],
  [['--sed', '1'], "Unknown option '--sed'"],
])('%j is refused with the options that there are', async (args, problem) => {
  const refused = await simulate(...args).catch((error) => error)
  expect(refused).toMatchObject({ code: 2 })
  expect(refused.stderr).toContain(problem)
  expect(refused.stderr).toContain('--for 30m')
})
