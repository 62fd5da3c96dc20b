import { beforeAll, expect, test } from 'vitest'
import { programs } from '../clients.ts'
import { spoken, testEach, workspace } from '../workspace.ts'
import { type ProgramResponse, send } from './form.ts'
import { type Audio, type Program, requestsOf, sillyTavern } from './programs.ts'
import { recordingsOf } from './recordings.ts'

/** What programs of others send to OpenAI's transcription API, byte by byte from their sources. */
const space = workspace()
let audio: Audio

beforeAll(async () => {
  audio = await recordingsOf(space)
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
