import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { asrPrograms, programs } from '../clients.ts'
import { spoken, testEach, workspace } from '../workspace.ts'
import { send } from './form.ts'
import { type Audio, bazarrLanguage, type Program, requestsOf, sillyTavern } from './programs.ts'

/** What programs of others send, byte by byte from their sources: to OpenAI's API, or to that of whisper-asr-webservice. */
const space = workspace()
let audio: Audio

beforeAll(async () => {
  const { media } = space
  const [webm, pcm] = [media('talk.webm'), media('talk.s16le')]
  // As a browser records it: without a length.
  const opus = ['-c:a', 'libopus', '-f', 'webm', '-live', '1', webm]
  const raw = ['-f', 's16le', '-ac', '1', '-ar', '16000', pcm]
  await promisify(execFile)('ffmpeg', ['-v', 'error', '-nostdin', '-i', media('talk.flac'), ...opus, ...raw])
  audio = {
    wav: await readFile(media('talk.wav')),
    mp3: await readFile(media('talk.mp3')),
    webm: await readFile(webm),
    pcm: await readFile(pcm),
  }
})

const answered = async (program: Program | undefined): Promise<string> => {
  if (!program) throw new Error('no request is known')
  const { status, body } = await send(
    program.request(program.settings(space.site.haul.baseUrl, space.account.apiKey), audio),
  )
  expect([status, body]).toEqual([200, expect.any(String)])
  return body
}

/** How those read what they get that do not only read the text of JSON. */
const read: Record<string, (body: string) => void> = {
  Bazarr: (body) => {
    expect(body).toMatch(/^1\r?\n00:00:0\d,\d{3} --> 00:00:0\d,\d{3}\r?\n/)
    expect(body.replace(/\s+/g, ' ')).toMatch(spoken)
  },
  Speakr: (body) => {
    const { text, segments, language } = JSON.parse(body)
    expect([text, language]).toEqual([expect.stringMatching(spoken), 'en'])
    expect(segments[0]).toMatchObject({ start: expect.any(Number), end: expect.any(Number) })
    expect(segments.map((segment: { text: string }) => segment.text.trim()).join(' ')).toMatch(spoken)
    for (const { speaker } of segments) expect(speaker).toEqual(expect.stringMatching(/\S/))
  },
}
const readText = (body: string) => expect(JSON.parse(body).text).toMatch(spoken)

testEach([...programs, ...asrPrograms], 'gets the transcript that its request asks for', async ({ name }) => {
  const body = await answered(requestsOf[name])
  ;(read[name] ?? readText)(body)
})

test('what SillyTavern sends to OpenAI is understood too', async () => readText(await answered(sillyTavern)))

test('Bazarr is told the language of a film', async () => {
  expect(JSON.parse(await answered(bazarrLanguage))).toMatchObject({
    detected_language: expect.stringMatching(/^english$/i),
    language_code: 'en',
  })
})
