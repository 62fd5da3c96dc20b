import { DurableObject } from 'cloudflare:workers'
import type { z } from 'zod'
import { readName } from '../../domain/fleet/fleet-index.ts'
import {
  EngineState,
  type FollowRequest,
  FollowResponse,
  type InspectRequest,
  InspectResponse,
  type ListRequest,
  ListResponse,
  type ProbeRequest,
  ProbeResponse,
  Sites,
  type StepOrder,
  StopResponse,
} from '../../domain/protocol/protocol.ts'
import { retry } from '../../domain/retry.ts'
import { type KnownSites, knownSites } from '../../domain/sites.ts'
import { type Config, configOf } from '../env.ts'
import { containerHost, type Ending, type EngineHost, type LaunchResult, processHost } from './host.ts'

/** `outdated`: its image is older than the Worker. `unreachable`: there was no usable response. */
type StartResult = 'started' | 'busy' | 'outdated' | 'unreachable'

export type Engine = ReturnType<typeof engineOf>

/** A container answers these requests at once. One that hangs must not hold up the other messages of a queue's batch. */
const ANSWER_MS = 2_000
/** A probe or listing has its own limit. This is for a container that hangs. */
const LOOK_UP_MARGIN_MS = 2_000

/** Where the platform makes a fleet or an engine, by its name. The hint counts only when the object is made. */
export const placementOf = (name: string): DurableObjectNamespaceGetDurableObjectOptions => {
  const { region } = readName(name)
  return region ? { locationHint: region } : {}
}

export const engineOf = (engines: Env['ENGINES'], engineName: string) => {
  // A stub stays broken after its object restarts, so each request gets a new one.
  const object = () => engines.getByName(engineName, placementOf(engineName))
  const post = (path: string, body: object, signal?: AbortSignal): Promise<Response> =>
    retry(
      () =>
        object().fetch(`http://engine${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
          ...(signal && { signal }),
        }),
      { ...twice, signal },
    )
  const lookUp = async <Answer extends z.ZodType>(
    path: string,
    order: ProbeRequest,
    answer: Answer,
    disconnected?: AbortSignal,
  ): Promise<z.infer<Answer> | 'busy'> => {
    const late = AbortSignal.timeout(order.timeoutMs + LOOK_UP_MARGIN_MS)
    const signal = disconnected ? AbortSignal.any([disconnected, late]) : late
    const response = await post(path, order, signal).catch((cause) => {
      if (late.aborted) return new Response(null, { status: 503 })
      throw cause
    })
    if (response.ok) return answer.parse(await response.json())
    await response.body?.cancel()
    // 404: its image is older than the Worker, until the deployment has replaced it.
    if (response.status === 503 || response.status === 404) return 'busy'
    throw new Error(`the container answered ${response.status} to ${path}`)
  }
  /** The engine may be gone, and its object is restarted by a deploy for example. */
  const orElse = async <Result>(instead: Result, call: () => Promise<Result>): Promise<Result> => {
    try {
      return await call()
    } catch (cause) {
      console.error('no response', engineName, cause)
      return instead
    }
  }
  return {
    /** Throws when the container rejects the order as malformed. */
    start: async (order: StepOrder): Promise<StartResult> => {
      const response = await orElse(null, () => post('/steps', order, AbortSignal.timeout(ANSWER_MS)))
      await response?.body?.cancel()
      if (response?.status === 202) return 'started'
      if (response?.status === 429 || response?.status === 503) return 'busy'
      if (response?.status === 422) return 'outdated'
      if (!response || response.status >= 500) return 'unreachable'
      throw new Error(`the container answered ${response.status} to a step order`)
    },
    /** `busy`: there was no place for it in time, or the container is shutting down. The same for the next three. */
    probe: (order: ProbeRequest, disconnected?: AbortSignal) => lookUp('/probe', order, ProbeResponse, disconnected),
    inspect: (order: InspectRequest, disconnected?: AbortSignal) =>
      lookUp('/inspect', order, InspectResponse, disconnected),
    list: (order: ListRequest, disconnected?: AbortSignal) => lookUp('/list', order, ListResponse, disconnected),
    follow: (order: FollowRequest, disconnected?: AbortSignal) =>
      lookUp('/follow', order, FollowResponse, disconnected),
    /** null, too: its object does not answer. */
    state: (timeoutMs: number): Promise<StateAnswer> => orElse<StateAnswer>(null, () => object().state(timeoutMs)),
    sites: (timeoutMs: number): Promise<KnownSites | null> =>
      orElse<KnownSites | null>(null, () => object().sites(timeoutMs)),
    launch: (): Promise<LaunchResult> => orElse('starting', () => object().launch()),
    shutDown: (): Promise<void> => object().shutDown(),
    destroy: (): Promise<void> => object().destroy(),
    stopStep: async (step: { jobId: string; attempt: number }): Promise<boolean> => {
      const response = await post('/stop', step, AbortSignal.timeout(ANSWER_MS))
      if (!response.ok) throw new Error(`the container answered ${response.status} to a stop`)
      return StopResponse.parse(await response.json()).wasRunning
    },
  }
}

/**
 * When the response is lost, the container may have started the step. It accepts an order once for each lease. Probes,
 * listings and stops may be repeated too.
 */
const twice = { attempts: 2, isRetryable: () => true }

/** With the last ping, 30 s. A call may not take much longer, because it fails when the object is restarted. */
const LAUNCH_TIMEOUT_MS = 25_000
/** The sites of yt-dlp were 70 kB in November 2026. */
const MAX_SITES_BYTES = 1_000_000

/** An ending is the platform's word. null: no answer in time, or a broken connection. */
export type StateAnswer = EngineState | Ending | null

/** The fleet decides when it starts and stops. Requests with a path are forwarded to the engine's process. */
export class EngineObject extends DurableObject<Env> {
  readonly #host: EngineHost

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#host = hostOf(ctx, configOf(env))
  }

  override async fetch(request: Request): Promise<Response> {
    const { method, headers, signal } = request
    const body = await request.text()
    return this.#host.fetch(new URL(request.url).pathname, { method, headers, body, signal })
  }

  async state(timeoutMs: number): Promise<StateAnswer> {
    try {
      const response = await this.#host.fetch('/state', { signal: AbortSignal.timeout(timeoutMs) })
      const state = EngineState.parse(await response.json())
      // A running step receives no requests, its own do not count as activity, and idle engines are for the fleet to stop.
      await this.#host.renew()
      return state
    } catch (cause) {
      // The fleet decides whether to warn: the list of engines elsewhere may name more than there are.
      console.debug('no state', this.ctx.id.name, cause)
      return this.#host.ending()
    }
  }

  /** null: it says none that can be shown. Throws without an answer in time, or while yt-dlp is starting. */
  async sites(timeoutMs: number): Promise<KnownSites | null> {
    const response = await this.#host.fetch('/sites', { signal: AbortSignal.timeout(timeoutMs) })
    // The text comes from yt-dlp, and an engine says how long it is.
    const isReadable = response.ok && Number(response.headers.get('content-length') ?? Number.NaN) <= MAX_SITES_BYTES
    if (isReadable) return knownSites(Sites.parse(await response.json()))
    await response.body?.cancel()
    throw new Error(`the engine answered ${response.status} to /sites`)
  }

  launch(): Promise<LaunchResult> {
    return this.#host.launch(LAUNCH_TIMEOUT_MS)
  }

  shutDown(): Promise<void> {
    return this.#host.shutDown()
  }

  destroy(): Promise<void> {
    return this.#host.destroy()
  }
}

/** ENGINE_URLS takes precedence, so that engines elsewhere can be used where containers are available. */
const hostOf = (ctx: DurableObjectState, config: Config): EngineHost => {
  if (ctx.container && config.engineUrls.length === 0) {
    return containerHost(ctx.container, config, () => ctx.abort('the connection to the container is dead'))
  }
  const url = config.engineUrls[readName(`${ctx.id.name}`).index]
  if (!url) throw new Error(`${ctx.id.name} has no container and no URL in ENGINE_URLS`)
  return processHost(config, url)
}
