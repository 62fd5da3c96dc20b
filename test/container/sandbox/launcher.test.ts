import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { run } from '../../../container/sandbox/process.ts'
import { allProcesses, descendantsOf } from '../processes.ts'

const sh = (script: string) => run('/bin/sh', ['-c', script], { timeoutMs: 60_000 })
const launchers = (pid: number) => descendantsOf(pid).filter(({ args }) => args.includes('launcher.py'))
const marked = (mark: string) => allProcesses().filter(({ args, command }) => command === 'sh' && args.includes(mark))

test('many children at once get their own outputs and exit codes', async () => {
  const results = await Promise.all(Array.from({ length: 20 }, (_, number) => sh(`echo ${number}; exit ${number}`)))
  expect(results.map(({ code, stdout }) => [code, stdout])).toEqual(results.map((_, i) => [i, `${i}\n`]))
})

test('when the launcher is killed, its children end, their runs reject, and the next child gets another one', async () => {
  const running = expect(sh('sleep 300; : orphaned')).rejects.toThrow('the launcher of child processes has ended')
  await vi.waitUntil(() => marked('orphaned').length > 0, 20_000)
  const [launcher] = launchers(process.pid)
  process.kill(launcher?.pid ?? 0, 'SIGKILL')
  await running
  await vi.waitUntil(() => marked('orphaned').length === 0, 20_000)
  expect(await sh('echo again')).toMatchObject({ code: 0, stdout: 'again\n' })
  expect(launchers(process.pid).map(({ pid }) => pid)).not.toContain(launcher?.pid)
})

test('a process with an idle launcher ends, and the launcher with it', async () => {
  const module = join(import.meta.dirname, '../../../container/sandbox/process.ts')
  const script = `const { run } = await import(${JSON.stringify(module)})
    await run('/bin/true', [], { timeoutMs: 60_000 })
    process.stdin.once('data', () => process.stdin.destroy())`
  const program = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  const found = await vi.waitUntil(() => launchers(program.pid ?? 0)[0], 20_000)
  program.stdin.write('end')
  await once(program, 'exit')
  await vi.waitUntil(() => !allProcesses().some(({ pid }) => pid === found.pid), 20_000)
  expect(program.exitCode).toBe(0)
})
