import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { run } from '../../../container/sandbox/process.ts'
import { scratchFolder } from '../audio/recordings.ts'
import { allProcesses } from '../processes.ts'

const sh = (script: string, options: Partial<Parameters<typeof run>[2]> = {}) =>
  run('/bin/sh', ['-c', script], { timeoutMs: 20_000, ...options })

const folder = scratchFolder()

/** A shell with a child. Both ignore SIGTERM, and their command lines have the mark. */
const stubbornGroup = (mark: string) => `trap '' TERM; sleep 300 & : ${mark}; wait; sleep 300; : ${mark}`
const group = (mark: string) => allProcesses().filter(({ args, command }) => args.includes(mark) || command === mark)
const started = (mark: string) => vi.waitUntil(() => group(mark).some(({ command }) => command === 'sh'), 20_000)

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

test.each([
  ['many lines', 'yes'],
  ['a line without an end', 'yes | tr -d "\\n"'],
])('a child that writes %s is killed', async (_, script) => {
  let longest = 0
  const onStdoutLine = (line: string) => {
    longest = Math.max(longest, line.length)
  }
  await expect(sh(script, { onStdoutLine, maxStdoutBytes: 4_000_000 })).rejects.toMatchObject({ reason: 'output' })
  expect(longest).toBeLessThanOrEqual(1)
})

test('a child that writes too much output is killed', async () => {
  await expect(sh('yes', { maxStdoutBytes: 1_000_000 })).rejects.toMatchObject({ reason: 'output' })
})

test('only the end of a long stderr is kept', async () => {
  const { stderr } = await sh('head -c 1000000 /dev/urandom | tr -c x x >&2; echo end >&2')
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
  const ran = sh(stubbornGroup('timed-out'), { timeoutMs: 60_000 })
  await started('timed-out')
  vi.advanceTimersByTime(59_000)
  expect(group('timed-out')).not.toEqual([])
  // The timeout, and then the grace period.
  vi.advanceTimersByTime(1_000)
  vi.advanceTimersByTime(2_000)
  await expect(ran).rejects.toMatchObject({ reason: 'timeout' })
  expect(group('timed-out')).toEqual([])
})

test('an abort kills the whole process group and rejects with its reason', async () => {
  const abort = new AbortController()
  const ran = sh(stubbornGroup('aborted'), { signal: abort.signal })
  await started('aborted')
  abort.abort(new Error('canceled'))
  await expect(ran).rejects.toThrow('canceled')
  expect(group('aborted')).toEqual([])
})

test('a run with an aborted signal does not start a child', async () => {
  const output = join(folder, 'started')
  const signal = AbortSignal.abort(new Error('canceled'))
  await expect(sh(`echo > ${output}`, { signal, writes: [output] })).rejects.toThrow('canceled')
  expect(existsSync(output)).toBe(false)
})

describe.runIf(process.platform === 'linux')('on Linux', () => {
  test('limits apply to file size, CPU time, core files and open files', async () => {
    const { stdout } = await sh('ulimit -f; ulimit -t; ulimit -c; ulimit -n', {
      limits: { fileSizeBytes: 1024 * 1024, cpuSeconds: 7, openFiles: 99 },
    })
    expect(stdout.split('\n')).toEqual(['2048', '7', '0', '99', ''])
    const big = join(folder, 'big')
    const options = { limits: { fileSizeBytes: 1024 * 1024 }, writes: [big] }
    expect((await sh(`head -c 2000000 /dev/urandom > ${big}`, options)).code).not.toBe(0)
    expect((await sh(`head -c 1000000 /dev/urandom > ${big}`, options)).code).toBe(0)
  })

  test('a child cannot exceed its memory limit', async () => {
    const { code } = await sh('yes | tr -d "\\n" | head -c 400000000 | tail -n 1 > /dev/null', {
      limits: { addressSpaceBytes: 200_000_000 },
    })
    expect(code).not.toBe(0)
  })
})
