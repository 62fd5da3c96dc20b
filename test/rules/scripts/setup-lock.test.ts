import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { withLock } from '../../../scripts/setup/install.mjs'

const newLock = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'haul-lock-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return join(folder, 'setup.lock')
}

/** Holds the lock until `release` is called. Resolves when it is held. */
const hold = async (path: string) => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { promise: isHeld, resolve: held } = Promise.withResolvers<void>()
  const done = withLock(
    path,
    () => {},
    () => {
      held()
      return released
    },
  )
  await isHeld
  return { release, done }
}

test('a lock that is soon released is waited for in silence', async () => {
  const path = await newLock()
  const { release, done } = await hold(path)
  const lines: string[] = []
  const second = withLock(
    path,
    (line: string) => lines.push(line),
    async () => 'done',
  )
  release()
  expect([await second, lines]).toEqual(['done', []])
  await done
})

test('a lock that stays held is reported once', async () => {
  const path = await newLock()
  const { release, done } = await hold(path)
  const lines: string[] = []
  const log = (line: string) => {
    lines.push(line)
    release()
  }
  expect(await withLock(path, log, async () => 'done')).toBe('done')
  expect(lines).toEqual([`Waiting for another set-up, which holds ${path}`])
  await done
})
