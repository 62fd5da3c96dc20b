import { html } from 'hono/html'
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
      <h2 id="events"><a href="#events">Webhook events</a></h2>
      <p>The body is <code>{"type", "timestamp", "data"}</code>; <code>data</code> is the job as the status endpoint returns it,
        or the batch as <code>GET /batches/{id}</code> does. <a href="#webhooks">Webhooks</a> shows how to receive them.</p>
      ${prose(first.description ?? '')}
      <div class="scroll" tabindex="0" role="group" aria-label="Webhook event types">
        <table>
          <thead><tr><th scope="col">Type</th><th scope="col">Description</th></tr></thead>
          <tbody>${events.map(({ type, summary }) => html`<tr id="${idOf('event', type)}"><td><code>${type}</code></td><td>${summary}</td></tr>`)}</tbody>
        </table>
      </div>
      <h3 id="event-headers"><a href="#event-headers">Headers</a></h3>
      ${fieldList('', headers, 'response')}
    </section>`
}
