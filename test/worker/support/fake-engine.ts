import type { EngineState, Sites, StepOrder } from '../../../domain/protocol/protocol.ts'

/** A container of test/doubles/internet. Its steps end when they start, unless it keeps them. */
export interface FakeEngine extends EngineState {
  isDead: boolean
  /** The response to an order, instead of 202. */
  orderStatus: number | null
  /** Steps run until the test ends them. */
  keepsSteps: boolean
  orders: StepOrder[]
  stopped: { jobId: string; attempt: number }[]
  /** null: yt-dlp is starting. */
  sites: Sites | null
}

/** Changes the container at this port, and returns all of its properties. */
export const controlEngine = async (port: number, changes: Partial<FakeEngine> = {}): Promise<FakeEngine> => {
  const response = await fetch(`https://engines.example/${port}`, { method: 'POST', body: JSON.stringify(changes) })
  return response.json()
}
