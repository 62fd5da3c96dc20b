import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Stops a process, works, and always lets it go on, at the latest after `maxMs`. The work is then told by its signal,
 * and fails. Returns how long the process stood still.
 */
export const whileStopped = async (
  pid: number,
  maxMs: number,
  work: (tooLate: AbortSignal) => Promise<void>,
): Promise<number> => {
  const tooLate = new AbortController()
  const goOn = () => process.kill(pid, 'SIGCONT')
  const limit = setTimeout(() => {
    tooLate.abort(new Error(`The storage could not be copied within ${maxMs / 1000} s.`))
    goOn()
  }, maxMs)
  const since = performance.now()
  process.kill(pid, 'SIGSTOP')
  try {
    while (!(await isStopped(pid))) {
      tooLate.signal.throwIfAborted()
      await sleep(1)
    }
    await work(tooLate.signal)
    tooLate.signal.throwIfAborted()
  } finally {
    clearTimeout(limit)
    goOn()
  }
  return performance.now() - since
}

/** A thread stops when it has ended its system call, such as a write. */
const isStopped = async (pid: number): Promise<boolean> => {
  const threads = await readdir(`/proc/${pid}/task`)
  const states = await Promise.all(
    threads.map(async (thread) => /\) (\S)/.exec(await readFile(`/proc/${pid}/task/${thread}/stat`, 'utf8'))?.[1]),
  )
  return states.every((state) => state === 'T')
}
