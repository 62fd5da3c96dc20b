import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Account, byWait, importOf, newAccount } from '../accounts.ts'
import { withHauls } from '../start-hauls.ts'
import { median, percentile, ratioOf } from '../timing.ts'
import { queryKinds, textsOf } from './queries.ts'
import { realSentences } from './sentences.ts'
import { speechOf } from './speech.ts'

const CAPTION_HOURS = 12
const PAGES = 20
const ROUNDS = 5
const STARTS = 20
const A_SECOND = 20

/**
 * What `POST /import` takes while words of the same account are searched, beside as many other requests, and alone. They
 * take turns. Here, the Worker and all objects share one thread.
 */
export const benchBeside = (print: (line: string) => void): Promise<void> =>
  withHauls(async ({ hauls: [haul], origin: { url, folder }, song }) => {
    const account = await newAccount(haul)
    const sentences = realSentences()
    for (let page = 0; page < PAGES; page++) {
      await writeFile(join(folder, `${page}.vtt`), captionsOf(sentences, page))
      const track = `<track srclang="en" src="${page}.vtt">`
      const html = `<!doctype html><title>Page ${page}</title><video src="film.mp4?${page}">${track}</video>`
      await writeFile(join(folder, `${page}.html`), html)
      const request = { url: `${url}/media/${page}.html`, captions: ['en'] }
      await importOf(account, request)
    }
    const passages = await indexed(account)
    const texts = queryKinds.flatMap((kind) => textsOf(sentences, kind, 101))
    const search = (count: number) => {
      const q = encodeURIComponent(texts[count % texts.length] as string)
      return account.get(`/search?q=${q}&sort=${count % 2 === 0 ? 'relevance' : 'newest'}`)
    }
    const poll = () => account.get('/account')
    const [alone, besidePolls, besideSearches, searched]: [number[], number[], number[], number[]] = [[], [], [], []]
    await startsOf(account, song)
    for (let round = 0; round < ROUNDS; round++) {
      alone.push(median(await startsOf(account, song)))
      const polls = steadily(poll)
      besidePolls.push(median(await startsOf(account, song)))
      await polls.stop()
      const searches = steadily(search)
      besideSearches.push(median(await startsOf(account, song)))
      searched.push(...(await searches.stop()))
    }
    const line = (name: string, times: number[]) => `${name} ${ms(median(times))}, ${ratioOf(times, alone).toFixed(2)}`
    print(
      `POST /import alone ${ms(median(alone))}, ${line(`beside ${A_SECOND} searches a second in ${passages} passages`, besideSearches)} of that (goal 1.10), ${line(`beside as many GET /account`, besidePolls)}; ${searched.length} searches: p50 ${ms(percentile(searched, 0.5))}, p99 ${ms(percentile(searched, 0.99))}`,
    )
  })

const ms = (value: number): string => `${value.toFixed(1)} ms`

const captionsOf = (sentences: readonly string[], page: number): string => {
  const at = (seconds: number) => new Date(seconds * 1_000).toISOString().slice(11, 23)
  const cues = speechOf(sentences, page, CAPTION_HOURS).map(
    ({ start, end, text }) => `${at(start)} --> ${at(end)}\n${text}\n`,
  )
  return `WEBVTT\n\n${cues.join('\n')}`
}

/** How many passages there are when no more come. */
const indexed = async (account: Account): Promise<number> => {
  let before = -1
  for (;;) {
    const { passages } = (await account.get<{ search: { passages: number } }>('/account')).search
    if (passages === before && passages > PAGES * CAPTION_HOURS * 100) return passages
    before = passages
    await sleep(1_000)
  }
}

/** The milliseconds of each start. */
const startsOf = async (account: Account, url: string): Promise<number[]> => {
  const took: number[] = []
  for (let start = 0; start < STARTS; start++) {
    const from = performance.now()
    const jobId = await account.start({ url })
    took.push(performance.now() - from)
    await byWait(account, jobId)
  }
  return took
}

/** The milliseconds of each request. They are sent at a steady rate, whatever their answers take. */
const steadily = (send: (count: number) => Promise<unknown>) => {
  const took: Promise<number>[] = []
  const timed = async (): Promise<number> => {
    const from = performance.now()
    await send(took.length)
    return performance.now() - from
  }
  const timer = setInterval(() => took.push(timed()), 1_000 / A_SECOND)
  return {
    stop: (): Promise<number[]> => {
      clearInterval(timer)
      return Promise.all(took)
    },
  }
}
