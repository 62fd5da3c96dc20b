/**
 * What the Worker and the container say to each other. A deploy activates the Worker before the new
 * image, so both sides must accept what the other's previous version sends: fields are added, never
 * renamed or required later, and unknown ones are ignored.
 *
 *   Worker → container   POST /steps    StepOrder  → 202, or 429 while full
 *                        POST /probe    ProbeOrder → ProbeAnswer
 *                        POST /resolve  ResolveOrder → ResolveAnswer
 *                        GET  /health   Health
 *   container → Worker   POST {callback.url}/progress  Progress    → ProgressAnswer
 *                        POST {callback.url}/uploads   UploadOrder → UploadPlan
 *                        POST {callback.url}/parts     PartsOrder  → PartsPlan
 *                        POST {callback.url}/outcome   Outcome     → 200
 *
 * Every call of the container carries the lease token of its step. 409 means the lease is lost: stop
 * and say nothing more.
 */

export * from './protocol/health.ts'
export * from './protocol/orders.ts'
export * from './protocol/probe.ts'
export * from './protocol/reach.ts'
export * from './protocol/reports.ts'
export * from './protocol/results.ts'
export * from './protocol/selection.ts'
export * from './protocol/uploads.ts'
