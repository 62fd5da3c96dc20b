/**
 * What the console takes of the library: its requests, and how it follows jobs and events. The set-up bundles it as
 * console/assets/haul-client.js, because pages load no npm packages.
 */
export { followBatch } from './batches.ts'
export { readAccountEvents } from './events.ts'
export { pause } from './http/call.ts'
export { Connection, randomKey } from './http/connection.ts'
export * from './index.ts'
export { followJob } from './jobs/follow-job.ts'
