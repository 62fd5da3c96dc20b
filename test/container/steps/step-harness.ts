import { readdirSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { speakerSettings } from '../../../container/config.ts'
import { createGuard } from '../../../container/egress/guard.ts'
import { socketFolderOf } from '../../../container/egress/proxy.ts'
import { createSpeakerFinder } from '../../../container/speech/speakers.ts'
import { prepareAudioWith } from '../../../container/steps/audio.ts'
import { createDisk } from '../../../container/steps/disk.ts'
import { createStepPool, runStep } from '../../../container/steps/run.ts'
import type { StepFunction } from '../../../container/steps/step.ts'
import type { StepLimits, StepOrder, StepOutcome, StepResult } from '../../../domain/protocol/protocol.ts'
import { type Origin, startOrigin } from '../../doubles/origin/origin.ts'
import { sharedExtractors } from '../source/extractor/shared-extractor.ts'
import { type Behaviour, type FakeWorker, startFakeWorker } from './fake-worker.ts'

const never = new AbortController().signal

/** The audio step. */
export const prepareAudio = prepareAudioWith(createSpeakerFinder(speakerSettings({})))

export interface StartOptions {
  /** The pool stops, or the step is canceled, when it aborts. */
  stopping?: AbortSignal
  canceled?: AbortSignal
  behaviour?: Partial<Behaviour>
  /** The container's disk. */
  diskBytes?: number
  /** What other steps have reserved of it. */
  othersBytes?: number
}

/** The fields that the harness fills in. Those of `Given` may be given. */
type CommonFields = 'jobId' | 'attempt' | 'callback' | 'step' | keyof Given
type Given = Pick<StepOrder, 'accountId' | 'placeId' | 'heartbeatMs' | 'agreed' | 'diskBytes'> & { limits: StepLimits }
export type OrderFields<Order extends StepOrder> = Omit<Order, CommonFields> &
  Partial<Omit<Given, 'limits'>> & { limits?: Partial<StepLimits> | undefined }

const nothingAgreed = { bytes: 0, seconds: 0 }
/** What every order has. */
export const commonFields = {
  ...{ accountId: 'acct_test', placeId: 'place', heartbeatMs: 1_000, agreed: nothingAgreed, diskBytes: 0 },
}

export interface StepHarness {
  origin: Origin
  fake: FakeWorker
  log: { event: string; fields?: object | undefined }[]
  /** What the last step had reserved on its disk when it ended. */
  reservedBytes: number
}

/**
 * Runs steps as the container does, between a test origin and a fake Worker, for the tests of one file. After
 * each test it checks that no files are left on disk.
 */
export const createStepHarness = (root?: string) => {
  const harness = { log: [], reservedBytes: 0 } as unknown as StepHarness
  let folder: string
  const folders = () => [join(folder, 'work'), socketFolderOf(join(folder, 'work'))]
  beforeAll(async () => {
    harness.origin = await startOrigin(root ? { root } : {})
    folder = await mkdtemp(join(tmpdir(), 'haul-step-'))
    for (const path of folders()) await mkdir(path)
  })
  beforeEach(async () => {
    harness.fake = await startFakeWorker()
    harness.log = []
  })
  afterEach(async () => {
    await harness.fake.close()
    expect(
      folders().flatMap((path) => readdirSync(path)),
      'files left on disk',
    ).toEqual([])
  })
  afterAll(async () => {
    await harness.origin.close()
    for (const path of [...folders(), folder]) await rm(path, { recursive: true, force: true })
  })

  const limits: StepLimits = {
    maxBytes: 2 ** 30,
    maxDiskBytes: 2 ** 34,
    maxDurationSeconds: 10 * 3_600,
    timeoutMs: 180_000,
  }
  /** Resolves when the step has ended, with any outcome. */
  const start = <Order extends StepOrder>(
    name: Order['step'],
    step: StepFunction<Order>,
    fields: OrderFields<Order>,
    { behaviour, stopping = never, canceled = never, diskBytes = limits.maxBytes, othersBytes = 0 }: StartOptions = {},
  ): Promise<void> => {
    const { origin, fake, log } = harness
    Object.assign(fake.behaviour, behaviour)
    const common = { step: name, jobId: 'trn_test', attempt: 1, callback: fake.callback }
    const order = { ...commonFields, ...fields, ...common, limits: { ...limits, ...fields.limits } } as unknown as Order
    const guard = createGuard({ allow: origin.host, lookup: async () => [] })
    const tools = {
      ...{ guard, extractors: sharedExtractors, workRoot: join(folder, 'work') },
      log: (event: string, details?: object) => void log.push({ event, fields: details }),
    }
    const whole = createDisk(diskBytes)
    whole.reserve(othersBytes)
    const ended = Promise.withResolvers<void>()
    const pool = createStepPool({ maxRunning: 1, disk: whole }, (_, control) => {
      const endWork = () => {
        harness.reservedBytes = control.disk.bytes
        control.endWork()
      }
      return runStep(order, step, tools, { ...control, endWork }).finally(ended.resolve)
    })
    stopping.addEventListener('abort', () => void pool.stop())
    canceled.addEventListener('abort', () => void pool.cancel(order))
    expect(pool.accept(order)).toBe('accepted')
    return ended.promise
  }
  return Object.assign(harness, { start })
}

/** The outcome of a step that has ended. Fails unless exactly one was reported. */
export const outcomeOf = ({ fake }: StepHarness): StepOutcome => {
  expect(fake.outcomes).toHaveLength(1)
  return fake.outcomes[0] as StepOutcome
}

export const resultOf = <Name extends StepResult['step']>(harness: StepHarness, name: Name) => {
  const outcome = outcomeOf(harness)
  if (outcome.status !== 'done' || outcome.result.step !== name) throw new Error(JSON.stringify(outcome))
  return outcome.result as Extract<StepResult, { step: Name }>
}

export const codeOf = (harness: StepHarness): string => {
  const outcome = outcomeOf(harness)
  return outcome.status === 'failed' ? outcome.code : outcome.status
}
