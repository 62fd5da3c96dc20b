import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { takeSnapshot } from '../../self-host/backup/snapshot.ts'

const HOUR_S = 3_600

test('a process stands still only while what may have changed is copied a second time', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'haul-snapshot-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const child = spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  const now = Date.now() / 1_000
  const files = {
    'old.sqlite': -HOUR_S,
    'new.sqlite': HOUR_S,
    'r2/bucket/blobs/old': -HOUR_S,
    'r2/bucket/blobs/new': HOUR_S,
  }
  for (const [name, changedS] of Object.entries(files)) {
    const path = join(folder, 'state', name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, name)
    await utimes(path, now + changedS, now + changedS)
  }
  const copy = join(folder, 'copy')
  const runtimePid = child.pid ?? 0
  const taken = await takeSnapshot({ state: join(folder, 'state'), folder: copy, runtimePid, migrations: [] })
  expect(taken).toMatchObject({ files: 4, copiedInPause: 1 })
  expect(await readdir(copy)).toEqual(['backup.json', 'state'])
  expect(await readFile(join(copy, 'state/new.sqlite'), 'utf8')).toBe('new.sqlite')
})
