import { html } from 'hono/html'
import { failures } from '../../../../domain/codes/failures.ts'
import { refusals } from '../../../../domain/codes/refusals.ts'
import { type Document, idOf } from './document.ts'
import { fieldList } from './endpoints.ts'
import { fieldOf } from './fields.ts'
import { type Html, nothing, prose } from './markup.ts'

/** The types of webhook events, with the description and headers that they share. */
export const eventsSection = (document: Document): Html => {
  const events = Object.entries(document.webhooks).flatMap(([type, { post }]) => (post ? [{ type, ...post }] : []))
  const [first] = events
  if (!first) return nothing
  const headers = (first.parameters ?? []).map(({ name, schema }) => fieldOf(name, schema, true, document))
  return html`
    <section class="tag" aria-labelledby="events">
      <h2 id="events">Webhook events</h2>
      <p>Webhooks are sent to the <code>webhookUrl</code> of a job or a batch. The body is <code>{"type", "timestamp", "data"}</code>;
        <code>data</code> is the job as the status endpoint returns it, or the batch as <code>GET /batches/{id}</code> does.</p>
      ${prose(first.description ?? '')}
      <div class="scroll" tabindex="0" role="group" aria-label="Webhook event types">
        <table>
          <thead><tr><th scope="col">Type</th><th scope="col">Description</th></tr></thead>
          <tbody>${events.map(({ type, summary }) => html`<tr id="${idOf('event', type)}"><td><code>${type}</code></td><td>${summary}</td></tr>`)}</tbody>
        </table>
      </div>
      ${fieldList('Headers', headers, 'response')}
    </section>`
}

/** The error codes, from the same tables that the API uses. */
export const codesSection = (): Html => html`
  <section class="tag" aria-labelledby="refusals">
    <h2 id="refusals">Refused requests</h2>
    <p>A refused request gets <code>success: false</code>, a message in <code>error</code> and one of these constants in <code>code</code>. Some codes add fields that a program can use.</p>
    <div class="scroll" tabindex="0" role="group" aria-label="Error codes of refused requests">
      <table>
        <thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">Meaning</th></tr></thead>
        <tbody>${Object.entries(refusals).map(
          ([code, { status, message }]) =>
            html`<tr><td>${status}</td><td><code>${code}</code></td><td>${message}</td></tr>`,
        )}</tbody>
      </table>
    </div>
  </section>
  <section class="tag" aria-labelledby="failures">
    <h2 id="failures">Failed jobs</h2>
    <p>A failed job has the status <code>failed</code>, a message in <code>message</code> and one of these constants in <code>code</code>. It is never charged. <code>retryable</code> shows whether the same request can succeed later.</p>
    <div class="scroll" tabindex="0" role="group" aria-label="Error codes of failed jobs">
      <table>
        <thead><tr><th scope="col">Code</th><th scope="col">Meaning</th><th scope="col">Retryable</th></tr></thead>
        <tbody>${Object.entries(failures).map(
          ([code, { message, retryable }]) =>
            html`<tr><td><code>${code}</code></td><td>${message}</td><td>${retryable ? 'yes' : 'no'}</td></tr>`,
        )}</tbody>
      </table>
    </div>
  </section>`
