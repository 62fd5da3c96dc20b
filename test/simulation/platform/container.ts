import type { Clock, ClockEvent } from '../clock.ts'
import type { EngineProcess } from './engine-process.ts'
import { requestOf, toResponse } from './http-message.ts'
import { receivedSignal, unlessAborted } from './signals.ts'
import type { CallFault, Wire } from './wire.ts'

export interface ContainerHooks {
  /** How long a container takes from `start` until it listens. null: it never listens. */
  bootMs?(name: string): number | null
  /** A start that fails: what `monitor` says then. */
  onStart?(name: string): string | undefined
  onRequest?(name: string, path: string): CallFault | undefined
}

const FULL =
  'Maximum number of running container instances exceeded. Try again later, or try configuring a higher value for max_instances'
const NOT_LISTENING = 'The container is not listening in the TCP address 10.0.0.1:8788'
/** Until the platform knows that there is no machine. */
const REFUSAL_MS = 500
const DEFAULT_BOOT_MS = 2_000
/** https://developers.cloudflare.com/containers/platform-details/architecture/: SIGKILL after SIGTERM. */
const KILL_AFTER_MS = 15 * 60_000
const SIGTERM = 15
const SIGKILL = 9

/** The machines of the account. */
export class ContainerHosts {
  readonly #containers = new Map<string, SimulatedContainer>()
  readonly maxInstances: number
  readonly wire: Wire
  readonly hooks: ContainerHooks
  readonly startProcess: (name: string, env: Record<string, string>) => EngineProcess

  constructor(
    wire: Wire,
    maxInstances: number,
    hooks: ContainerHooks,
    startProcess: (name: string, env: Record<string, string>) => EngineProcess,
  ) {
    this.wire = wire
    this.maxInstances = maxInstances
    this.hooks = hooks
    this.startProcess = startProcess
  }

  /** `ctx.container` of an object. It outlives the object's lives. */
  container(name: string): SimulatedContainer {
    const known = this.#containers.get(name)
    if (known) return known
    const container = new SimulatedContainer(name, this)
    this.#containers.set(name, container)
    return container
  }

  /** Processes that run, hang or drain. */
  processes(): EngineProcess[] {
    return [...this.#containers.values()].flatMap(({ process }) => process ?? [])
  }

  get isFull(): boolean {
    return [...this.#containers.values()].filter(({ running }) => running).length > this.maxInstances
  }
}

/** https://developers.cloudflare.com/durable-objects/api/container/ */
export class SimulatedContainer {
  running = false
  /** null until it has booted. */
  process: EngineProcess | null = null
  readonly #name: string
  readonly #hosts: ContainerHosts
  readonly #clock: Clock
  #exit: { error: Error | null } | null = null
  #monitors: (() => void)[] = []
  #inactivityMs: number | null = null
  #inactivity: ClockEvent | null = null
  #boot: ClockEvent | null = null

  constructor(name: string, hosts: ContainerHosts) {
    this.#name = name
    this.#hosts = hosts
    this.#clock = hosts.wire.clock
  }

  start({ env = {} }: { env?: Record<string, string>; enableInternet?: boolean } = {}): void {
    if (this.running) throw new Error('start() cannot be called on a container that is already running.')
    this.running = true
    this.#exit = null
    this.#inactivityMs = null
    const { hooks, startProcess } = this.#hosts
    const problem = this.#hosts.isFull ? FULL : hooks.onStart?.(this.#name)
    if (problem !== undefined) {
      this.#boot = this.#clock.schedule(REFUSAL_MS, null, 'container refused', () => this.#end(new Error(problem)))
      return
    }
    const bootMs = hooks.bootMs ? hooks.bootMs(this.#name) : DEFAULT_BOOT_MS
    if (bootMs === null) return
    this.#boot = this.#clock.schedule(bootMs, null, 'container booted', () => {
      this.process = startProcess(this.#name, env)
      this.process.onExit = (code) =>
        this.#end(code === 0 ? null : new Error(`container exited with unexpected exit code: ${code}`))
    })
  }

  /** Settles when the container ends, or at once if it has ended. */
  monitor(): Promise<void> {
    const { owner } = this.#clock
    return new Promise((resolve, reject) => {
      const settle = () =>
        this.#clock.schedule(0, owner, 'monitor', () => (this.#exit?.error ? reject(this.#exit.error) : resolve()))
      if (this.running) this.#monitors.push(settle)
      else settle()
    })
  }

  destroy(cause?: Error): Promise<void> {
    const { owner } = this.#clock
    return new Promise((resolve) => {
      this.#clock.schedule(0, null, 'container destroyed', () => {
        this.#kill(cause ?? null)
        this.#clock.schedule(0, owner, 'destroy', () => resolve())
      })
    })
  }

  signal(number: number): void {
    if (!this.running) throw new Error('signal() cannot be called on a container that is not running.')
    this.#clock.schedule(0, null, 'container signal', () => {
      if (number === SIGTERM) this.#terminate()
      if (number === SIGKILL) this.#kill(new Error('container exited with unexpected exit code: 137'))
    })
  }

  getTcpPort(_port: number) {
    return {
      fetch: async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
        const request = await requestOf(input, init)
        const { wire, hooks } = this.#hosts
        const fault = hooks.onRequest?.(this.#name, request.url.pathname)
        const lost = () => new Error('Network connection lost.')
        const answer = wire.call('container', fault, lost, () => {
          const { process } = this
          if (!this.running) throw new Error('there is no container running')
          if (!process) throw new Error(NOT_LISTENING)
          const { signal, release } = receivedSignal(this.#clock, process.owner, request.signal)
          return this.#unlessGone(process, process.answer({ ...request, signal })).finally(release)
        })
        return toResponse(await (request.signal ? unlessAborted(answer, request.signal) : answer))
      },
    }
  }

  /** From now on the container is stopped when it was not renewed for so long. */
  async setInactivityTimeout(ms: number): Promise<void> {
    this.#inactivityMs = ms
    this.#renew()
  }

  #renew(): void {
    if (this.#inactivity) this.#clock.cancel(this.#inactivity)
    if (this.#inactivityMs === null || !this.running) return
    this.#inactivity = this.#clock.schedule(this.#inactivityMs, null, 'container inactive', () => this.#terminate())
  }

  #terminate(): void {
    const { process } = this
    if (!process) {
      this.#kill(null)
      return
    }
    process.drain()
    this.#clock.schedule(KILL_AFTER_MS, null, 'container kill', () => process.kill())
  }

  #kill(error: Error | null): void {
    if (this.process) {
      this.process.onExit = null
      this.process.kill()
    }
    if (this.running) this.#end(error)
  }

  #end(error: Error | null): void {
    if (this.#boot) this.#clock.cancel(this.#boot)
    if (this.#inactivity) this.#clock.cancel(this.#inactivity)
    this.process = null
    this.running = false
    this.#exit = { error }
    for (const settle of this.#monitors.splice(0)) settle()
  }

  #unlessGone<T>(process: EngineProcess, answer: Promise<T>): Promise<T> {
    const { onDeath } = process.owner
    return new Promise((resolve, reject) => {
      const gone = () => reject(new Error('Network connection lost.'))
      onDeath.add(gone)
      answer.then(resolve, reject).finally(() => onDeath.delete(gone))
    })
  }
}
