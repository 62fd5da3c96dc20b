import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { isolation, run } from '../../../container/sandbox/process.ts'

const sh = (script: string, options: Partial<Parameters<typeof run>[2]> = {}) =>
  run('/bin/sh', ['-c', script], { timeoutMs: 20_000, ...options })

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'haul-process-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** A zombie counts as dead: the process with id 1 may not have reaped it yet. */
const isAlive = (pid: number): boolean => {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' })
  return stdout.trim() !== '' && !stdout.startsWith('Z')
}

/** A script for a shell with a child. Both ignore SIGTERM; the shell first writes their process ids. */
const stubbornGroup = () =>
  `trap '' TERM; sleep 300 & echo $$ $! > ${folder}/pids.tmp; mv ${folder}/pids.tmp ${folder}/pids; wait; sleep 300`
const groupStarted = async (): Promise<number[]> => {
  while (!existsSync(`${folder}/pids`)) await sleep(10)
  const pids = (await readFile(`${folder}/pids`, 'utf8')).trim().split(' ').map(Number)
  await rm(`${folder}/pids`)
  return pids
}

test('a run returns the exit code, stdout and stderr', async () => {
  expect(await sh('echo out; echo err >&2; exit 3')).toEqual({ code: 3, stdout: 'out\n', stderr: 'err\n' })
})

test('a child does not inherit the environment', async () => {
  process.env.HAUL_TEST_SECRET = 'secret'
  const { stdout } = await sh('env')
  const names = stdout
    .trim()
    .split('\n')
    .map((line) => line.split('=')[0])
  expect(names.filter((name) => !['PATH', 'LANG', 'PWD', 'SHLVL', '_', 'OLDPWD'].includes(name ?? ''))).toEqual([])
})

test('lines arrive one by one and are not kept', async () => {
  const lines: string[] = []
  const { stdout } = await sh('printf "a\\nb\\nlast"', { onStdoutLine: (line) => lines.push(line) })
  expect({ lines, stdout }).toEqual({ lines: ['a', 'b', 'last'], stdout: '' })
})

test('a child that writes too much output is killed', async () => {
  await expect(sh('yes', { maxStdoutBytes: 1_000_000 })).rejects.toMatchObject({ reason: 'output' })
})

test('only the end of a long stderr is kept', async () => {
  const { stderr } = await sh('head -c 1000000 /dev/zero | tr "\\0" x >&2; echo end >&2')
  expect(stderr.length).toBe(64 * 1024)
  expect(stderr.endsWith('xend\n')).toBe(true)
})

test('a missing program is an error', async () => {
  const missing = await run('/nowhere/program', [], { timeoutMs: 5_000 }).catch(() => ({ code: null }))
  expect(missing.code).not.toBe(0)
})

test('after a timeout the whole process group is killed, even if it ignores SIGTERM', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const ran = sh(stubbornGroup(), { timeoutMs: 60_000 })
  const pids = await groupStarted()
  vi.advanceTimersByTime(59_000)
  expect(pids.map(isAlive)).toEqual([true, true])
  // The timeout, and then the grace period.
  vi.advanceTimersByTime(1_000)
  vi.advanceTimersByTime(2_000)
  await expect(ran).rejects.toMatchObject({ reason: 'timeout' })
  expect(pids.map(isAlive)).toEqual([false, false])
})

test('an abort kills the whole process group and rejects with its reason', async () => {
  const abort = new AbortController()
  const ran = sh(stubbornGroup(), { signal: abort.signal })
  const pids = await groupStarted()
  abort.abort(new Error('canceled'))
  await expect(ran).rejects.toThrow('canceled')
  expect(pids.map(isAlive)).toEqual([false, false])
})

test('a run with an aborted signal does not start a child', async () => {
  await expect(sh(`touch ${folder}/started`, { signal: AbortSignal.abort(new Error('canceled')) })).rejects.toThrow(
    'canceled',
  )
  expect(existsSync(`${folder}/started`)).toBe(false)
})

describe.runIf(process.platform === 'linux')('on Linux', () => {
  test('limits apply to file size, CPU time, core files and open files', async () => {
    const { stdout } = await sh('ulimit -f; ulimit -t; ulimit -c; ulimit -n', {
      limits: { fileSizeBytes: 1024 * 1024, cpuSeconds: 7, openFiles: 99 },
    })
    expect(stdout.split('\n')).toEqual(['2048', '7', '0', '99', ''])
    const written = await sh(`head -c 2000000 /dev/zero > ${folder}/big`, { limits: { fileSizeBytes: 1024 * 1024 } })
    expect(written.code).not.toBe(0)
  })

  test('a child cannot exceed its memory limit', async () => {
    const { code } = await sh('head -c 400000000 /dev/zero | tail -n 1 > /dev/null', {
      limits: { addressSpaceBytes: 200_000_000 },
    })
    expect(code).not.toBe(0)
  })

  test('where namespaces are allowed, a child has no network and no capabilities', async (context) => {
    if ((await isolation()).network === 'none') return context.skip()
    const { stdout } = await sh('tail -n +3 /proc/net/dev | cut -d: -f1; grep -E "^Cap(Prm|Eff|Bnd)" /proc/self/status')
    expect(stdout.split('\n').map((line) => line.trim())).toEqual([
      'lo',
      'CapPrm:\t0000000000000000',
      'CapEff:\t0000000000000000',
      'CapBnd:\t0000000000000000',
      '',
    ])
  })
})
