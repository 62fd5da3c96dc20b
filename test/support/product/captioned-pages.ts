import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AccountClient } from './api-client.ts'

/** What is said, each for three seconds. */
export interface Captions {
  lines: string[]
  /** From the beginning of one line to that of the next. Within 30 seconds, lines are one passage. */
  everySeconds?: number
  language?: string
  title?: string
}

const timeOf = (seconds: number): string => new Date(seconds * 1_000).toISOString().slice(11, 23)

const webVtt = (lines: string[], everySeconds: number): string => {
  const cues = lines.map((text, index) => {
    const start = index * everySeconds
    return `${timeOf(start)} --> ${timeOf(start + 3)}\n${text}\n`
  })
  return ['WEBVTT\n', ...cues].join('\n')
}

let pages = 0

/** Writes pages of a film with captions into the folder of an origin, and returns their URLs. */
export const captionedPages =
  (site: () => { folder: string; originUrl: string; filmUrl: string }) =>
  async ({ lines, everySeconds = 40, language = 'en', title = 'A talk' }: Captions): Promise<string> => {
    const { folder, originUrl, filmUrl } = site()
    const name = `captioned-${++pages}`
    await writeFile(join(folder, `${name}.vtt`), webVtt(lines, everySeconds))
    const track = `<track kind="captions" srclang="${language}" src="${originUrl}/media/${name}.vtt">`
    const video = `<video src="${filmUrl}?page=${pages}">${track}</video>`
    const head = `<!doctype html><meta charset="utf-8"><title>${title}</title>`
    await writeFile(join(folder, `${name}.html`), head + video)
    return `${originUrl}/media/${name}.html`
  }

export interface Found {
  jobId: string
  title: string | null
  url: string | null
  link: string | null
  start: number
  end: number
  speaker?: string
  language: string
  snippet: string
  matches: [offset: number, length: number][]
}

export const search = async (
  client: Pick<AccountClient, 'request'>,
  q: string,
  filter: Record<string, string> = {},
): Promise<{ results: Found[]; nextCursor: string | null }> => {
  const { status, body } = await client.request('GET', `/search?${new URLSearchParams({ q, ...filter })}`)
  if (status !== 200) throw new Error(`GET /search: ${status} ${JSON.stringify(body)}`)
  return body.data
}

/** All results, page by page. */
export const searchAll = async (
  client: Pick<AccountClient, 'request'>,
  q: string,
  filter: Record<string, string> = {},
): Promise<Found[]> => {
  const found: Found[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await search(client, q, { limit: '50', ...filter, cursor })
    found.push(...page.results)
    cursor = page.nextCursor
  }
  return found
}
