/// <reference lib="dom" />
import { createServer } from 'node:http'
import type { Browser, Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { listenOnLoopback } from '../support/loopback.ts'

/** A tab with a page of a site that has nothing to do with Haul. `file`: what its visitor chose, at `/file`. */
export const pageOfAnotherSite = async (browser: Browser, file: Uint8Array): Promise<Page> => {
  const site = createServer(({ url }, response) => {
    if (url === '/file') response.end(file)
    else response.setHeader('content-type', 'text/html').end('<!doctype html><title>Another site</title>')
  })
  const { port, close } = await listenOnLoopback(site)
  const page = await browser.newPage()
  onTestFinished(async () => {
    await page.close()
    await close()
  })
  // Not 127.0.0.1, whose pages wrangler and miniflare trust. Browsers find every name below localhost on this machine.
  await page.goto(`http://app.localhost:${port}/`)
  return page
}

export interface Sent {
  status: number
  etag: string | null
  text: string
}

/** PUTs a piece of the file. null: the browser does not let the page do it, or read the answer. */
export const sendFrom = (
  page: Page,
  url: string,
  [from, to]: [number, number],
  headers: Record<string, string> = {},
): Promise<Sent | null> =>
  page.evaluate(
    async ({ url, from, to, headers }) => {
      const file = await (await fetch('/file')).blob()
      const body = file.slice(from, to, 'video/mp4')
      const response = await fetch(url, { method: 'PUT', body, headers }).catch(() => null)
      return response && { status: response.status, etag: response.headers.get('etag'), text: await response.text() }
    },
    { url, from, to, headers },
  )
