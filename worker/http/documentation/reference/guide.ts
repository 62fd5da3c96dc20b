import { html } from 'hono/html'
import { concurrency, IDEMPOTENCY_MS, RETENTION_MS, rateClasses } from '../../../domain/limits.ts'
import { code, type Html } from './text.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

/** What has to be known once, before the endpoints. */
export const guide = (baseUrl: string): Html => html`
  <section class="tag" aria-labelledby="start">
    <h2 id="start">Start here</h2>
    <p>Post a URL, get a job. When the job is completed its result holds a link to a file that plays, kept for ${RETENTION_MS / DAY_MS} days or put into your own bucket, or a transcript with times. What fails is free.</p>
    ${code(session(baseUrl))}
    <p>Every request carries <code>Authorization: Bearer &lt;API_KEY&gt;</code>. Operators make accounts and keys; <code>npm start</code> prints the key of a demo account. <a href="/">The console</a> does the same with buttons.</p>
  </section>
  <section class="tag" aria-labelledby="answers">
    <h2 id="answers">Answers</h2>
    <p>Good ones are <code>{"success": true, "data": {…}}</code>: the fields below are those of <code>data</code>. Requests that start work answer 202, reads answer 200. Times are ISO 8601 in UTC; ids are opaque and sort by time. Unknown fields in a body are refused, so that a typo never passes silently.</p>
    ${code(refusedAnswer)}
    <p>Give <code>requestId</code> to whoever runs the service: with it they find what happened. It is also in the header <code>X-Request-Id</code> of every answer. These paths are version 1 and only grow.</p>
  </section>
  <section class="tag" aria-labelledby="following">
    <h2 id="following">Following a job</h2>
    <p>Three ways, as it suits you: <code>?wait=30</code> on a status read holds the answer back until the job has ended; <a href="#get-jobs-id-events">server-sent events</a> bring its progress; a <a href="#events">webhook</a> comes to <code>webhookUrl</code> when it has ended.</p>
  </section>
  <section class="tag" aria-labelledby="idempotency">
    <h2 id="idempotency">Sending again</h2>
    <p>When no answer came to a start request, send it again with the same <code>Idempotency-Key</code>: for ${IDEMPOTENCY_MS / HOUR_MS} hours the same key and body is the same job and the same answer. Another body is refused with 422; a request that is still running, with 409.</p>
  </section>
  <section class="tag" aria-labelledby="limits">
    <h2 id="limits">Limits</h2>
    <div class="scroll" tabindex="0" role="group" aria-label="Limits">
      <table>
        <thead><tr><th scope="col">Requests</th><th scope="col">An hour</th><th scope="col">Jobs at once</th></tr></thead>
        <tbody>
          <tr><td><code>POST /import</code></td><td>${count(rateClasses.import.limit)}</td><td>${concurrency.import}</td></tr>
          <tr><td><code>POST /transcribe</code></td><td>${count(rateClasses.transcribe.limit)}</td><td>${concurrency.transcription}</td></tr>
          <tr><td>Status and job reads, events</td><td>${count(rateClasses.status.limit)}</td><td></td></tr>
          <tr><td>All else</td><td>${count(rateClasses.general.limit)}</td><td></td></tr>
        </tbody>
      </table>
    </div>
    <p>Every answer says where you stand: <code>X-RateLimit-Limit</code>, <code>-Remaining</code>, <code>-Reset</code> and <code>-Window</code>. A 429 carries <code>Retry-After</code> in seconds. The console’s files (<code>/</code> and <code>/assets/…</code>) are no answers of the API: they count in no window and carry none of its headers.</p>
  </section>
  <section class="tag" aria-labelledby="money">
    <h2 id="money">Money</h2>
    <div class="scroll" tabindex="0" role="group" aria-label="Prices">
      <table>
        <tbody>
          <tr><td>Download, also that of a transcription from speech</td><td>$0.01 per MB, to the byte</td></tr>
          <tr><td>Transcript from captions</td><td>$0.01 per video</td></tr>
          <tr><td>Built-in speech</td><td>$0.02 per minute, at least $0.03</td></tr>
          <tr><td>Speech with your own provider key</td><td>$0.01 per minute, at least $0.03, and what the provider asks</td></tr>
        </tbody>
      </table>
    </div>
    <p>An accepted job holds what it will cost. A completed one is charged what it did cost, never more than was held; a failed or canceled one releases it all. <a href="#get-metadata">Metadata</a> tells the price before, free.</p>
  </section>`

const count = (number: number): string => number.toLocaleString('en')

const session = (baseUrl: string): string => `curl '${baseUrl}/import' \\
  -H "Authorization: Bearer $API_KEY" -H 'Content-Type: application/json' \\
  -d '{"url": "https://example.com/talk.mp4"}'
# {"success": true, "data": {"jobId": "imp_…", "status": "queued", "message": "…"}}

curl '${baseUrl}/import/status?id=imp_…&wait=30' -H "Authorization: Bearer $API_KEY"
# {"success": true, "data": {"jobId": "imp_…", "status": "completed", …, "result": {"mediaUrl": "…"}}}`

const refusedAnswer = `{
  "success": false,
  "error": "The account balance is too low for this job.",
  "code": "INSUFFICIENT_BALANCE",
  "requestId": "req_…",
  "requiredDollars": 1.2,
  "availableDollars": 0.35
}`
