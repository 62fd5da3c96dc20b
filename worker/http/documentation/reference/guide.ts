import { html } from 'hono/html'
import { defaultLimits } from '../../../../domain/account-limits.ts'
import { IDEMPOTENCY_MS, MAX_BATCH_ITEMS, RETENTION_MS } from '../../../../domain/limits.ts'
import { READY_UPLOAD_MS } from '../../../../domain/uploads/upload.ts'
import { code, type Html } from './markup.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const { requestsPerHour, concurrentJobs } = defaultLimits

/** The concepts that all endpoints share. */
export const guide = (baseUrl: string): Html => html`
  <section class="tag" aria-labelledby="quickstart">
    <h2 id="quickstart">Quickstart</h2>
    <p>Send a URL to start a job. A completed import has a link to a playable file, which is stored for ${RETENTION_MS / DAY_MS} days or copied to your own bucket. A completed transcription has a transcript with timestamps. Failed jobs are free.</p>
    ${code(session(baseUrl))}
    <p>Authenticate every request with <code>Authorization: Bearer &lt;API_KEY&gt;</code>. Operators create accounts and keys; <code>npm start</code> prints the key of a demo account. You can make the same requests in <a href="/">the console</a>.</p>
  </section>
  <section class="tag" aria-labelledby="files">
    <h2 id="files">Files without a URL</h2>
    <p>A transcription can read a file of yours, or one that was imported, instead of a URL: nothing is downloaded, and nothing is charged for a download. Start an upload, <code>PUT</code> each part to its URL without your API key, and complete it with the <code>ETag</code>s of the responses. Parts can be sent in any order, more than once, and from a page of any site. A file stays for ${READY_UPLOAD_MS / HOUR_MS} hours after it was completed, and as long as a job reads it.</p>
    ${code(uploading(baseUrl))}
  </section>
  <section class="tag" aria-labelledby="responses">
    <h2 id="responses">Responses</h2>
    <p>Successful responses are <code>{"success": true, "data": {…}}</code>. The response fields below are the fields of <code>data</code>. Requests that start a job or a batch return 202, one that starts an upload 201, and all others 200. Timestamps are ISO 8601 in UTC. Ids are opaque strings that sort by creation time. A body with unknown fields is refused, so that typos do not go unnoticed. An error response looks like this:</p>
    ${code(refusedResponse)}
    <p>Include the <code>requestId</code> when you contact the operator of the service. Every response also has it in the <code>X-Request-Id</code> header. These paths are version 1 of the API. Changes are backwards compatible.</p>
  </section>
  <section class="tag" aria-labelledby="job-status">
    <h2 id="job-status">Job status</h2>
    <p>There are four ways to follow a job. A status request with <code>?wait=30</code> returns when the job ends, or after 30 seconds. <a href="#get-jobs-id-events">Server-sent events</a> stream its progress. <a href="#get-events">One stream</a> has the starts and ends of all jobs and batches of the account. A <a href="#events">webhook</a> is sent to <code>webhookUrl</code> when the job ends.</p>
  </section>
  <section class="tag" aria-labelledby="batches">
    <h2 id="batches">Many URLs at once</h2>
    <p>A <a href="#post-batches">batch</a> takes up to ${MAX_BATCH_ITEMS} URLs, a playlist, a channel or the feed of a podcast, and imports or transcribes each of them. Its items wait within your account and become jobs as its concurrent jobs allow, so that no request is refused with 429. One item that fails does not stop the others. <code>maxCostDollars</code> limits what all of them cost together; the batch itself is free.</p>
  </section>
  <section class="tag" aria-labelledby="idempotency">
    <h2 id="idempotency">Idempotent requests</h2>
    <p>If you get no response to a request that starts a job or a batch, retry it with the same <code>Idempotency-Key</code>. For ${IDEMPOTENCY_MS / HOUR_MS} hours, requests with the same key and body return the same job or batch and never start another one. The same key with a different body returns 422. While the first request is still running, a retry returns 409.</p>
  </section>
  <section class="tag" aria-labelledby="rate-limits">
    <h2 id="rate-limits">Rate limits</h2>
    <div class="scroll" tabindex="0" role="group" aria-label="Rate limits">
      <table>
        <thead><tr><th scope="col">Requests</th><th scope="col">Per hour</th><th scope="col">Concurrent jobs</th></tr></thead>
        <tbody>
          <tr><td><code>POST /import</code></td><td>${count(requestsPerHour.import)}</td><td>${concurrentJobs.import}</td></tr>
          <tr><td><code>POST /transcribe</code></td><td>${count(requestsPerHour.transcribe)}</td><td>${concurrentJobs.transcription}</td></tr>
          <tr><td>Status of jobs and batches, transcripts and events</td><td>${count(requestsPerHour.status)}</td><td></td></tr>
          <tr><td>All other requests</td><td>${count(requestsPerHour.general)}</td><td></td></tr>
        </tbody>
      </table>
    </div>
    <p><code>POST /batches</code> counts as <code>POST /import</code> or <code>POST /transcribe</code>, by what it starts. Its items do not count. They always leave one of the concurrent jobs to single requests, if the account has two or more. An operator can set other limits for an account. <a href="#get-account">GET /account</a> returns them.</p>
    <p>Every API response has the headers <code>X-RateLimit-Limit</code>, <code>X-RateLimit-Remaining</code>, <code>X-RateLimit-Reset</code> and <code>X-RateLimit-Window</code>. A 429 also has <code>Retry-After</code> in seconds. The console’s files (<code>/</code> and <code>/assets/…</code>) do not count against a limit and do not have these headers.</p>
  </section>
  <section class="tag" aria-labelledby="pricing">
    <h2 id="pricing">Pricing</h2>
    <div class="scroll" tabindex="0" role="group" aria-label="Prices">
      <table>
        <tbody>
          <tr><td>Download, also for speech recognition</td><td>$0.01 per MB, billed per byte</td></tr>
          <tr><td>Transcript from captions</td><td>$0.01 per video</td></tr>
          <tr><td>Built-in speech recognition</td><td>$0.02 per minute, at least $0.03</td></tr>
          <tr><td>Speech recognition with your own provider key</td><td>$0.01 per minute, at least $0.03, plus the provider’s own price</td></tr>
        </tbody>
      </table>
    </div>
    <p>When a job is accepted, its estimated cost is held. When it completes, the actual cost is charged, which is never more than the hold. When it fails or is canceled, the hold is released. <a href="#get-metadata">Metadata</a> returns the price in advance and is free.</p>
  </section>`

const count = (number: number): string => number.toLocaleString('en')

const session = (baseUrl: string): string => `curl '${baseUrl}/import' \\
  -H "Authorization: Bearer $API_KEY" -H 'Content-Type: application/json' \\
  -d '{"url": "https://example.com/talk.mp4"}'
# {"success": true, "data": {"jobId": "imp_…", "status": "queued", "message": "…"}}

curl '${baseUrl}/import/status?id=imp_…&wait=30' -H "Authorization: Bearer $API_KEY"
# {"success": true, "data": {"jobId": "imp_…", "status": "completed", …, "result": {"mediaUrl": "…"}}}`

const uploading = (baseUrl: string): string => `curl '${baseUrl}/uploads' \\
  -H "Authorization: Bearer $API_KEY" -H 'Content-Type: application/json' \\
  -d '{"filename": "talk.mp3", "sizeBytes": 4821094}'
# {"success": true, "data": {"uploadId": "upl_…", "parts": [{"number": 1, "url": "…", "sizeBytes": 4821094}], …}}

curl -i -T talk.mp3 '…the url of part 1…'
# ETag: "…"

curl '${baseUrl}/uploads/upl_…/complete' \\
  -H "Authorization: Bearer $API_KEY" -H 'Content-Type: application/json' \\
  -d '{"parts": [{"number": 1, "etag": "…"}]}'

curl '${baseUrl}/transcribe' \\
  -H "Authorization: Bearer $API_KEY" -H 'Content-Type: application/json' \\
  -d '{"uploadId": "upl_…", "provider": "builtin"}'`

const refusedResponse = `{
  "success": false,
  "error": "The account balance is too low for this job.",
  "code": "INSUFFICIENT_BALANCE",
  "requestId": "req_…",
  "requiredDollars": 1.2,
  "availableDollars": 0.35
}`
