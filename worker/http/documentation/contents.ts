import { html } from 'hono/html'
import { type Guide, guides } from './guides/all-guides.ts'
import { byTag, type Document, type Endpoint } from './reference/document.ts'
import type { Html } from './reference/markup.ts'

/** The side bar: a list for each part, and the endpoints of each tag in a list that opens. */
export const contents = (document: Document): Html => html`
  <p class="part"><a href="#guides">Guides</a></p>
  ${guideList('Guides')}
  <p class="part"><a href="#recipes">Recipes</a></p>
  ${guideList('Recipes')}
  <p class="part"><a href="#reference">Reference</a></p>
  <ul class="tags">
    ${[...byTag(document)].map(([tag, endpoints]) => tagItem(tag, endpoints))}
    <li><a href="#events">Webhook events</a></li>
  </ul>`

const guideList = (part: Guide['part']): Html => html`
  <ul>${guides.filter((guide) => guide.part === part).map((guide) => html`<li><a href="#${guide.id}">${titleOf(guide)}</a></li>`)}</ul>`

/** The heading of the first line. */
export const titleOf = ({ markdown }: Guide): string => markdown.split('\n', 1)[0]?.replace('# ', '') ?? ''

const tagItem = (tag: string, endpoints: Endpoint[]): Html => html`
  <li><details><summary>${tag}</summary>
    <ul class="paths">${endpoints.map(
      ({ id, method, path }) =>
        html`<li><a href="#${id}"><span class="method ${method}">${method === 'delete' ? 'DEL' : method.toUpperCase()}</span> <span>${path}</span></a></li>`,
    )}</ul></details></li>`
