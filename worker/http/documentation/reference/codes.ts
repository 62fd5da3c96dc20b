import { html } from 'hono/html'
import { failures } from '../../../domain/codes/failures.ts'
import { refusals } from '../../../domain/codes/refusals.ts'
import type { Html } from './text.ts'

/** The two tables of codes, from the tables that the service itself goes by. */
export const codesSection = (): Html => html`
  <section class="tag" aria-labelledby="refusals">
    <h2 id="refusals">Refused requests</h2>
    <p>A request that can’t be accepted is answered with <code>success: false</code>, a sentence in <code>error</code>, one of these in <code>code</code>, and what a program can act on beside it.</p>
    <div class="scroll" tabindex="0" role="group" aria-label="Codes of refused requests">
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
    <p>A job that was accepted and can’t be done ends as <code>failed</code>, with a sentence in <code>message</code> and one of these in <code>code</code>. It is never charged. <code>retryable</code> says whether the same request may do better later.</p>
    <div class="scroll" tabindex="0" role="group" aria-label="Codes of failed jobs">
      <table>
        <thead><tr><th scope="col">Code</th><th scope="col">Meaning</th><th scope="col">Retryable</th></tr></thead>
        <tbody>${Object.entries(failures).map(
          ([code, { message, retryable }]) =>
            html`<tr><td><code>${code}</code></td><td>${message}</td><td>${retryable ? 'yes' : 'no'}</td></tr>`,
        )}</tbody>
      </table>
    </div>
  </section>`
