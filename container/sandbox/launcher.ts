import { type ChildProcess, spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { mkdtemp } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { NICENESS, OOM_SCORE } from './limits.ts'

/** What is used of a child, whoever has started it. */
export type Child = EventEmitter &
  Pick<ChildProcess, 'pid' | 'stdin' | 'stdout' | 'stderr' | 'exitCode' | 'signalCode' | 'kill' | 'ref' | 'unref'>

/** Starts a child by launcher.py, which says why. Its descriptors from 3 on read the inputs. */
type Launch = (argv: string[], env: NodeJS.ProcessEnv, inputs: Uint8Array[]) => Promise<Child>

const found: { python: string; launcher: Promise<Launch> | null } = {
  python: join(import.meta.dirname, '../../.tools/venv/bin/python'),
  launcher: null,
}

/** The Python interpreter of the launcher. */
export const setLauncherPython = (python: string): void => {
  found.python = python
}

export const launchSmall: Launch = async (...child) => {
  found.launcher ??= openLauncher(() => {
    found.launcher = null
  })
  return (await found.launcher)(...child)
}

type Ends = [stdin: Socket, stdout: Socket, stderr: Socket]
type Ended = { code: number | null; signal: NodeJS.Signals | null }
/** A line of the launcher. */
type Message = { id: number } & ({ pid: number } | { error: string } | Ended)

/** What is known of a child. */
interface Launched {
  ends: PromiseWithResolvers<Ends>
  pid: PromiseWithResolvers<number>
  ended: PromiseWithResolvers<Ended>
}

const openLauncher = async (onEnd: () => void): Promise<Launch> => {
  const path = join(await mkdtemp(join(tmpdir(), 'haul-launcher-')), 'socket')
  const children = new Map<number, Launched>()
  const server = await listenForEnds(path)
  const args = ['-I', '-S', '-B', join(import.meta.dirname, 'launcher.py'), path, String(NICENESS), String(OOM_SCORE)]
  const program = spawn(found.python, args, { detached: true, stdio: ['pipe', 'pipe', 'inherit'] })
  const [input, output] = [program.stdin, program.stdout] as unknown as [Socket, Socket]
  for (const handle of [program, input, output]) handle.unref()
  input.on('error', () => {})
  const end = (reason: string): void => {
    onEnd()
    server.close()
    const error = new Error(reason)
    for (const launched of children.values()) for (const each of Object.values(launched)) each.reject(error)
  }
  program.once('error', ({ message }) => end(message))
  program.once('close', () => end('the launcher of child processes has ended'))
  createInterface(output).on('line', (line) => {
    const message: Message = JSON.parse(line)
    const launched = children.get(message.id)
    if ('pid' in message) launched?.pid.resolve(message.pid)
    else if ('code' in message) launched?.ended.resolve(message)
    else for (const each of Object.values(launched ?? {})) each.reject(new Error(message.error))
  })
  /** The children that this process waits for. While there are none, it may end. */
  const needed = new Set<number>()
  const keepAlive = (id: number, isNeeded: boolean): void => {
    if (isNeeded) needed.add(id)
    else needed.delete(id)
    if (needed.size > 0) output.ref()
    else output.unref()
  }
  let lastId = 0
  return async (argv, env, inputs) => {
    const id = ++lastId
    const send = (message: object): boolean => input.write(`${JSON.stringify({ id, ...message })}\n`)
    const launched: Launched = {
      ends: server.nextEnds(),
      pid: Promise.withResolvers(),
      ended: Promise.withResolvers(),
    }
    const forget = (): void => {
      children.delete(id)
      keepAlive(id, false)
    }
    launched.ended.promise.then(forget, forget)
    children.set(id, launched)
    keepAlive(id, true)
    send({ argv, env, inputs: inputs.map((bytes) => Buffer.from(bytes).toString('base64')) })
    const [pid, ends] = await Promise.all([launched.pid.promise, launched.ends.promise])
    const child = childOf(pid, ends, {
      kill: (signal: NodeJS.Signals | number = 'SIGTERM') =>
        send({ signal: typeof signal === 'number' ? signal : constants.signals[signal] }),
      ref: () => keepAlive(id, true),
      unref: () => keepAlive(id, false),
    })
    // Not before whoever has started it listens.
    launched.ended.promise.then(
      (ended) => setImmediate(emitEnd, child, ended),
      (error) => setImmediate(() => child.emit('error', error)),
    )
    return child
  }
}

/** The launcher connects the ends of one child after those of the other. */
const listenForEnds = async (path: string) => {
  const waiting: PromiseWithResolvers<Ends>[] = []
  let ends: Socket[] = []
  const server = createServer({ allowHalfOpen: true }, (end) => {
    end.on('error', () => {})
    ends.push(end)
    if (ends.length < 3) return
    waiting.shift()?.resolve(ends as Ends)
    ends = []
  })
  server.listen(path).unref()
  await once(server, 'listening')
  return {
    nextEnds: (): PromiseWithResolvers<Ends> => {
      const next = Promise.withResolvers<Ends>()
      waiting.push(next)
      return next
    },
    close: () => server.close(),
  }
}

type LaunchedChild = Child & { exitCode: number | null; signalCode: NodeJS.Signals | null }

const childOf = (
  pid: number,
  [stdin, stdout, stderr]: Ends,
  control: Pick<Child, 'kill' | 'ref' | 'unref'>,
): LaunchedChild => {
  // They are only read, and standard input is only written.
  for (const end of [stdout, stderr]) end.end()
  stdin.resume()
  return Object.assign(new EventEmitter(), {
    ...{ pid, stdin, stdout, stderr, exitCode: null, signalCode: null },
    ...control,
  })
}

/** Emits what Node emits for a child. */
const emitEnd = async (child: LaunchedChild, { code, signal }: Ended): Promise<void> => {
  child.exitCode = code
  child.signalCode = signal
  child.stdin?.destroy()
  child.emit('exit', code, signal)
  const outputs = [child.stdout, child.stderr].filter((each) => each !== null)
  // What nobody reads does not delay the end.
  for (const each of outputs) if (each.readableFlowing === null) each.resume()
  await Promise.all(outputs.map((each) => (each.closed ? null : once(each, 'close'))))
  child.emit('close', code, signal)
}
