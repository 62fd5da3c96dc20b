import { readdirSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { createGuard } from '../../container/egress/guard.ts'
import { socketFolder } from '../../container/egress/socket-folder.ts'
import type { Outcome, StepLimits, StepOrder, StepResult } from '../../container/protocol.ts'
import { createExtractor, type WarmExtractor } from '../../container/source/extractor/extractor.ts'
import { runStep } from '../../container/steps/run.ts'
import type { Step } from '../../container/steps/step.ts'
import { type Origin, startOrigin } from '../origin/origin.ts'
import { type Behaviour, type FakeWorker, startFakeWorker } from './fake-worker.ts'

export const python = process.env.HAUL_PYTHON ?? join(import.meta.dirname, '../../.tools/venv/bin/python')

/** What all orders have, and what no test of a step needs to say. */
type Task = 'jobId' | 'attempt' | 'callback' | 'limits' | 'step'
export type Asked<Order extends StepOrder> = Omit<Order, Task> & { limits?: Partial<StepLimits> }

export interface Bench {
  readonly origin: Origin
  readonly fake: FakeWorker
  readonly log: { event: string; fields?: object | undefined }[]
}

/**
 * A step as the container runs it, between the origin and a fake Worker, for the tests of one file. It checks
 * after each that nothing stays on disk.
 */
export const stepBench = (root?: string) => {
  let origin: Origin
  let extractor: WarmExtractor
  let folder: string
  let fake: FakeWorker
  let log: Bench['log'] = []
  const ours = () => [join(folder, 'work'), socketFolder(join(folder, 'work'))]
  beforeAll(async () => {
    origin = await startOrigin(root ? { root } : {})
    extractor = createExtractor({ python })
    folder = await mkdtemp(join(tmpdir(), 'haul-step-'))
    for (const path of ours()) await mkdir(path)
    await extractor.ready()
  })
  beforeEach(async () => {
    fake = await startFakeWorker()
    log = []
  })
  afterEach(async () => {
    await fake.close()
    expect(
      ours().flatMap((path) => readdirSync(path)),
      'nothing stays on disk',
    ).toEqual([])
  })
  afterAll(async () => {
    await extractor.close()
    await origin.close()
    for (const path of [...ours(), folder]) await rm(path, { recursive: true, force: true })
  })

  const limits: StepLimits = { maxBytes: 2 ** 30, maxDurationSeconds: 10 * 3_600, timeoutMs: 600_000 }
  /** Resolves when the step has ended, whatever became of it. */
  const start = <Order extends StepOrder>(
    name: Order['step'],
    step: Step<Order>,
    asked: Asked<Order>,
    {
      behaviour,
      stopping = new AbortController().signal,
    }: { behaviour?: Partial<Behaviour>; stopping?: AbortSignal } = {},
  ): Promise<void> => {
    Object.assign(fake.behaviour, behaviour)
    const task = { step: name, jobId: 'trn_test', attempt: 1, callback: fake.callback }
    const order = { ...asked, ...task, limits: { ...limits, ...asked.limits } } as unknown as Order
    const guard = createGuard({ allow: origin.host, lookup: async () => [] })
    const tools = {
      ...{ guard, extractor, workRoot: join(folder, 'work') },
      log: (event: string, fields?: object) => void log.push({ event, fields }),
    }
    return runStep(order, step, tools, stopping)
  }
  const bench: Bench = {
    get origin() {
      return origin
    },
    get fake() {
      return fake
    },
    get log() {
      return log
    },
  }
  return Object.assign(bench, { start })
}

/** The only outcome; of a step that has ended. */
export const outcomeOf = ({ fake }: Bench): Outcome => {
  expect(fake.outcomes).toHaveLength(1)
  return fake.outcomes[0] as Outcome
}

export const resultOf = <Name extends StepResult['step']>(bench: Bench, name: Name) => {
  const outcome = outcomeOf(bench)
  if (outcome.status !== 'done' || outcome.result.step !== name) throw new Error(JSON.stringify(outcome))
  return outcome.result as Extract<StepResult, { step: Name }>
}

export const codeOf = (bench: Bench): string => {
  const outcome = outcomeOf(bench)
  return outcome.status === 'failed' ? outcome.code : outcome.status
}
