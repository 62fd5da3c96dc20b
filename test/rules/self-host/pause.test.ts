import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { expect, onTestFinished, test } from 'vitest'
import { whileStopped } from '../../../self-host/backup/snapshot.ts'

/** A process with a state to look at. */
const startProcess = () => {
  const child = spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  const pid = child.pid ?? 0
  const isStopped = async () => (await readFile(`/proc/${pid}/stat`, 'utf8')).split(' ')[2] === 'T'
  return { pid, isStopped }
}

test('a process stands still during the work and goes on afterwards', async () => {
  const { pid, isStopped } = startProcess()
  let during = false
  const pausedMs = await whileStopped(pid, async () => {
    during = await isStopped()
  })
  expect(during).toBe(true)
  expect(pausedMs).toBeGreaterThan(0)
  await expect.poll(isStopped).toBe(false)
})

test('it goes on when the work fails', async () => {
  const { pid, isStopped } = startProcess()
  const failed = whileStopped(pid, () => Promise.reject(new Error('the disk is full')))
  await expect(failed).rejects.toThrow('the disk is full')
  await expect.poll(isStopped).toBe(false)
})
