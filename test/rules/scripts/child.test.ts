import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openLog, startChild } from '../../../scripts/start/child.ts'

const LAST_WORDS = 20_000

test('stop() resolves when the last lines of the child have been read', async () => {
  const lines: string[] = []
  const started = Promise.withResolvers<void>()
  const script = `trap 'seq 1 ${LAST_WORDS}; exit 0' TERM; echo started; while :; do sleep 0.01; done`
  const child = startChild('/bin/sh', ['-c', script], {
    cwd: tmpdir(),
    env: { PATH: process.env.PATH },
    onLine: (line) => {
      lines.push(line)
      started.resolve()
    },
  })
  await started.promise
  await child.stop()
  expect([lines.length, lines.at(-1)]).toEqual([LAST_WORDS + 1, `${LAST_WORDS}`])
})

test('a line that arrives after the log was closed is dropped', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'haul-log-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const path = join(folder, 'worker.log')
  const log = openLog(path)
  log.write('before')
  log.close()
  log.write('after')
  await expect.poll(() => readFile(path, 'utf8')).toBe('before\n')
})
