import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { EventEmitter, on, once } from 'node:events'
import { mkdtemp } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { openDoor } from './door.ts'
import { type KernelLimits, NICENESS, OOM_SCORE } from './limits.ts'

/** What is used of a child that Node or launcher.py has started. */
export type Child = EventEmitter &
  Pick<
    ChildProcessWithoutNullStreams,
    'pid' | 'stdin' | 'stdout' | 'stderr' | 'exitCode' | 'signalCode' | 'kill' | 'ref' | 'unref'
  >

/** Starts a child through launcher.py, which explains why. The child reads the inputs from its descriptors 3, 4 and so on. */
type Launch = (child: {
  argv: string[]
  env: NodeJS.ProcessEnv
  limits: KernelLimits
  inputs: Uint8Array[]
}) => Promise<Child>

let python = join(import.meta.dirname, '../../../.tools/venv/bin/python')
let launcher: Promise<Launch> | null = null

/** The Python interpreter of the launcher, and of the check of the walls. */
export const setLauncherPython = (path: string): void => {
  python = path
}
export const launcherPython = (): string => python

export const launchSmall: Launch = async (child) => {
  launcher ??= openLauncher(() => {
    launcher = null
  })
  return (await launcher)(child)
}

const openLauncher = async (onEnd: () => void): Promise<Launch> => {
  const path = join(await mkdtemp(join(tmpdir(), 'haul-launcher-')), 'socket')
  const door = await openDoor(path)
  const args = ['-I', '-S', '-B', join(import.meta.dirname, 'launcher.py'), path, String(NICENESS), String(OOM_SCORE)]
  // Without our environment, which has the secrets of the operator.
  const env = { PATH: process.env.PATH ?? '/usr/bin:/bin' }
  const program = spawn(python, args, { detached: true, env, stdio: ['pipe', 'pipe', 'inherit'] })
  const [input, output] = [program.stdin, program.stdout] as unknown as [Socket, Socket]
  for (const handle of [program, input, output]) handle.unref()
  input.on('error', () => {})
  /** The launcher's lines, by the id of their child. */
  const lines = new EventEmitter().setMaxListeners(0)
  createInterface(output).on('line', (line) => {
    const { id, ...message } = JSON.parse(line)
    lines.emit(id, message)
  })
  const gone = new AbortController()
  const end = (reason: string): void => {
    onEnd()
    door.close(new Error(reason))
    gone.abort(new Error(reason))
  }
  program.once('error', ({ message }) => end(message))
  program.once('close', () => end('the launcher of child processes has ended'))
  /** The children that this process waits for. While there are none, it may end. */
  const needed = new Set<number>()
  const keepAlive = (id: number, isNeeded: boolean): void => {
    if (isNeeded) needed.add(id)
    else needed.delete(id)
    if (needed.size > 0) output.ref()
    else output.unref()
  }
  let lastId = 0
  return async ({ inputs, ...program }) => {
    const id = ++lastId
    const messages = on(lines, `${id}`, { signal: gone.signal })
    const nextMessage = () =>
      messages.next().then(
        ({ value }) => value?.[0],
        () => Promise.reject(gone.signal.reason),
      )
    const send = (message: object): boolean => input.write(`${JSON.stringify({ id, ...message })}\n`)
    // The launcher connects the ends of one child after those of the other.
    const connected = Promise.all([door.next(), door.next(), door.next()])
    connected.catch(() => {})
    keepAlive(id, true)
    send({ ...program, inputs: inputs.map((bytes) => Buffer.from(bytes).toString('base64')) })
    const { pid, error } = await nextMessage()
    if (error) {
      keepAlive(id, false)
      throw new Error(error)
    }
    const [stdin, stdout, stderr] = await connected
    // They are only read, and standard input is only written.
    for (const output of [stdout, stderr]) output.end()
    stdin.resume()
    const child = Object.assign(new EventEmitter(), {
      pid,
      stdin,
      stdout,
      stderr,
      exitCode: null,
      signalCode: null,
      kill: (signal: NodeJS.Signals | number = 'SIGTERM') =>
        send({ signal: typeof signal === 'number' ? signal : constants.signals[signal] }),
      ref: () => keepAlive(id, true),
      unref: () => keepAlive(id, false),
    })
    nextMessage()
      // Not before the caller listens.
      .then((ended) => setImmediate(emitEnd, child, ended))
      .catch((error) => setImmediate(() => child.emit('error', error)))
      .finally(() => {
        keepAlive(id, false)
        void messages.return?.()
      })
    return child
  }
}

type Ended = { code: number | null; signal: NodeJS.Signals | null }

/** Emits what Node emits for a child. */
const emitEnd = async (child: Child, { code, signal }: Ended): Promise<void> => {
  Object.assign(child, { exitCode: code, signalCode: signal })
  child.stdin.destroy()
  child.emit('exit', code, signal)
  const outputs = [child.stdout, child.stderr]
  // What nobody reads does not delay the end.
  for (const each of outputs) if (each.readableFlowing === null) each.resume()
  await Promise.all(outputs.map((each) => (each.closed ? null : once(each, 'close'))))
  child.emit('close', code, signal)
}
