import type { SharedTools } from '../../../container/source/routes/until-served.ts'
import type { createDisk, Disk } from '../../../container/steps/disk.ts'
import type { createStepPool, runStep, StepPool } from '../../../container/steps/run.ts'
import type { StepFunction } from '../../../container/steps/step.ts'
import type { EngineState, StepOrder } from '../../../domain/protocol/protocol.ts'
import type { Clock, Owner } from '../clock.ts'
import { sleep } from '../sleep.ts'
import { type HttpRequest, type HttpResponse, jsonResponse, textOf } from './http-message.ts'
import { loadProductModule } from './modules.ts'

type Protocol = typeof import('../../../domain/protocol/protocol.ts')

/** The work of a look-up. null: no place is free. */
export type LookUp = (request: unknown, signal: AbortSignal) => Promise<object>

/** What the processes of all engines have in common. */
export interface EngineProgram {
  /** The false work of a step. The files it names are told by their size only. */
  stepFor(order: StepOrder, engine: string): StepFunction
  probe?: LookUp
  list?: LookUp
  follow?: LookUp
  inspect?: LookUp
  log?(engine: string, event: string, fields?: object): void
  places: EngineState['places']
  diskBytes: number
  drainMs: number
}

const load = () => ({
  ...loadProductModule<{ createDisk: typeof createDisk }>('container/steps/disk.ts'),
  ...loadProductModule<{ createStepPool: typeof createStepPool; runStep: typeof runStep }>('container/steps/run.ts'),
  protocol: loadProductModule<Protocol>('domain/protocol/protocol.ts'),
})
let modules: ReturnType<typeof load> | null = null

/** Before a history begins: a module may draw random numbers when it is loaded. */
export const loadEngineModules = (): void => {
  modules ??= load()
}

/** How long `stop` of container/main.ts waits for its steps. */
const STOP_MS = 5_000

/**
 * One process of the container: the real step pool, disk and run of a step behind the answers of container/server.ts. It
 * ends when it is killed, or has drained after SIGTERM.
 */
export class EngineProcess {
  readonly owner: Owner
  readonly name: string
  /** An image of an earlier version refuses every order with 422. */
  isOutdated = false
  /** Its requests reach nobody, but it answers. */
  isCutOff = false
  exitCode: number | null = null
  onExit: ((code: number) => void) | null = null
  readonly pool: StepPool
  readonly #clock: Clock
  readonly #token: string
  readonly places: EngineState['places']
  readonly #program: EngineProgram
  readonly #disk: Disk
  readonly #startedAt: number

  constructor(clock: Clock, name: string, token: string, program: EngineProgram, skewMs = 0) {
    if (!modules) throw new Error('the modules are not loaded')
    const { createDisk, createStepPool, runStep } = modules
    this.#clock = clock
    this.name = name
    this.#token = token
    this.#program = program
    this.places = program.places
    this.#startedAt = clock.now
    this.owner = clock.newOwner('engine', name, skewMs)
    this.#disk = createDisk(program.diskBytes)
    const { network, cpu } = program.places
    const limits = { maxRunning: network + cpu + 2, disk: this.#disk }
    this.pool = clock.as(this.owner, () =>
      createStepPool(limits, (order, control) => runStep(order, program.stepFor(order, name), this.#tools(), control)),
    )
  }

  /** The process is gone at once. */
  kill(code = 137): void {
    if (this.exitCode !== null) return
    this.exitCode = code
    this.#clock.kill(this.owner)
    this.onExit?.(code)
  }

  /** It answers nothing, and its timers wait. */
  hang(): void {
    this.#clock.freeze(this.owner)
  }

  wake(): void {
    this.#clock.thaw(this.owner)
  }

  /** SIGTERM: steps may finish for a while, then they are given back, and the process ends. */
  drain(): void {
    this.#clock.as(this.owner, () => {
      const stopped = this.#stop()
      stopped.catch(() => this.kill(1))
    })
  }

  /** Answers as container/server.ts does. Runs as the process. Never answers while it hangs. */
  answer(request: HttpRequest): Promise<HttpResponse> {
    const { promise, resolve } = Promise.withResolvers<HttpResponse>()
    this.#clock.schedule(0, this.owner, 'engine request', () => {
      this.#handle(request).then(resolve, () => resolve({ status: 500, body: '{"error":"internal error"}' }))
    })
    return promise
  }

  async #stop(): Promise<void> {
    await Promise.race([this.pool.drain(), sleep(this.#program.drainMs)])
    await Promise.race([this.pool.stop(), sleep(STOP_MS)])
    // Not in this microtask: the reporters of the last steps end first.
    this.#clock.schedule(0, null, 'engine exit', () => this.kill(0))
  }

  async #handle({ method, url, headers, body, signal }: HttpRequest): Promise<HttpResponse> {
    const { FollowRequest, InspectRequest, isForLaterImage, ListRequest, ProbeRequest, StepOrder, StopRequest } =
      this.#protocol
    const path = url.pathname
    if (method === 'GET' && path === '/health') return jsonResponse(200, this.#health())
    if (headers.get('authorization') !== `Bearer ${this.#token}`) return jsonResponse(401, { error: 'unauthorized' })
    if (method === 'GET' && path === '/state') return jsonResponse(200, this.#state())
    if (method !== 'POST') return jsonResponse(404, { error: 'not found' })
    const read = JSON.parse(textOf(body)) as unknown
    if (path === '/steps') {
      if (this.isOutdated || isForLaterImage(read)) return jsonResponse(422, { error: 'UNKNOWN_STEP' })
      const order = StepOrder.safeParse(read)
      if (!order.success) return jsonResponse(400, { error: 'invalid fields' })
      return jsonResponse({ accepted: 202, full: 429, stopping: 503 }[this.pool.accept(order.data)], {})
    }
    if (path === '/stop') {
      return jsonResponse(202, { wasRunning: this.pool.cancel(StopRequest.parse(read)) })
    }
    const { probe, list, follow, inspect } = this.#program
    if (path === '/probe') return this.#lookUp(probe, ProbeRequest.parse(read), signal)
    if (path === '/list') return this.#lookUp(list, ListRequest.parse(read), signal)
    if (path === '/follow') return this.#lookUp(follow, FollowRequest.parse(read), signal)
    if (path === '/inspect') return this.#lookUp(inspect, InspectRequest.parse(read), signal)
    return jsonResponse(404, { error: 'not found' })
  }

  async #lookUp(work: LookUp | undefined, request: object, signal: AbortSignal | null): Promise<HttpResponse> {
    if (!work) return jsonResponse(404, { error: 'not found' })
    const disconnected = signal ?? new AbortController().signal
    const found = await this.pool.probe(disconnected, (either) => work(request, either))
    return found ? jsonResponse(200, found) : jsonResponse(503, { error: 'no place is free' })
  }

  get #protocol(): Protocol {
    if (!modules) throw new Error('the modules are not loaded')
    return modules.protocol
  }

  #state(): EngineState {
    return {
      uptimeMs: this.#clock.now - this.#startedAt,
      status: this.pool.draining ? 'draining' : 'ok',
      places: this.#program.places,
      diskBytes: this.#disk.totalBytes,
      extractor: { version: null, channel: 'pinned', problem: null },
      running: this.pool.steps,
    }
  }

  #health(): object {
    const { network, cpu } = this.#program.places
    const parts = { ffmpeg: true, 'yt-dlp': true, speech: true, sandbox: true }
    return {
      status: this.pool.draining ? 'stopping' : 'ok',
      running: this.pool.running,
      capacity: network + cpu,
      parts,
    }
  }

  /** The false step uses neither the guard nor the extractor. */
  #tools(): SharedTools {
    const log: SharedTools['log'] = (event, fields) => this.#program.log?.(this.name, event, fields)
    const unused = {} as never
    const extractors = { session: () => ({ tracked: () => unused, close: () => {} }) }
    return { guard: unused, extractors, workRoot: '/simulated', log }
  }
}
