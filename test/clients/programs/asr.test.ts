import { beforeAll, expect, test } from 'vitest'
import { asrPrograms } from '../clients.ts'
import { spoken, testEach, workspace } from '../workspace.ts'
import { type ProgramResponse, send } from './form.ts'
import { type Audio, bazarrLanguage, type Program, requestsOf } from './programs.ts'
import { recordingsOf } from './recordings.ts'

/** What programs for whisper-asr-webservice send, byte by byte from their sources. The key is in the address. */
const space = workspace()
let audio: Audio

beforeAll(async () => {
  audio = await recordingsOf(space)
})

const answered = (program: Program, apiKey = space.account.apiKey): Promise<ProgramResponse> =>
  send(program.request(program.settings(space.site.haul.baseUrl, apiKey), audio))

/** How each reads what it gets. */
const read: Record<string, (body: string) => void> = {
  Bazarr: (body) => {
    expect(body).toMatch(/^1\r?\n00:00:0\d,\d{3} --> 00:00:0\d,\d{3}\r?\n/)
    expect(body.replace(/\s+/g, ' ')).toMatch(spoken)
  },
  Speakr: (body) => {
    const { text, segments, language } = JSON.parse(body)
    expect(text).toMatch(spoken)
    expect(language).toBe('en')
    expect(segments[0]).toMatchObject({ start: expect.any(Number), end: expect.any(Number) })
    expect(segments.map((segment: { text: string }) => segment.text.trim()).join(' ')).toMatch(spoken)
    for (const { speaker } of segments) expect(speaker).toEqual(expect.stringMatching(/\S/))
  },
}

testEach(asrPrograms, 'gets the transcript that its request asks for', async ({ name }) => {
  const { status, body } = await answered(requestsOf[name] as Program)
  expect(status).toBe(200)
  read[name]?.(body)
})

test('Bazarr is told the language of a film', async () => {
  const { status, body } = await answered(bazarrLanguage)
  expect(status).toBe(200)
  expect(JSON.parse(body)).toMatchObject({
    detected_language: expect.stringMatching(/^english$/i),
    language_code: 'en',
  })
})

test('a program with a wrong key is refused', async () => {
  const { status, body } = await answered(requestsOf.Bazarr as Program, 'none')
  expect(status).toBe(401)
  expect(JSON.parse(body)).toEqual({ detail: expect.stringMatching(/\S/) })
})
