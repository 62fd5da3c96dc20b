import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { programs } from '../clients.ts'
import { spoken, testEach, workspace } from '../workspace.ts'
import { type ProgramResponse, send } from './form.ts'
import { type Audio, type Program, requestsOf, sillyTavern } from './programs.ts'

/** What programs of others send to OpenAI's transcription API, byte by byte from their sources. */
const space = workspace()
let audio: Audio

beforeAll(async () => {
  const [webm, pcm] = [space.media('talk.webm'), space.media('talk.s16le')]
  // As a browser records it: without a length.
  const opus = ['-c:a', 'libopus', '-f', 'webm', '-live', '1', webm]
  const raw = ['-f', 's16le', '-ac', '1', '-ar', '16000', pcm]
  await promisify(execFile)('ffmpeg', ['-v', 'error', '-nostdin', '-i', space.media('talk.flac'), ...opus, ...raw])
  const read = (name: string) => readFile(space.media(name))
  audio = {
    wav: await read('talk.wav'),
    mp3: await read('talk.mp3'),
    webm: await read('talk.webm'),
    pcm: await read('talk.s16le'),
  }
})

const answered = (program: Program): Promise<ProgramResponse> =>
  send(program.request(program.settings(space.site.haul.baseUrl, space.account.apiKey), audio))

testEach(programs, 'gets the transcript that its request asks for', async ({ name }) => {
  const { status, type, body } = await answered(requestsOf[name] as Program)
  expect({ status, type }).toEqual({ status: 200, type: 'application/json' })
  expect(JSON.parse(body).text).toMatch(spoken)
})

test('what SillyTavern sends to OpenAI is understood too', async () => {
  const { status, body } = await answered(sillyTavern)
  expect(status).toBe(200)
  expect(JSON.parse(body).text).toMatch(spoken)
})

test('n8n finds the model of its credential', async () => {
  const { 'Base URL': url, 'API Key': key } = (requestsOf.n8n as Program).settings(
    space.site.haul.baseUrl,
    space.account.apiKey,
  )
  const { status } = await send({ method: 'GET', url: `${url}/models`, headers: { Authorization: `Bearer ${key}` } })
  expect(status).toBe(200)
})

test('a program with a wrong key is told so in the shape of OpenAI’s errors', async () => {
  const program = requestsOf['Open WebUI'] as Program
  const { status, body } = await send(program.request(program.settings(space.site.haul.baseUrl, 'sk-none'), audio))
  expect(status).toBe(401)
  expect(JSON.parse(body)).toMatchObject({ error: { message: expect.stringMatching(/\S/), code: 'UNAUTHORIZED' } })
})
