/**
 * Messages between the Worker and the container. A deploy activates the Worker before the new image, so
 * each side must accept messages from the other side's previous version: fields are only ever added as
 * optional, never renamed or made required, and unknown fields are ignored. An order that a container must not
 * misunderstand, because it would ignore a field, has a higher `v`. A container of an older image answers such an order,
 * and one for a step that it does not know, with 422: the Worker sends it again until the new image is there.
 *
 *   Worker → container   POST /steps    StepOrder      → 202, 429 while full, or 422 (see above)
 *                        POST /stop     StopRequest    → StopResponse
 *                        POST /probe    ProbeRequest   → ProbeResponse, or 503 when no place is free in time
 *                        POST /list     ListRequest    → ListResponse, or 503 (see /probe)
 *                        POST /follow   FollowRequest  → FollowResponse, or 503 (see /probe)
 *                        POST /inspect  InspectRequest → InspectResponse, or 503 (see /probe)
 *                        POST /resolve  ResolveRequest → ResolveResponse
 *                        GET  /health   Health
 *                        GET  /state    EngineState
 *                        GET  /sites    Sites, or 503 while yt-dlp is starting
 *   container → Worker   POST {callback.url}/progress  Progress      → ProgressResponse
 *                        POST {callback.url}/uploads   UploadRequest → UploadPlan
 *                        POST {callback.url}/parts     PartsRequest  → PartsPlan
 *                        POST {callback.url}/outcome   StepOutcome   → 200
 *
 * Every request of the container carries the lease token of its step. A 409 means that the lease is
 * lost: the container stops the step and sends nothing more for it. A 400 means that the message could not be
 * parsed, which has ended the attempt.
 */

export * from './lookups.ts'
export * from './models.ts'
export * from './orders.ts'
export * from './reports.ts'
export * from './source-about.ts'
export * from './uploads.ts'
