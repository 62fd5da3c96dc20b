import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { samplesOf } from '../../../container/audio/recordings.ts'
import { startEngine, textOf } from '../../../container/speech/engine-process.ts'
import { installSpeech, toolsDir } from '../../../container/speech/installed-speech.ts'

/** With the real models. More sounds and manners are in `npm run bench -- silence`. */
vi.setConfig({ testTimeout: 300_000 })

installSpeech()

const voice = (name: string) => join(import.meta.dirname, '../../../media/voices', `${name}.flac`)
const people = ['allison', 'carlo', 'june', 'reader-1998', 'reader-2033', 'reader-3005', 'reader-3080', 'rms']

/** Eight people at once, backwards: for the search for speech it is speech, but nothing can be understood. */
const crowd = (clips: number, seconds: number, decibels: number): Buffer => {
  const inputs = people.flatMap((name) => ['-stream_loop', '-1', '-i', voice(`${name}-${clips}`)])
  const backwards = people.map((_, index) => `[${index}]atrim=0:${seconds},dynaudnorm,areverse[v${index}]`).join(';')
  const mixed = `${people.map((_, index) => `[v${index}]`).join('')}amix=inputs=${people.length},volume=${decibels}dB`
  return samplesOf(...inputs, '-filter_complex', `${backwards};${mixed}`)
}

describe.each(['whisper', 'moonshine'])('%s', (kind) => {
  const folder = join(toolsDir, 'models', `${kind}-base`)

  test('writes nothing for a crowd in which no word can be understood', async () => {
    const engine = await startEngine(kind, folder)
    const heard: string[] = []
    for (const [clips, seconds, decibels] of [
      [1, 2, 0],
      [1, 4, -20],
      [2, 2, -20],
      [2, 8, 0],
      [3, 4, 0],
      [3, 15, -30],
    ] as const) {
      heard.push(textOf(await engine.ask(crowd(clips, seconds, decibels), { language: null })))
    }
    expect(heard).toEqual(heard.map(() => ''))
  })

  test('hears a few quiet words, and speech over a crowd', async () => {
    const engine = await startEngine(kind, folder)
    const quiet = samplesOf('-ss', '3.7', '-i', voice('slt-1'), '-af', 'volume=-35dB')
    expect(textOf(await engine.ask(quiet))).toMatch(/nobody was pleased/i)
    const speech = samplesOf('-i', voice('rms-2'))
    const behind = crowd(1, 5, -20)
    expect(textOf(await engine.ask(mixed(speech, behind)))).toMatch(/never seen so many birds/i)
  })
})

const mixed = (one: Buffer, other: Buffer): Buffer => {
  const sum = Buffer.from(one)
  for (let at = 0; at < Math.min(one.length, other.length); at += 2) {
    sum.writeInt16LE(Math.max(-32_768, Math.min(32_767, one.readInt16LE(at) + other.readInt16LE(at))), at)
  }
  return sum
}
