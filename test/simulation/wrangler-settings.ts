import { join } from 'node:path'
import { unstable_readConfig } from 'wrangler'
import type { ConsumerSettings } from './platform/queue.ts'

/** The part of wrangler's config that is read here. Its own type needs types that this project does not load. */
interface Config {
  vars: Record<string, unknown>
  queues: { producers?: { binding: string; queue?: string }[]; consumers?: object[] }
  containers?: { max_instances?: number }[]
}

/** What the simulated platform takes from wrangler.toml. */
export interface WranglerSettings {
  vars: Record<string, unknown>
  producers: { binding: string; queue: string }[]
  consumers: ConsumerSettings[]
  maxInstances: number
}

let settings: WranglerSettings | null = null

export const readWranglerToml = (): WranglerSettings => {
  if (settings) return settings
  const config = join(import.meta.dirname, '../../wrangler.toml')
  const { vars, queues, containers }: Config = unstable_readConfig({ config, env: '' }, { hideWarnings: true })
  settings = {
    vars,
    producers: (queues.producers ?? []).map(({ binding, queue = '' }) => ({ binding, queue })),
    consumers: queues.consumers as ConsumerSettings[],
    maxInstances: containers?.[0]?.max_instances ?? 1,
  }
  return settings
}
