import { html } from 'hono/html'
import { type Document, idOf } from './document.ts'
import { fieldList } from './endpoints.ts'
import { fieldOf } from './fields.ts'
import { type Html, nothing, prose } from './text.ts'

/** What we send: each type of event, and what all of them have in common, told once. */
export const eventsSection = (document: Document): Html => {
  const events = Object.entries(document.webhooks).flatMap(([type, { post }]) => (post ? [{ type, ...post }] : []))
  const [first] = events
  if (!first) return nothing
  const headers = (first.parameters ?? []).map(({ name, schema }) => fieldOf(name, schema, true, document))
  return html`
    <section class="tag" aria-labelledby="events">
      <h2 id="events">Events</h2>
      <p>Sent to the <code>webhookUrl</code> of a job as <code>{"type", "timestamp", "data"}</code>;
        <code>data</code> is what the status endpoint answers.</p>
      ${prose(first.description ?? '')}
      <div class="scroll" tabindex="0" role="group" aria-label="Types of events">
        <table>
          <thead><tr><th scope="col">Type</th><th scope="col">When</th></tr></thead>
          <tbody>${events.map(({ type, summary }) => html`<tr id="${idOf('event', type)}"><td><code>${type}</code></td><td>${summary}</td></tr>`)}</tbody>
        </table>
      </div>
      ${fieldList('Headers', headers, 'answered')}
    </section>`
}
