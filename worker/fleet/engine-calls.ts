import type { EngineState } from '../../domain/protocol/protocol.ts'
import type { Engine } from '../engine/client.ts'

/**
 * Together with the pause between two rounds, an engine that does not answer counts as gone after ten seconds. A busy
 * machine may need some seconds to answer, and each step of an engine that counts as gone loses an attempt.
 */
const STATE_TIMEOUT_MS = 2_000
const LAST_STATE_TIMEOUT_MS = 6_000
/** An engine that has not come up by then is replaced. */
const LAUNCH_TIMEOUT_MS = 30_000

/** null: the engine is gone. It did not answer twice, which is known at once if its connections break. */
export const stateOf = async (engine: Engine): Promise<EngineState | null> =>
  (await within(STATE_TIMEOUT_MS, engine.state(STATE_TIMEOUT_MS), null)) ??
  (await within(LAST_STATE_TIMEOUT_MS, engine.state(LAST_STATE_TIMEOUT_MS), null))

export const launch = async (engine: Engine): Promise<'running' | 'full' | 'failed'> => {
  const result = await within(LAUNCH_TIMEOUT_MS, engine.launch(), 'failed')
  if (result === 'failed')
    await engine.shutDown().catch((cause) => console.warn('an engine was not stopped', `${cause}`))
  return result
}

/** The engine's object has the same limits, but may be unreachable itself. */
const within = async <Result>(ms: number, result: Promise<Result>, late: Result): Promise<Result> => {
  let timer: ReturnType<typeof setTimeout> | null = null
  const timeout = new Promise<Result>((resolve) => {
    timer = setTimeout(() => resolve(late), ms + MARGIN_MS)
  })
  try {
    return await Promise.race([result, timeout])
  } finally {
    clearTimeout(timer)
  }
}

const MARGIN_MS = 250
