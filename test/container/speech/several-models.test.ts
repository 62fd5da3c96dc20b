import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { EngineUnavailable } from '../../../container/speech/model-folder.ts'
import type { Model } from '../../../container/speech/models.ts'
import { createRecognizer, type RecognizerParts } from '../../../container/speech/recognizer.ts'
import type { RecognizeRequest, RecognizerProcess } from '../../../container/speech/recognizer-process.ts'
import type { RecognizeOptions } from '../../../container/speech/recording.ts'
import { writeManifest } from '../../../scripts/speech/weights.mjs'
import { scratch } from '../audio/recordings.ts'

/** Which models are loaded, and which of them hears a recording: with processes that only note what they are given. */

const MB = 1_000_000

interface Machine {
  /** Memory that the processes of these models do not take. */
  megabytes?: number
  /** Spoken in each piece; null without speech. */
  spoken?: (string | null)[]
  probability?: number
  broken?: string[]
}

type Folders = Record<string, { files: string[]; manifest: object }>

const whisper = { files: ['model.bin'], manifest: {} }
const english = {
  files: ['encoder_model.ort', 'decoder_model_merged.ort', 'tokenizer.bin'],
  manifest: { languages: ['en'] },
}
const romance = { files: ['model.onnx', 'vocab.txt'], manifest: { languages: ['it', 'fr'] } }

const foldersOf = async (folders: Folders) => {
  const root = scratch()
  const all = Object.entries(folders).map(async ([name, { files, manifest }]) => {
    const folder = join(root, name)
    await mkdir(folder)
    for (const file of files) await writeFile(join(folder, file), 'x')
    await writeManifest(folder, manifest)
    return { name, folder }
  })
  return Promise.all(all)
}

/** The first folder has the default model. */
const machine = async (folders: Folders, given: Machine = {}) => {
  const { megabytes = 100_000, spoken = ['en'], probability = 0.9, broken = [] } = given
  const [byDefault, ...models] = await foldersOf(folders)
  const events: string[] = []
  const running = new Set<string>()
  const said = (samples: Uint8Array) => spoken[samples[0] ?? 0] ?? null

  const startProcess = async (_: unknown, { name }: Model): Promise<RecognizerProcess> => {
    if (broken.includes(name)) throw new EngineUnavailable(`${name} cannot be loaded`)
    events.push(`start ${name}`)
    running.add(name)
    let alive = true
    return {
      recognize: async ({ samples, language, continues }: RecognizeRequest) => {
        events.push(`${name} hears ${language ?? 'anything'}${continues ? ' on' : ''}`)
        const spoken = said(samples)
        const words = spoken ? [{ text: ` ${spoken}`, start: 0, end: 1, confidence: null }] : []
        clock.ms += 500
        return {
          ...{ event: 'words', words, consumedSamples: samples.length / 2 },
          ...{ language: language ?? spoken, probability: language ? 1 : probability },
        }
      },
      detect: async (samples) => {
        events.push(`${name} detects`)
        return { language: said(samples), probability: said(samples) ? probability : 0 }
      },
      get alive() {
        return alive
      },
      pid: events.length,
      stop: async () => {
        alive = false
        running.delete(name)
        events.push(`stop ${name}`)
      },
    }
  }
  const clock = { ms: 0 }
  const availableBytes = () => (megabytes - 400 * running.size) * MB
  const parts: RecognizerParts = { startProcess, availableBytes, now: () => clock.ms }
  const settings = { python: process.execPath, modelDir: byDefault?.folder ?? '', threads: 1, mounted: [], models }
  const recognizer = createRecognizer(settings, parts)
  onTestFinished(recognizer.stop)
  /** A second for each of what is spoken. */
  const recognize = (options: Partial<RecognizeOptions> = {}) =>
    recognizer.recognize(
      spoken.map((_, index) => ({ offsetSeconds: index, samples: new Uint8Array(32_000).fill(index) })),
      { language: null, signal: new AbortController().signal, ...options },
    )
  return { recognizer, recognize, events }
}

describe('memory', () => {
  const three = { one: whisper, two: whisper, three: whisper }

  test('for all models keeps all of them loaded', async () => {
    const { recognize, events } = await machine(three)
    for (const model of ['two', 'one', 'three', 'two']) await recognize({ model })
    expect(events.filter((event) => !event.includes('hears'))).toEqual(['start two', 'start one', 'start three'])
  })

  test('for two models stops the one that was used longest ago, before the third is loaded', async () => {
    const { recognize, events } = await machine(three, { megabytes: 800 })
    for (const model of ['one', 'two', 'one', 'three', 'two']) await recognize({ model })
    expect(events.filter((event) => !event.includes('hears'))).toEqual([
      ...['start one', 'start two', 'stop two', 'start three'],
      ...['stop one', 'start two'],
    ])
  })

  test('for none does not keep a model from being loaded', async () => {
    const { recognize, events } = await machine(three, { megabytes: 0 })
    await recognize({ model: 'one' })
    await recognize({ model: 'two' })
    expect(events).toEqual(['start one', 'one hears anything', 'stop one', 'start two', 'two hears anything'])
  })

  test('that is needed for a recording is not taken by a model that is only warmed', async () => {
    const { recognizer, recognize, events } = await machine(three, { megabytes: 400 })
    await recognizer.warm('one')
    await recognizer.warm('two')
    expect(events).toEqual(['start one'])
    await recognize({ model: 'two' })
    expect(events).toEqual(['start one', 'stop one', 'start two', 'two hears anything'])
  })
})

describe('a language that a model does not have', () => {
  const folders = { all: whisper, english, romance }

  test('is detected by the default model, which hears the recording from there', async () => {
    const { recognize, events } = await machine(folders, { spoken: [null, 'de', 'de'] })
    const recognized = await recognize({ model: 'english' })
    expect(recognized).toMatchObject({ model: 'all', language: 'de', text: 'de de' })
    expect(events).toEqual([
      ...['start all', 'all detects', 'start english', 'english hears en'],
      ...['all detects', 'all hears de', 'all hears de on'],
    ])
  })

  test('is not looked for again once one is detected that it has', async () => {
    const { recognize, events } = await machine(folders, { spoken: ['it', 'it'] })
    expect(await recognize({ model: 'romance' })).toMatchObject({ model: 'romance', language: 'it' })
    expect(events).toEqual(['start all', 'all detects', 'start romance', 'romance hears it', 'romance hears it on'])
  })

  test('is not believed if its detection is doubtful', async () => {
    const { recognize } = await machine(folders, { spoken: ['de'], probability: 0.3 })
    expect(await recognize({ model: 'english' })).toMatchObject({ model: 'english', language: 'en' })
  })

  test('is heard with the default model if the caller names it', async () => {
    const { recognize, events } = await machine(folders, { spoken: ['de'] })
    expect(await recognize({ model: 'english', language: 'de-AT' })).toMatchObject({ model: 'all', language: 'de' })
    expect(events).toEqual(['start all', 'all hears de'])
  })

  test('is detected, and heard, by any other model if the default one cannot', async () => {
    const { recognize } = await machine({ english, romance, all: whisper }, { spoken: ['it'] })
    expect(await recognize()).toMatchObject({ model: 'romance', language: 'it' })
    const german = await machine({ english, romance, all: whisper }, { spoken: ['de'] })
    expect(await german.recognize()).toMatchObject({ model: 'all', language: 'de' })
  })

  test('is not detected where no model can', async () => {
    const { recognize, events } = await machine({ english, romance }, { spoken: ['de'] })
    expect(await recognize()).toMatchObject({ model: 'english', language: 'en' })
    expect(await recognize({ model: 'romance' })).toMatchObject({ model: 'romance', language: 'de' })
    expect(events.filter((event) => event.includes('hears'))).toEqual(['english hears en', 'romance hears anything'])
  })
})

describe('models of a container', () => {
  const folders = { all: whisper, english, broken: whisper }

  test('are listed with what they can do, and their speed since they have heard something', async () => {
    const { recognizer, recognize } = await machine(folders)
    expect(recognizer.models()).toBeUndefined()
    await expect.poll(() => recognizer.models()?.map(({ name }) => name)).toEqual(['all', 'english', 'broken'])
    await recognize({ model: 'english', language: 'en' })
    const [byDefault, other] = recognizer.models() ?? []
    expect(byDefault).toEqual({
      ...{ name: 'all', isDefault: true, languages: 'all', speed: null },
      ...{ words: true, vocabulary: true, translation: true },
    })
    expect(other).toEqual({
      ...{ name: 'english', isDefault: false, languages: ['en'], speed: 2 },
      ...{ words: false, vocabulary: false, translation: false },
    })
  })

  test('are not listed while their folders are not complete, and health names the model', async () => {
    const { recognizer } = await machine({ all: whisper, english: { ...english, manifest: {} } })
    expect(await recognizer.health()).toMatch(/^english: .* does not say its languages/)
    expect(recognizer.models()?.map(({ name }) => name)).toEqual(['all'])
  })

  test('that cannot be loaded are named by health', async () => {
    const { recognizer, recognize } = await machine(folders, { broken: ['broken'] })
    expect(await recognizer.health()).toBe(true)
    await expect(recognize({ model: 'broken' })).rejects.toBeInstanceOf(EngineUnavailable)
    expect(await recognizer.health()).toBe('broken: broken cannot be loaded')
    expect((await recognize()).model).toBe('all')
  })

  test('are the only ones that it hears with', async () => {
    const { recognize } = await machine(folders)
    await expect(recognize({ model: 'another' })).rejects.toBeInstanceOf(EngineUnavailable)
  })
})
