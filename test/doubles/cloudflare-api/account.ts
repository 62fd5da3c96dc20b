import { randomBytes } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'

/** What an account has. Tests read it, and change it to begin with something. */
export interface FakeAccount {
  id: string
  queues: FakeQueue[]
  buckets: { name: string; rules: unknown[]; cors: unknown[] | null }[]
  databases: { name: string; uuid: string; sqlite: DatabaseSync }[]
  workers: FakeWorker[]
  applications: FakeApplication[]
  /** Refuses rollouts of containers with this message. */
  rolloutRefusal: string | null
  /** What each service cost on each day, in the format of FOCUS. null: the account's API has no bill. */
  bill: object[] | null
  /** Other accounts of the same token. */
  others: { id: string; name: string }[]
}

export interface FakeQueue {
  queue_id: string
  queue_name: string
  consumers: object[]
}

export interface FakeWorker {
  name: string
  secrets: string[]
  versions: FakeVersion[]
  deployments: FakeDeployment[]
  migrationTag: string | undefined
}

export interface FakeVersion {
  id: string
  metadata: { created_on: string; modified_on: string; source: string }
  annotations: Record<string, string>
  bindings: { name: string; type: string; [field: string]: unknown }[]
}

export interface FakeDeployment {
  id: string
  created_on: string
  source: string
  strategy: string
  versions: { version_id: string; percentage: number }[]
  annotations: Record<string, string>
}

export interface FakeApplication {
  id: string
  name: string
  configuration: { image: string; [field: string]: unknown }
  rollouts: object[]
  [field: string]: unknown
}

export const createAccount = (): FakeAccount => ({
  id: randomBytes(16).toString('hex'),
  queues: [],
  buckets: [],
  databases: [],
  workers: [],
  applications: [],
  rolloutRefusal: null,
  bill: null,
  others: [],
})
