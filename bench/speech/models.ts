import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { speechSettings } from '../../container/config.ts'
import { createRecognizer } from '../../container/speech/recognizer.ts'
import { median, ratioOf, seconds } from '../timing.ts'
import { makeRecording, spokenText } from './clips.ts'
import { transcribe } from './recognition.ts'
import { wordErrorRate } from './word-errors.ts'

/** Those that SPEECH_MODEL=both installs. The others are compared with the first. */
const models = ['whisper-base', 'moonshine-base']

const recordings = { 'all clips': 24.73, 'five minutes': 300, 'five seconds': 5 }

/** The same English recordings with each model, in turns, with the models in memory. */
export const benchModels = async (print: (line: string) => void, { runs = 3 } = {}): Promise<void> => {
  const recognizer = createRecognizer({ ...speechSettings({ ...process.env, SPEECH_MODEL: 'both' }), threads: 2 })
  const folder = await mkdtemp(join(tmpdir(), 'haul-bench-models-'))
  try {
    for (const [title, length] of Object.entries(recordings)) {
      const file = join(folder, `${length}.wav`)
      await makeRecording(file, length)
      const hear = (model: string) => transcribe(recognizer, file, `${file}.pcm`, { model, language: 'en' })
      const texts = new Map<string, string>()
      for (const model of models) texts.set(model, await hear(model))
      const times = new Map<string, number[]>(models.map((model) => [model, []]))
      for (let run = 0; run < runs; run++) {
        for (const model of models) times.get(model)?.push(await seconds(() => hear(model)))
      }
      for (const model of models) {
        const [own = [], first = []] = [times.get(model), times.get(models[0] ?? '')]
        const errors = wordErrorRate(spokenText, texts.get(model) ?? '') * 100
        const words = title === 'all clips' ? `, word errors ${errors.toFixed(1)} %` : ''
        print(`${title}, ${model}: ${median(own).toFixed(2)} s, ratio ${ratioOf(own, first).toFixed(2)}${words}`)
      }
    }
  } finally {
    recognizer.stop()
    await rm(folder, { recursive: true, force: true })
  }
}
