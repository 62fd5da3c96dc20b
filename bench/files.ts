import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { importOf, newAccount } from './accounts.ts'
import { withHauls } from './start-hauls.ts'
import { median, ratioOf, seconds } from './timing.ts'

const IMPORTS = 15
const CUES = 400
const everything = { captions: ['en', 'de'], files: ['info', 'thumbnail', 'chapters'] }

/** One page with a film of 2.8 MB and two tracks, imported alone and with its captions and what the source says of it. */
export const benchFiles = (print: (line: string) => void, { runs = 3 } = {}): Promise<void> =>
  withHauls(async ({ hauls: [haul], origin: { url, folder } }) => {
    for (const language of everything.captions) await writeFile(join(folder, `${language}.vtt`), captionsIn(language))
    const account = await newAccount(haul)
    let pages = 0
    const newPage = async (): Promise<string> => {
      const name = `page-${++pages}.html`
      const tracks = everything.captions
        .map((language) => `<track srclang="${language}" src="${language}.vtt">`)
        .join('')
      const video = `<video src="film.mp4?page=${pages}">${tracks}</video>`
      await writeFile(join(folder, name), `<!doctype html><title>Page ${pages}</title>${video}`)
      return `${url}/media/${name}`
    }
    const importPage = async (more: object): Promise<number> => {
      const page = await newPage()
      return seconds(() => importOf(account, { url: page, ...more }))
    }
    await Promise.all([importPage({}), importPage(everything)])
    const times = { alone: [] as number[], whole: [] as number[] }
    for (let count = 0; count < runs * IMPORTS; count++) {
      times.alone.push(await importPage({}))
      times.whole.push(await importPage(everything))
    }
    const ratio = ratioOf(times.whole, times.alone)
    print(
      `A page with two captions and all files: ${median(times.whole).toFixed(2)} s, ${ratio.toFixed(2)} of the time without (goal 1.15)`,
    )
  })

const captionsIn = (language: string): string => {
  const cues = Array.from({ length: CUES }, (_, index) => {
    const at = (seconds: number) => new Date(seconds * 1_000).toISOString().slice(11, 23)
    return `${at(index * 3)} --> ${at(index * 3 + 2)}\nLine ${index} in ${language}\n`
  })
  return `WEBVTT\n\n${cues.join('\n')}`
}
