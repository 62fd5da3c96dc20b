import type { z } from 'zod'
import { readName } from '../../domain/fleet/fleet-index.ts'
import {
  type Health,
  type InspectRequest,
  InspectResponse,
  type ListRequest,
  ListResponse,
  type ProbeRequest,
  ProbeResponse,
  type StepOrder,
  StopResponse,
} from '../../domain/protocol/protocol.ts'
import { retry } from '../../domain/retry.ts'
import type { KnownSites } from '../../domain/sites.ts'
import type { LaunchResult } from './host.ts'
import type { StateAnswer } from './object.ts'

/**
 * `busy`: the container is full or shutting down. `outdated`: its image is older than the Worker and does not know what
 * the order says. `unreachable`: there was no usable response.
 */
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

/** One of the containers. Its name is `engine-<index>`, or `engine-<region>-<index>`. */
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
  return {
    /** Throws when the container rejects the order as malformed. */
    start: async (order: StepOrder): Promise<StartResult> => {
      const response = await orElse(null, engineName, () => post('/steps', order, AbortSignal.timeout(ANSWER_MS)))
      await response?.body?.cancel()
      if (response?.status === 202) return 'started'
      if (response?.status === 429 || response?.status === 503) return 'busy'
      if (response?.status === 422) return 'outdated'
      if (!response || response.status >= 500) return 'unreachable'
      throw new Error(`the container answered ${response.status} to a step order`)
    },
    /** `busy`: there was no place for it in time, or the container is shutting down. The same for the next two. */
    probe: (order: ProbeRequest, disconnected?: AbortSignal) => lookUp('/probe', order, ProbeResponse, disconnected),
    inspect: (order: InspectRequest, disconnected?: AbortSignal) =>
      lookUp('/inspect', order, InspectResponse, disconnected),
    list: (order: ListRequest, disconnected?: AbortSignal) => lookUp('/list', order, ListResponse, disconnected),
    /** null, too: its object does not answer. */
    state: (timeoutMs: number): Promise<StateAnswer> =>
      orElse<StateAnswer>(null, engineName, () => object().state(timeoutMs)),
    /** null: no answer in time, or a broken connection. */
    health: (timeoutMs: number): Promise<Health | null> =>
      orElse<Health | null>(null, engineName, () => object().health(timeoutMs)),
    /** What its yt-dlp has extractors for. null, too: no answer. */
    sites: (timeoutMs: number): Promise<KnownSites | null> =>
      orElse<KnownSites | null>(null, engineName, () => object().sites(timeoutMs)),
    /** Starts the container, unless it runs, and waits until it answers. An object that was restarted has not: `starting`. */
    launch: (timeoutMs?: number): Promise<LaunchResult> =>
      orElse('starting', engineName, () => object().launch(timeoutMs)),
    /** Stops a container that has no steps. A process at a URL is left running. */
    shutDown: (): Promise<void> => object().shutDown(),
    /** Ends a container that does not come up. A process at a URL is left running. */
    destroy: (): Promise<void> => object().destroy(),
    /** The job was canceled, or its lease has ended. Resolves with whether the step was running. */
    stopStep: async (step: { jobId: string; attempt: number }): Promise<boolean> => {
      const response = await post('/stop', step, AbortSignal.timeout(ANSWER_MS))
      if (!response.ok) throw new Error(`the container answered ${response.status} to a stop`)
      return StopResponse.parse(await response.json()).wasRunning
    },
  }
}

/**
 * When the response is lost, the container may have started the step. It accepts an order once for each lease, so
 * sending the same order again is safe. Otherwise the step would be postponed, and what the container started, lost.
 * Probes, listings and stops may be repeated too.
 */
const twice = { attempts: 2, isRetryable: () => true }

/** The engine may be gone, and its object is restarted by a deploy for example. */
const orElse = async <Result>(instead: Result, engineName: string, call: () => Promise<Result>): Promise<Result> => {
  try {
    return await call()
  } catch (cause) {
    console.error('no response', engineName, cause)
    return instead
  }
}
