import { Clock, type Owner } from './clock.ts'
import { installGlobals, type OnLog } from './globals.ts'
import { type ContainerHooks, ContainerHosts } from './platform/container.ts'
import { D1Database, type D1Hooks } from './platform/d1.ts'
import { createEngineLibraries } from './platform/engine-libraries.ts'
import { EngineProcess, type EngineProgram, loadEngineModules } from './platform/engine-process.ts'
import { type HttpRequest, requestOf, toResponse } from './platform/http-message.ts'
import { Internet, type InternetHooks } from './platform/internet.ts'
import { invoke } from './platform/invocation.ts'
import { beginHistory, loadWorker } from './platform/modules.ts'
import { type ObjectClass, type ObjectHooks, ObjectNamespace } from './platform/object.ts'
import { type QueueHooks, Queues } from './platform/queue.ts'
import { type R2Hooks, R2Store, r2Binding } from './platform/r2.ts'
import { relay } from './platform/relay.ts'
import { s3Door } from './platform/s3-door.ts'
import { unlessAborted } from './platform/signals.ts'
import { type CallFault, Wire } from './platform/wire.ts'
import { serveRequest, type WorkerHooks } from './platform/worker-host.ts'
import { createRandom, type Random } from './random.ts'
import { readWranglerToml } from './wrangler-settings.ts'

/** Where faults are decided and monitors listen. */
export interface WorldHooks {
  objects?: ObjectHooks
  queues?: QueueHooks
  database?: D1Hooks
  bucket?: R2Hooks
  internet?: InternetHooks
  containers?: ContainerHooks
  worker?: WorkerHooks
  /** What the product logs, which is not printed. */
  onLog?: OnLog
  /** Of a request of a caller. */
  onRequest?(request: HttpRequest): CallFault | undefined
}

export interface WorldOptions {
  seed: string
  engines: EngineProgram
  hooks?: WorldHooks
  /** Replaces variables of wrangler.toml and of the simulation. */
  vars?: Record<string, string>
}

export const PUBLIC_URL = 'https://haul.test'
export const ADMIN_TOKEN = 'admin-token'
const S3_HOST = 's3.test'
const BUCKET = 'haul-media'
/** The platform's latencies, one way. */
const LEAST_LATENCY_MS = 1
const MOST_LATENCY_MS = 5
/** From the Worker to the reader of a stream. */
const CHUNK_MS = 2

const vars = {
  PUBLIC_URL,
  ENGINE_URLS: '',
  ENGINE_TOKEN: 'engine-token',
  HAUL_SECRET: 'a-secret-for-simulations',
  SEAL_KEYS: 'k1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=',
  ADMIN_TOKEN,
  MEDIA_S3_ENDPOINT: `https://${S3_HOST}/${BUCKET}`,
  MEDIA_S3_ACCESS_KEY_ID: 'simulated',
  MEDIA_S3_SECRET_ACCESS_KEY: 'simulated',
  LEASE_MS: '60000',
}

const objectClasses = {
  ACCOUNTS: 'AccountObject',
  FLEET_OBJECTS: 'FleetObject',
  ENGINES: 'EngineObject',
  METRICS: 'MetricsObject',
  WORK_OBJECTS: 'WorkObject',
  WORDS: 'WordsObject',
} as const
type NamespaceName = keyof typeof objectClasses

/** The whole control plane on virtual time. One world at a time: it replaces globals until it is closed. */
export class World {
  readonly clock = new Clock()
  readonly random: Random
  readonly env: Record<string, unknown>
  readonly internet: Internet
  readonly queues: Queues
  readonly database: D1Database
  readonly bucket: R2Store
  readonly containers: ContainerHosts
  readonly namespaces: Record<NamespaceName, ObjectNamespace>
  readonly #wire: Wire
  readonly #hooks: WorldHooks
  readonly #worker = loadWorker()
  readonly #engines = new WeakMap<Owner, EngineProcess>()
  readonly #globals: { uninstall(): void }

  constructor({ seed, engines, hooks = {}, vars: changedVars = {} }: WorldOptions) {
    const settings = readWranglerToml()
    this.random = createRandom(seed)
    this.#hooks = hooks
    const latency = this.random.fork('latency')
    this.#wire = new Wire(this.clock, () => latency.between(LEAST_LATENCY_MS, MOST_LATENCY_MS))
    const wire = this.#wire
    loadEngineModules()
    this.internet = new Internet(wire, { onRequest: (request, from) => this.#faultOf(request, from) })
    this.#globals = installGlobals(this.clock, this.random.fork('product'), this.internet.fetch, hooks.onLog)
    beginHistory(createEngineLibraries(this.clock, this.internet))

    this.bucket = new R2Store(this.clock)
    this.database = new D1Database(wire, hooks.database)
    const consume = (batch: Parameters<typeof worker.queue>[0], ctx: object) => worker.queue(batch, this.env, ctx)
    const worker = this.#worker.default
    this.queues = new Queues(wire, settings.consumers, consume, hooks.queues ?? {})
    const startProcess = (name: string, env: Record<string, string>) => this.#startEngine(name, env, engines)
    this.containers = new ContainerHosts(wire, settings.maxInstances, hooks.containers ?? {}, startProcess)
    const { producers } = settings
    this.env = {
      ...settings.vars,
      ...vars,
      ...changedVars,
      DB: this.database,
      MEDIA: r2Binding(wire, this.bucket, hooks.bucket ?? {}),
      ...Object.fromEntries(producers.map(({ binding, queue }) => [binding, this.queues.producer(queue)])),
    }
    this.namespaces = {
      ACCOUNTS: this.#namespace('ACCOUNTS'),
      FLEET_OBJECTS: this.#namespace('FLEET_OBJECTS'),
      ENGINES: this.#namespace('ENGINES'),
      METRICS: this.#namespace('METRICS'),
      WORK_OBJECTS: this.#namespace('WORK_OBJECTS'),
      WORDS: this.#namespace('WORDS'),
    }
    this.internet.serve(S3_HOST, s3Door(this.clock, this.bucket, BUCKET))
    this.internet.serve(new URL(PUBLIC_URL).host, (request) => this.#serve(request))
  }

  /** A request of who runs now: one invocation of the Worker. The body of an event stream arrives as it is written. */
  async request(input: Request | string | URL, init?: RequestInit): Promise<Response> {
    const request = await requestOf(input, init)
    const caller = this.clock.owner
    const sent = untilCallerDies(caller, request)
    const lost = () => new TypeError('fetch failed')
    const answer = this.#wire.call('request', this.#hooks.onRequest?.(request), lost, () => this.#serve(sent))
    const response = await (request.signal ? unlessAborted(answer, request.signal) : answer)
    if (!('stream' in response)) return toResponse(response)
    const { status, headers = {}, stream } = response
    return new Response(relay(this.clock, caller, stream, CHUNK_MS), { status, headers })
  }

  /** One invocation of the Worker's cron. */
  runCron(): void {
    const { onError } = this.#hooks.worker ?? {}
    invoke(this.clock, 'cron', { onError }, async (ctx) => this.#worker.default.scheduled({}, this.env, ctx))
  }

  /** A life of a caller, which may be killed or have a wrong clock. */
  caller(name: string, skewMs = 0): Owner {
    return this.clock.newOwner('caller', name, skewMs)
  }

  /** Runs until the act of this owner has ended. */
  perform<T>(owner: Owner, act: () => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    this.clock.schedule(0, owner, 'act', () => {
      act().then(resolve, reject)
    })
    return this.clock.settle(promise)
  }

  close(): void {
    for (const namespace of Object.values(this.namespaces)) namespace.close()
    this.database.sqlDatabase.close()
    this.#globals.uninstall()
  }

  #serve(request: HttpRequest) {
    return serveRequest(this.clock, this.#worker.default, this.env, request, this.#hooks.worker ?? {})
  }

  #namespace(name: NamespaceName): ObjectNamespace {
    const objectClass: ObjectClass = this.#worker[objectClasses[name]]
    const container = name === 'ENGINES' ? (engine: string) => this.containers.container(engine) : null
    const namespace = new ObjectNamespace({
      ...{ name, objectClass, env: this.env, wire: this.#wire, hooks: this.#hooks.objects ?? {} },
      ...(container && { container }),
    })
    this.env[name] = namespace.binding
    return namespace
  }

  #startEngine(name: string, { ENGINE_TOKEN = '' }: Record<string, string>, program: EngineProgram): EngineProcess {
    const engine = new EngineProcess(this.clock, name, ENGINE_TOKEN, program)
    this.#engines.set(engine.owner, engine)
    return engine
  }

  #faultOf(request: HttpRequest, from: Owner | null): CallFault | undefined {
    const isToWorker = request.url.origin === PUBLIC_URL
    if (from && isToWorker && this.#engines.get(from)?.isCutOff) return { lose: 'request' }
    return this.#hooks.internet?.onRequest?.(request, from)
  }
}

/** The connection of a caller that dies is closed, which its own signal would not say. */
const untilCallerDies = (caller: Owner | null, request: HttpRequest): HttpRequest => {
  if (!caller) return request
  const gone = new AbortController()
  caller.onDeath.add(() => gone.abort(new Error('the caller is gone')))
  return { ...request, signal: request.signal ? AbortSignal.any([request.signal, gone.signal]) : gone.signal }
}
